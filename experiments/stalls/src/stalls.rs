//! Experiment `stalls`: whether the machine itself stalls now and then, and
//! how much of the tails in `latency` and `equal-rates` that explains. There
//! is no runtime here: only a thread that reads the clock, a message that
//! wakes a thread, and a bare echo loop.

use std::time::Duration;

use harness::{Cell, Experiment, Measurement, Spinners};
use measurement::Source;

mod account;
mod clock;
mod echo;
mod pipe;
mod setting;
mod stall;

use account::Account;
use setting::server_and_load;

/// The length of one measurement.
const WINDOW: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Server,
    Load,
    /// Both cores are needed for an answer, so it waits while either stalls.
    Either,
}

impl Whose {
    /// Returns the value of the parameter `core` for this choice.
    fn name(self) -> &'static str {
        match self {
            Whose::Server => "of the server",
            Whose::Load => "of the load",
            Whose::Either => "either",
        }
    }
}

/// Measures for the given length of time.
type Take = fn(Duration) -> Result<Measurement, String>;

pub(crate) fn experiment() -> Experiment {
    let [server, load, either] = [
        (Whose::Server, clock::of_server as Take),
        (Whose::Load, clock::of_load),
        (Whose::Either, clock::of_either),
    ]
    .map(|(whose, take)| watched(whose, "ours", take));
    let alone = watched(Whose::Server, "alone", clock::of_server_alone);
    let asked = [("pipe", pipe::ask as Take), ("echo", echo::ask)];
    let [pipe, echo] = asked.map(|(kernel, ask)| {
        let [asleep, awake] =
            ["ours", "awake"].map(|arm| cell(kernel, Whose::Either, arm, ask));
        (asleep, awake.beside(Spinners::Idle).full_only())
    });
    Experiment::new("stalls", "latency p99", "baseline")
        .cells([either, server.full_only(), load.full_only()])
        .cells([alone.full_only(), pipe.0.full_only(), pipe.1])
        .cells([echo.0.twinned(), echo.1])
}

/// Returns a benchmark in which a thread on a core reads the clock
/// repeatedly, to find stalls.
fn watched(whose: Whose, arm: &str, take: Take) -> Cell {
    cell_with("clock", whose, arm, take, &clock::QUANTITIES)
}

fn cell(kernel: &str, whose: Whose, arm: &str, take: Take) -> Cell {
    cell_with(kernel, whose, arm, take, &[])
}

/// Returns a benchmark that reports the figures `also`, and the kernel's
/// counts of CPU time.
fn cell_with(
    kernel: &str,
    whose: Whose,
    arm: &str,
    take: Take,
    also: &[(&str, Source)],
) -> Cell {
    let take = move |window| {
        let before = Account::now()?;
        let mut measurement = take(window)?;
        measurement.also.extend(Account::now()?.since(&before));
        Ok(measurement)
    };
    Cell::window("baseline", WINDOW, take)
        .also(also)
        .also(&account::QUANTITIES)
        .parameter("kernel", kernel)
        .parameter("core", whose.name())
        .parameter("arm", arm)
        .needs(|| server_and_load().map(drop))
        // A tail can be explained only by what happened at the same time, so
        // all benchmarks are in one group.
        .group("stalls")
        .in_sweep()
}
