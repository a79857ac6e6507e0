//! A file of runs: those of an experiment on a machine, of which some are shown.

use measurement::{METHOD, Run};

/// A file of runs.
#[derive(Debug, Clone)]
pub struct RunsFile {
    /// The file, relative to the book's root, for messages.
    pub file: String,
    /// The experiment whose runs it holds; `None` for a chapter's run of method 2.
    pub experiment: Option<String>,
    /// All its runs, oldest first.
    pub runs: Vec<Run>,
    /// How many of them are shown, which are the last ones that were measured alike.
    pub shown: Vec<usize>,
    /// In what those that are shown differ from the tree; empty if they are up to date, and count.
    pub stale: Vec<String>,
}

impl RunsFile {
    /// Whether several runs of an experiment are shown together.
    pub(crate) fn has_several(&self) -> bool {
        self.experiment.is_some() && self.shown.len() > 1
    }

    /// The last of the runs that are shown.
    pub fn last(&self) -> Option<&Run> {
        self.shown.last().map(|&index| &self.runs[index])
    }

    /// The runs that are shown, but for one that is held out.
    pub(crate) fn shown(&self, held_out: Option<usize>) -> Vec<&Run> {
        let shown = self.shown.iter().filter(|run| Some(**run) != held_out);
        shown.map(|&run| &self.runs[run]).collect()
    }

    /// All runs of this method, but for one that is held out, those together that were measured alike. How much
    /// runs differ is learnt from history as well: a workload that has changed has one run, and scatters as it
    /// did.
    pub(crate) fn alike(&self, held_out: Option<usize>) -> Vec<Vec<&Run>> {
        let mut families: Vec<Vec<&Run>> = Vec::new();
        for run in self.all_but(held_out).filter(|run| run.header.method == METHOD) {
            let family = families.iter_mut().find(|of| of[0].header.is_alike(&run.header));
            match family {
                Some(family) => family.push(run),
                None => families.push(vec![run]),
            }
        }
        families
    }

    /// All runs, but for one that is held out.
    pub(crate) fn all_but(&self, held_out: Option<usize>) -> impl Iterator<Item = &Run> {
        let runs = self.runs.iter().enumerate();
        runs.filter(move |(run, _)| Some(*run) != held_out).map(|(_, run)| run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(day: u32, workload: &str) -> Run {
        let header = format!(
            r#"{{"run":"2026-11-{day}T10:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":{METHOD},"workload":"{workload}","builds":[7],"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":1,"rounds":1}}"#
        );
        let row = r#"{"experiment":"hops","contender":"smol","parameters":{},"quantity":"time per hop","unit":"ns","failed":"no"}"#;
        Run::parse(&format!("{header}\n{row}\n")).unwrap()
    }

    #[test]
    fn history_tells_how_much_runs_differ_and_no_run_judges_itself() {
        let runs = vec![run(10, "old"), run(11, "new"), run(12, "old"), run(13, "new")];
        let source = RunsFile {
            file: String::new(),
            experiment: Some("hops".into()),
            runs,
            shown: vec![1, 3],
            stale: Vec::new(),
        };
        let days = |held_out: Option<usize>| -> Vec<Vec<String>> {
            let day = |run: &&Run| run.header.run[8..10].to_owned();
            let alike = source.alike(held_out);
            alike.iter().map(|family| family.iter().map(day).collect()).collect()
        };
        assert_eq!(days(None), [["10", "12"], ["11", "13"]]);
        assert_eq!(days(Some(3)), [vec!["10", "12"], vec!["11"]]);
        assert_eq!(source.shown(Some(3)), [&source.runs[1]]);
    }
}
