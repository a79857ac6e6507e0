//! Experiment `idle`: a client that sleeps until its answer arrives, as in
//! experiment `one-client`. Idle cores either wait in the machine's default
//! way, or poll.

use std::path::Path;

use harness::{Counter, Experiment, Idle};

use crate::one_client::{cell, Waits, QUICK, SERVERS};
use crate::serve::{servers, Server};

pub(crate) fn experiment(program: &Path) -> Experiment {
    let is_one = |server: &&Server| SERVERS.contains(&&*server.name());
    let cells = servers().iter().filter(is_one).flat_map(|server| {
        [Idle::Default, Idle::Polls].map(|idle| {
            let cell = cell(program, server, Waits::Asleep).idle(idle);
            if server.name() == QUICK {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("idle", "time per message", "baseline")
        .counting(&[Counter::Halts, Counter::InterruptsBetweenCores])
        .cells(cells)
}
