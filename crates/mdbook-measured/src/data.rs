//! What the runs in the data directory say, machine by machine.

pub(crate) mod machines;
pub mod paths;
pub(crate) mod processors;
pub mod published;
pub(crate) mod read;
pub mod recordings_file;
pub mod runs_file;

use std::collections::{BTreeMap, BTreeSet};

use measurement::machine::Machine;
use measurement::{Evidence, HeldOut, Pools, Profile, RunHeader};

use crate::data::recordings_file::RecordingsFile;
use crate::data::runs_file::RunsFile;

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
    /// What the runs that are shown say together, those that recorded among them.
    pub evidence: Evidence,
    /// The files of those that measured.
    pub sources: Vec<RunsFile>,
    /// The files of those that recorded.
    pub recordings: Vec<RecordingsFile>,
}

impl ChapterData {
    /// The file of an experiment's runs.
    pub(crate) fn source(&self, experiment: &str) -> Option<&RunsFile> {
        self.sources.iter().find(|source| source.experiment == experiment)
    }

    /// The recordings of an experiment.
    pub(crate) fn recordings_of(&self, experiment: &str) -> Option<&RecordingsFile> {
        self.recordings.iter().find(|file| file.experiment == experiment)
    }

    /// The experiments that were measured or recorded.
    fn experiments(&self) -> impl Iterator<Item = &str> {
        let measured = self.sources.iter().filter(|source| !source.shown.is_empty());
        let recorded = self.recordings.iter().map(|file| file.experiment.as_str());
        measured.map(|source| source.experiment.as_str()).chain(recorded)
    }

    /// The headers of the runs that are shown of an experiment, oldest first; of the one that recorded it, if
    /// none measured it.
    fn headers(&self, experiment: &str) -> Vec<&RunHeader> {
        match self.source(experiment).filter(|source| !source.shown.is_empty()) {
            Some(source) => source.shown().into_iter().map(|run| &run.header).collect(),
            None => {
                self.recordings_of(experiment).map(|file| &file.run.header).into_iter().collect()
            }
        }
    }

    /// In what the runs of an experiment differ from the tree; those that recorded it, if none measured it.
    pub fn stale(&self, experiment: &str) -> &[String] {
        let measured = self.source(experiment).map(|source| &source.stale);
        let recorded = || self.recordings_of(experiment).map(|file| &file.stale);
        measured.or_else(recorded).map_or(&[], Vec::as_slice)
    }

    /// Whether all runs of an experiment that are shown are quick ones.
    pub(crate) fn is_quick(&self, experiment: &str) -> bool {
        self.headers(experiment).iter().all(|header| header.profile == Profile::Quick)
    }

    /// When the runs began that measured what is shown, oldest first. No claim is about a recording.
    pub fn began(&self) -> Vec<&str> {
        let shown = self.sources.iter().flat_map(RunsFile::shown);
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

    /// Those of which runs are shown, each with its chapter.
    fn shown_sources(&self) -> impl Iterator<Item = (&str, &RunsFile)> {
        let all = self.chapters.iter().flat_map(|(chapter, data)| {
            data.sources.iter().map(move |source| (chapter.as_str(), source))
        });
        all.filter(|(_, source)| !source.shown.is_empty())
    }
}

impl Data {
    /// What the files of machines say; `preferred` is the machine that book.toml names.
    pub(crate) fn new(files: Vec<MachineFiles>, preferred: Option<String>) -> Data {
        let mut data =
            Data { machines: files.into_iter().map(without_evidence).collect(), preferred };
        data.find_evidence();
        let first = data.preferred.clone().unwrap_or_else(|| data.most_frequent_reference());
        let rank = |machine: &MachineData| match machine.name() {
            name if name == first => (0, name.to_owned()),
            LOCAL => (2, String::new()),
            name => (1, name.to_owned()),
        };
        data.machines.sort_by_key(rank);
        data
    }

