//! What the runs in the data directory say, machine by machine.

use std::collections::{BTreeMap, BTreeSet};

use measurement::machine::Machine;
use measurement::{BestProbe, Evidence, HeldOut, Pools, Profile, Row, Run, RunHeader};

use crate::recordings_file::RecordingsFile;
use crate::runs_file::RunsFile;

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
    /// What its cores can do at their best, by the probes of all its runs.
    best: Option<BestProbe>,
}

/// What a machine's runs say of a chapter.
#[derive(Debug)]
pub struct ChapterData {
    /// What the runs that are shown say together, those that recorded among them.
    pub evidence: Evidence,
    /// The files of those that measured.
    pub sources: Vec<RunsFile>,
    /// The files of those that recorded.
    pub recordings: Vec<RecordingsFile>,
}

impl ChapterData {
    /// The file of an experiment's runs; with `None` that of a chapter's run of method 2.
    fn source(&self, experiment: Option<&str>) -> Option<&RunsFile> {
        self.sources.iter().find(|source| source.experiment.as_deref() == experiment)
    }

    /// The recordings of an experiment.
    pub(crate) fn recordings_of(&self, experiment: &str) -> Option<&RecordingsFile> {
        self.recordings.iter().find(|file| file.experiment == experiment)
    }

    /// In what the runs of an experiment differ from the tree; those that recorded it, if none measured it.
    pub fn stale(&self, experiment: &str) -> &[String] {
        let measured = self.source(Some(experiment)).map(|source| &source.stale);
        let recorded = || self.recordings_of(experiment).map(|file| &file.stale);
        let of_chapter = || self.source(None).map(|source| &source.stale);
        measured.or_else(recorded).or_else(of_chapter).map_or(&[], Vec::as_slice)
    }

    /// How many runs of an experiment are kept, and not shown.
    pub fn history(&self, experiment: &str) -> usize {
        let source = self.source(Some(experiment)).or_else(|| self.source(None));
        source.map_or(0, |source| source.runs.len() - source.shown.len())
    }

    /// Whether all runs of an experiment that are shown are quick ones.
    pub(crate) fn is_quick(&self, experiment: &str) -> bool {
        let headers = self.evidence.headers(experiment);
        headers.iter().all(|header| header.profile == Profile::Quick)
    }

    /// When the runs began that measured what is shown, oldest first. No claim is about a recording.
    pub fn began(&self) -> Vec<&str> {
        let shown = self.sources.iter().flat_map(|source| source.shown(None));
        let mut began: Vec<&str> = shown.map(|run| run.header.run.as_str()).collect();
        began.sort_unstable();
        began.dedup();
        began
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

    /// The files of all its chapters.
    pub fn sources(&self) -> impl Iterator<Item = &RunsFile> {
        self.chapters.values().flat_map(|chapter| &chapter.sources)
    }
}

impl Data {
    /// What the files of machines say; `preferred` is the machine that book.toml names.
    pub(crate) fn new(files: Vec<MachineFiles>, preferred: Option<String>) -> Data {
        let mut data = Data { machines: with_evidence(files), preferred };
        let first = data.preferred.clone().unwrap_or_else(|| data.most_frequent_reference());
        let rank = |machine: &MachineData| match machine.name() {
            name if name == first => (0, name.to_owned()),
            LOCAL => (2, String::new()),
            name => (1, name.to_owned()),
        };
        data.machines.sort_by_key(rank);
        data
    }

