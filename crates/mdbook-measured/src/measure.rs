//! Measuring: starts the packages that measure, and is the only writer of the data directory.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use measurement::Run;
use measurement::name::check_slug;
use tempfile::NamedTempFile;

use crate::data::PUBLISHED;
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
    for chapter in &order.chapters {
        let near = nearest(chapter, &known);
        ensure!(known.contains(chapter), "no chapter is called {chapter:?}{near}");
    }
    let chosen = if order.chapters.is_empty() { &known } else { &order.chapters };
    let directory = root.join(&config.data).join(&order.machine);
    let mut files = Vec::new();
    for chapter in chosen {
        let text = run(root, chapter, order)?;
        let run = Run::parse(&text)
            .map_err(|error| anyhow::anyhow!("what {chapter} printed is no run: line {error}"))?;
        let named = (&run.header.chapter, &run.header.machine);
        ensure!(named == (chapter, &order.machine), "{chapter} printed the run of {named:?}");
        let file = directory.join(format!("{chapter}.jsonl"));
        let machine = machine::describe(&order.machine).to_json();
        write(&directory.join("machine.json"), &machine)?;
        write(&file, &run.to_json_lines())?;
        files.push(file);
    }
    Ok(files)
}

/// Builds and starts a chapter's program; its progress goes to the terminal.
fn run(root: &Path, chapter: &str, order: &Order) -> Result<String> {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .current_dir(root)
        .args(["run", "--release", "--package", chapter, "--bin", chapter, "--"])
        .args(["--json", "--machine", &order.machine])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    if order.full {
        command.arg("--full");
    }
    let output = command.output().context("cargo cannot be started")?;
    if !output.status.success() {
        bail!("measuring {chapter} failed: {}; data/ is as it was", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("what {chapter} printed is no text"))
}

/// Replaces a file as a whole: whoever reads it, and whenever this is killed, it is the old one or
/// the new one.
fn write(file: &Path, text: &str) -> Result<()> {
    let failed = || format!("{} cannot be written", file.display());
    let directory = file.parent().with_context(failed)?;
    fs::create_dir_all(directory).with_context(failed)?;
    let mut temporary =
        NamedTempFile::with_prefix_in(".being-written-", directory).with_context(failed)?;
    temporary.write_all(text.as_bytes()).with_context(failed)?;
    temporary.as_file().sync_all().with_context(failed)?;
    persist(temporary, file).with_context(failed)
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
