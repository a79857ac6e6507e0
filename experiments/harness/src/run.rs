//! The parent process: calibrates, starts children, asks for visits in shuffled rounds, and makes
//! rows of the points.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{bail, ensure, Context, Result};
use measurement::{
    lock, sources, Measured, Outcome, Row, Run, RunHeader, Source, METHOD,
};

use crate::chapter::{Cell, Chapter, Experiment};
use crate::floor;
use crate::host::CpuTime;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{Reply, Request, MARK};

/// The argument that makes a process a child.
pub(crate) const CHILD: &str = "--child";

/// Every cell of the chapter and of the noise floor, in an order that parent and child agree on.
pub(crate) fn all_cells<'a>(
    chapter: &'a Chapter,
    floor: &'a [Experiment],
) -> impl Iterator<Item = (&'a Experiment, &'a Cell)> {
    let experiments = chapter.experiments.iter().chain(floor);
    experiments.flat_map(|experiment| {
        experiment.cells.iter().map(move |cell| (experiment, cell))
    })
}

/// A cell as the parent sees it.
struct Candidate<'a> {
    experiment: &'a Experiment,
    cell: &'a Cell,
    is_floor: bool,
    calibrated: Calibrated,
    /// Nanoseconds per unit, one a visit, in (process, round) order.
    points: Vec<f64>,
    failed: Option<String>,
}

#[derive(Default)]
struct Calibrated {
    operations: u64,
    rounds: usize,
}

/// Measures the cells whose name contains `filter`.
pub(crate) fn run(
    chapter: &Chapter,
    plan: &Plan,
    filter: &str,
    machine: &str,
) -> Result<Run> {
    let began = Instant::now();
    let started_at = SystemTime::now();
    let before = CpuTime::now();
    let seed = fastrand::u64(..);
    let mut header = header(chapter, plan, machine, started_at, seed)?;

    let floor = floor::experiments();
    let own_cells = chapter.cell_names().len();
    let mut candidates: BTreeMap<usize, Candidate<'_>> =
        all_cells(chapter, &floor)
            .enumerate()
            .map(|(index, (experiment, cell))| {
                let is_floor = index >= own_cells;
                let calibrated = Calibrated::default();
                (
                    index,
                    Candidate {
                        experiment,
                        cell,
                        is_floor,
                        calibrated,
                        points: vec![],
                        failed: None,
                    },
                )
            })
            .filter(|(_, candidate)| {
                let name = candidate.experiment.cell_name(candidate.cell);
                let in_profile = plan.profile == measurement::Profile::Full
                    || !candidate.cell.full_only;
                candidate.is_floor || (in_profile && name.contains(filter))
            })
            .collect();
    let chosen =
        candidates.values().filter(|candidate| !candidate.is_floor).count();
    ensure!(
        chosen > 0,
        "no cell of the {} profile contains {filter:?}; --list prints their names",
        plan.profile
    );

    let progress =
        Progress::new(candidates.len() * plan.processes * plan.rounds);
    progress.note(&format!(
        "{chosen} cells, {} processes of {} rounds each, and identical contenders for the noise floor",
        plan.processes, plan.rounds
    ));
    progress.stage("finding out how many operations fill a sample");
    calibrate(&mut candidates, plan, &progress)?;
    let visits: usize =
        candidates.values().map(|c| c.calibrated.rounds * plan.processes).sum();
    progress.expect(visits);

    let mut rng = fastrand::Rng::with_seed(seed);
    for process in 1..=plan.processes {
        progress.stage(&format!("process {process} of {}", plan.processes));
        let mut worker = None;
        for round in 0..plan.rounds {
            let mut order: Vec<usize> = candidates
                .iter()
                .filter(|(_, c)| {
                    c.failed.is_none() && round < c.calibrated.rounds
                })
                .map(|(&index, _)| index)
                .collect();
            rng.shuffle(&mut order);
            for index in order {
                let candidate = candidates
                    .get_mut(&index)
                    .expect("the order holds candidates");
                let request = Request::Visit {
                    cell: index,
                    operations: candidate.calibrated.operations,
                    warm_up_ns: plan.warm_up.as_nanos() as u64,
                };
                match ask(&mut worker, &request, candidate.cell.time_limit)? {
                    Ok(Reply::Visited { operation_ns }) => {
                        candidate
                            .points
                            .push(operation_ns / candidate.cell.per as f64);
                    }
                    Ok(Reply::Calibrated { .. }) => {
                        bail!("the child answered another question")
                    }
                    Ok(Reply::Failed { reason }) | Err(reason) => {
                        candidate.fail(reason, &progress)
                    }
                }
                progress.advance(1);
            }
        }
    }
    progress.finish(began.elapsed());

    let points = |class: &str, contender: &str| {
        let twin = candidates.values().find(|candidate| {
            candidate.is_floor
                && candidate.experiment.name == class
                && candidate.cell.contender == contender
                && candidate.failed.is_none()
        });
        twin.map(|candidate| candidate.points.clone())
    };
    header.floor = floor::floors(points, plan.processes);
    if let (Some(before), Some(after)) = (before, CpuTime::now()) {
        let (load, steal) = after.since(before);
        header.load = load;
        header.steal = Some(steal);
    }
    let rows = candidates.into_values().filter(|candidate| !candidate.is_floor);
    Ok(Run {
        rows: rows.map(|candidate| candidate.into_row(plan)).collect(),
        header,
    })
}

