//! The child process: does with its cells what it is told to.

use std::any::Any;
use std::collections::HashMap;
use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{bail, Error, Result};
use host::probe::probe;

use crate::batch::Batch;
use crate::cell::{Cell, CellKind};
use crate::chapter::Chapter;
use crate::counters;
use crate::experiment::Experiment;
use crate::protocol::{Ask, CellId, Reply, Request, VisitOutcome, MARK};
use crate::tracer::{self, TracerMessage};
use crate::visit;

/// Serves requests until standard input ends.
pub(crate) fn serve(chapter: &Chapter) -> Result<()> {
    let cells: Vec<_> = chapter.all_cells().collect();
    // Bodies stay: runtimes are built once in a process, and stop with it. But
    // those that are for one visit go when it is over.
    let mut started: HashMap<CellId, Box<dyn Batch>> = HashMap::new();
    let requests = requests();
    while let Ok(Request { cell: place, ask }) = requests.recv() {
        let cell = cells[place.index];
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let answered = answer(ask, place, cell, &mut started);
            if cell.1.is_for_each_visit() {
                started.remove(&place);
            }
            answered
        }));
        let reply = match answered {
            Ok(Ok(None)) => {
                tracer::say(TracerMessage::Reply);
                continue;
            }
            Ok(Ok(Some(reply))) => reply,
            Ok(Err(error)) => Reply::Failed { reason: format!("{error:#}") },
            Err(panic) => Reply::Failed {
                reason: format!("panicked: {}", message(&*panic)),
            },
        };
        let mut stdout = std::io::stdout().lock();
        // Criterion may have left a line unfinished.
        writeln!(stdout, "\n{MARK}{}", serde_json::to_string(&reply)?)?;
        stdout.flush()?;
    }
    Ok(())
}

/// The answer, or none where the tracer gives it.
fn answer(
    ask: Ask,
    place: CellId,
    (experiment, cell): (&Experiment, &Cell),
    started: &mut HashMap<CellId, Box<dyn Batch>>,
) -> Result<Option<Reply>> {
    match ask {
        Ask::Count { pass, .. } => counters::switch_on(pass),
        Ask::Trace { .. } => {
            tracer::refused().map_or(Ok(()), Err).map_err(Error::msg)?;
        }
        Ask::Calibrate { .. } | Ask::Visit { .. } | Ask::Take | Ask::Record => {
        }
    }
    cell.can_run().map_err(Error::msg)?;
    if let Ask::Record = ask {
        let recorded = cell.record().map_err(Error::msg)?;
        return Ok(Some(Reply::Recorded(Box::new(recorded))));
    }
    let CellKind::Timed { answer, body, .. } = &cell.kind else {
        let _surroundings = cell.surroundings().map_err(Error::msg)?;
        let before = probe();
        let found = cell.take(Duration::MAX).map_err(Error::msg)?;
        // Before and after, whichever took longer.
        let probe_ns = before.max(probe()).as_nanos() as f64;
        if let (VisitOutcome::Readings(figures), Some(reason)) =
            (&found, &cell.infinite_means)
        {
            if figures.iter().any(|figure| figure.is_infinite()) {
                bail!("{reason}");
            }
        }
        return Ok(Some(Reply::Visited { found, probe_ns }));
    };
    let batch = match started.entry(place) {
        std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
        std::collections::hash_map::Entry::Vacant(entry) => {
            entry.insert(body.start().map_err(Error::msg)?)
        }
    };
    // After the start, so that runtimes have all cores.
    let _surroundings = cell.surroundings().map_err(Error::msg)?;
    let reply = match ask {
        Ask::Calibrate { sample_ns } => {
            let sample = Duration::from_nanos(sample_ns as u64);
            let (operations, operation) =
                visit::calibrate(batch.as_mut(), *answer, sample)
                    .map_err(Error::msg)?;
            let operation_ns = operation.as_secs_f64() * 1e9;
            Reply::Calibrated { operations, operation_ns }
        }
        Ask::Visit { operations, warm_up_ns } => {
            let directory = tempfile::tempdir()?;
            let visit::VisitTimes { operation_ns, probe_ns } = visit::visit(
                batch.as_mut(),
                *answer,
                operations,
                Duration::from_nanos(warm_up_ns),
                directory.path(),
            )?;
            Reply::Visited { found: VisitOutcome::Time(operation_ns), probe_ns }
        }
        Ask::Count { pass, operations } => {
            // The first use is not what is counted.
            batch.run(1).checked(*answer).map_err(Error::msg)?;
            let timed =
                batch.run(operations).checked(*answer).map_err(Error::msg)?;
            let counts = timed.counts.expect("this process counts");
            let read = |&counter| match counters::unavailable(counter) {
                Some(reason) => Err(reason),
                None => Ok(counts.get(counter) as f64 / operations as f64),
            };
            let counts = experiment
                .counters
                .iter()
                .filter(|c| c.pass() == pass)
                .map(read)
                .collect();
            Reply::Counted { counts }
        }
        Ask::Trace { operations } => {
            batch.run(1).checked(*answer).map_err(Error::msg)?;
            tracer::say(TracerMessage::Forget);
            batch.run(operations).checked(*answer).map_err(Error::msg)?;
            return Ok(None);
        }
        Ask::Take | Ask::Record => return Err(Error::msg("it is timed")),
    };
    Ok(Some(reply))
}

/// Requests, read by a thread of their own. It ends the process as soon as standard input does, so
/// that no child outlives its parent, not even one that hangs.
fn requests() -> mpsc::Receiver<Request> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            let request = line.map_err(Error::from);
            match request.and_then(|line| Ok(serde_json::from_str(&line)?)) {
                Ok(request) => drop(sender.send(request)),
                Err(error) => {
                    eprintln!("not a request: {error:#}");
                    std::process::exit(2);
                }
            }
        }
        std::process::exit(0);
    });
    receiver
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
