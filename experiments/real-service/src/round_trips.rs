//! Experiment `round-trips`: the cost of an order, depending on the number of
//! round trips to the database. It takes four if each call waits for its
//! answer, as is common; two if begin, query and insert are sent together;
//! and one with a single statement that does everything.

use std::path::Path as File;

use harness::{Cell, Experiment};

use crate::servers::Arm;
use crate::store::AskedBy;
use crate::visit::{self, Setting, CPU_TIMES, WINDOW};

/// The kinds of servers, with the number of round trips that each makes per
/// order.
const ARMS: [(Arm, i64); 5] = [
    (Arm::Tokio, 4),
    (Arm::TokioAtOnce, 1),
    (Arm::Threads(AskedBy::Ours), 4),
    (Arm::Threads(AskedBy::OursPipelined), 2),
    (Arm::Threads(AskedBy::OursAtOnce), 1),
];

pub(crate) fn experiment(program: &File) -> Experiment {
    let cells = ARMS.map(|(arm, round_trips)| cell(program, arm, round_trips));
    Experiment::new("round-trips", "throughput", "tokio multi-thread")
        .cells(cells)
}

fn cell(program: &File, arm: Arm, round_trips: i64) -> Cell {
    let (program, setting) = (program.to_owned(), Setting::centre(arm));
    let take = move |window| visit::closed(&program, &setting, window);
    let cell = Cell::window(arm.contender(), WINDOW, take)
        .also(&CPU_TIMES)
        .parameter("client", arm.asked_by().name())
        .parameter("round_trips", round_trips)
        .group("all")
        .needs(move || setting.can_run());
    match arm {
        Arm::Tokio => cell.twinned().full_only(),
        Arm::TokioAtOnce => cell,
        _ => cell.full_only(),
    }
}