impl Candidate<'_> {
    fn fail(&mut self, reason: String, progress: &Progress) {
        progress.note(&format!(
            "failed: {}: {reason}",
            self.experiment.cell_name(self.cell)
        ));
        self.failed = Some(reason);
    }

    fn into_row(self, plan: &Plan) -> Row {
        let outcome = match self.failed {
            Some(reason) => Outcome::Failed(reason),
            None => {
                let points = self.points.into_iter().map(five_digits).collect();
                Outcome::Measured(Measured::from_points(
                    points,
                    plan.processes,
                    Source::Criterion,
                ))
            }
        };
        let unit = measurement::unit_of(&self.experiment.quantity);
        Row {
            experiment: self.experiment.name.clone(),
            contender: self.cell.contender.clone(),
            parameters: self.cell.parameters.clone(),
            quantity: self.experiment.quantity.clone(),
            unit: unit.expect("Experiment::new has checked the quantity"),
            difference: false,
            outcome,
        }
    }
}

/// Rounds to five significant digits: no visit is more precise, and files stay readable.
fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().expect("a number was printed")
}

/// Asks a child for each cell's number of operations. The parent itself runs no workload, so none
/// can take it down.
fn calibrate(
    candidates: &mut BTreeMap<usize, Candidate<'_>>,
    plan: &Plan,
    progress: &Progress,
) -> Result<()> {
    let mut worker = None;
    for (&cell, candidate) in candidates {
        let request = Request::Calibrate {
            cell,
            sample_ns: plan.sample.as_secs_f64() * 1e9,
        };
        match ask(&mut worker, &request, candidate.cell.time_limit)? {
            Ok(Reply::Calibrated { operations, operation_ns }) => {
                let operation = Duration::from_secs_f64(operation_ns / 1e9);
                candidate.calibrated = Calibrated {
                    operations,
                    rounds: plan.rounds_for(operation),
                };
            }
            Ok(Reply::Visited { .. }) => {
                bail!("the child answered another question")
            }
            Ok(Reply::Failed { reason }) | Err(reason) => {
                candidate.fail(reason, progress)
            }
        }
    }
    Ok(())
}

/// Asks the child, starting one if there is none. The inner error is the reason why it gave no
/// answer; the child is then gone.
fn ask(
    worker: &mut Option<Worker>,
    request: &Request,
    time_limit: Duration,
) -> Result<Result<Reply, String>> {
    let running = match worker {
        Some(running) => running,
        None => worker.insert(Worker::start()?),
    };
    match running.ask(request, time_limit) {
        Ok(reply) => Ok(Ok(reply)),
        Err(why) => {
            let gone = worker.take().expect("a worker was asked");
            Ok(Err(gone.post_mortem(why)))
        }
    }
}

