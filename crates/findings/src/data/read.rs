//! Reads the data directory, and checks that each file is where it belongs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use language::config::{Config, DATA, EXPERIMENTS};
use language::{Mistake, Mistakes};
use measurement::name_check::check_slug;
use measurement::named_machine::NamedMachine;
use measurement::staleness::SourceTree;
use measurement::{Evidence, LineError, Run, RunHeader};
use recordings::RecordingRun;

use crate::at_once::at_once;
use crate::data::paths::{Found, MACHINE, RunsPath, Unreadable, relative};
use crate::data::{
    ChapterData, Data, LOCAL, MachineData, PUBLISHED, RecordingsFile, RunsFile, paths,
};

/// Selects the runs that the pages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataScope {
    /// Only the runs that are in the repository. Tests use these.
    Committed,
    /// The runs in the repository, and the reader's own runs in `data/local/`.
    WithLocal,
}

const WHERE: &str = "a run belongs in data/<machine>/<chapter>/<experiment>.jsonl";

fn unread() -> String {
    format!("nobody reads this file: {WHERE}; move or remove it")
}

impl Data {
    /// Reads and checks every file in the data directory of the book in `root`.
    ///
    /// # Errors
    ///
    /// Returns the mistakes of all files together.
    pub fn load(root: &Path, config: &Config, scope: DataScope) -> Result<Data, Mistakes> {
        let tree = SourceTree::read(root, Path::new(EXPERIMENTS));
        let (mut machines, mut mistakes) = (Vec::new(), Mistakes::default());
        let unreadable = |Unreadable { path, why }: Unreadable| {
            let message = format!("cannot be read: {why}");
            Mistakes(vec![Mistake { file: relative(root, &path), line: 1, message }])
        };
        let [directories, unknown] = paths::in_data(&root.join(DATA)).map_err(unreadable)?;
        for file in unknown {
            mistakes.0.push(Mistake { file: relative(root, &file), line: 1, message: unread() });
        }
        for directory in directories {
            let name = directory.file_name().unwrap_or_default().to_string_lossy();
            if name == PUBLISHED || (name == LOCAL && scope == DataScope::Committed) {
                continue;
            }
            let mut wrong = |file: &Path, mut error: LineError| {
                if name == LOCAL {
                    error.message += "; these are your own runs: measure again, or remove data/local to do without";
                }
                let LineError { line, message } = error;
                mistakes.0.push(Mistake { file: relative(root, file), line, message });
            };
            machines.extend(read_machine(root, &tree, &directory, &name, &mut wrong));
        }
        if mistakes.0.is_empty() {
            mistakes.0.extend(alike(root, &machines));
        }
        if mistakes.0.is_empty() {
            Ok(Data::new(machines, config.reference.clone()))
        } else {
            Err(mistakes)
        }
    }
}

/// Returns a mistake for each machine whose name on the pages is already taken. The reader's own
/// machine is called `yours` there.
fn alike(root: &Path, machines: &[MachineData]) -> Vec<Mistake> {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    let ours = machines.iter().filter(|machine| !machine.is_local());
    let mistakes = ours.filter_map(|machine| {
        let other = first.insert(machine.short(), machine.name())?;
        let file = root.join(DATA).join(machine.name()).join(MACHINE);
        let message = format!(
            "`short` is {:?}, as of {other}: pages could not tell the two apart, so add behind a comma what differs, \
             `AMD, Zen 4` for instance",
            machine.short()
        );
        Some(Mistake { file: relative(root, &file), line: 1, message })
    });
    mistakes.collect()
}

/// Reads the files of a machine, and calls `wrong` with each mistake. Returns `None` for a
/// machine without runs: its first measurement may have been aborted before it wrote one.
fn read_machine(
    root: &Path,
    tree: &SourceTree,
    directory: &Path,
    name: &str,
    wrong: &mut dyn FnMut(&Path, LineError),
) -> Option<MachineData> {
    let found = paths::found(directory).map_err(|Unreadable { path, why }| {
        wrong(&path, LineError::new(1, format!("cannot be read: {why}")));
    });
    let Found { runs, misplaced, unknown } = found.ok()?;
    for path in unknown {
        wrong(&path, LineError::new(1, unread()));
    }
    if runs.is_empty() && misplaced.is_empty() {
        return None;
    }
    if let Err(error) = check_slug("machine", name) {
        wrong(directory, LineError::new(1, error.to_string()));
        return None;
    }
    for path in misplaced {
        let message = format!(
            "stands beside the chapters: {WHERE}, and data of method 2, which were a chapter's, are in the \
             history, at commit 5ef20e3; move or remove it"
        );
        wrong(&path, LineError::new(1, message));
    }
    let mut chapters = BTreeMap::new();
    let read = at_once(&runs, |of| read_runs(root, tree, name, of));
    for (of, read) in runs.into_iter().zip(read) {
        let nothing =
            || ChapterData { evidence: Evidence::join([]), sources: vec![], recordings: vec![] };
        let chapter = chapters.entry(of.chapter).or_insert_with(nothing);
        match read {
            Ok(FileOfRuns::Measured(file)) => chapter.sources.push(file),
            Ok(FileOfRuns::Recorded(file)) => chapter.recordings.extend(file.map(|file| *file)),
            Err(error) => wrong(&of.path, error),
        }
    }
    let file = directory.join(MACHINE);
    let machine = read_description(&file, name).map_err(|error| wrong(&file, error));
    Some(MachineData { machine: machine.ok()?, chapters })
}

