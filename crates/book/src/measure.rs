//! `cargo book measure`: starts the packages that measure, and keeps what they print.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use host::machine::describe;
use mdbook_measured::config::Config;
use mdbook_measured::data::paths::{MACHINE, histograms_file, recordings_file, runs_file};
use mdbook_measured::data::{LOCAL, PUBLISHED};
use mdbook_measured::driver;
use mdbook_measured::figure::selector::nearest;
use measurement::name_check::check_slug;
use measurement::{LineError, Run, RunHeader};
use recordings::RecordingRun;

use crate::{build, histograms, same_machine, write_data};

/// The command's options.
#[derive(clap::Args)]
pub struct MeasureOptions {
    /// The chapters to measure, or single experiments such as send-tax/types; all chapters if none is
    /// named
    pub chapters: Vec<String>,
    /// Measure every cell, in more rounds (minutes a chapter, not seconds)
    #[arg(long)]
    pub full: bool,
    /// Add rounds until every time is known to within this, such as 3%
    #[arg(long, value_name = "PERCENT")]
    pub precision: Option<String>,
    /// How long --precision may take for each chapter, such as 10m
    #[arg(long, value_name = "TIME", requires = "precision")]
    pub budget: Option<String>,
    /// Record what the kernel and the programs see of single operations, and measure nothing: as root, on
    /// Linux
    #[arg(long, conflicts_with_all = ["full", "precision"])]
    pub record: bool,
    /// Write data/NAME/ in place of data/local/: for a machine that the book shows
    #[arg(long, value_name = "NAME", default_value = LOCAL)]
    pub machine: String,
    /// How the book is built then.
    #[command(flatten)]
    pub build: build::BuildOptions,
}

