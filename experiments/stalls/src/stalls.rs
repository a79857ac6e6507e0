//! Experiment `stalls`: whether the machine itself stands still now and then, and what
//! that explains of the tails in `latency` and `equal-rates`. Nothing here has a
//! runtime: a thread that only reads the clock, a message that only wakes a thread, and
//! a bare echo loop.

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

/// How long a visit is.
const WINDOW: Duration = Duration::from_secs(1);

/// Whose core is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Server,
    Load,
    /// Both, which an answer takes: it waits while either stands still.
    Either,
}

impl Whose {
    /// The value of the parameter `core`.
    fn name(self) -> &'static str {
        match self {
            Whose::Server => "of the server",
            Whose::Load => "of the load",
            Whose::Either => "either",
        }
    }
}

/// What a visit does in its window.
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

/// A core that is watched by the clock.
fn watched(whose: Whose, arm: &str, take: Take) -> Cell {
    cell_with("clock", whose, arm, take, &clock::QUANTITIES)
}

fn cell(kernel: &str, whose: Whose, arm: &str, take: Take) -> Cell {
    cell_with(kernel, whose, arm, take, &[])
}

/// A cell whose windows tell `also`, and what the kernel counts meanwhile.
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
        // What explains the tail is to be of the same moments as the tail.
        .group("stalls")
        .in_sweep()
}