    /// Puts what all runs say together in the place of no evidence: first that of the references, from which
    /// other machines may borrow.
    fn find_evidence(&mut self) {
        let mut found: BTreeMap<(String, String, String), Evidence> = BTreeMap::new();
        for is_reference in [true, false] {
            for machine in &self.machines {
                for (chapter, source) in machine.shown_sources() {
                    let of = |name: &str| {
                        (name.to_owned(), chapter.to_owned(), source.experiment.clone())
                    };
                    let reference = self.reference(chapter, &source.experiment);
                    if (reference == machine.name()) == is_reference {
                        let lender = found.get(&of(reference));
                        let lent = lender.and_then(|lender| lender.pools(&source.experiment));
                        let evidence = Evidence::of_runs(source.shown(), lent);
                        found.insert(of(machine.name()), evidence);
                    }
                }
            }
        }
        for machine in &mut self.machines {
            let name = machine.machine.machine.clone();
            for (chapter, data) in &mut machine.chapters {
                let measured = data.sources.iter().filter_map(|source| {
                    found.remove(&(name.clone(), chapter.clone(), source.experiment.clone()))
                });
                let recorded =
                    data.recordings.iter().map(|RecordingsFile { run, experiment, .. }| {
                        let recordings = run.recordings.iter();
                        let rows = recordings.flat_map(|recording| recording.rows(experiment));
                        Evidence::of_found(run.header.clone(), rows.collect())
                    });
                data.evidence = Evidence::join(measured.chain(recorded).collect::<Vec<_>>());
            }
        }
    }

    /// How much the rows of an experiment scatter on the reference, which a machine with one run borrows; the
    /// reference itself borrows from nobody.
    fn lent(&self, machine: &str, chapter: &str, experiment: &str) -> Option<&Pools> {
        let reference = self.reference(chapter, experiment);
        let lender = self.chapter(reference, chapter).filter(|_| reference != machine);
        lender?.evidence.pools(experiment)
    }

    /// One of the runs that are shown of an experiment, held out of the others: what the book would have said
    /// without it, and what it says by itself.
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
        let lent = self.lent(machine.name(), chapter, &source.experiment);
        HeldOut::of(&source.runs[run], source.all_but(run), lent)
    }

    /// The machine whose figures the pages tell of an experiment: the one that book.toml names, if it has
    /// any; else the one with the most full runs, of several the one with the most runs that count, and then
    /// the one that was measured last.
    pub fn reference(&self, chapter: &str, experiment: &str) -> &str {
        let of = |machine: &MachineData| -> Option<(usize, usize, String)> {
            let data = machine.chapters.get(chapter).filter(|_| !machine.is_local())?;
            let headers = data.headers(experiment);
            let counting = if data.stale(experiment).is_empty() { headers.len() } else { 0 };
            let is_full = |header: &&&RunHeader| header.profile == Profile::Full;
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

    /// Every experiment of which some machine has a run, with its chapter.
    fn experiments(&self) -> BTreeSet<(&str, &str)> {
        let chapters = self.machines.iter().flat_map(|machine| &machine.chapters);
        let all = chapters.flat_map(|(chapter, data)| {
            data.experiments().map(move |experiment| (chapter.as_str(), experiment))
        });
        all.collect()
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

    /// Whether any machine but the reader's own has a run of an experiment.
    pub(crate) fn is_measured(&self, chapter: &str, experiment: &str) -> bool {
        let ours = self.machines.iter().filter(|machine| !machine.is_local());
        let chapters = ours.filter_map(|machine| machine.chapters.get(chapter));
        chapters.flat_map(ChapterData::experiments).any(|known| known == experiment)
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

/// A machine of which nothing has been computed yet.
fn without_evidence(MachineFiles { machine, chapters }: MachineFiles) -> MachineData {
    let chapters = chapters.into_iter().map(|(chapter, ChapterFiles { sources, recordings })| {
        (chapter, ChapterData { evidence: Evidence::join([]), sources, recordings })
    });
    MachineData { machine, chapters: chapters.collect() }
}

/// What to say where the reference machine has no run of a chapter.
pub(crate) fn missing_run(reference: &str, chapter: &str) -> String {
    format!(
        "data/{reference} has no run of {chapter}: measure with \
         `cargo book measure {chapter} --full --machine {reference}`"
    )
}