/// Measures, says which files were written, and builds the book in `root` again.
///
/// # Errors
///
/// As [`measure`], and as [`build::execute`].
pub fn execute(root: &Path, options: MeasureOptions) -> Result<()> {
    let MeasureOptions { chapters, full, precision, budget, record, machine, build } = options;
    let config = driver::config(root)?;
    let given = [("--precision", precision), ("--budget", budget)];
    let given = given.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?]));
    let request =
        MeasureRequest { chapters, full, record, machine, options: given.flatten().collect() };
    for file in measure(root, &config, &request)? {
        println!("Wrote {}", file.strip_prefix(root).unwrap_or(&file).display());
    }
    build::execute(root, &build)?;
    if request.machine == LOCAL {
        println!("The pages of what was measured show yours beside ours (--open opens the book).");
    }
    Ok(())
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct MeasureRequest {
    /// The chapters, or single experiments of them, such as `send-tax/types`; all chapters if there
    /// are none.
    pub chapters: Vec<String>,
    /// The full profile, not the quick one.
    pub full: bool,
    /// Recordings, not times.
    pub record: bool,
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
/// as they are complete. Returns the files. In what the machine differs from what was known of it is said.
///
/// # Errors
///
/// If the runs that are there are of another processor, a chapter is not known, its program fails, or what it
/// printed is no valid run: then the files are as they were.
pub fn measure(root: &Path, config: &Config, request: &MeasureRequest) -> Result<Vec<PathBuf>> {
    check_slug("machine", &request.machine).map_err(anyhow::Error::msg)?;
    ensure!(
        request.machine != PUBLISHED,
        "{PUBLISHED:?} is no machine: what others published is there"
    );
    let known = chapters(root, config);
    ensure!(
        !known.is_empty(),
        "no package under {} measures anything",
        config.experiments.display()
    );
    let wanted: Vec<Wanted> = if request.chapters.is_empty() {
        known.iter().map(|chapter| Wanted { chapter, experiment: None }).collect()
    } else {
        request.chapters.iter().map(|name| Wanted::parse(name)).collect()
    };
    for Wanted { chapter, .. } in &wanted {
        let near = nearest(chapter, &known);
        ensure!(known.iter().any(|name| name == chapter), "no chapter is called {chapter:?}{near}");
    }
    let directory = root.join(&config.data).join(&request.machine);
    let machine = describe(&request.machine);
    let differences = same_machine::differences(&directory.join(MACHINE), &machine)?;
    if !differences.is_empty() {
        eprintln!(
            "This computer has the processor of {:?}, and is described anew, since it differs in\n    {}",
            request.machine,
            differences.join("\n    ")
        );
    }
    let mut files = Vec::new();
    for wanted in wanted {
        let Wanted { chapter, .. } = wanted;
        let text = run(root, wanted, request)?;
        let name = format!("{chapter}.jsonl");
        let lost = |error: anyhow::Error| error.context(write_data::rescue(&name, &text));
        let printed = if request.record {
            printed_runs::<RecordingRun>(&text, wanted, &request.machine)
        } else {
            printed_runs::<Run>(&text, wanted, &request.machine)
        };
        let mut whole = vec![(MACHINE.to_owned(), machine.to_json().into_bytes())];
        for Appended { file, bytes, check } in printed.map_err(lost)? {
            let before = write_data::before(&directory.join(&file), check).map_err(lost)?;
            whole.push((file, [before, bytes].concat()));
        }
        write_data::write(&directory, &whole).map_err(lost)?;
        files.extend(whole.into_iter().skip(1).map(|(name, _)| directory.join(name)));
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

/// A chapter's program, built with optimisation.
fn program(root: &Path, chapter: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command.args(["run", "--release", "--package", chapter, "--bin", chapter, "--"]);
    command
}

/// Builds and starts a chapter's program; its progress goes to the terminal.
fn run(root: &Path, wanted: Wanted<'_>, request: &MeasureRequest) -> Result<String> {
    let Wanted { chapter, experiment } = wanted;
    let what = match request {
        MeasureRequest { record: true, .. } => "recording",
        MeasureRequest { full: true, .. } => "measuring (full profile)",
        _ => "measuring (quick profile)",
    };
    eprintln!("Building {chapter} with optimisation, then {what}");
    let mut command = program(root, chapter);
    command
        .args(["--json", "--tied", "--machine", &request.machine])
        .args(&request.options)
        // Held open as long as this process lives, so that the program ends with it.
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    if request.full {
        command.arg("--full");
    }
    if request.record {
        command.arg("--record");
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

/// What of a run is appended to a file.
struct Appended {
    /// The file, in its machine's directory, with slashes.
    file: String,
    bytes: Vec<u8>,
    /// Whether what stands in that file is of the same kind; makes it ready for more.
    check: fn(Vec<u8>) -> Result<Vec<u8>, LineError>,
}

impl Appended {
    /// Lines behind lines of the same kind.
    fn lines<P: Printed>(file: String, lines: String) -> Appended {
        let check = |found: Vec<u8>| {
            let mut text = String::from_utf8(found)
                .map_err(|error| LineError::new(1, format!("no text: {error}")))?;
            P::parse_all(&text)?;
            if !text.ends_with('\n') {
                text.push('\n');
            }
            Ok(text.into_bytes())
        };
        Appended { file, bytes: lines.into_bytes(), check }
    }
}

/// What programs print: runs that measured, or that recorded.
trait Printed: Sized {
    fn parse_all(text: &str) -> Result<Vec<Self>, LineError>;
    fn header(&self) -> &RunHeader;
    /// What of it goes into which files.
    fn appended(self) -> Result<Vec<Appended>>;
}

impl Printed for Run {
    fn parse_all(text: &str) -> Result<Vec<Run>, LineError> {
        Run::parse_all(text)
    }

    fn header(&self) -> &RunHeader {
        &self.header
    }

    fn appended(mut self) -> Result<Vec<Appended>> {
        let histograms = histograms::take(&mut self);
        let RunHeader { chapter, experiment, .. } = &self.header;
        let mut files = Vec::new();
        // Before the rows, so that whoever finds these finds their histograms.
        if !histograms.is_empty() {
            files.push(Appended {
                file: histograms_file(chapter, experiment),
                bytes: histograms::to_gzip(&histograms)?,
                check: |found| histograms::read(&found).map(|_| found),
            });
        }
        let file = runs_file(chapter, experiment);
        files.push(Appended::lines::<Run>(file, self.to_json_lines()));
        Ok(files)
    }
}

impl Printed for RecordingRun {
    fn parse_all(text: &str) -> Result<Vec<RecordingRun>, LineError> {
        RecordingRun::parse_all(text)
    }

    fn header(&self) -> &RunHeader {
        &self.header
    }

    fn appended(self) -> Result<Vec<Appended>> {
        let file = recordings_file(&self.header.chapter, &self.header.experiment);
        Ok(vec![Appended::lines::<RecordingRun>(file, self.to_json_lines())])
    }
}

/// What is appended of the runs that a program printed, if they are those that were asked for.
fn printed_runs<P: Printed>(
    text: &str,
    wanted: Wanted<'_>,
    machine: &str,
) -> Result<Vec<Appended>> {
    let Wanted { chapter, experiment } = wanted;
    let runs = P::parse_all(text)
        .map_err(|error| anyhow::anyhow!("what {chapter} printed is no run: line {error}"))?;
    let mut appended = Vec::new();
    for run in runs {
        let header = run.header();
        let named = (header.chapter.as_str(), header.machine.as_str());
        ensure!(named == (chapter, machine), "{chapter} printed the run of {named:?}");
        let of = header.experiment.as_str();
        let is_wanted = experiment.is_none_or(|experiment| experiment == of);
        ensure!(is_wanted, "{chapter} printed the run of {of:?}, too");
        appended.extend(run.appended()?);
    }
    Ok(appended)
}
