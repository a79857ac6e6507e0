//! `cargo book`: builds the book, and measures for it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use comfy_table::Table;
use comfy_table::presets::NOTHING;
use host::doctor::{self, Finding, Standing};
use mdbook_measured::Scope;
use mdbook_measured::book;
use mdbook_measured::data::{Data, LOCAL, SourceFile};
use mdbook_measured::measure::{self, Order};
use mdbook_measured::runs;

/// Builds the book from the data that are here, and prints where it is.
#[derive(Parser)]
#[command(name = "cargo book", bin_name = "cargo book", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(flatten)]
    build: Build,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Args)]
struct Build {
    /// Open the book in the browser
    #[arg(long)]
    open: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Measure on this machine and rebuild, so that pages show yours beside ours
    Measure(Measure),
    /// Print every claim and how it stands on each machine
    Claims(Claims),
    /// Print what each machine's last run made of the earlier ones' intervals and verdicts
    Runs(Runs),
    /// Tell whether this machine is quiet enough to measure on, and what it can measure
    Doctor,
}

#[derive(Args)]
struct Measure {
    /// The chapters to measure, or single experiments such as send-tax/types; all chapters if none is
    /// named
    chapters: Vec<String>,
    /// Measure every cell, in more processes and rounds (minutes a chapter, not seconds)
    #[arg(long)]
    full: bool,
    /// Add rounds until every time is known to within this, such as 3%
    #[arg(long, value_name = "PERCENT")]
    precision: Option<String>,
    /// How long --precision may take for each chapter, such as 10m
    #[arg(long, value_name = "TIME", requires = "precision")]
    budget: Option<String>,
    /// Write data/NAME/ in place of data/local/: for a machine that the book shows
    #[arg(long, value_name = "NAME", default_value = LOCAL)]
    machine: String,
    /// Open the book in the browser
    #[arg(long)]
    open: bool,
}

#[derive(Args)]
struct Claims {
    /// Bring data/claims.jsonl up to date: since when each claim has stood as it stands
    #[arg(long)]
    record: bool,
}

#[derive(Args)]
struct Runs {
    /// Print the rows that lie outside, and the claims whose verdicts changed
    #[arg(long)]
    outside: bool,
}

fn main() -> ExitCode {
    match execute(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(arguments: Arguments) -> Result<()> {
    // What mdBook has to say, such as a file that it cannot read, goes to standard error.
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .init();
    let here = std::env::current_dir().context("the current directory is not known")?;
    let root = book::root_above(&here)?;
    match arguments.command {
        None => build(&root, arguments.build.open),
        Some(Command::Measure(measure)) => run(&root, measure),
        Some(Command::Claims(Claims { record: true })) => record(&root),
        Some(Command::Claims(Claims { record: false })) => claims(&root),
        Some(Command::Runs(arguments)) => runs(&root, &arguments),
        Some(Command::Doctor) => {
            doctor();
            Ok(())
        }
    }
}

/// Builds, and says where the book is and how long it took.
fn build(root: &Path, open: bool) -> Result<()> {
    let start = Instant::now();
    let directory = book::build(root, Scope::WithLocal)?;
    let index = directory.join("index.html");
    let took = start.elapsed().as_secs_f64();
    println!("The book is in {} (rendered in {took:.2} s)", index.display());
    let data = Data::load(root, &book::config(root)?, Scope::WithLocal)?;
    for warning in stale(&data) {
        eprintln!("warning: {warning}");
    }
    if open {
        opener::open(&index).with_context(|| format!("{} cannot be opened", index.display()))?;
    }
    Ok(())
}

/// How many reasons why data are stale are told of each file.
const REASONS: usize = 2;

/// What is stale, a line a file.
fn stale(data: &Data) -> Vec<String> {
    let chapters = data.machines.iter().flat_map(|machine| machine.chapters.values());
    let sources = chapters.flat_map(|chapter| &chapter.sources);
    let told = |source: &SourceFile| {
        let reasons: Vec<String> =
            source.stale.iter().take(REASONS).map(|stale| stale.to_string()).collect();
        let more = match source.stale.len().saturating_sub(REASONS) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        format!("{}: stale: {}{more}", source.file, reasons.join("; "))
    };
    sources.filter(|source| !source.stale.is_empty()).map(told).collect()
}

fn run(root: &Path, arguments: Measure) -> Result<()> {
    let Measure { chapters, full, precision, budget, machine, open } = arguments;
    let config = book::config(root)?;
    let given = [("--precision", precision), ("--budget", budget)];
    let given = given.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?]));
    let order = Order { chapters, full, machine, options: given.flatten().collect() };
    let files = measure::measure(root, &config, &order)?;
    for file in files {
        let shown: PathBuf = file.strip_prefix(root).unwrap_or(&file).to_owned();
        println!("Wrote {}", shown.display());
    }
    build(root, open)?;
    if order.machine == LOCAL {
        println!("The pages of what was measured show yours beside ours (--open opens the book).");
    }
    Ok(())
}

