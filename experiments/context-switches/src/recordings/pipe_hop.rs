//! Records a byte's hop from one thread to another through a pipe: from
//! before the `write` until the waiting `read` has returned. If the other
//! core sleeps, an interrupt wakes it.

use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::thread;

use harness::{stamp, Cell, Party, Placement, RecordingPlan, Spinners};

use super::recorded_pair::{cell, ONE, STD, TWO};
use crate::thread_pair::{First, Pair};

pub(super) fn cells() -> [Cell; 3] {
    [
        recorded_hop(ONE),
        recorded_hop(TWO),
        recorded_hop(TWO).parameter("arm", "awake").beside(Spinners::Idle),
    ]
}

pub(crate) fn recorded_hop(placement: Placement) -> Cell {
    cell(STD, "pipe", placement, 2, start, plan(placement))
}

/// Returns the steps to record for a hop, from a writer to the reader that it
/// wakes.
pub(super) fn plan(placement: Placement) -> RecordingPlan {
    let parties = ["writer", "reader"];
    let begins = Party::Waker.stamps("write");
    let plan = RecordingPlan::of("hop", parties, "write", begins)
        .until("waking", Party::Waker.wakes());
    let plan = match placement {
        // On one core, the reader can run only when the writer waits, so the
        // write ends first.
        Placement::OneCore => {
            plan.until("written", Party::Waker.stamps("written"))
        }
        Placement::Neighbours | Placement::AllCores => {
            plan.until_perhaps("interrupt", Party::Waker.interrupts())
        }
    };
    plan.until("running", Party::Woken.runs())
        .until("read", Party::Woken.stamps("read"))
        .with_calls(&["read", "write"])
        .alike_on_all_cores()
}

fn start(first: First) -> Pair {
    let (mut arriving, mut there) = pipe().expect("there are pipes");
    let (mut back, mut returning) = pipe().expect("there are pipes");
    thread::spawn(move || {
        first();
        while read(&mut arriving) {
            write(&mut returning);
        }
    });
    Box::new(move |rounds| {
        let round_trip = |_| {
            write(&mut there);
            u64::from(read(&mut back))
        };
        (0..rounds).map(round_trip).sum()
    })
}

fn write(to: &mut PipeWriter) {
    stamp("write");
    to.write_all(&[1]).expect("it is read");
    stamp("written");
}

/// Reads a byte. Returns `false` if there is none because the pipe has been
/// closed.
fn read(from: &mut PipeReader) -> bool {
    let has_come = from.read_exact(&mut [0]).is_ok();
    stamp("read");
    has_come
}
