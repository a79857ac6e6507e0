//! Records a line of threads on all cores in which a writer is preempted by
//! the reader that it woke. The recording shows whether the writer continues
//! on its core or on another one.

use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;

use harness::{stamp, Cell, Party, Placement, RecordingPlan};
use nix::sched::sched_getcpu;

use super::line_hop::{FEW, ROUNDS};
use super::recorded_pair::STD;
use crate::thread_pair::{pair, First, Pair};

/// The value of `read_on` until the byte has been read. After that, `read_on`
/// is the core on which it was read.
const NOT_READ: usize = usize::MAX;

pub(super) fn the_cell() -> Cell {
    let placement = Placement::AllCores;
    Cell::new(STD, ROUNDS, pair(placement, ROUNDS, start))
        .per(FEW * ROUNDS)
        .parameter("kernel", "line")
        .parameter("arm", "preempted")
        .parameter("units", FEW as i64)
        .placement(placement)
        .recorded(plan())
}

/// Returns the steps to record for a write. Only a preempted writer stamps
/// the end of its write. It does so on whatever core it continues, so no end
/// is lost if the kernel doesn't report switches.
fn plan() -> RecordingPlan {
    let (writer, reader) = (Party::Waker, Party::Woken);
    let parties = ["writer", "reader"];
    let begins = writer.stamps("write");
    RecordingPlan::of("write", parties, "write", begins)
        .until_perhaps("waking", writer.wakes())
        .until_perhaps("read", reader.stamps("read"))
        .until_perhaps("moved", writer.stamps("moved"))
        .until("written", writer.stamps("written"))
        .with_calls(&["read", "write"])
        .apart()
        .alike_on_all_cores()
}

/// Starts a line of threads, which ends when its first end is dropped.
fn start(_: First) -> Pair {
    let (mut last, mut beginning) = link();
    for _ in 1..FEW {
        let (next, mut to) = link();
        let mut from = std::mem::replace(&mut last, next);
        thread::spawn(move || {
            while from.read() {
                to.write();
            }
        });
    }
    Box::new(move |rounds| {
        let lap = |_| {
            beginning.write();
            u64::from(last.read())
        };
        (0..rounds).map(lap).sum()
    })
}

/// Creates a pipe from one thread to the next. A shared atomic tells the
/// writer on which core the byte was read.
fn link() -> (ReadEnd, WriteEnd) {
    let (from, to) = pipe().expect("there are pipes");
    let read_on = Arc::new(AtomicUsize::new(NOT_READ));
    (ReadEnd { from, read_on: Arc::clone(&read_on) }, WriteEnd { to, read_on })
}

struct ReadEnd {
    from: PipeReader,
    read_on: Arc<AtomicUsize>,
}

impl ReadEnd {
    /// Reads a byte. Returns `false` if there is none because the pipe has
    /// been closed.
    fn read(&mut self) -> bool {
        let has_come = self.from.read_exact(&mut [0]).is_ok();
        self.read_on.store(this_core(), Ordering::Release);
        stamp("read");
        has_come
    }
}

struct WriteEnd {
    to: PipeWriter,
    read_on: Arc<AtomicUsize>,
}

impl WriteEnd {
    /// Writes a byte, and stamps the end of the write if this thread was
    /// preempted. It may have stayed on its core, where the byte has been
    /// read in the meantime; or it is on another core, and the byte may not
    /// have been read yet.
    fn write(&mut self) {
        self.read_on.store(NOT_READ, Ordering::Release);
        let core = this_core();
        stamp("write");
        self.to.write_all(&[1]).expect("it is read");
        let has_moved = this_core() != core;
        if has_moved || self.read_on.load(Ordering::Acquire) == core {
            if has_moved {
                stamp("moved");
            }
            stamp("written");
        }
    }
}

fn this_core() -> usize {
    sched_getcpu().expect("Linux says which core it is")
}
