//! The data of the runs in the data directory, machine by machine.

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

use crate::at_once::at_once;

/// The directory of the reader's own runs.
pub const LOCAL: &str = "local";

/// The directory of published claims, which is no machine.
pub const PUBLISHED: &str = "published";

/// Returns a machine's name on a page: the reader's own is `yours`.
pub fn label(machine: &str) -> &str {
    if machine == LOCAL { "yours" } else { machine }
}

/// All runs that the pages may show.
#[derive(Debug)]
pub struct Data {
    /// First the machine named in book.toml, then the others by name, the reader's own last.
    pub machines: Vec<MachineData>,
    /// The machine named in book.toml.
    preferred: String,
}

/// The runs of one machine.
#[derive(Debug)]
pub struct MachineData {
    /// Its description.
    pub machine: NamedMachine,
    /// The data of its runs, by chapter.
    pub chapters: BTreeMap<String, ChapterData>,
}

/// The data of a machine's runs on a chapter.
#[derive(Debug)]
pub struct ChapterData {
    /// The combined evidence of the shown runs, including those that recorded.
    pub evidence: Evidence,
    /// The files of runs that measured.
    pub sources: Vec<RunsFile>,
    /// The files of runs that recorded.
    pub recordings: Vec<RecordingsFile>,
}

impl ChapterData {
    /// Returns the file of an experiment's runs.
    pub fn source(&self, experiment: &str) -> Option<&RunsFile> {
        self.sources.iter().find(|source| source.experiment == experiment)
    }

    /// Returns the recordings of an experiment.
    pub fn recordings_of(&self, experiment: &str) -> Option<&RecordingsFile> {
        self.recordings.iter().find(|file| file.experiment == experiment)
    }

    /// Returns the ways in which the runs of an experiment differ from the tree: the measured runs
    /// or, if there are none, those with recordings.
    pub fn stale(&self, experiment: &str) -> &[String] {
        let measured = self.source(experiment).map(|source| &source.stale);
        let recorded = || self.recordings_of(experiment).map(|file| &file.stale);
        measured.or_else(recorded).map_or(&[], Vec::as_slice)
    }

    /// Returns whether all shown runs of an experiment are quick ones.
    pub fn is_quick(&self, experiment: &str) -> bool {
        self.evidence.headers(experiment).iter().all(|header| header.profile == Profile::Quick)
    }

    /// Returns how suitable it is as the reference of an experiment, if it has a run of it: by full
    /// runs, then by runs that count, then by recency.
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
    /// Returns the name of its directory.
    pub fn name(&self) -> &str {
        &self.machine.facts.machine
    }

    /// Returns its name for people: the reader's own is `yours`.
    pub fn for_people(&self) -> &str {
        if self.is_local() { "yours" } else { &self.machine.name }
    }

    /// Returns its short name.
    pub fn short(&self) -> &str {
        if self.is_local() { "yours" } else { &self.machine.short }
    }

    /// Returns its vendor, and its difference from others of that vendor: its directory, if its
    /// name is only the vendor.
    pub fn maker(&self) -> (&str, &str) {
        self.short().split_once(", ").unwrap_or((self.short(), self.name()))
    }

    /// Returns whether these are the reader's own runs.
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
    /// Creates the data of machines, without evidence; `preferred` is the machine that book.toml
    /// names.
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

    /// Combines the evidence of all runs: first the references', from which other machines borrow.
    fn find_evidence(&mut self) {
        let mut found: HashMap<String, Evidence> = HashMap::new();
        for is_reference in [true, false] {
            let sources = self.machines.iter().flat_map(|it| it.sources().map(move |of| (it, of)));
            let files: Vec<(&RunsFile, &str)> = sources
                .filter(|(_, file)| !file.runs.is_empty())
                .map(|(machine, file)| {
                    (machine, file, self.reference(&file.chapter, &file.experiment))
                })
                .filter(|(machine, _, reference)| (machine.name() == *reference) == is_reference)
                .map(|(_, file, reference)| (file, reference))
                .collect();
            let evidence =
                at_once(&files, |(RunsFile { chapter, experiment, runs, .. }, reference)| {
                    let lender = self.chapter(reference, chapter);
                    let lender = lender.and_then(|lender| lender.source(experiment));
                    let lent = lender.and_then(|it| found.get(&it.file)?.pools(experiment));
                    Evidence::of_runs(runs, lent)
                });
            found.extend(files.iter().map(|(file, _)| file.file.clone()).zip(evidence));
        }
        for data in self.machines.iter_mut().flat_map(|machine| machine.chapters.values_mut()) {
            let measured = data.sources.iter().filter_map(|source| found.remove(&source.file));
            let recorded = data.recordings.iter().map(RecordingsFile::evidence);
            data.evidence = Evidence::join(measured.chain(recorded).collect::<Vec<_>>());
        }
    }