/// A child process.
struct Worker {
    child: Child,
    stdin: ChildStdin,
    replies: mpsc::Receiver<Reply>,
    /// Its standard error, for the last words of one that dies. A file, so that it never blocks.
    stderr: std::fs::File,
}

/// Why a child did not answer.
enum Silence {
    TimeLimit(Duration),
    Gone,
}

impl Worker {
    fn start() -> Result<Worker> {
        let program = std::env::current_exe()
            .context("the path of this program is not known")?;
        let stderr =
            tempfile::tempfile().context("no temporary file can be made")?;
        let mut child = Command::new(&program)
            .arg(CHILD)
            // Answers and times are wanted from a child, not backtraces.
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone()?)
            .spawn()
            .with_context(|| {
                format!("{} cannot be started", program.display())
            })?;
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, replies) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n') {
                let Ok(line) = line else { return };
                let line = String::from_utf8_lossy(&line);
                let Some(reply) = line.strip_prefix(MARK) else { continue };
                // A line that is cut off is no reply; the end of the output is what counts then.
                if let Ok(reply) = serde_json::from_str(reply) {
                    drop(sender.send(reply));
                }
            }
        });
        Ok(Worker { child, stdin, replies, stderr })
    }

    fn ask(
        &mut self,
        request: &Request,
        time_limit: Duration,
    ) -> Result<Reply, Silence> {
        let line =
            serde_json::to_string(request).expect("a request has a JSON form");
        if writeln!(self.stdin, "{line}").is_err() {
            return Err(Silence::Gone);
        }
        self.replies.recv_timeout(time_limit).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => Silence::TimeLimit(time_limit),
            mpsc::RecvTimeoutError::Disconnected => Silence::Gone,
        })
    }

    /// Ends the child and says in words why it gave no answer.
    fn post_mortem(mut self, why: Silence) -> String {
        if let Silence::TimeLimit(limit) = why {
            return format!(
                "gave no answer within {} s, its process was killed",
                limit.as_secs_f64()
            );
        }
        let status = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => format!("its end is not known: {error}"),
        };
        let mut text = String::new();
        let read = self
            .stderr
            .rewind()
            .and_then(|()| self.stderr.read_to_string(&mut text));
        let last =
            text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        match (read, last) {
            (Ok(_), Some(words)) => {
                format!("its process ended: {status}; last words: {words}")
            }
            _ => format!("its process ended: {status}"),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn header(
    chapter: &Chapter,
    plan: &Plan,
    machine: &str,
    started_at: SystemTime,
    seed: u64,
) -> Result<RunHeader> {
    let sources = sources::hash(&chapter.package).with_context(|| {
        format!("the sources in {} cannot be read", chapter.package.display())
    })?;
    let lock_file = chapter
        .package
        .ancestors()
        .map(|directory| directory.join("Cargo.lock"))
        .find(|file| file.is_file())
        .with_context(|| {
            format!("no Cargo.lock in or above {}", chapter.package.display())
        })?;
    let crates = lock::versions(
        &lock_file,
        chapter.measures.iter().map(String::as_str),
    )?;
    Ok(RunHeader {
        run: humantime::format_rfc3339_seconds(started_at).to_string(),
        machine: machine.to_owned(),
        chapter: chapter.name.clone(),
        profile: plan.profile,
        commit: commit(&chapter.package),
        method: METHOD,
        sources,
        rustc: env!("HARNESS_RUSTC").to_owned(),
        crates,
        floor: BTreeMap::new(),
        load: 0.0,
        steal: None,
        processes: plan.processes,
        seed: Some(seed),
    })
}

/// The commit of the tree, `-dirty` behind it if code differs from it, or `unknown` without git.
fn commit(package: &Path) -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(package)
            .args(arguments)
            .output()
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let code = [
        "status",
        "--porcelain",
        "--",
        ":/experiments",
        ":/crates",
        ":/Cargo.lock",
        ":/Cargo.toml",
    ];
    match (git(&["rev-parse", "HEAD"]), git(&code)) {
        (Some(commit), Some(changes)) if changes.is_empty() => commit,
        (Some(commit), _) => format!("{commit}-dirty"),
        (None, _) => "unknown".to_owned(),
    }
}
