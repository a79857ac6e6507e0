//! Progress messages on standard error.

use std::io::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar on a terminal; otherwise, a line per process.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(visits: usize) -> Progress {
        let bar = ProgressBar::new(visits as u64);
        let style = "{bar:30} {pos} of {len} visits, {eta} left  {wide_msg}";
        let style = ProgressStyle::with_template(style);
        bar.set_style(style.expect("the template is well formed"));
        Progress(bar)
    }

    pub(crate) fn stage(&self, text: &str) {
        if self.0.is_hidden() {
            self.note(text);
        } else {
            self.0.set_message(text.to_owned());
        }
    }

    /// Reports that one more measurement is done. Call this between
    /// measurements, so that drawing doesn't disturb them.
    pub(crate) fn advance(&self) {
        self.0.inc(1);
    }

    /// Sets the expected number of measurements, and restarts the estimate of
    /// the remaining time. The estimate must not include the time before,
    /// such as time spent waiting.
    pub(crate) fn expect(&self, visits: usize) {
        self.0.set_length(visits as u64);
        self.0.reset_eta();
    }

    pub(crate) fn expect_more(&self, visits: usize) {
        self.0.inc_length(visits as u64);
    }

    /// Prints a message that remains visible.
    pub(crate) fn note(&self, text: &str) {
        // Measuring continues even if nobody reads the messages.
        self.0.suspend(|| drop(writeln!(std::io::stderr(), "{text}")));
    }

    pub(crate) fn finish(&self, took: Duration) {
        self.0.finish_and_clear();
        self.note(&format!("measured in {} s", took.as_secs()));
    }
}
