//! What the runs in the data directory say, machine by machine.

pub mod paths;
mod published;
pub(crate) mod read;
mod runs_file;

pub use published::{Published, PublishedClaim, PublishedSource};
pub use read::{DataScope, check_runs};
pub use runs_file::{RecordingsFile, RunsFile};

use std::collections::{BTreeMap, BTreeSet, HashMap};

use indexmap::{IndexMap, IndexSet};
use measurement::named_machine::NamedMachine;
use measurement::{Evidence, Pools, Profile, RunHeader};

/// The directory of the reader's own runs.
pub const LOCAL: &str = "local";

/// The directory of what others published, which is no machine.
pub const PUBLISHED: &str = "published";

/// What a page calls a machine: the reader's own is `yours`.
pub fn label(machine: &str) -> &str {
    if machine == LOCAL { "yours" } else { machine }
}

/// All runs that the pages may show.
#[derive(Debug)]
pub struct Data {
    /// The machine that book.toml names first; then the others by name, the reader's own last.
    pub machines: Vec<MachineData>,
    /// The machine that book.toml names.
    preferred: String,
}

/// The runs of one machine.
#[derive(Debug)]
pub struct MachineData {
    /// What it is.
    pub machine: NamedMachine,
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
    pub fn source(&self, experiment: &str) -> Option<&RunsFile> {
        self.sources.iter().find(|source| source.experiment == experiment)
    }

    /// The recordings of an experiment.
    pub fn recordings_of(&self, experiment: &str) -> Option<&RecordingsFile> {
        self.recordings.iter().find(|file| file.experiment == experiment)
    }

    /// In what the runs of an experiment differ from the tree; those that recorded it, if none measured it.
    pub fn stale(&self, experiment: &str) -> &[String] {
        let measured = self.source(experiment).map(|source| &source.stale);
        let recorded = || self.recordings_of(experiment).map(|file| &file.stale);
        measured.or_else(recorded).map_or(&[], Vec::as_slice)
    }

    /// Whether all runs of an experiment that are shown are quick ones.
    pub fn is_quick(&self, experiment: &str) -> bool {
        self.evidence.headers(experiment).iter().all(|header| header.profile == Profile::Quick)
    }

    /// How well it can be the reference of an experiment, if it has any run of it: by full runs, then by
    /// runs that count, then by how young they are.
    fn rank(&self, experiment: &str) -> Option<(usize, usize, &str)> {
        let source = self.source(experiment).filter(|source| !source.runs.is_empty());
        let headers: Vec<&RunHeader> = match source {
            Some(source) => source.runs.iter().map(|run| &run.header).collect(),
            None => vec![&self.recordings_of(experiment)?.run.header],
        };
        let full = headers.iter().filter(|header| header.profile == Profile::Full).count();
        let counting = if self.stale(experiment).is_empty() { headers.len() } else { 0 };
        Some((full, counting, &headers.last()?.run))
    }
}

impl MachineData {
    /// The name of its directory.
    pub fn name(&self) -> &str {
        &self.machine.facts.machine
    }

    /// What people call it: the reader's own is `yours`.
    pub fn for_people(&self) -> &str {
        if self.is_local() { "yours" } else { &self.machine.name }
    }

    /// The same in a word or two.
    pub fn short(&self) -> &str {
        if self.is_local() { "yours" } else { &self.machine.short }
    }

    /// Its maker, and what tells it from others of that maker: its directory, if it is called by its maker alone.
    pub fn maker(&self) -> (&str, &str) {
        self.short().split_once(", ").unwrap_or((self.short(), self.name()))
    }

    /// Whether these are the reader's own runs.
    pub fn is_local(&self) -> bool {
        self.name() == LOCAL
    }

    /// The files of all its chapters.
    pub fn sources(&self) -> impl Iterator<Item = &RunsFile> {
        self.chapters.values().flat_map(|chapter| &chapter.sources)
    }

    /// The headers of all runs that are shown.
    pub fn headers(&self) -> impl Iterator<Item = &RunHeader> {
        self.chapters.values().flat_map(|chapter| chapter.evidence.all_headers())
    }
}

impl Data {
    /// What the files of machines say, of which no evidence is known yet; `preferred` is the machine that
    /// book.toml names.
    pub fn new(machines: Vec<MachineData>, preferred: String) -> Data {
        let mut data = Data { machines, preferred };
        data.find_evidence();
        let Data { machines, preferred } = &mut data;
        machines.sort_by_key(|machine| {
            let name = machine.name().to_owned();
            (name != *preferred, machine.is_local(), name)
        });
        data
    }

    /// Finds what all runs say together: first of the references, from which other machines borrow.
    fn find_evidence(&mut self) {
        let mut found: HashMap<String, Evidence> = HashMap::new();
        for is_reference in [true, false] {
            for machine in &self.machines {
                let sources = machine.sources().filter(|source| !source.runs.is_empty());
                for RunsFile { file, chapter, experiment, runs, .. } in sources {
                    let reference = self.reference(chapter, experiment);
                    if (reference == machine.name()) == is_reference {
                        let lender = self.chapter(reference, chapter);
                        let lender = lender.and_then(|lender| lender.source(experiment));
                        let lent = lender.and_then(|it| found.get(&it.file)?.pools(experiment));
                        found.insert(file.clone(), Evidence::of_runs(runs, lent));
                    }
                }
            }
        }
        for data in self.machines.iter_mut().flat_map(|machine| machine.chapters.values_mut()) {
            let measured = data.sources.iter().filter_map(|source| found.remove(&source.file));
            let recorded = data.recordings.iter().map(RecordingsFile::evidence);
            data.evidence = Evidence::join(measured.chain(recorded).collect::<Vec<_>>());
        }
    }

