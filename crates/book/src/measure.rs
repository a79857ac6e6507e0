//! `cargo book measure` runs the programs that measure, and saves their output.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;
use std::{fs, thread};

use anyhow::{Context, Error, Result, anyhow, bail, ensure};
use findings::data::paths::{self, MACHINE, recordings_file, runs_file, runs_paths};
use findings::data::{LOCAL, PUBLISHED, check_runs};
use host::machine::describe;
use host::names_for_people::named;
use host::run_lock::RunLock;
use language::config::{DATA, EXPERIMENTS};
use language::selector::nearest;
use measurement::name_check::check_slug;
use measurement::{LineError, Profile, Run, RunHeader};
use pages::driver;
use recordings::RecordingRun;

use crate::{build, same_machine, write_data};

/// The command's options.
#[derive(clap::Args)]
pub(crate) struct MeasureOptions {
    /// Chapters to measure, or single experiments such as send-tax/types; without any, all chapters
    chapters: Vec<String>,
    /// Measure every cell, in more rounds (a chapter then takes minutes instead of seconds)
    #[arg(long)]
    full: bool,
    /// Record single operations step by step, instead of measuring (needs Linux and root)
    #[arg(long, conflicts_with = "full")]
    record: bool,
    /// Write to data/NAME/ instead of data/local/, for a machine that the book shows
    #[arg(long, value_name = "NAME", default_value = LOCAL)]
    machine: String,
    #[command(flatten)]
    build: build::BuildOptions,
}

/// Measures what `options` ask for, prints which files were written, and rebuilds the book in
/// `root`.
pub(crate) fn execute(root: &Path, options: &MeasureOptions) -> Result<()> {
    let failed = measure(root, options)?;
    build::execute(root, &options.build)?;
    if options.machine == LOCAL {
        host::say!(
            "The pages of what was measured show yours beside ours (--open opens the book)."
        );
    }
    ensure!(failed.is_empty(), "not measured, as said above: {}", failed.join(", "));
    Ok(())
}

/// Returns the names of the chapters that can be measured: the packages in the experiments
/// directory that contain a program.
pub fn chapters(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root.join(EXPERIMENTS)).into_iter().flatten().flatten();
    let programs = entries.filter(|entry| entry.path().join("src/main.rs").is_file());
    let mut names: Vec<String> =
        programs.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Runs the experiments of each chapter, and appends each complete run to its file in the data
