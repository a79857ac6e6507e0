//! A file of runs: those of an experiment on a machine, of which some are shown.

use measurement::staleness::Stale;
use measurement::{BestProbe, METHOD, Run};

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
    pub stale: Vec<Stale>,
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

    /// The runs that are shown.
    pub(crate) fn shown(&self) -> Vec<Run> {
        self.shown.iter().map(|&index| self.runs[index].clone()).collect()
    }

    /// All runs of this method, those together that were measured alike. How much runs differ is learnt
    /// from history as well: a workload that has changed has one run, and scatters as it did.
    pub(crate) fn alike(&self) -> Vec<Vec<Run>> {
        let mut families: Vec<Vec<Run>> = Vec::new();
        for run in self.runs.iter().filter(|run| run.header.method == METHOD) {
            let family = families.iter_mut().find(|of| of[0].header.is_alike(&run.header));
            match family {
                Some(family) => family.push(run.clone()),
                None => families.push(vec![run.clone()]),
            }
        }
        families
    }

    /// The same without the last of the runs that are shown.
    pub(crate) fn without_the_last(&self) -> RunsFile {
        let mut earlier = self.clone();
        if let Some(last) = earlier.shown.pop() {
            // Those that are shown stand in order, so all others keep their places.
            earlier.runs.remove(last);
        }
        earlier
    }
}

/// What a machine's cores can do at their best, by the probes of all runs of these files.
pub(crate) fn best_of<'a>(sources: impl Iterator<Item = &'a RunsFile>) -> Option<BestProbe> {
    BestProbe::of(sources.flat_map(|source| &source.runs).flat_map(Run::probes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(day: u32, workload: &str) -> Run {
        let header = format!(
            r#"{{"run":"2026-11-{day}T10:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":{METHOD},"workload":"{workload}","build":"b","builds":[7],"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":1,"rounds":1}}"#
        );
        let row = r#"{"experiment":"hops","contender":"smol","parameters":{},"quantity":"time per hop","unit":"ns","failed":"no"}"#;
        Run::parse(&format!("{header}\n{row}\n")).unwrap()
    }

    #[test]
    fn history_tells_how_much_runs_differ_and_the_last_run_does_not_judge_itself() {
        let runs = vec![run(10, "old"), run(11, "new"), run(12, "old"), run(13, "new")];
        let source = RunsFile {
            file: String::new(),
            experiment: Some("hops".into()),
            runs,
            shown: vec![1, 3],
            stale: Vec::new(),
        };
        let days = |source: &RunsFile| -> Vec<Vec<String>> {
            let day = |run: &Run| run.header.run[8..10].to_owned();
            source.alike().iter().map(|family| family.iter().map(day).collect()).collect()
        };
        assert_eq!(days(&source), [["10", "12"], ["11", "13"]]);
        let earlier = source.without_the_last();
        assert_eq!(days(&earlier), [vec!["10", "12"], vec!["11"]]);
        assert_eq!(earlier.shown, [1]);
    }
}
