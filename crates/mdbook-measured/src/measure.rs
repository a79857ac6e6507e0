//! Measuring: starts the packages that measure, and is the only writer of the data directory.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use measurement::name::check_slug;
use measurement::{Profile, Run};
use tempfile::NamedTempFile;

use crate::data::{LOCAL, PUBLISHED};
use crate::select::nearest;
use crate::{config::Config, machine};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Order {
    /// The chapters; all if there are none.
    pub chapters: Vec<String>,
    /// The full profile, not the quick one.
    pub full: bool,
    /// The machine's name, `local` for the reader's own.
    pub machine: String,
    /// More options, which go to the programs that measure as they are.
    pub options: Vec<String>,
}

/// The chapters that can be measured: the packages with a program under the experiments directory.
pub fn chapters(root: &Path, config: &Config) -> Vec<String> {
    let entries = fs::read_dir(root.join(&config.experiments)).into_iter().flatten().flatten();
    let programs = entries.filter(|entry| entry.path().join("src/main.rs").is_file());
    let mut names: Vec<String> =
        programs.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs each chapter's experiments and replaces its file in the data directory, each as soon as it is
/// complete. Returns the files.
///
/// # Errors
///
/// If a chapter is not known, its program fails, or what it printed is no valid run: then its file
/// is as it was.
pub fn measure(root: &Path, config: &Config, order: &Order) -> Result<Vec<PathBuf>> {
    check_slug("machine", &order.machine)?;
    ensure!(
        order.machine != PUBLISHED,
        "{PUBLISHED:?} is no machine: what others published is there"
    );
    let known = chapters(root, config);
    ensure!(
        !known.is_empty(),
        "no package under {} measures anything",
        config.experiments.display()
    );
    for chapter in &order.chapters {
        let near = nearest(chapter, &known);
        ensure!(known.contains(chapter), "no chapter is called {chapter:?}{near}");
    }
    let chosen = if order.chapters.is_empty() { &known } else { &order.chapters };
    let directory = root.join(&config.data).join(&order.machine);
    let mut files = Vec::new();
    for chapter in chosen {
        keep_full(&directory.join(format!("{chapter}.jsonl")), order)?;
    }
    for chapter in chosen {
        let text = run(root, chapter, order)?;
        let name = format!("{chapter}.jsonl");
        let run = check(&text, chapter, &order.machine)
            .map_err(|error| error.context(rescue(&name, &text)))?;
        let machine = machine::describe(&order.machine).to_json();
        let text = run.to_json_lines();
        write(&directory, &[("machine.json", machine), (&name, text.clone())])
            .map_err(|error| error.context(rescue(&name, &text)))?;
        files.push(directory.join(name));
    }
    Ok(files)
}

/// A quick run does not take the place of a full one that the book shows.
fn keep_full(file: &Path, order: &Order) -> Result<()> {
    let replaces = fs::read_to_string(file)
        .is_ok_and(|text| Run::parse(&text).is_ok_and(|run| run.header.profile == Profile::Full));
    ensure!(
        order.full || order.machine == LOCAL || !replaces,
        "{} holds a full run: add --full to replace it",
        file.display()
    );
    Ok(())
}

/// Runs identical programs against each other for some seconds, by a chapter's program, which prints
/// what they differ by.
///
/// # Errors
///
/// If the program cannot be built or fails.
pub fn noise_floor(root: &Path, chapter: &str) -> Result<()> {
    let status =
        program(root, chapter).arg("--floor").status().context("cargo cannot be started")?;
    ensure!(status.success(), "measuring the noise floor failed: {status}");
    Ok(())
}

/// A chapter's program, built with optimisation.
fn program(root: &Path, chapter: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command.args(["run", "--release", "--package", chapter, "--bin", chapter, "--"]);
    command
}

/// Builds and starts a chapter's program; its progress goes to the terminal.
fn run(root: &Path, chapter: &str, order: &Order) -> Result<String> {
    let profile = if order.full { "full" } else { "quick" };
    eprintln!("Building {chapter} with optimisation, then measuring ({profile} profile)");
    let mut command = program(root, chapter);
    command
        .args(["--json", "--tied", "--machine", &order.machine])
        .args(&order.options)
        // Held open as long as this process lives, so that the program ends with it.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if order.full {
        command.arg("--full");
    }
    let mut child = command.spawn().context("cargo cannot be started")?;
    let _tie = child.stdin.take();
    let mut text = String::new();
    let mut stdout = child.stdout.take().context("the output of cargo is not there")?;
    let read = io::Read::read_to_string(&mut stdout, &mut text);
    let status = child.wait().context("the end of cargo is not known")?;
    if !status.success() {
        bail!("measuring {chapter} failed: {status}; data/ is as it was");
    }
    read.with_context(|| format!("what {chapter} printed is no text"))?;
    Ok(text)
}

