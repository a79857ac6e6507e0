//! The child process: visits cells as it is told to.

use std::any::Any;
use std::collections::HashMap;
use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::Result;

use crate::body::Batch;
use crate::chapter::{Cell, Chapter};
use crate::protocol::{Reply, Request, MARK};
use crate::run::all_cells;
use crate::visit;

/// Serves requests until standard input ends.
pub(crate) fn serve(chapter: &Chapter) -> Result<()> {
    let floor = crate::floor::experiments();
    let cells: Vec<&Cell> =
        all_cells(chapter, &floor).map(|(_, cell)| cell).collect();
    // Bodies stay: runtimes are built once in a process, and stop with it.
    let mut started: HashMap<usize, Box<dyn Batch>> = HashMap::new();
    let requests = requests();
    while let Ok(request) = requests.recv() {
        let (Request::Calibrate { cell: index, .. }
        | Request::Visit { cell: index, .. }) = request;
        let cell = cells[index];
        let answered = catch_unwind(AssertUnwindSafe(|| {
            let batch =
                started.entry(index).or_insert_with(|| cell.body.start());
            answer(&request, cell, batch.as_mut())
        }));
        let reply = match answered {
            Ok(Ok(reply)) => reply,
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

fn answer(
    request: &Request,
    cell: &Cell,
    batch: &mut dyn Batch,
) -> Result<Reply> {
    match *request {
        Request::Calibrate { sample_ns, .. } => {
            let sample = Duration::from_nanos(sample_ns as u64);
            let (operations, operation) =
                visit::calibrate(batch, cell.answer, sample)
                    .map_err(anyhow::Error::msg)?;
            Ok(Reply::Calibrated {
                operations,
                operation_ns: operation.as_secs_f64() * 1e9,
            })
        }
        Request::Visit { operations, warm_up_ns, .. } => {
            let directory = tempfile::tempdir()?;
            let warm_up = Duration::from_nanos(warm_up_ns);
            let operation_ns = visit::visit(
                batch,
                cell.answer,
                operations,
                warm_up,
                directory.path(),
            )?;
            Ok(Reply::Visited { operation_ns })
        }
    }
}

/// Requests, read by a thread of their own. It ends the process as soon as standard input does, so
/// that no child outlives its parent, not even one that hangs.
fn requests() -> mpsc::Receiver<Request> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lines() {
            let request = line.map_err(anyhow::Error::from);
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
