//! Runs this chapter's load generator against another chapter's server, for a
//! window of time.

use std::path::Path;

use crate::echo::setting::Cores;
use crate::echo::visit::{self, Seen};
use crate::load::{self, Settings};
use crate::serve::{Report, Running};

/// The result of a measurement: the reports of the server and of the load.
pub struct Observed(Seen);

impl Observed {
    /// Returns how much one of the server's counts, selected by `of`,
    /// increased per message. Compares the reports from near the beginning
    /// and near the end of the window.
    pub fn a_message(&self, of: impl Fn(&Report) -> u64) -> f64 {
        self.0.a_message(of)
    }

    /// Returns the number of right answers per second.
    pub fn achieved(&self) -> f64 {
        self.0.load.achieved
    }

    /// Returns the fraction of a core that a spinning load spent in polls
    /// that found nothing.
    pub fn empty_polls(&self) -> f64 {
        self.0.load.cpu.empty_polls
    }

    /// Returns the load's report.
    pub fn load(self) -> load::Report {
        self.0.load
    }
}

/// Runs a load on the first core, as a process of `program`, which must have
/// the command `load`. Returns the load's report, and the server's reports
/// from near the beginning and near the end of the window.
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