/// The run that a program printed, if it is one, and the one that was asked for.
fn check(text: &str, chapter: &str, machine: &str) -> Result<Run> {
    let run = Run::parse(text)
        .map_err(|error| anyhow::anyhow!("what {chapter} printed is no run: line {error}"))?;
    let named = (run.header.chapter.as_str(), run.header.machine.as_str());
    ensure!(named == (chapter, machine), "{chapter} printed the run of {named:?}");
    Ok(run)
}

/// Keeps a run that cannot be written to where it belongs, and says where: it has taken minutes.
fn rescue(name: &str, text: &str) -> String {
    let kept = NamedTempFile::with_suffix(format!("-{name}")).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        Ok(file.into_temp_path().keep()?)
    });
    match kept {
        Ok(path) => format!("data/ is as it was; the run is kept in {}", path.display()),
        Err(error) => format!("data/ is as it was, and the run is lost ({error})"),
    }
}

/// How the directories begin in which files are written.
const STAGED: &str = ".being-written-";

/// Writes a machine's files, each as a whole: whoever reads them, and whenever this is killed, finds
/// the old or the new. None takes its place before all are on the disk, so that a full one changes
/// nothing. A machine that is new gets its directory with all of them at once.
fn write(directory: &Path, files: &[(&str, String)]) -> Result<()> {
    let failed = |path: &Path| format!("{} cannot be written", path.display());
    let parent = directory.parent().with_context(|| failed(directory))?;
    fs::create_dir_all(parent).with_context(|| failed(directory))?;
    remove_leftovers(parent);
    let staged = tempfile::Builder::new().prefix(STAGED).tempdir_in(parent);
    let staged = staged.with_context(|| failed(directory))?;
    let target = if directory.exists() { directory } else { staged.path() };
    let mut written = Vec::new();
    for (name, text) in files {
        let file = directory.join(name);
        if fs::read_to_string(&file).is_ok_and(|found| found == *text) {
            continue;
        }
        let temporary = stage(staged.path(), text).with_context(|| failed(&file))?;
        written.push((temporary, name));
    }
    for (temporary, name) in written {
        persist(temporary, &target.join(name)).with_context(|| failed(&directory.join(name)))?;
    }
    if !directory.exists() {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let readable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(staged.path(), readable).with_context(|| failed(directory))?;
        }
        fs::rename(staged.path(), directory).with_context(|| failed(directory))?;
        // It is gone from there, so there is nothing to remove.
        drop(staged.keep());
    }
    Ok(())
}

/// Writes a text to the disk, in a directory where nobody looks for it.
fn stage(directory: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut temporary = NamedTempFile::new_in(directory)?;
    temporary.as_file_mut().write_all(text.as_bytes())?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Removes what was left by those that were killed while they wrote. Who still writes has not done
/// so for an hour.
fn remove_leftovers(parent: &Path) {
    let hour = Duration::from_secs(3600);
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let staged = entry.file_name().to_string_lossy().starts_with(STAGED);
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if staged && age.is_some_and(|age| age > hour) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Moves a temporary file into place, readable like any other file.
pub(crate) fn persist(temporary: NamedTempFile, file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o644))?;
    }
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}