    /// One of the runs that are shown of an experiment, held out of all others: what the book would have
    /// said without it, and what it says by itself.
    ///
    /// # Panics
    ///
    /// If it is the only one that is shown.
    pub(crate) fn hold_out(
        &self,
        machine: &MachineData,
        chapter: &str,
        source: &RunsFile,
        run: usize,
    ) -> HeldOut {
        let held_out = |file: &RunsFile| std::ptr::eq(file, source).then_some(run);
        let others = machine.sources().flat_map(|file| file.all_but(held_out(file)));
        let best = BestProbe::of_runs(&others.collect::<Vec<_>>());
        let is_of_it = |file: &&RunsFile| file.experiment == source.experiment;
        let alike = self.machines.iter().flat_map(|other| {
            let files = other.chapters.get(chapter).map_or(&[][..], |chapter| &chapter.sources);
            let best = if other.name() == machine.name() { best } else { other.best };
            let alike = files.iter().filter(is_of_it).flat_map(|file| file.alike(held_out(file)));
            alike.map(move |runs| (runs, best))
        });
        let pools = pools(&alike.collect::<Vec<_>>());
        HeldOut::of(&source.runs[run], &source.shown(Some(run)), best, &pools)
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

    /// In what the runs that the pages tell of a chapter differ from the tree, each once. If the machine that
    /// book.toml names has measured the chapter, what it has nothing of is not told: others may have
    /// measured what is there no more.
    pub fn stale(&self, chapter: &str) -> Vec<&str> {
        let has_it = |name: &&str| self.chapter(name, chapter).is_some();
        let preferred = self.preferred.as_deref().filter(has_it);
        let mut all: Vec<&str> = Vec::new();
        for (_, experiment) in self.experiments().into_iter().filter(|(of, _)| *of == chapter) {
            let reference = self.reference(chapter, experiment);
            if preferred.is_some_and(|name| name != reference) {
                continue;
            }
            let data = self.chapter(reference, chapter);
            for stale in data.map_or(&[][..], |data| data.stale(experiment)) {
                if !all.contains(&stale.as_str()) {
                    all.push(stale);
                }
            }
        }
        all
    }

    /// Whether any machine but the reader's own has rows of an experiment.
    pub(crate) fn is_measured(&self, chapter: &str, experiment: &str) -> bool {
        let ours = self.machines.iter().filter(|machine| !machine.is_local());
        let rows = ours.filter_map(|machine| machine.chapters.get(chapter));
        rows.flat_map(|data| &data.evidence.rows).any(|row| row.experiment == experiment)
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

    /// A machine by its name.
    pub(crate) fn machine(&self, name: &str) -> Option<&MachineData> {
        self.machines.iter().find(|machine| machine.name() == name)
    }

    /// What a machine's runs say of a chapter.
    pub fn chapter(&self, machine: &str, chapter: &str) -> Option<&ChapterData> {
        self.machine(machine)?.chapters.get(chapter)
    }
}

/// A machine as its files say.
pub(crate) struct MachineFiles {
    pub(crate) machine: Machine,
    pub(crate) chapters: BTreeMap<String, ChapterFiles>,
}

/// What a machine's files say of a chapter.
#[derive(Default)]
pub(crate) struct ChapterFiles {
    pub(crate) sources: Vec<RunsFile>,
    pub(crate) recordings: Vec<RecordingsFile>,
}

/// A chapter and an experiment of it.
type ChapterExperiment = (String, String);

/// A machine's runs of an experiment, and what its cores can do at their best.
type RunsOfMachine<'a> = (Vec<&'a Run>, Option<BestProbe>);

/// What the machines' runs say: how much runs differ is known from all of them together.
fn with_evidence(found: Vec<MachineFiles>) -> Vec<MachineData> {
    let bests: Vec<Option<BestProbe>> = found.iter().map(best).collect();
    let mut by_experiment: BTreeMap<ChapterExperiment, Vec<RunsOfMachine<'_>>> = BTreeMap::new();
    for (machine, best) in found.iter().zip(&bests) {
        for (chapter, files) in &machine.chapters {
            for source in &files.sources {
                let Some(experiment) = &source.experiment else { continue };
                let key = (chapter.clone(), experiment.clone());
                let alike = source.alike(None).into_iter().map(|runs| (runs, *best));
                by_experiment.entry(key).or_default().extend(alike);
            }
        }
    }
    let pools: BTreeMap<ChapterExperiment, Pools> =
        by_experiment.into_iter().map(|(key, runs)| (key, pools(&runs))).collect();
    let machine = |(found, best): (MachineFiles, Option<BestProbe>)| {
        let chapters = found.chapters.into_iter().map(|(chapter, files)| {
            let ChapterFiles { sources, recordings } = files;
            let own: Vec<String> =
                sources.iter().filter_map(|source| source.experiment.clone()).collect();
            let measured = sources.iter().map(|source| match &source.experiment {
                Some(experiment) => {
                    let pools = &pools[&(chapter.clone(), experiment.clone())];
                    Evidence::of_runs(&source.shown(None), best, pools)
                }
                // What has been measured since by another method is its history.
                None => {
                    let run = source.runs[0].clone();
                    let is_left = |row: &Row| !own.contains(&row.experiment);
                    let rows = run.rows.into_iter().filter(is_left).collect();
                    Evidence::of_method_2(Run { rows, ..run })
                }
            });
            let recorded = recordings.iter().map(|RecordingsFile { run, experiment, .. }| {
                let rows = run.recordings.iter().flat_map(|recording| recording.rows(experiment));
                Evidence::of_found(run.header.clone(), rows.collect())
            });
            let evidence = Evidence::join(measured.chain(recorded).collect::<Vec<_>>());
            (chapter, ChapterData { evidence, sources, recordings })
        });
        let chapters = chapters.collect();
        MachineData { machine: found.machine, chapters, best }
    };
    found.into_iter().zip(bests).map(machine).collect()
}

/// How much rows scatter that the machines measured alike.
fn pools(runs: &[RunsOfMachine<'_>]) -> Pools {
    Pools::of(runs.iter().map(|(runs, best)| (runs.as_slice(), *best)))
}

/// What a machine's cores can do at their best, by the probes of all its runs.
fn best(machine: &MachineFiles) -> Option<BestProbe> {
    let sources = machine.chapters.values().flat_map(|files| &files.sources);
    BestProbe::of_runs(&sources.flat_map(|source| &source.runs).collect::<Vec<_>>())
}

/// What to say where the reference machine has no run of a chapter.
pub(crate) fn missing_run(reference: &str, chapter: &str) -> String {
    format!(
        "data/{reference} has no run of {chapter}: measure with \
         `cargo book measure {chapter} --full --machine {reference}`"
    )
}