    /// How much the rows of a file scatter on the reference, which a machine with one run borrows; the
    /// reference itself borrows from nobody.
    pub fn lent(&self, machine: &MachineData, file: &RunsFile) -> Option<&Pools> {
        let reference = self.reference(&file.chapter, &file.experiment);
        let lender = self.chapter(reference, &file.chapter);
        lender.filter(|_| reference != machine.name())?.evidence.pools(&file.experiment)
    }

    /// The machine whose figures the pages tell of an experiment: the one that book.toml names, if it has
    /// any; else the one with the most full runs, of several the one with the most runs that count, and then
    /// the one that was measured last.
    pub fn reference(&self, chapter: &str, experiment: &str) -> &str {
        let ours = self.machines.iter().filter(|machine| !machine.is_local());
        let having = ours.filter_map(|machine| {
            let rank = machine.chapters.get(chapter)?.rank(experiment)?;
            Some((self.preferred == machine.name(), rank, machine.name()))
        });
        having.max().map_or(&self.preferred, |(.., name)| name)
    }

    /// The machine whose figures the pages tell of an experiment, if it is another than that of most pages.
    pub fn other_reference(&self, chapter: &str, experiment: &str) -> Option<&MachineData> {
        let reference = self.reference(chapter, experiment);
        self.machine(reference).filter(|_| reference != self.preferred)
    }

    /// Every experiment of which some machine has a run, with its chapter.
    fn experiments(&self) -> BTreeSet<(&str, &str)> {
        let headers = self.machines.iter().flat_map(MachineData::headers);
        headers.map(|header| (header.chapter.as_str(), header.experiment.as_str())).collect()
    }

    /// In what the runs that the pages tell of a chapter differ from the tree, each once. If the machine that
    /// book.toml names has measured the chapter, what it has nothing of is not told: others may have
    /// measured what is there no more.
    pub fn stale(&self, chapter: &str) -> IndexSet<&str> {
        let is_measured = self.chapter(&self.preferred, chapter).is_some();
        let experiments = self.experiments().into_iter().filter(|(of, _)| *of == chapter);
        let told = experiments.filter_map(|(_, experiment)| {
            let reference = self.reference(chapter, experiment);
            let is_told = !is_measured || reference == self.preferred;
            Some(self.chapter(reference, chapter).filter(|_| is_told)?.stale(experiment))
        });
        told.flatten().map(String::as_str).collect()
    }

    /// The machines that have runs of a chapter, in the order in which the pages tell of an experiment: if the
    /// reference has any, it is the first.
    pub fn having(&self, chapter: &str, experiment: &str) -> Vec<(&MachineData, &ChapterData)> {
        let reference = self.reference(chapter, experiment);
        let machines = self.machines.iter();
        let mut having: Vec<_> =
            machines.filter_map(|it| Some((it, it.chapters.get(chapter)?))).collect();
        having.sort_by_key(|(machine, _)| machine.name() != reference);
        having
    }

    /// The contenders of all chapters, in the order in which they are met: on the reference machine
    /// first.
    pub fn contenders(&self) -> IndexSet<&str> {
        let chapters = self.machines.iter().flat_map(|machine| machine.chapters.values());
        let rows = chapters.flat_map(|chapter| &chapter.evidence.rows);
        rows.map(|row| row.contender.as_str()).collect()
    }

    /// Some of the machines that are `known`, in a few words: `Intel`; `AMD, Zen 3 and Zen 4`; `AMD` alone where they
    /// are all that are known of that maker.
    pub fn names(&self, some: &[&str], known: &[&str]) -> String {
        let parts = |names: &[&str]| {
            let mut makers: IndexMap<&str, Vec<&str>> = IndexMap::new();
            for machine in names.iter().filter_map(|name| self.machine(name)) {
                let (maker, which) = machine.maker();
                makers.entry(maker).or_default().push(which);
            }
            makers
        };
        let known = parts(known);
        let names = parts(some).into_iter().map(|(maker, which)| {
            if known.get(maker).is_none_or(|known| known.len() == which.len()) {
                return maker.to_owned();
            }
            format!("{maker}, {}", which.join(" and "))
        });
        names.collect::<Vec<_>>().join(" and ")
    }

    /// A machine by its name.
    pub fn machine(&self, name: &str) -> Option<&MachineData> {
        self.machines.iter().find(|machine| machine.name() == name)
    }

    /// What a machine's runs say of a chapter.
    pub fn chapter(&self, machine: &str, chapter: &str) -> Option<&ChapterData> {
        self.machine(machine)?.chapters.get(chapter)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Four machines of two makers, and the reader's own, without any run.
    pub(crate) fn machines() -> Data {
        let machine = |(id, short): (&str, &str)| {
            let text = format!(
                r#"{{"machine":"{id}","name":"a server","short":"{short}","cpu":"a","architecture":"a","cpus":2,"os":"a"}}"#
            );
            MachineData { machine: NamedMachine::parse(&text).unwrap(), chapters: BTreeMap::new() }
        };
        let known = [
            ("intel", "Intel"),
            ("zen3", "AMD, Zen 3"),
            ("zen4", "AMD, Zen 4"),
            ("zen5", "AMD, Zen 5"),
            (LOCAL, "Kettle"),
        ];
        Data::new(known.map(machine).into(), "intel".to_owned())
    }
}
