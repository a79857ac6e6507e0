//! What the runs in the data directory say, machine by machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use measurement::machine::Machine;
use measurement::name::check_slug;
use measurement::tree::{Stale, Tree};
use measurement::{Best, Evidence, METHOD, Pools, Profile, Row, Run, RunHeader};

use crate::config::Config;
use crate::data_files::{MACHINE, RunsFile, directories, relative, runs_files};
use crate::{Mistake, Mistakes, Scope};

/// The directory of the reader's own runs.
pub const LOCAL: &str = "local";

/// The directory of what others published, which is no machine.
pub const PUBLISHED: &str = "published";

/// What a page calls a machine: the reader's own is `yours`.
pub(crate) fn label(machine: &str) -> &str {
    if machine == LOCAL { "yours" } else { machine }
}

/// All runs that the pages may show.
#[derive(Debug)]
pub struct Data {
    /// The machine that book.toml names first, else the one that is the reference of most experiments;
    /// then the others by name, the reader's own last.
    pub machines: Vec<MachineData>,
    /// The machine that book.toml names.
    preferred: Option<String>,
}

/// The runs of one machine.
#[derive(Debug)]
pub struct MachineData {
    /// What it is.
    pub machine: Machine,
    /// What its runs say, by chapter.
    pub chapters: BTreeMap<String, ChapterData>,
}

/// What a machine's runs say of a chapter.
#[derive(Debug)]
pub struct ChapterData {
    /// What the runs that are shown say together.
    pub evidence: Evidence,
    /// The files that they come from.
    pub sources: Vec<SourceFile>,
}

/// A file of runs.
#[derive(Debug, Clone)]
pub struct SourceFile {
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

impl ChapterData {
    /// The file that an experiment's rows come from.
    fn source(&self, experiment: &str) -> Option<&SourceFile> {
        let own = |source: &&SourceFile| source.experiment.as_deref() == Some(experiment);
        let of_chapter = |source: &&SourceFile| source.experiment.is_none();
        self.sources.iter().find(own).or_else(|| self.sources.iter().find(of_chapter))
    }

    /// In what the runs of an experiment differ from the tree.
    pub fn stale(&self, experiment: &str) -> &[Stale] {
        self.source(experiment).map_or(&[], |source| &source.stale)
    }

    /// How many runs of an experiment are kept, and not shown.
    pub fn history(&self, experiment: &str) -> usize {
        self.source(experiment).map_or(0, |source| source.runs.len() - source.shown.len())
    }

    /// When the runs began that are shown, oldest first.
    pub fn began(&self) -> Vec<&str> {
        let mut began: Vec<&str> =
            self.evidence.all_headers().map(|header| header.run.as_str()).collect();
        began.sort_unstable();
        began.dedup();
        began
    }
}

impl SourceFile {
    /// Whether several runs of an experiment are shown together.
    pub(crate) fn has_several(&self) -> bool {
        self.experiment.is_some() && self.shown.len() > 1
    }

    /// The last of the runs that are shown.
    pub fn last(&self) -> Option<&Run> {
        self.shown.last().map(|&index| &self.runs[index])
    }

    /// The runs that are shown.
    fn shown(&self) -> Vec<Run> {
        self.shown.iter().map(|&index| self.runs[index].clone()).collect()
    }

    /// All runs of this method, those together that were measured alike. How much runs differ is learnt
    /// from history as well: a workload that has changed has one run, and scatters as it did.
    fn alike(&self) -> Vec<Vec<Run>> {
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
    fn without_the_last(&self) -> SourceFile {
        let mut earlier = self.clone();
        if let Some(last) = earlier.shown.pop() {
            // Those that are shown stand in order, so all others keep their places.
            earlier.runs.remove(last);
        }
        earlier
    }
}

impl MachineData {
    /// The machine's name.
    pub fn name(&self) -> &str {
        &self.machine.machine
    }