    /// Returns the scatter of a file's rows on the reference, which a machine with one run borrows;
    /// the reference itself borrows none.
    pub fn lent(&self, machine: &MachineData, file: &RunsFile) -> Option<&Pools> {
        let reference = self.reference(&file.chapter, &file.experiment);
        let lender = self.chapter(reference, &file.chapter);
        lender.filter(|_| reference != machine.name())?.evidence.pools(&file.experiment)
    }

    /// Returns the machine whose figures of an experiment are on the pages: the one that book.toml
    /// names, if it has any; else the one with the most full runs; of several, the one with the
    /// most runs that count, and then the one that was measured last.
    pub fn reference(&self, chapter: &str, experiment: &str) -> &str {
        let ours = self.machines.iter().filter(|machine| !machine.is_local());
        let having = ours.filter_map(|machine| {
            let rank = machine.chapters.get(chapter)?.rank(experiment)?;
            Some((self.preferred == machine.name(), rank, machine.name()))
        });
        having.max().map_or(&self.preferred, |(.., name)| name)
    }

    /// Returns the machine whose figures the pages show for an experiment, if it isn't the usual
    /// one.
    pub fn other_reference(&self, chapter: &str, experiment: &str) -> Option<&MachineData> {
        let reference = self.reference(chapter, experiment);
        self.machine(reference).filter(|_| reference != self.preferred)
    }

    /// Returns every experiment that has a run on some machine, with its chapter.
    fn experiments(&self) -> BTreeSet<(&str, &str)> {
        let headers = self.machines.iter().flat_map(MachineData::headers);
        headers.map(|header| (header.chapter.as_str(), header.experiment.as_str())).collect()
    }

    /// Returns in which ways the runs shown for a chapter differ from the tree, each once. If the
    /// machine named in book.toml has measured the chapter, this leaves out experiments that it
    /// lacks: other machines may have measured removed ones.
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

    /// Returns the machines with runs of a chapter, in the order in which the pages show an
    /// experiment: if the reference has any, it is first.
    pub fn having(&self, chapter: &str, experiment: &str) -> Vec<(&MachineData, &ChapterData)> {
        let reference = self.reference(chapter, experiment);
        let machines = self.machines.iter();
        let mut having: Vec<_> =
            machines.filter_map(|it| Some((it, it.chapters.get(chapter)?))).collect();
        having.sort_by_key(|(machine, _)| machine.name() != reference);
        having
    }

    /// Returns the contenders of all chapters, in order of appearance, the reference machine's
    /// first.
    pub fn contenders(&self) -> IndexSet<&str> {
        let chapters = self.machines.iter().flat_map(|machine| machine.chapters.values());
        let rows = chapters.flat_map(|chapter| &chapter.evidence.rows);
        rows.map(|row| row.contender.as_str()).collect()
    }

    /// Names `some` of the `known` machines in a few words: `Intel`; `AMD, Zen 3 and Zen 4`; only
    /// `AMD` if they are all the known ones of that vendor.
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

    /// Returns a machine by its name.
    pub fn machine(&self, name: &str) -> Option<&MachineData> {
        self.machines.iter().find(|machine| machine.name() == name)
    }

    /// The data of a machine's runs on a chapter.
    pub fn chapter(&self, machine: &str, chapter: &str) -> Option<&ChapterData> {
        self.machine(machine)?.chapters.get(chapter)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns four machines of two vendors, and the reader's own, without any run.
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
