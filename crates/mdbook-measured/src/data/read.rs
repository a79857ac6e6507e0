//! Reads the data directory, and checks that every file is what its place says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use measurement::machine::Machine;
use measurement::name_check::check_slug;
use measurement::staleness::SourceTree;
use measurement::{LineError, Run, RunHeader};
use recordings::RecordingRun;

use crate::config::Config;
use crate::data::paths::{MACHINE, RunsPath, directories, misplaced, relative, runs_paths};
use crate::data::recordings_file::RecordingsFile;
use crate::data::runs_file::RunsFile;
use crate::data::{ChapterFiles, Data, LOCAL, MachineFiles, PUBLISHED};
use crate::{Mistake, Mistakes};

/// Whose runs the pages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataScope {
    /// Those in the repository: what tests judge.
    Committed,
    /// Those and the reader's own, data/local/.
    WithLocal,
}

impl Data {
    /// Reads and checks every file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with any of them.
    pub fn load(root: &Path, config: &Config, scope: DataScope) -> Result<Data, Mistakes> {
        let mut mistakes = Mistakes::default();
        let tree = SourceTree::read(root, &config.experiments);
        let mut found = Vec::new();
        for directory in directories(&root.join(&config.data)) {
            let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let other = name == PUBLISHED || (name == LOCAL && scope == DataScope::Committed);
            // A machine without a run yet: measuring was broken off before it wrote one.
            let has_none = runs_paths(&directory).is_empty() && misplaced(&directory).is_empty();
            if other || has_none {
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
        Ok(Data::new(found, config.reference.clone()))
    }
}

fn read_machine(
    root: &Path,
    tree: &SourceTree,
    directory: &Path,
    name: &str,
) -> Result<MachineFiles, Mistakes> {
    let mut mistakes = Mistakes::default();
    let mut wrong = |file: &Path, LineError { line, mut message }: LineError| {
        if name == LOCAL {
            message +=
                "; these are your own runs: measure again, or remove data/local to do without";
        }
        let file = relative(root, file);
        mistakes.0.push(Mistake { file, line, message });
    };
    if let Err(error) = check_slug("machine", name) {
        wrong(directory, LineError::new(1, error.to_string()));
        return Err(mistakes);
    }
    for path in misplaced(directory) {
        let message = format!(
            "stands beside the chapters: {WHERE}, and data of method 2, which were a chapter's, are in the \
             history, at commit 5ef20e3; move or remove it"
        );
        wrong(&path, LineError::new(1, message));
    }
    let mut chapters: BTreeMap<String, ChapterFiles> = BTreeMap::new();
    for RunsPath { path, chapter, experiment, is_of_recordings } in runs_paths(directory) {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                wrong(&path, LineError::new(1, format!("cannot be read: {error}")));
                continue;
            }
        };
        let place = Place { machine: name, chapter: &chapter, experiment: &experiment };
        if is_of_recordings {
            match last_recordings(&text, &place) {
                Ok(Some(run)) => {
                    chapters.entry(chapter).or_default().recordings.push(RecordingsFile {
                        file: relative(root, &path),
                        stale: tree.differs(&run.header),
                        experiment,
                        run,
                    })
                }
                Ok(None) => {}
                Err(error) => wrong(&path, error),
            }
            continue;
        }
        let runs = match Run::parse_all(&text) {
            Ok(runs) => runs,
            Err(error) => {
                wrong(&path, error);
                continue;
            }
        };
        let headers = runs.iter().map(|run| (&run.header, run.rows.len()));
        if let Err(error) = belongs(headers, &place) {
            wrong(&path, error);
            continue;
        }
        let is_faulty = |run: &Run| run.header.fault.is_some();
        let (faulty, runs): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(is_faulty);
        let faulty = faulty.into_iter().map(|run| run.header).collect();
        let (shown, stale) = tree.shown(&runs);
        let file = relative(root, &path);
        let source = RunsFile { file, experiment, runs, shown, faulty, stale };
        chapters.entry(chapter).or_default().sources.push(source);
    }
    let file = directory.join(MACHINE);
    let machine = match fs::read_to_string(&file) {
        Ok(text) => match Machine::parse(&text) {
            Ok(machine) if machine.machine == name => Some(machine),
            Ok(other) => {
                let message = format!("describes the machine {:?}", other.machine);
                wrong(&file, LineError::new(1, message));
                None
            }
            Err(message) => {
                wrong(&file, LineError::new(1, message));
                None
            }
        },
        Err(error) => {
            let message = format!("cannot be read: {error}; `cargo book measure` writes it");
            wrong(&file, LineError::new(1, message));
            None
        }
    };
    match machine {
        Some(machine) if mistakes.0.is_empty() => Ok(MachineFiles { machine, chapters }),
        _ => Err(mistakes),
    }
}

/// Of what a file is, by its place.
struct Place<'a> {
    machine: &'a str,
    chapter: &'a str,
    experiment: &'a str,
}

/// Where runs are.
const WHERE: &str = "a run belongs in data/<machine>/<chapter>/<experiment>.jsonl";

/// The last run of a file of recordings that is not faulty.
fn last_recordings(text: &str, place: &Place<'_>) -> Result<Option<RecordingRun>, LineError> {
    let runs = RecordingRun::parse_all(text)?;
    belongs(runs.iter().map(|run| (&run.header, run.recordings.len())), place)?;
    Ok(runs.into_iter().rfind(|run| run.header.fault.is_none()))
}

/// Whether the runs of a file, each a header and so many lines, are what its place says, each younger than
/// the one before.
fn belongs<'a>(
    runs: impl Iterator<Item = (&'a RunHeader, usize)>,
    place: &Place<'_>,
) -> Result<(), LineError> {
    let Place { machine, chapter, experiment } = *place;
    let mut line = 1;
    let mut before: Option<&str> = None;
    for (header, lines) in runs {
        let is_it = header.machine == machine
            && header.chapter == chapter
            && header.experiment == experiment;
        if !is_it {
            let machine = &header.machine;
            let named = format!("{}/{}", header.chapter, header.experiment);
            let message = format!("holds the run of {named:?} on {machine:?}: {WHERE}");
            return Err(LineError::new(line, message));
        }
        if before.is_some_and(|before| before >= header.run.as_str()) {
            let message = format!("the run of {} does not stand behind older ones", header.run);
            return Err(LineError::new(line, message));
        }
        before = Some(&header.run);
        line += 1 + lines;
    }
    Ok(())
}
