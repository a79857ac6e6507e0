//! A file of runs: those of an experiment on a machine, of which some are shown.

use measurement::{Run, RunHeader};

/// A file of runs.
#[derive(Debug, Clone)]
pub struct RunsFile {
    /// The file, relative to the book's root, for messages.
    pub file: String,
    /// The experiment whose runs it holds.
    pub experiment: String,
    /// All its runs that are not faulty, oldest first.
    pub runs: Vec<Run>,
    /// Which of them are shown: those that count, else the last ones that were measured alike.
    pub shown: Vec<usize>,
    /// The headers of runs that are faulty, each of which says why. They count for nothing.
    pub faulty: Vec<RunHeader>,
    /// In what those that are shown differ from the tree; empty if they are up to date, and count.
    pub stale: Vec<String>,
}

impl RunsFile {
    /// Whether several runs are shown together.
    pub(crate) fn has_several(&self) -> bool {
        self.shown.len() > 1
    }

    /// The last of the runs that are shown.
    pub fn last(&self) -> Option<&Run> {
        self.shown.last().map(|&index| &self.runs[index])
    }

    /// The runs that are shown.
    pub(crate) fn shown(&self) -> Vec<&Run> {
        self.shown.iter().map(|&run| &self.runs[run]).collect()
    }

    /// The runs that are shown, but for one that is held out.
    pub(crate) fn all_but(&self, held_out: usize) -> Vec<&Run> {
        let shown = self.shown.iter().filter(|&&run| run != held_out);
        shown.map(|&run| &self.runs[run]).collect()
    }
}
