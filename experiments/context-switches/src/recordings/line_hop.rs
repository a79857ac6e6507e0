//! Records a hop in a line of threads that pass on a byte through pipes. The
//! woken thread has slept for a whole lap, and may take the core from the
//! writer in the middle of the writer's call. If the threads alternate
//! between two cores, each hop goes to the other core.

use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::thread;

use harness::{
    pin_this_thread, preempt_nobody, room_for_cores, room_for_files,
    room_for_threads, stamp, Cell, Party, Placement, RecordingPlan,
};
use nix::sched::sched_getcpu;

use super::pipe_hop;
use super::recorded_pair::{ONE, STD, TWO};
use crate::thread_pair::{pair, First, Pair};

/// Two numbers of threads per line, including the thread at both ends: a few,
/// and as many as in experiment `brigade`.
pub(super) const FEW: u64 = 20;
const MANY: u64 = 500;

/// How many times a byte goes through a line of [`FEW`] threads in one
/// operation.
pub(super) const ROUNDS: u64 = 5;

pub(super) fn cells() -> [Cell; 6] {
    let all = Placement::AllCores;
    [
        hop(ONE, "ours", on_one_core(), start),
        hop(ONE, "batch", on_one_core(), start_batch),
        hop(all, "ours", on_all_cores(), start),
        hop(all, "batch", on_all_cores(), start_batch),
        crossing::<FEW>(ROUNDS),
        crossing::<MANY>(1),
    ]
}

/// Creates a benchmark with a line of `THREADS` threads, through which a byte
/// goes `rounds` times. The threads alternate between two cores, and each
/// sleeps for a lap before it is woken.
fn crossing<const THREADS: u64>(rounds: u64) -> Cell {
    let body = pair(TWO, rounds, start_across::<THREADS>);
    Cell::new(STD, rounds, body)
        .per(THREADS * rounds)
        .parameter("kernel", "line")
        .parameter("arm", "ours")
        .parameter("units", THREADS as i64)
        .placement(TWO)
        .needs(|| {
            room_for_cores(2)?;
            room_for_files(2 * THREADS)?;
            room_for_threads(THREADS)
        })
        .recorded(pipe_hop::plan(TWO))
}

fn hop(
    placement: Placement,
    arm: &str,
    plan: RecordingPlan,
    start: fn(First) -> Pair,
) -> Cell {
    Cell::new(STD, ROUNDS, pair(placement, ROUNDS, start))
        .per(FEW * ROUNDS)
        .parameter("kernel", "line")
        .parameter("arm", arm)
        .parameter("units", FEW as i64)
        .placement(placement)
        .needs(|| room_for_files(2 * FEW))
        .recorded(plan)
}

/// Returns the steps to record for a hop on one core. The program itself
/// records the times. A writer that is preempted finishes its write only
/// after the reader has read.
fn on_one_core() -> RecordingPlan {
    let (writer, reader) = (Party::Waker, Party::Woken);
    let parties = ["writer", "reader"];
    let begins = writer.stamps("write");
    RecordingPlan::of("hop", parties, "write", begins)
        .until_perhaps("written", writer.stamps("written"))
        .until("read", reader.stamps("read"))
}

/// Returns the steps to record for a write if threads may use all cores. The
/// steps show whether the reader reads before the write ends, and whether the
/// writer ends on another core.
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

fn start(_: First) -> Pair {
    line(FEW, |_| ())
}

/// Starts a line of threads that alternate between two cores. The thread that
/// uses both ends of the line is on the first core.
fn start_across<const THREADS: u64>(_: First) -> Pair {
    line(THREADS, |place| {
        let core = usize::from(place % 2 == 1);
        pin_this_thread(core).unwrap_or_else(|reason| panic!("{reason}"));
    })
}

/// Creates a line of `threads` threads. One of them is the caller, which uses
/// both ends. Each of the others first calls `put` with its place in the
/// line. The line ends when its first end is dropped.
fn line(threads: u64, put: fn(u64)) -> Pair {
    let (mut last, mut beginning) = pipe().expect("there are pipes");
    for place in 1..threads {
        let (next, mut to) = pipe().expect("there are pipes");
        let mut from = std::mem::replace(&mut last, next);
        thread::spawn(move || {
            put(place);
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

/// Reads a byte. Returns `false` if there is none because the pipe has been
/// closed.
fn read(from: &mut PipeReader) -> bool {
    let has_come = from.read_exact(&mut [0]).is_ok();
    stamp("read");
    has_come
}
