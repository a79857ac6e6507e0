//! Whether a recording finds a delay where it is: a byte goes from one thread to another, which works
//! for a while and, in one of two cells, for so much longer.

use std::hint::spin_loop;
use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::time::{Duration, Instant};

use anyhow::{bail, Result};
use harness::{
    record_run, stamp, Body, Cell, Experiment, Party, Placement, Plan,
    RecordingPlan,
};
use measurement::statistics::median;

use crate::programs::{chapter, ONE, OTHER};

/// The cells that are recorded.
const RECORDED: &str = "recorded";

/// In which step the delay is, how long, and how long that step is without: so long that the kernel's
/// events are recorded.
const DELAYED: &str = "return to worked";
pub(crate) const DELAY: Duration = Duration::from_micros(5);
const WORK: Duration = Duration::from_micros(10);

const ROUND_TRIPS: u64 = 50;

pub(crate) fn experiment() -> Experiment {
    let (writer, reader) = (Party::Waker, Party::Woken);
    let parties = ["writer", "reader"];
    let cell = |name, work| {
        let plan =
            RecordingPlan::of("hop", parties, "write", writer.stamps("write"))
                .until("waking", writer.wakes())
                .until("running", reader.runs())
                .until("return", reader.returns_from("read"))
                .until("worked", reader.stamps("worked"));
        let body = Body::here(move || round_trips(work));
        Cell::new(name, ROUND_TRIPS, body)
            .per(2 * ROUND_TRIPS)
            .placement(Placement::OneCore)
            .recorded(plan)
    };
    Experiment::new(RECORDED, "time per operation", ONE)
        .cell(cell(ONE, WORK))
        .cell(cell(OTHER, WORK + DELAY))
}

/// By how many nanoseconds the step is longer in which the delay is, and another one at most. Where recording is
/// not permitted here, in words why and what to do.
///
/// # Errors
///
/// If the sources of the package cannot be read.
pub(crate) fn find_delay(plan: &Plan) -> Result<Result<[f64; 2], String>> {
    let filter = format!("{RECORDED}: ");
    let runs = record_run(&chapter(), plan, &filter, "local")?;
    let [one, other] = &runs[0].recordings[..] else {
        bail!("not both cells are recorded");
    };
    let (one, other) = match (one.recorded(), other.recorded()) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(reason), _) | (_, Err(reason)) => {
            return Ok(Err(reason.to_owned()))
        }
    };
    let [mut there, mut elsewhere] = [0.0; 2];
    for (step, delayed) in one.steps.iter().zip(&other.steps) {
        let longer = median(&delayed.took) - median(&step.took);
        if step.name == DELAYED {
            there = longer;
        } else {
            elsewhere = longer.abs().max(elsewhere);
        }
    }
    Ok(Ok([there, elsewhere]))
}

/// A byte goes to and fro; whoever has read it works.
fn round_trips(work: Duration) -> impl FnMut() -> u64 {
    let (mut arriving, mut there) = pipe().expect("there are pipes");
    let (mut back, mut returning) = pipe().expect("there are pipes");
    std::thread::spawn(move || {
        while read(&mut arriving, work) {
            write(&mut returning);
        }
    });
    move || {
        let round_trip = |_| {
            write(&mut there);
            u64::from(read(&mut back, work))
        };
        (0..ROUND_TRIPS).map(round_trip).sum()
    }
}

fn write(to: &mut PipeWriter) {
    stamp("write");
    to.write_all(&[1]).expect("it is read");
}

/// Whether a byte has come.
fn read(from: &mut PipeReader, work: Duration) -> bool {
    let has_come = from.read_exact(&mut [0]).is_ok();
    let since = Instant::now();
    while since.elapsed() < work {
        spin_loop();
    }
    stamp("worked");
    has_come
}
