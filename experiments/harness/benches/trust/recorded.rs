//! Whether a recording finds a delay where it is: a byte goes from one thread to another, which works
//! for a while and, in one of two cells, for so much longer.

use std::hint::spin_loop;
use std::io::{pipe, PipeReader, PipeWriter, Read, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use harness::{
    record_run, stamp, Body, Cell, Chapter, Experiment, Party, Placement, Plan,
    RecordingPlan,
};
use measurement::statistics::median;
use recordings::recording::Recorded;

use crate::programs::{ONE, OTHER};

/// The cells that are recorded.
const RECORDED: &str = "recorded";

/// In which step the delay is, how long, and how long that step is without: so long that the kernel's
/// events are recorded.
const DELAYED: &str = "return to worked";
pub(crate) const DELAY: Duration = Duration::from_micros(5);
const WORK: Duration = Duration::from_micros(10);

const ROUND_TRIPS: u64 = 50;

/// Where a delay was found, in nanoseconds.
pub(crate) struct FoundDelay {
    /// By how much the step is longer in which it is.
    pub(crate) there: f64,
    /// By how much another step differs at most.
    pub(crate) elsewhere: f64,
}

pub(crate) fn experiment() -> Experiment {
    let cell = |name, works: fn()| {
        Cell::new(name, ROUND_TRIPS, Body::here(move || round_trips(works)))
            .per(2 * ROUND_TRIPS)
            .placement(Placement::OneCore)
            .recorded(plan())
    };
    let delayed = || {
        work_for(WORK + DELAY);
    };
    Experiment::new(RECORDED, "time per operation", ONE)
        .cell(cell(ONE, || work_for(WORK)))
        .cell(cell(OTHER, delayed))
}

fn plan() -> RecordingPlan {
    let parties = ["writer", "reader"];
    RecordingPlan::of("hop", parties, "write", Party::Waker.stamps("write"))
        .until("waking", Party::Waker.wakes())
        .until("running", Party::Woken.runs())
        .until("return", Party::Woken.returns_from("read"))
        .until("worked", Party::Woken.stamps("worked"))
}

/// Records both cells. Where that is not permitted here, in words why and what to do.
///
/// # Errors
///
/// If the sources of the package cannot be read.
pub(crate) fn find_delay(
    chapter: &Chapter,
    plan: &Plan,
) -> Result<std::result::Result<FoundDelay, String>> {
    let runs = record_run(chapter, plan, &format!("{RECORDED}: "), "local")?;
    let recordings = runs.first().map(|run| run.recordings.as_slice());
    let [one, other] = recordings.unwrap_or_default() else {
        anyhow::bail!("not both cells are recorded");
    };
    let both = one.recorded().and_then(|one| Ok((one, other.recorded()?)));
    Ok(match both {
        Ok((one, other)) => Ok(compare(one, other)?),
        Err(reason) => Err(reason.to_owned()),
    })
}

fn compare(one: &Recorded, other: &Recorded) -> Result<FoundDelay> {
    let mut found = FoundDelay { there: 0.0, elsewhere: 0.0 };
    for step in &one.steps {
        let delayed = other.steps.iter().find(|of| of.name == step.name);
        let delayed = delayed.context("both have the same steps")?;
        let longer = median(&delayed.took) - median(&step.took);
        if step.name == DELAYED {
            found.there = longer;
        } else {
            found.elsewhere = found.elsewhere.max(longer.abs());
        }
    }
    Ok(found)
}

/// A byte goes to and fro; whoever has read it works.
fn round_trips(works: fn()) -> impl FnMut() -> u64 {
    let (mut arriving, mut there) = pipe().expect("there are pipes");
    let (mut back, mut returning) = pipe().expect("there are pipes");
    std::thread::spawn(move || {
        while read(&mut arriving, works) {
            write(&mut returning);
        }
    });
    move || {
        let round_trip = |_| {
            write(&mut there);
            u64::from(read(&mut back, works))
        };
        (0..ROUND_TRIPS).map(round_trip).sum()
    }
}

fn write(to: &mut PipeWriter) {
    stamp("write");
    to.write_all(&[1]).expect("it is read");
}

/// Whether a byte has come.
fn read(from: &mut PipeReader, works: fn()) -> bool {
    let has_come = from.read_exact(&mut [0]).is_ok();
    works();
    stamp("worked");
    has_come
}

fn work_for(time: Duration) {
    let since = Instant::now();
    while since.elapsed() < time {
        spin_loop();
    }
}
