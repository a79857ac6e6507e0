//! Measuring: starts the packages that measure, and is the only writer of the data directory.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use host::machine;
use measurement::Run;
use measurement::name::check_slug;
use tempfile::NamedTempFile;

use crate::config::Config;
use crate::data::PUBLISHED;
use crate::select::nearest;

/// What to measure.
#[derive(Debug, Clone)]
pub struct Order {
    /// The chapters, or single experiments of them, such as `send-tax/types`; all chapters if there
    /// are none.
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

/// Runs each chapter's experiments and appends the runs to their files in the data directory, as soon
/// as they are complete. Returns the files.
///
/// # Errors
///
/// If a chapter is not known, its program fails, or what it printed is no valid run: then the files
/// are as they were.
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
    let wanted: Vec<Wanted> = if order.chapters.is_empty() {
        known.iter().map(|chapter| Wanted { chapter, experiment: None }).collect()
    } else {
        order.chapters.iter().map(|name| Wanted::parse(name)).collect()
    };
    for Wanted { chapter, .. } in &wanted {
        let near = nearest(chapter, &known);
        ensure!(known.iter().any(|name| name == chapter), "no chapter is called {chapter:?}{near}");
    }
    let directory = root.join(&config.data).join(&order.machine);
    let mut files = Vec::new();
    for wanted in wanted {
        let Wanted { chapter, .. } = wanted;
        let text = run(root, wanted, order)?;
        let name = format!("{chapter}.jsonl");
        let lost = |error: anyhow::Error| error.context(rescue(&name, &text));
        let runs = check(&text, wanted, &order.machine).map_err(lost)?;
        let machine = machine::describe(&order.machine).to_json();
        let mut texts = vec![("machine.json".to_owned(), machine)];
        for run in runs {
            let experiment = run.header.experiment.as_deref().unwrap_or_default();
            let name = format!("{chapter}/{experiment}.jsonl");
            let before = before(&directory.join(&name)).map_err(lost)?;
            texts.push((name, before + &run.to_json_lines()));
        }
        write(&directory, &texts).map_err(lost)?;
        files.extend(texts.into_iter().skip(1).map(|(name, _)| directory.join(name)));
    }
    Ok(files)
}

/// A chapter to be measured, or one of its experiments: `send-tax` or `send-tax/types`.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    chapter: &'a str,
    experiment: Option<&'a str>,
}

impl Wanted<'_> {
    fn parse(name: &str) -> Wanted<'_> {
        match name.split_once('/') {
            Some((chapter, experiment)) => Wanted { chapter, experiment: Some(experiment) },
            None => Wanted { chapter: name, experiment: None },
        }
    }
}

/// The runs that are there already, to which another is appended. What is no run is left alone.
fn before(file: &Path) -> Result<String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    Run::parse_all(&text).map_err(|error| {
        let file = file.display();
        anyhow::anyhow!("{file}:{error}: mend or remove it, then a run can be appended")
    })?;
    let end = if text.ends_with('\n') { "" } else { "\n" };
    Ok(text + end)
}

/// A chapter's program, built with optimisation.
fn program(root: &Path, chapter: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command.args(["run", "--release", "--package", chapter, "--bin", chapter, "--"]);
    command
}

/// Builds and starts a chapter's program; its progress goes to the terminal.
fn run(root: &Path, wanted: Wanted<'_>, order: &Order) -> Result<String> {
    let Wanted { chapter, experiment } = wanted;
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
    if let Some(experiment) = experiment {
        command.arg(format!("{experiment}: "));
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

/// The runs that a program printed, if they are those that were asked for.
fn check(text: &str, wanted: Wanted<'_>, machine: &str) -> Result<Vec<Run>> {
    let Wanted { chapter, experiment } = wanted;
    let runs = Run::parse_all(text)
        .map_err(|error| anyhow::anyhow!("what {chapter} printed is no run: line {error}"))?;
    for Run { header, .. } in &runs {
        let named = (header.chapter.as_str(), header.machine.as_str());
        ensure!(named == (chapter, machine), "{chapter} printed the run of {named:?}");
        let of = header.experiment.as_deref();
        let of = of.with_context(|| format!("{chapter} printed a run of no experiment"))?;
        check_slug("experiment", of)?;
        let is_wanted = experiment.is_none_or(|experiment| experiment == of);
        ensure!(is_wanted, "{chapter} printed the run of {of:?}, too");
    }
    Ok(runs)
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
fn write(directory: &Path, files: &[(String, String)]) -> Result<()> {
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
        let file = target.join(name);
        let parent = file.parent().unwrap_or(target);
        fs::create_dir_all(parent).with_context(|| failed(&directory.join(name)))?;
        persist(temporary, &file).with_context(|| failed(&directory.join(name)))?;
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