    /// Whether these are the reader's own runs.
    pub fn is_local(&self) -> bool {
        self.name() == LOCAL
    }
}

impl Data {
    /// Reads and checks every file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of them.
    pub fn load(root: &Path, config: &Config, scope: Scope) -> Result<Data, Mistakes> {
        let mut mistakes = Mistakes::default();
        let tree = Tree::read(root, &config.experiments);
        let mut found = Vec::new();
        for directory in directories(&root.join(&config.data)) {
            let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let other = name == PUBLISHED || (name == LOCAL && scope == Scope::Committed);
            // A machine without a run yet: measuring was broken off before it wrote one.
            if other || runs_files(&directory).is_empty() {
                continue;
            }
            match read_machine(root, &tree, &directory, &name) {
                Ok(machine) => found.push(machine),
                Err(mut more) => mistakes.0.append(&mut more.0),
            }
        }
        if !mistakes.0.is_empty() {
            return Err(mistakes);
        }
        let mut data = Data { machines: with_evidence(found), preferred: config.reference.clone() };
        let first = config.reference.clone().unwrap_or_else(|| data.most_frequent_reference());
        let rank = |machine: &MachineData| match machine.name() {
            name if name == first => (0, name.to_owned()),
            LOCAL => (2, String::new()),
            name => (1, name.to_owned()),
        };
        data.machines.sort_by_key(rank);
        Ok(data)
    }

    /// The same without each machine's last run of each experiment, and without what has no other: what
    /// the book said before it.
    pub fn before_the_last_run(&self) -> Data {
        let found = self.machines.iter().map(|machine| {
            let chapters = machine.chapters.iter().map(|(name, chapter)| {
                let earlier = chapter.sources.iter().filter(|source| source.has_several());
                let earlier = earlier.map(SourceFile::without_the_last);
                (name.clone(), earlier.collect())
            });
            Found { machine: machine.machine.clone(), sources: chapters.collect() }
        });
        let preferred = self.preferred.clone();
        Data { machines: with_evidence(found.collect()), preferred }
    }

    /// The machine whose figures the pages tell of an experiment: the one that book.toml names, if it has
    /// any; else the one with the most full runs, of several the one with the most runs that count, and then
    /// the one that was measured last.
    pub fn reference(&self, chapter: &str, experiment: &str) -> &str {
        let of = |machine: &MachineData| -> Option<(usize, usize, String)> {
            let data = machine.chapters.get(chapter)?;
            let is_of_it = |row: &Row| row.experiment == experiment;
            if machine.is_local() || !data.evidence.rows.iter().any(is_of_it) {
                return None;
            }
            let headers = data.evidence.headers(experiment);
            let counting = if data.stale(experiment).is_empty() { headers.len() } else { 0 };
            let is_full = |header: &&RunHeader| header.profile == Profile::Full;
            let full = headers.iter().filter(is_full).count();
            Some((full, counting, headers.last()?.run.clone()))
        };
        let having =
            || self.machines.iter().filter_map(|machine| Some((of(machine)?, machine.name())));
        let is_preferred = |name: &str| self.preferred.as_deref() == Some(name);
        let preferred = having().find(|(_, name)| is_preferred(name));
        let first = || self.machines.first().map_or(LOCAL, MachineData::name);
        match preferred.or_else(|| having().max()) {
            Some((_, name)) => name,
            None => self.preferred.as_deref().unwrap_or_else(first),
        }
    }

    /// The machine whose figures the pages tell of most experiments; of several the first by name.
    fn most_frequent_reference(&self) -> String {
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for (chapter, experiment) in self.experiments() {
            *count.entry(self.reference(chapter, experiment)).or_default() += 1;
        }
        let most = count.into_iter().rev().max_by_key(|(_, count)| *count);
        most.map_or(LOCAL, |(name, _)| name).to_owned()
    }

    /// Every experiment of which some machine has rows, with its chapter.
    fn experiments(&self) -> BTreeSet<(&str, &str)> {
        let chapters = self.machines.iter().flat_map(|machine| &machine.chapters);
        let rows = chapters.flat_map(|(chapter, data)| {
            data.evidence.rows.iter().map(move |row| (chapter.as_str(), row.experiment.as_str()))
        });
        rows.collect()
    }

    /// In what the runs that the pages tell of a chapter differ from the tree, each once.
    pub fn stale(&self, chapter: &str) -> Vec<&Stale> {
        let mut all: Vec<&Stale> = Vec::new();
        for (_, experiment) in self.experiments().into_iter().filter(|(of, _)| *of == chapter) {
            let data = self.chapter(self.reference(chapter, experiment), chapter);
            for stale in data.map_or(&[][..], |data| data.stale(experiment)) {
                if !all.contains(&stale) {
                    all.push(stale);
                }
            }
        }
        all
    }

