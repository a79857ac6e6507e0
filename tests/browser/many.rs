//! A book of many machines: five, of four runs each, made from the reference's rows. Every page keeps its
//! bound; what building it costs is reported, not asserted: a busy or slower machine is no fault of ours.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{ensure, Context, Result};
use mdbook_measured::data::paths::{recordings_file, runs_file};
use mdbook_measured::data::{Data, PUBLISHED};
use mdbook_measured::{driver, DataScope};
use measurement::machine::Machine;
use measurement::{
    Evidence, Measured, Outcome, Profile, Row, Run, RunHeader, Source, Visits, METHOD,
};
use recordings::RecordingRun;

use crate::common;

/// By how much each machine's figures differ from the reference's, which is the first.
const MACHINES: [f64; 5] = [1.0, 1.1, 1.25, 1.4, 0.9];

/// The same of each machine's runs, and on which days they began.
const RUNS: [(f64, &str); 4] = [
    (1.0, "2026-11-01T10:00:00Z"),
    (1.02, "2026-11-02T10:00:00Z"),
    (0.99, "2026-11-03T10:00:00Z"),
    (1.01, "2026-11-04T10:00:00Z"),
];

/// How many processes a run has, and how many rounds each does, with a visit there and one back.
const PROCESSES: usize = 5;
const ROUNDS: usize = 2;
const VISITS: usize = 2 * PROCESSES * ROUNDS;

/// Names the book that a process of this test is to build, see [`build_if_asked`].
const BUILD: &str = "BUILD_BOOK_OF_MANY";

/// A copy of the book with these machines in place of its own.
pub(crate) fn copy_with_many() -> Result<tempfile::TempDir> {
    let copy = common::copy_of_the_book()?;
    let config = driver::config(copy.path())?;
    let data = Data::load(copy.path(), &config, DataScope::Committed)?;
    let directory = copy.path().join(&config.data);
    for entry in fs::read_dir(&directory)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with(PUBLISHED) {
            fs::remove_dir_all(path)?;
        }
    }
    let first = &data.machines[0];
    for (index, factor) in MACHINES.into_iter().enumerate() {
        let name = match index {
            0 => first.name().to_owned(),
            _ => format!("machine-{index}"),
        };
        let machine = Machine { machine: name.clone(), ..first.machine.clone() };
        fs::create_dir_all(directory.join(&name))?;
        fs::write(directory.join(&name).join("machine.json"), machine.to_json())?;
        for (chapter, experiment) in experiments(&data) {
            let reference = data.reference(&chapter, &experiment);
            let found = data.chapter(reference, &chapter).context("a reference has rows")?;
            let runs = RUNS.map(|(of_run, began)| {
                run(&found.evidence, &chapter, &experiment, factor * of_run, (&name, began))
            });
            let file = directory.join(&name).join(runs_file(&chapter, &experiment));
            fs::create_dir_all(file.parent().context("it is in a directory")?)?;
            fs::write(file, runs.map(|run| run.to_json_lines()).concat())?;
        }
        for (file, recorded) in recordings(&data) {
            let header = RunHeader { machine: name.clone(), ..recorded.header.clone() };
            let run = RecordingRun { header, recordings: recorded.recordings.clone() };
            fs::write(directory.join(&name).join(file), run.to_json_lines())?;
        }
    }
    Ok(copy)
}

/// Every experiment that was measured, with its chapter.
fn experiments(data: &Data) -> Vec<(String, String)> {
    let recorded = recordings(data);
    let chapters = data.machines.iter().flat_map(|machine| &machine.chapters);
    let mut all: Vec<(String, String)> = chapters
        .flat_map(|(chapter, found)| {
            let rows = found.evidence.rows.iter();
            rows.map(move |row| (chapter.clone(), row.experiment.clone()))
        })
        .filter(|(chapter, experiment)| {
            !recorded.contains_key(&recordings_file(chapter, experiment))
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// What some machine recorded, by its file in a machine's directory.
fn recordings(data: &Data) -> BTreeMap<String, &RecordingRun> {
    let chapters = data.machines.iter().flat_map(|machine| &machine.chapters);
    let runs = chapters.flat_map(|(chapter, found)| {
        let files = found.recordings.iter();
        files.map(|file| (recordings_file(chapter, &file.experiment), &file.run))
    });
    runs.collect()
}

/// A run of an experiment whose figures are those of the evidence, multiplied.
fn run(
    evidence: &Evidence,
    chapter: &str,
    experiment: &str,
    factor: f64,
    (machine, began): (&str, &str),
) -> Run {
    let of_it = evidence.rows.iter().filter(|row| row.experiment == experiment);
    let rows: Vec<Row> = of_it.map(|row| visited(row, factor)).collect();
    let last = &evidence.headers(experiment)[evidence.headers(experiment).len() - 1];
    let header = RunHeader {
        run: began.to_owned(),
        machine: machine.to_owned(),
        chapter: chapter.to_owned(),
        experiment: experiment.to_owned(),
        profile: Profile::Full,
        method: METHOD,
        builds: (1..=PROCESSES as u64).collect(),
        processes: PROCESSES,
        rounds: Some(ROUNDS),
        rows: Some(rows.len()),
        log: Vec::new(),
        ..last.clone()
    };
    Run { header, rows }
}

/// A row as a run has it, with figures that are multiplied.
fn visited(row: &Row, factor: f64) -> Row {
    let mut row = row.clone();
    row.group = row.group.or_else(|| Some(row.parameters.to_string()));
    if let Outcome::Measured(measured) = &mut row.outcome {
        let count = if measured.source == Source::Criterion { VISITS } else { PROCESSES };
        let points = measured.points.iter().cycle().take(count).map(|point| point * factor);
        let points: Vec<f64> = points.collect();
        *measured = match measured.source {
            Source::Criterion => {
                let turns = 0..VISITS as u32;
                let visits = Visits {
                    at: turns.clone().map(|turn| turn * 1_000).collect(),
                    build: turns.clone().map(|turn| turn / (2 * ROUNDS as u32)).collect(),
                    turn: turns.collect(),
                    probe: vec![4_600.0; VISITS],
                };
                Measured::of_visits(points, visits, ROUNDS, Source::Criterion)
            }
            source => Measured::from_points(points, PROCESSES, source),
        };
    }
    row
}

/// Builds the book that the environment names and prints what that cost, if it names one: a process has
/// no account of one of its threads' work.
pub(crate) fn build_if_asked() -> Option<Result<()>> {
    let root = std::env::var_os(BUILD)?;
    Some(build(Path::new(&root)))
}

fn build(root: &Path) -> Result<()> {
    driver::build(root, DataScope::Committed)?;
    if cfg!(target_os = "linux") {
        println!("{}", cpu_time()?);
    }
    Ok(())
}

/// The CPU time of this process, in seconds; Linux counts it in hundredths.
fn cpu_time() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold anything, the 12th and the 13th.
    let (_, behind) = stat.rsplit_once(')').context("a process has a name")?;
    let ticks = behind.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / 100.0)
}

/// Builds the book in `root` in a process of its own; its CPU time in seconds, where the system counts it.
pub(crate) fn build_apart(root: &Path) -> Result<Option<f64>> {
    let environment = [(OsString::from(BUILD), root.as_os_str().to_owned())];
    let output = Command::new(std::env::current_exe()?).envs(environment).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    match said.trim() {
        "" => Ok(None),
        seconds => Ok(Some(seconds.parse().with_context(|| format!("{said:?} is no time"))?)),
    }
}
