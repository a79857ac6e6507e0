//! The child process, which measures benchmarks on request.

use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};

use anyhow::Result;
use host::probe::probe;
use runtimes::panic_message;
use serde_json::Value;

use crate::batch::Batch;
use crate::cell::{Cell, Work};
use crate::chapter::Chapter;
use crate::counting;
use crate::experiment::Experiment;
use crate::helper;
use crate::protocol::{Ask, Found, Report, Request};
use crate::tracer;
use crate::visit;

/// The benchmarks that have been started in this process, including second
/// measurements of the same benchmark. They are kept because a runtime is
/// built once per process and ends with it. A benchmark that is started for a
/// single visit is dropped after that visit.
type Started = HashMap<(String, bool), Box<dyn Batch>>;

/// Serves requests until standard input is closed.
pub(crate) fn serve(chapter: &Chapter) -> Result<()> {
    let mut started = Started::new();
    for request in helper::requests::<Request>() {
        let answered = AssertUnwindSafe(|| {
            let named = chapter.all_cells().find(|(experiment, cell)| {
                experiment.cell_name(cell) == request.cell
            });
            let cell = named.ok_or(
                "this link of the program has no such cell: were features given, or is the source newer?",
            )?;
            let place = (request.cell, request.is_twin);
            let answered = answer(request.ask, &place, cell, &mut started);
            if matches!(&cell.1.work, Work::Timed { body, .. } if body.is_for_each_visit())
            {
                started.remove(&place);
            }
            answered
        });
        let report: Report = match catch_unwind(answered) {
            Ok(Ok(None)) => {
                tracer::say(tracer::REPLY);
                continue;
            }
            Ok(Ok(Some(answer))) => Ok(answer),
            Ok(Err(reason)) => Err(reason),
            Err(panic) => Err(format!("panicked: {}", panic_message(&*panic))),
        };
        helper::report(&report)?;
    }
    Ok(())
}

/// Returns the answer to a request, or `None` if the tracer sends the answer
/// instead. The tracer is the process that counts system calls.
fn answer(
    ask: Ask,
    place: &(String, bool),
    (experiment, cell): (&Experiment, &Cell),
    started: &mut Started,
) -> Result<Option<Value>, String> {
    match ask {
        Ask::Count { pass, .. } => counting::switch_on(pass),
        Ask::Trace { .. } => tracer::is_traced()?,
        Ask::Calibrate { .. } | Ask::Visit { .. } | Ask::Record => {}
    }
    cell.can_run()?;
    if let Ask::Record = ask {
        return json(cell.record()?);
    }
    let (body, right) = match &cell.work {
        Work::Timed { answer, body } => (body, *answer),
        Work::Taken(take) => {
            let surroundings = cell.surroundings()?;
            let before = probe();
            let found = cell.find(take)?;
            surroundings.end()?;
            // Keeps the slower of the two speed probes, before and after the
            // measurement.
            let probe = before.max(probe()).as_nanos() as f64;
            return json(Found { probe, ..found });
        }
    };
    if !started.contains_key(place) {
        started.insert(place.clone(), body.start()?);
    }
    let batch = started.get_mut(place).expect("it has been started");
    // The runtime has already been started on all cores. The environment may
    // limit the process to fewer cores.
    let surroundings = cell.surroundings()?;
    let answered = match ask {
        Ask::Calibrate { sample } => {
            json(visit::calibrate(batch.as_mut(), right, sample)?)
        }
        Ask::Visit { operations, warm_up } => {
            let (time, probe) =
                visit::visit(batch.as_mut(), right, operations, warm_up)
                    .map_err(|error| format!("{error:#}"))?;
            json(Found { figures: vec![time], probe, ..Found::default() })
        }
        Ask::Count { pass, operations } => {
            // Runs one operation without counting it, since the first
            // operation may differ from later ones.
            batch.run(1).checked(right)?;
            let timed = batch.run(operations).checked(right)?;
            let counts = timed.counts.expect("this process counts");
            let counters = experiment.counters.iter();
            let counters = counters.filter(|counter| counter.pass() == pass);
            let read = |&counter| match counting::unavailable(counter) {
                Some(reason) => Err(reason),
                None => Ok(counts.get(counter) as f64 / operations as f64),
            };
            json(counters.map(read).collect::<Vec<_>>())
        }
        Ask::Trace { operations } => {
            batch.run(1).checked(right)?;
            tracer::say(tracer::FORGET);
            batch.run(operations).checked(right)?;
            Ok(None)
        }
        Ask::Record => unreachable!("it has been recorded"),
    };
    surroundings.end()?;
    answered
}

fn json(answer: impl serde::Serialize) -> Result<Option<Value>, String> {
    serde_json::to_value(answer).map(Some).map_err(|error| error.to_string())
}