    /// The machines in the order in which the pages tell of an experiment: the reference first.
    pub(crate) fn in_order(&self, chapter: &str, experiment: &str) -> Vec<&MachineData> {
        let reference = self.reference(chapter, experiment);
        let mut machines: Vec<&MachineData> = self.machines.iter().collect();
        machines.sort_by_key(|machine| machine.name() != reference);
        machines
    }

    /// The contenders of all chapters, in the order in which they are met: on the reference machine
    /// first.
    pub(crate) fn contenders(&self) -> Vec<&str> {
        let runs = self.machines.iter().flat_map(|machine| machine.chapters.values());
        let mut contenders: Vec<&str> = Vec::new();
        for row in runs.flat_map(|chapter| &chapter.evidence.rows) {
            if !contenders.contains(&row.contender.as_str()) {
                contenders.push(&row.contender);
            }
        }
        contenders
    }

    /// What a machine's runs say of a chapter.
    pub fn chapter(&self, machine: &str, chapter: &str) -> Option<&ChapterData> {
        let machine = self.machines.iter().find(|data| data.name() == machine)?;
        machine.chapters.get(chapter)
    }
}

/// A machine as its files say.
struct Found {
    machine: Machine,
    /// By chapter.
    sources: BTreeMap<String, Vec<SourceFile>>,
}

fn read_machine(root: &Path, tree: &Tree, directory: &Path, name: &str) -> Result<Found, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut wrong = |file: &Path, line: usize, mut message: String| {
        if name == LOCAL {
            message +=
                "; these are your own runs: measure again, or remove data/local to do without";
        }
        let file = relative(root, file);
        mistakes.0.push(Mistake { file, line, message });
    };
    if let Err(error) = check_slug("machine", name) {
        wrong(directory, 1, error.to_string());
        return Err(mistakes);
    }
    let mut sources: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    for RunsFile { path, chapter, experiment } in runs_files(directory) {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                wrong(&path, 1, format!("cannot be read: {error}"));
                continue;
            }
        };
        let runs = match Run::parse_all(&text) {
            Ok(runs) => runs,
            Err(error) => {
                wrong(&path, error.line, error.message);
                continue;
            }
        };
        if let Err((line, message)) = belongs(&runs, name, &chapter, experiment.as_deref()) {
            wrong(&path, line, message);
            continue;
        }
        let (shown, stale) = tree.shown(&runs);
        let file = relative(root, &path);
        let source = SourceFile { file, experiment, runs, shown, stale };
        sources.entry(chapter).or_default().push(source);
    }
    let file = directory.join(MACHINE);
    let machine = match fs::read_to_string(&file) {
        Ok(text) => match Machine::parse(&text) {
            Ok(machine) if machine.machine == name => Some(machine),
            Ok(other) => {
                wrong(&file, 1, format!("describes the machine {:?}", other.machine));
                None
            }
            Err(message) => {
                wrong(&file, 1, message);
                None
            }
        },
        Err(error) => {
            wrong(&file, 1, format!("cannot be read: {error}; `cargo book measure` writes it"));
            None
        }
    };
    match machine {
        Some(machine) if mistakes.0.is_empty() => Ok(Found { machine, sources }),
        _ => Err(mistakes),
    }
}

/// Whether the runs of a file are what its place says, each younger than the one before.
fn belongs(
    runs: &[Run],
    machine: &str,
    chapter: &str,
    experiment: Option<&str>,
) -> Result<(), (usize, String)> {
    let mut line = 1;
    let mut before: Option<&str> = None;
    for run in runs {
        let header = &run.header;
        let is_it = header.machine == machine
            && header.chapter == chapter
            && header.experiment.as_deref() == experiment;
        if !is_it {
            let machine = &header.machine;
            let of = header.experiment.iter().map(|name| format!("/{name}"));
            let named = header.chapter.clone() + &of.collect::<String>();
            return Err((
                line,
                format!(
                    "holds the run of {named:?} on {machine:?}: a run belongs in \
                     data/<machine>/<chapter>/<experiment>.jsonl, one of method 2 in \
                     data/<machine>/<chapter>.jsonl"
                ),
            ));
        }
        if before.is_some_and(|before| before >= header.run.as_str()) {
            return Err((
                line,
                format!("the run of {} does not stand behind older ones", header.run),
            ));
        }
        before = Some(&header.run);
        line += 1 + run.rows.len();
    }
    if experiment.is_none() && runs.len() > 1 {
        return Err((line, "there is one run of method 2 in a file".to_owned()));
    }
    Ok(())
}

