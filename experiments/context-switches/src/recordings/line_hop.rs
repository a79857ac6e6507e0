//! A hop in a line of threads, which pass a byte on through pipes. The thread that
//! a writer wakes has slept for long, and may take the core from the writer in the
//! middle of its call.

use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::thread;

use harness::{preempt_nobody, stamp, Cell, Party, Placement, RecordingPlan};
use nix::sched::sched_getcpu;

use super::recorded_pair::{ONE, STD};
use crate::thread_pair::{pair, First, Pair};

/// How many threads stand in the line, besides the one at its two ends.
const UNITS: u64 = 20;

/// How often a byte goes through the line.
const ROUNDS: u64 = 5;

pub(super) fn cells() -> [Cell; 4] {
    let all = Placement::AllCores;
    [
        hop(ONE, "ours", on_one_core(), start),
        hop(ONE, "batch", on_one_core(), start_batch),
        hop(all, "ours", on_all_cores(), start),
        hop(all, "batch", on_all_cores(), start_batch),
    ]
}

fn hop(
    placement: Placement,
    arm: &str,
    plan: RecordingPlan,
    start: fn(First) -> Pair,
) -> Cell {
    Cell::new(STD, ROUNDS, pair(placement, ROUNDS, start))
        .per((UNITS + 1) * ROUNDS)
        .parameter("kernel", "line")
        .parameter("arm", arm)
        .placement(placement)
        .recorded(plan)
}

/// A hop by the program's own stamps. A writer that is preempted has written only
/// after the reader has read.
fn on_one_core() -> RecordingPlan {
    let (writer, reader) = (Party::Waker, Party::Woken);
    let parties = ["writer", "reader"];
    let begins = writer.stamps("write");
    RecordingPlan::of("hop", parties, "write", begins)
        .until_perhaps("written", writer.stamps("written"))
        .until("read", reader.stamps("read"))
}

/// A write, from its beginning to its end: whether the reader has read meanwhile,
/// and whether the writer finds itself on another core.
fn on_all_cores() -> RecordingPlan {
    let (writer, reader) = (Party::Waker, Party::Woken);
    let parties = ["writer", "reader"];
    let begins = writer.stamps("write");
    RecordingPlan::of("write", parties, "write", begins)
        .until("waking", writer.wakes())
        .until_perhaps("interrupt", writer.interrupts())
        .until_perhaps("read", reader.stamps("read"))
        .until_perhaps("moved", writer.stamps("moved"))
        .until("written", writer.stamps("written"))
        .with_calls(&["read", "write"])
        .apart()
}

fn start_batch(first: First) -> Pair {
    preempt_nobody().expect("Linux has this policy");
    start(first)
}

/// The line ends with its first end. Nobody in it has a core of its own.
fn start(_: First) -> Pair {
    let (mut last, mut beginning) = pipe().expect("there are pipes");
    for _ in 0..UNITS {
        let (next, mut to) = pipe().expect("there are pipes");
        let mut from = std::mem::replace(&mut last, next);
        thread::spawn(move || {
            while read(&mut from) {
                write(&mut to);
            }
        });
    }
    Box::new(move |rounds| {
        let lap = |_| {
            write(&mut beginning);
            u64::from(read(&mut last))
        };
        (0..rounds).map(lap).sum()
    })
}

fn write(to: &mut PipeWriter) {
    let core = sched_getcpu().ok();
    stamp("write");
    to.write_all(&[1]).expect("it is read");
    if sched_getcpu().ok() != core {
        stamp("moved");
    }
    stamp("written");
}

/// Whether a byte has come.
fn read(from: &mut PipeReader) -> bool {
    let has_come = from.read_exact(&mut [0]).is_ok();
    stamp("read");
    has_come
}
