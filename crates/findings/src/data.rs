//! The data of all runs, grouped by machine.

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

/// The name of the directory with the runs that a reader made.
pub const LOCAL: &str = "local";

/// The name of the directory with published claims, which belongs to no machine.
pub const PUBLISHED: &str = "published";

/// Returns the name of a machine as the pages show it. The reader's own machine is called
/// `yours`.
pub fn label(machine: &str) -> &str {
    if machine == LOCAL { "yours" } else { machine }
}

/// The data of all runs that the pages may show.
#[derive(Debug)]
pub struct Data {
    /// The machines in the order of the pages: the one named in book.toml, then the others by
    /// name, and the reader's own last.
    pub machines: Vec<MachineData>,
    /// The name of the machine that book.toml names as the reference.
    preferred: String,
}

/// A machine and the data of its runs.
#[derive(Debug)]
pub struct MachineData {
    /// The description in machine.json, and the machine's name.
    pub machine: NamedMachine,
    /// The data of the machine's runs, keyed by chapter.
    pub chapters: BTreeMap<String, ChapterData>,
}

/// The data that one machine's runs of one chapter produced.
#[derive(Debug)]
pub struct ChapterData {
    /// The rows. Their estimates are combined from all runs that the pages show, including runs
    /// that recorded single operations.
    pub evidence: Evidence,
    /// The files with runs that measured, as opposed to runs that recorded single operations.
    pub sources: Vec<RunsFile>,
    /// The files of runs that recorded single operations.
    pub recordings: Vec<RecordingsFile>,
}

impl ChapterData {
    /// Returns the file with the runs that measured an experiment.
    pub fn source(&self, experiment: &str) -> Option<&RunsFile> {
        self.sources.iter().find(|source| source.experiment == experiment)
    }

    /// Returns the file that contains the recordings of an experiment's single operations.
    pub fn recordings_of(&self, experiment: &str) -> Option<&RecordingsFile> {
        self.recordings.iter().find(|file| file.experiment == experiment)
    }

    /// Returns how the current source tree differs from the code of an experiment's runs. If
    /// none of the runs measured, uses those that recorded single operations.
    pub fn stale(&self, experiment: &str) -> &[String] {
        let measured = self.source(experiment).map(|source| &source.stale);
        let recorded = || self.recordings_of(experiment).map(|file| &file.stale);
        measured.or_else(recorded).map_or(&[], Vec::as_slice)
    }

    /// Returns true if all shown runs of an experiment are quick ones.
    pub fn is_quick(&self, experiment: &str) -> bool {
        self.evidence.headers(experiment).iter().all(|header| header.profile == Profile::Quick)
    }

    /// Returns a sort key that says how well the machine serves as the reference for an
    /// experiment: the number of full runs, the number of runs that match the source tree, and
    /// the time of the last run. Returns `None` if the machine has no run of the experiment.
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
    /// Returns the name of the machine, which is also the name of its directory.
    pub fn name(&self) -> &str {
        &self.machine.facts.machine
    }

    /// Returns the full name of the machine for readers. Their own machine is called `yours`.
    pub fn for_people(&self) -> &str {
        if self.is_local() { "yours" } else { &self.machine.name }
    }

    /// Returns the short name of the machine for readers. Their own machine is called `yours`.
    pub fn short(&self) -> &str {
        if self.is_local() { "yours" } else { &self.machine.short }
    }

    /// Returns the machine's vendor, and the part of its short name that distinguishes it from
    /// other machines of that vendor. If the short name is only the vendor, returns the name of
    /// the directory as the second part.
    pub fn maker(&self) -> (&str, &str) {
        self.short().split_once(", ").unwrap_or((self.short(), self.name()))
    }

    /// Returns true if this is the reader's own machine.
    pub fn is_local(&self) -> bool {
        self.name() == LOCAL
    }

    /// Returns the files of runs that measured, for all chapters.
    pub fn sources(&self) -> impl Iterator<Item = &RunsFile> {
        self.chapters.values().flat_map(|chapter| &chapter.sources)
    }

