//! What is said on standard error while measuring.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, a line a process elsewhere.
pub(crate) struct Progress {
    bar: ProgressBar,
    terminal: bool,
}

impl Progress {
    pub(crate) fn new(visits: usize) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal {
            ProgressBar::new(visits as u64)
        } else {
            ProgressBar::hidden()
        };
        let style = "{bar:30} {pos} of {len} visits, {eta} left  {wide_msg}";
        bar.set_style(
            ProgressStyle::with_template(style)
                .expect("the template is well formed"),
        );
        Progress { bar, terminal }
    }

    /// Names what is being done now.
    pub(crate) fn stage(&self, text: &str) {
        if self.terminal {
            self.bar.set_message(text.to_owned());
        } else {
            self.note(text);
        }
    }

    /// One visit more. Between visits, so drawing disturbs none.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
    }

    /// A visit fewer or more to do than was thought.
    pub(crate) fn expect(&self, visits: usize) {
        self.bar.set_length(visits as u64);
    }

    /// Says something that stays.
    pub(crate) fn note(&self, text: &str) {
        // Nobody reading is no reason to stop measuring.
        self.bar.suspend(|| drop(writeln!(std::io::stderr(), "{text}")));
    }

    pub(crate) fn finish(&self, took: Duration) {
        self.bar.finish_and_clear();
        self.note(&format!("measured in {} s", took.as_secs()));
    }
}