/// directory. No file is changed if existing runs are from another processor, if a chapter is
/// unknown, if its program fails, or if the output is not a valid run. If a chapter fails,
/// reports that and continues with the next one. Returns the chapters that failed, or an error if
/// all of them did.
fn measure(root: &Path, options: &MeasureOptions) -> Result<Vec<String>> {
    let MeasureOptions { chapters: wanted, machine: name, .. } = options;
    // Check book.toml first, because a mistake there would stop the build after hours of
    // measuring.
    driver::config(root)?;
    check_slug("machine", name).map_err(Error::msg)?;
    ensure!(name != PUBLISHED, "{name:?} is no machine: what others published is there");
    let known = chapters(root);
    ensure!(!known.is_empty(), "no package under {EXPERIMENTS} measures anything");
    let wanted = if wanted.is_empty() { &known } else { wanted };
    let wanted = wanted.iter().map(|name| name.split_once('/').unwrap_or((name, "")));
    for (chapter, _) in wanted.clone() {
        let near = nearest(chapter, &known);
        ensure!(known.iter().any(|name| name == chapter), "no chapter is called {chapter:?}{near}");
    }
    let data = root.join(DATA);
    let directory = PathBuf::from(name);
    let file = data.join(name).join(MACHINE);
    let is_new = name != LOCAL && !file.exists();
    let this = named(describe(name));
    let this = if is_new { same_machine::with_own_name(&data, this) } else { this };
    let (machine, differences) = same_machine::described_anew(&file, this)?;
    if !differences.is_empty() {
        host::tell!(
            "This computer has the processor of {name:?}, and is described anew, since it differs in\n    {}",
            differences.join("\n    ")
        );
    }
    // Make sure that results can be saved, before measuring for hours.
    write_data::check(&data)?;
    let own = wanted.clone().map(|(chapter, _)| data.join(name).join(chapter));
    for own in [data.join(name)].into_iter().chain(own).filter(|own| own.exists()) {
        write_data::check(&own)?;
    }
    let of_one = |chapter: &str, experiment: &str| {
        check_clock(&data.join(&directory), chapter, experiment)?;
        if let Some(seconds) = last_took(&data, chapter, options) {
            host::tell!(
                "Compiling {chapter} takes minutes the first time. Its last runs of this profile were measured \
                 within {seconds} s."
            );
        }
        let text = run(root, chapter, experiment, options)?;
        let append = || {
            let mut files = vec![(directory.join(MACHINE), machine.to_json().into_bytes())];
            for (file, bytes) in printed(&text, chapter, experiment, options)? {
                let file = directory.join(file);
                let before = what_is_there(&data.join(&file))?;
                let all = [before, bytes].concat();
                // Don't write anything that would make the next build fail.
                check_runs(&all, name, &file).map_err(|error| {
                    anyhow!("{}:{error}: it can't stand there", data.join(&file).display())
                })?;
                files.push((file, all));
            }
            write_data::write(&data, &files)?;
            Ok(files)
        };
        let lost = |error: Error| error.context(write_data::rescue(chapter, &text));
        for (file, _) in append().map_err(lost)?.iter().skip(1) {
            host::say!("Wrote {}", Path::new(DATA).join(file).display());
        }
        Ok::<_, Error>(())
    };
    let (mut failed, mut is_first) = (Vec::new(), None);
    let count = wanted.clone().count();
    for (chapter, experiment) in wanted {
        let Err(error) = of_one(chapter, experiment) else { continue };
        failed.push(if experiment.is_empty() {
            chapter.to_owned()
        } else {
            format!("{chapter}/{experiment}")
        });
        if failed.len() == count {
            return Err(is_first.unwrap_or(error));
        }
        host::tell!("error: {error:#}");
        is_first.get_or_insert(error);
    }
    if is_new {
        host::say!(
            "The pages call this machine \"{}\", in short \"{}\": say it better in {}, where it stays.",
            machine.name,
            machine.short,
            file.display()
        );
    }
    Ok(failed)
}

/// Checks that the clock isn't behind the existing runs, because each run must be later than the
/// ones before.
fn check_clock(directory: &Path, chapter: &str, experiment: &str) -> Result<()> {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    if !directory.exists() {
        return Ok(());
    }
    for of in runs_paths(directory)? {
        if of.chapter != chapter || !(experiment.is_empty() || of.experiment == experiment) {
            continue;
        }
        let text = paths::read(&of.path).unwrap_or_default();
        let headers = text.lines().filter(|line| line.starts_with("{\"run\":"));
        let last = headers.filter_map(|line| RunHeader::parse(line).ok()).next_back();
        let Some(RunHeader { run, .. }) = last.filter(|last| last.run >= now) else { continue };
        let file = of.path.display();
        bail!(
            "{file}: its last run began at {run}, and this computer's clock says {now}: set the clock, or remove that run"
        );
    }
    Ok(())
}

/// Returns how many seconds the last run of a chapter with this profile took. If several machines
/// ran it, returns the longest time.
fn last_took(data: &Path, chapter: &str, options: &MeasureOptions) -> Option<u32> {
    let profile = if options.full { Profile::Full } else { Profile::Quick };
    let machines = fs::read_dir(data).ok()?.flatten();
    let files = machines.filter_map(|machine| runs_paths(&machine.path()).ok()).flatten();
    let files = files.filter(|it| it.chapter == chapter && it.is_of_recordings == options.record);
    let last = files.filter_map(|of| {
        let runs = Run::parse_all(&paths::read(&of.path).ok()?).ok()?;
        runs.into_iter().rfind(|run| run.header.profile == profile)
    });
    let rows = last.flat_map(|run| run.rows);
    rows.filter_map(|row| Some(row.measured()?.visits.as_ref()?.at.iter().max()? / 1000)).max()
}