    /// Returns the headers of all runs that the pages show.
    pub fn headers(&self) -> impl Iterator<Item = &RunHeader> {
        self.chapters.values().flat_map(|chapter| chapter.evidence.all_headers())
    }
}

impl Data {
    /// Creates the data of `machines`, with rows not yet combined. `preferred` is the machine
    /// that book.toml names.
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

    /// Combines the rows of all runs. Starts with reference machines, because the variation
    /// between their runs is also used for machines with a single run.
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

    /// Returns how much the rows of a file vary between runs on the reference machine. A machine
    /// with a single run uses this for its own rows. Returns `None` if `machine` is the reference
    /// machine itself.
    pub fn lent(&self, machine: &MachineData, file: &RunsFile) -> Option<&Pools> {
        let reference = self.reference(&file.chapter, &file.experiment);
        let lender = self.chapter(reference, &file.chapter);
        lender.filter(|_| reference != machine.name())?.evidence.pools(&file.experiment)
    }

    /// Returns the name of the reference machine of an experiment, whose figures the pages show.
    /// This is the machine that book.toml names if it has a run of the experiment, otherwise the
    /// one with the most full runs. Ties are decided by the number of runs that match the source
    /// tree, then by the latest run.
    pub fn reference(&self, chapter: &str, experiment: &str) -> &str {
        let ours = self.machines.iter().filter(|machine| !machine.is_local());
        let having = ours.filter_map(|machine| {
            let rank = machine.chapters.get(chapter)?.rank(experiment)?;
            Some((self.preferred == machine.name(), rank, machine.name()))
        });
        having.max().map_or(&self.preferred, |(.., name)| name)
    }

    /// Returns the reference machine of an experiment, if it isn't the one that book.toml names.
    pub fn other_reference(&self, chapter: &str, experiment: &str) -> Option<&MachineData> {
        let reference = self.reference(chapter, experiment);
        self.machine(reference).filter(|_| reference != self.preferred)
    }

    /// Returns pairs of a chapter and an experiment that at least one machine has run.
    fn experiments(&self) -> BTreeSet<(&str, &str)> {
        let headers = self.machines.iter().flat_map(MachineData::headers);
        headers.map(|header| (header.chapter.as_str(), header.experiment.as_str())).collect()
    }

    /// Returns how the current source tree differs from the code of a chapter's shown runs,
    /// without repetitions. If the machine named in book.toml has measured the chapter,
    /// experiments that this machine lacks are left out, because runs of removed experiments may
    /// remain on other machines.
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

    /// Returns the machines that have runs of a chapter. If the reference machine of `experiment`
    /// is among them, it comes first.
    pub fn having(&self, chapter: &str, experiment: &str) -> Vec<(&MachineData, &ChapterData)> {
        let reference = self.reference(chapter, experiment);
        let machines = self.machines.iter();
        let mut having: Vec<_> =
            machines.filter_map(|it| Some((it, it.chapters.get(chapter)?))).collect();
        having.sort_by_key(|(machine, _)| machine.name() != reference);
        having
    }

    /// Returns the contenders of all chapters in order of first occurrence. The contenders of the
    /// machine named in book.toml come first.
    pub fn contenders(&self) -> IndexSet<&str> {
        let chapters = self.machines.iter().flat_map(|machine| machine.chapters.values());
        let rows = chapters.flat_map(|chapter| &chapter.evidence.rows);
        rows.map(|row| row.contender.as_str()).collect()
    }

    /// Returns the machines `some` as a short list: `Intel`; `AMD, Zen 3 and Zen 4`; or only
    /// `AMD` if `known` has no other machine of that vendor.
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

    /// Returns the machine with this name.
    pub fn machine(&self, name: &str) -> Option<&MachineData> {
        self.machines.iter().find(|machine| machine.name() == name)
    }

    /// Returns the data of one chapter on one machine, if the machine has run the chapter.
    pub fn chapter(&self, machine: &str, chapter: &str) -> Option<&ChapterData> {
        self.machine(machine)?.chapters.get(chapter)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns four machines of two vendors, and the reader's own machine, all without runs.
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
