//! Waiting threads.

use std::sync::mpsc;
use std::sync::Arc;
use std::thread;

use crate::batches::batches;
use crate::listings::idle_thread::{idle as idle_thread, Gate};
use crate::report::Report;
use crate::wanted_units::{with_state, Units, STATES};

/// Starts the threads. Reports the memory either while all of them wait or
/// after they have ended.
///
/// # Errors
///
/// If a thread cannot be started, or the memory is not reported.
pub(super) fn idle(of: &Units) -> Result<Report, String> {
    with_state!(of.state_bytes, STATE => idle_with::<STATE>(of))
}

fn idle_with<const STATE: usize>(of: &Units) -> Result<Report, String> {
    let gate = Arc::new(Gate::default());
    let (waits, waiting) = mpsc::channel();
    let (ends, sums) = mpsc::channel();
    let mut started = 0;
    for batch in batches(of.units) {
        for _ in 0..batch {
            let (gate, waits, ends) =
                (gate.clone(), waits.clone(), ends.clone());
            let unit = move || {
                let sum = idle_thread::<STATE>(&gate, || {
                    // Sending fails only if the receiver has stopped waiting
                    // after an error.
                    waits.send(()).ok();
                });
                ends.send(sum).ok();
            };
            // The thread's handle is dropped, so that only the thread's own
            // memory remains.
            thread::Builder::new()
                .stack_size(of.stack_bytes as usize)
                .spawn(unit)
                .map_err(|error| format!("after {started} threads: {error}"))?;
            started += 1;
        }
        for _ in 0..batch {
            waiting.recv().map_err(|_| "a thread ended early".to_owned())?;
        }
    }
    drop(ends);
    let report = Report::now(of.group.as_deref())?;
    let (is_open, opened) = &*gate;
    *is_open.lock().expect("nobody panics with it") = true;
    opened.notify_all();
    of.told(report, sums.iter().sum())
}