fn read_description(file: &Path, name: &str) -> Result<NamedMachine, LineError> {
    let text = paths::read(file).map_err(|LineError { line, message }| {
        LineError::new(line, message + "; `cargo book measure` writes it")
    })?;
    let machine = NamedMachine::parse(&text)?;
    if machine.facts.machine != name {
        let message = format!("describes the machine {:?}", machine.facts.machine);
        return Err(LineError::new(1, message));
    }
    Ok(machine)
}

enum FileOfRuns {
    Measured(RunsFile),
    /// `None` if all runs in the file are marked as faulty.
    Recorded(Option<Box<RecordingsFile>>),
}

fn read_runs(
    root: &Path,
    tree: &SourceTree,
    machine: &str,
    of: &RunsPath,
) -> Result<FileOfRuns, LineError> {
    let text = paths::read(&of.path)?;
    let RunsPath { chapter, experiment, .. } = of;
    if of.is_of_recordings {
        let runs = recordings_in(&text, machine, of)?;
        let last = runs.into_iter().rfind(|run| run.header.fault.is_none());
        return Ok(FileOfRuns::Recorded(last.map(|run| {
            let (experiment, stale) = (experiment.clone(), tree.differs(&run.header));
            Box::new(RecordingsFile { experiment, run, stale })
        })));
    }
    let runs = runs_in(&text, machine, of)?;
    let is_faulty = |run: &Run| run.header.fault.is_some();
    let (faulty, runs): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(is_faulty);
    let (shown, stale) = tree.shown(&runs);
    let mut places = 0..;
    let (runs, history) =
        runs.into_iter().partition(|_| places.next().is_some_and(|place| shown.contains(&place)));
    Ok(FileOfRuns::Measured(RunsFile {
        file: relative(root, &of.path),
        chapter: chapter.clone(),
        experiment: experiment.clone(),
        runs,
        history,
        faulty: faulty.into_iter().map(|run| run.header).collect(),
        stale,
    }))
}

fn runs_in(text: &str, machine: &str, of: &RunsPath) -> Result<Vec<Run>, LineError> {
    let runs = Run::parse_all(text)?;
    check_place(runs.iter().map(|run| (&run.header, run.rows.len())), machine, of)?;
    Ok(runs)
}

fn recordings_in(text: &str, machine: &str, of: &RunsPath) -> Result<Vec<RecordingRun>, LineError> {
    let runs = RecordingRun::parse_all(text)?;
    check_place(runs.iter().map(|run| (&run.header, run.recordings.len())), machine, of)?;
    Ok(runs)
}

/// Checks that the book will be able to read `bytes` if they are written to `file`, a file of
/// runs or recordings. Accepts files of any other kind.
pub fn check_runs(bytes: &[u8], machine: &str, file: &Path) -> Result<(), LineError> {
    let Some(of) = paths::runs_path(file) else { return Ok(()) };
    let text = str::from_utf8(bytes);
    let text = text.map_err(|error| LineError::new(1, format!("no text: {error}")))?;
    if of.is_of_recordings {
        recordings_in(text, machine, &of).map(drop)
    } else {
        runs_in(text, machine, &of).map(drop)
    }
}

/// Checks that the runs in a file are in chronological order, and belong in this file. `runs` has
/// each run's header, and the number of lines that follow the header.
fn check_place<'a>(
    runs: impl Iterator<Item = (&'a RunHeader, usize)>,
    machine: &str,
    place: &RunsPath,
) -> Result<(), LineError> {
    let (mut line, mut before) = (1, "");
    for (RunHeader { run, machine: measured_on, chapter, experiment, .. }, lines) in runs {
        if (measured_on.as_str(), chapter, experiment)
            != (machine, &place.chapter, &place.experiment)
        {
            let message =
                format!("holds the run of \"{chapter}/{experiment}\" on {measured_on:?}: {WHERE}");
            return Err(LineError::new(line, message));
        }
        if before >= run.as_str() {
            let message = format!("the run of {run} does not stand behind older ones");
            return Err(LineError::new(line, message));
        }
        if let Some(now) = before_now(run) {
            let message = format!(
                "the run began at {run}, and it is {now} now: the clock of the computer that measured it was wrong, or \
                 this one's is"
            );
            return Err(LineError::new(line, message));
        }
        (line, before) = (line + 1 + lines, run);
    }
    Ok(())
}

/// Returns the current time if `time`, which a file recorded, is more than a day in the future.
/// Both times are UTC in RFC 3339 format, so they can be compared as strings.
pub(crate) fn before_now(time: &str) -> Option<String> {
    const DIFFER: Duration = Duration::from_hours(24);
    let rfc3339 = |time| humantime::format_rfc3339_seconds(time).to_string();
    let now = SystemTime::now();
    (time > &*rfc3339(now + DIFFER)).then(|| rfc3339(now))
}