/// A chapter and an experiment of it.
type Place = (String, String);

/// A machine's runs of an experiment, and what its cores can do at their best.
type RunsOfMachine = (Vec<Run>, Option<Best>);

/// What the machines' runs say: how much runs differ is known from all of them together.
fn with_evidence(found: Vec<Found>) -> Vec<MachineData> {
    let bests: Vec<Option<Best>> = found.iter().map(best).collect();
    let mut by_experiment: BTreeMap<Place, Vec<RunsOfMachine>> = BTreeMap::new();
    for (machine, best) in found.iter().zip(&bests) {
        for (chapter, sources) in &machine.sources {
            for source in sources {
                let Some(experiment) = &source.experiment else { continue };
                let key = (chapter.clone(), experiment.clone());
                let alike = source.alike().into_iter().map(|runs| (runs, *best));
                by_experiment.entry(key).or_default().extend(alike);
            }
        }
    }
    let pools: BTreeMap<Place, Pools> = by_experiment
        .into_iter()
        .map(|(key, runs)| {
            let machines = runs.iter().map(|(runs, best)| (runs.as_slice(), *best));
            (key, Pools::of(machines))
        })
        .collect();
    let machine = |(found, best): (Found, Option<Best>)| {
        let chapters = found.sources.into_iter().map(|(chapter, sources)| {
            let own: Vec<String> =
                sources.iter().filter_map(|source| source.experiment.clone()).collect();
            let evidence = sources.iter().map(|source| match &source.experiment {
                Some(experiment) => {
                    let pools = &pools[&(chapter.clone(), experiment.clone())];
                    Evidence::of_runs(&source.shown(), best, pools)
                }
                // What has been measured since by another method is its history.
                None => {
                    let run = source.runs[0].clone();
                    let is_left = |row: &Row| !own.contains(&row.experiment);
                    let rows = run.rows.into_iter().filter(is_left).collect();
                    Evidence::of_method_2(Run { rows, ..run })
                }
            });
            let evidence = Evidence::join(evidence.collect::<Vec<_>>());
            (chapter, ChapterData { evidence, sources })
        });
        MachineData { machine: found.machine, chapters: chapters.collect() }
    };
    found.into_iter().zip(bests).map(machine).collect()
}

/// What a machine's cores can do at their best, by the probes of all its runs.
fn best(machine: &Found) -> Option<Best> {
    best_of(machine.sources.values().flatten())
}

/// The same of some files of a machine.
pub(crate) fn best_of<'a>(sources: impl Iterator<Item = &'a SourceFile>) -> Option<Best> {
    Best::of(sources.flat_map(|source| &source.runs).flat_map(Run::probes))
}

/// What to say where the reference machine has no run of a chapter.
pub(crate) fn missing_run(reference: &str, chapter: &str) -> String {
    format!(
        "data/{reference} has no run of {chapter}: measure with \
         `cargo book measure {chapter} --full --machine {reference}`"
    )
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
        let source = SourceFile {
            file: String::new(),
            experiment: Some("hops".into()),
            runs,
            shown: vec![1, 3],
            stale: Vec::new(),
        };
        let days = |source: &SourceFile| -> Vec<Vec<String>> {
            let day = |run: &Run| run.header.run[8..10].to_owned();
            source.alike().iter().map(|family| family.iter().map(day).collect()).collect()
        };
        assert_eq!(days(&source), [["10", "12"], ["11", "13"]]);
        let earlier = source.without_the_last();
        assert_eq!(days(&earlier), [vec!["10", "12"], vec!["11"]]);
        assert_eq!(earlier.shown, [1]);
    }
}
