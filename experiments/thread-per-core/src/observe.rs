//! A window in which this chapter's load tests another chapter's server.

use std::path::Path;

use crate::echo::setting::Cores;
use crate::echo::visit::{self, Seen};
use crate::load::{self, Settings};
use crate::serve::{Report, Running};

/// The observations of a window.
pub struct Observed(Seen);

impl Observed {
    /// Returns the increase of something from near the window's beginning to
    /// near its end, per message.
    pub fn a_message(&self, of: impl Fn(&Report) -> u64) -> f64 {
        self.0.a_message(of)
    }

    /// Returns the right answers per second.
    pub fn achieved(&self) -> f64 {
        self.0.load.achieved
    }

    /// Returns the share of its time in which a load that spins found nothing
    /// to do.
    pub fn empty_polls(&self) -> f64 {
        self.0.load.cpu.empty_polls
    }

    /// Returns the load's report.
    pub fn load(self) -> load::Report {
        self.0.load
    }
}

/// Runs a load on the first core, by a `program` that has the command `load`,
/// and gets the server's reports at the beginning and at the end of the load's
/// window.
///
/// # Errors
///
/// If the server or the load fails.
pub fn observe(
    program: &Path,
    running: &mut Running,
    settings: &Settings,
) -> Result<Observed, String> {
    visit::observe(program, running, settings, Cores::Apart).map(Observed)
}