/// Prints a table, whose lines comfy-table fills up with spaces.
fn print(table: &Table) {
    for line in table.lines() {
        println!("{}", line.trim_end());
    }
}

fn claims(root: &Path) -> Result<()> {
    let analysis = book::analyse(root, Scope::WithLocal)?;
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["claim", "machine", "verdict", "measured", "claimed"]);
    for claim in &analysis.claims {
        for judgement in &claim.judgements {
            table.add_row([
                claim.id.as_str(),
                &judgement.machine,
                judgement.verdict.word(),
                judgement.in_words(),
                &claim.in_words(),
            ]);
        }
    }
    print(&table);
    let published = &analysis.published.claims;
    let answered = published
        .iter()
        .filter(|published| {
            let id = Some(published.id.as_str());
            analysis.claims.iter().any(|claim| claim.replicates.as_deref() == id)
        })
        .count();
    println!("\npublished claims that one of ours answers: {answered} of {}", published.len());
    Ok(())
}

fn record(root: &Path) -> Result<()> {
    let done = book::record_claims(root)?;
    for line in &done {
        println!("{line}");
    }
    println!("{} of the records changed", done.len());
    Ok(())
}

/// Says of each experiment that has several runs on a machine whether the last one confirmed them.
fn runs(root: &Path, arguments: &Runs) -> Result<()> {
    let analysis = book::analyse(root, Scope::WithLocal)?;
    let trials = runs::trials(&analysis.data, &analysis.claims);
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "machine",
        "experiment",
        "earlier runs",
        "rows",
        "disturbed",
        "inside",
        "median half-width",
        "claims",
        "decided",
        "changed",
        "contradicted",
    ]);
    let percent = |share: f64| {
        if share.is_nan() { "-".to_owned() } else { format!("{:.0} %", share * 100.0) }
    };
    for trial in &trials {
        table.add_row([
            trial.machine.clone(),
            trial.experiment.clone(),
            trial.earlier.to_string(),
            trial.rows.len().to_string(),
            trial.disturbed.to_string(),
            percent(trial.inside()),
            format!("{:.1} %", trial.half_width() * 100.0),
            trial.claims.len().to_string(),
            percent(trial.decided()),
            trial.changed().to_string(),
            trial.contradicted().to_string(),
        ]);
    }
    print(&table);
    if trials.is_empty() {
        println!("No machine has two runs of an experiment that count.");
    }
    println!(
        "\nDisturbed: rows for which the last run hardly found its core undisturbed, so that it has no figure \
         to try. Inside: the last run's estimate lies in the interval that the earlier ones give. Changed: the \
         verdict on all runs is another than on the earlier ones. Contradicted: holds before, and the \
         last run's own estimate fails, or the other way round."
    );
    if arguments.outside {
        for trial in &trials {
            for (name, row) in trial.rows.iter().filter(|(_, row)| !row.is_inside()) {
                println!(
                    "{}: outside: {} ({:.1} times the half-width of {:.1} %)",
                    trial.machine,
                    name,
                    row.off,
                    row.half_width * 100.0
                );
            }
            for claim in trial.claims.iter().filter(|claim| claim.before != claim.after) {
                let (before, after) = (claim.before.word(), claim.after.word());
                println!("{}: changed: {}: {before}, then {after}", trial.machine, claim.id);
            }
        }
    }
    Ok(())
}

fn doctor() {
    let findings = doctor::examine(|text| eprintln!("{text}"));
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(["", "found", "", "what to do about it"]);
    for finding in &findings {
        let Finding { what, found, standing, advice } = finding;
        table.add_row([*what, found, standing.word(), advice]);
    }
    print(&table);
    let to_mend = findings.iter().filter(|finding| finding.standing == Standing::Mend).count();
    println!(
        "\n{to_mend} of {} things to mend. A note bounds what can be measured here, or what it means.",
        findings.len()
    );
}
