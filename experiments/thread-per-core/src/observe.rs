//! A window in which another chapter's server is asked by this chapter's load.

use std::path::Path;

use crate::echo::setting::Cores;
use crate::echo::visit::{self, Seen};
use crate::load::{self, Settings};
use crate::serve::{Report, Running};

/// What was seen of a window.
pub struct Observed(Seen);

impl Observed {
    /// How much more of something there was near the window's end than near its
    /// beginning, a message.
    pub fn a_message(&self, of: impl Fn(&Report) -> u64) -> f64 {
        self.0.a_message(of)
    }

    /// Right answers a second.
    pub fn achieved(&self) -> f64 {
        self.0.load.achieved
    }

    /// The share of its time in which a load that spins found nothing to do.
    pub fn empty_polls(&self) -> f64 {
        self.0.load.cpu.empty_polls
    }

    /// What the load found.
    pub fn load(self) -> load::Report {
        self.0.load
    }
}

/// Runs a load on the first core, by a `program` that understands `load`, and asks
/// the server at the beginning and at the end of the load's window.
///
/// # Errors
///
/// What is wrong with the server or the load.
pub fn observe(
    program: &Path,
    running: &mut Running,
    settings: &Settings,
) -> Result<Observed, String> {
    visit::observe(program, running, settings, Cores::Apart).map(Observed)
}