/// Builds and runs the program of a chapter, and returns its output. Its messages about progress
/// go to the terminal.
fn run(root: &Path, chapter: &str, experiment: &str, options: &MeasureOptions) -> Result<String> {
    let what = match options {
        MeasureOptions { record: true, .. } => "recording",
        MeasureOptions { full: true, .. } => "measuring (full profile)",
        _ => "measuring (quick profile)",
    };
    host::tell!("Building {chapter} with optimisation, then {what}");
    let failed = |status| anyhow!("measuring {chapter} failed: {status}; data/ is as it was");
    {
        // Wait for other runs to finish before compiling, which would disturb them.
        let _lock = RunLock::acquire(|text| host::tell!("{text}"));
        let mut command = cargo(root, "build", chapter);
        let (mut child, said) = started(command.stdin(Stdio::null()).stdout(Stdio::null()))?;
        let status = child.wait().context("the end of cargo is not known")?;
        drop(said.map(thread::JoinHandle::join));
        ensure!(status.success(), failed(status));
    }
    let mut command = cargo(root, "run", chapter);
    command.args(["--", "--json", "--tied", "--machine", &options.machine]);
    for (option, is_given) in [("--full", options.full), ("--record", options.record)] {
        command.args(is_given.then_some(option));
    }
    if !experiment.is_empty() {
        command.arg(format!("{experiment}: "));
    }
    let (mut child, said) = started(command.stdin(Stdio::piped()).stdout(Stdio::piped()))?;
    // The program ends when this pipe is closed, so it can't outlive this process.
    let _tie = child.stdin.take();
    let output = child.wait_with_output().context("the end of cargo is not known")?;
    drop(said.map(thread::JoinHandle::join));
    ensure!(output.status.success(), failed(output.status));
    String::from_utf8(output.stdout).with_context(|| format!("what {chapter} printed is no text"))
}

/// Returns the cargo command `what` (such as `build`) for the program of a chapter.
fn cargo(root: &Path, what: &str, chapter: &str) -> Command {
    let mut command = host::cargo::cargo();
    command.current_dir(root).args([what, "--release", "--package", chapter, "--bin", chapter]);
    command
}

/// Starts cargo, and a thread that forwards its messages. If nobody reads the messages any more,
/// the run continues nevertheless.
fn started(command: &mut Command) -> Result<(Child, Option<thread::JoinHandle<()>>)> {
    if !std::io::stderr().is_terminal() {
        command.stderr(Stdio::piped());
    }
    let mut child = command.spawn().context("cargo cannot be started")?;
    let said = child.stderr.take().map(|said| thread::spawn(move || pass_on(said)));
    Ok((child, said))
}

/// Copies `said` to standard error, even if nobody reads it there.
fn pass_on(mut said: impl Read) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = said.read(&mut buffer) {
        drop(std::io::stderr().write_all(&buffer[..count]));
    }
}

/// Splits `text`, the output of the program, into pairs: a file in the machine's directory, and
/// the bytes to append to it. Fails if `text` contains anything other than the requested runs.
fn printed(
    text: &str,
    chapter: &str,
    experiment: &str,
    options: &MeasureOptions,
) -> Result<Vec<(String, Vec<u8>)>> {
    let no_run = |error: LineError| anyhow!("what {chapter} printed is no run: line {error}");
    let check = |header: &RunHeader| {
        let named = (header.chapter.as_str(), &header.machine);
        ensure!(named == (chapter, &options.machine), "{chapter} printed the run of {named:?}");
        let is_wanted = experiment.is_empty() || experiment == header.experiment;
        ensure!(is_wanted, "{chapter} printed the run of {:?}, too", header.experiment);
        Ok(())
    };
    let mut files = Vec::new();
    if options.record {
        for run in RecordingRun::parse_all(text).map_err(no_run)? {
            check(&run.header)?;
            let file = recordings_file(chapter, &run.header.experiment);
            files.push((file, run.to_json_lines().into_bytes()));
        }
        return Ok(files);
    }
    for run in Run::parse_all(text).map_err(no_run)? {
        check(&run.header)?;
        let file = runs_file(chapter, &run.header.experiment);
        files.push((file, run.to_json_lines().into_bytes()));
    }
    Ok(files)
}

/// Returns the content of the file that a run will be appended to. Fails if the content isn't
/// valid.
fn what_is_there(file: &Path) -> Result<Vec<u8>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let name = file.to_string_lossy();
    let read = || {
        let text = paths::read(file)?;
        if name.ends_with(".recording.jsonl") {
            RecordingRun::parse_all(&text)?;
        } else {
            Run::parse_all(&text)?;
        }
        Ok(text)
    };
    let mut found = read().map_err(|error: LineError| {
        anyhow!("{}:{error}: mend or remove it, then a run can be appended", file.display())
    })?;
    if !found.ends_with('\n') {
        found.push('\n');
    }
    Ok(found.into_bytes())
}
