//! Experiment `slow-query`: two additional connections send orders whose
//! query takes 20 ms, each in a closed loop. How does that affect the other
//! connections?

use std::path::Path as File;

use harness::{Cell, Experiment};

use crate::servers::Arm;
use crate::store::AskedBy;
use crate::visit::{self, Setting, CPU_TIMES, WINDOW};

/// The number of additional connections that send orders with a slow query.
const SLOW: usize = 2;

/// The kinds of servers to compare, and whether quick runs include each.
const ARMS: [(Arm, bool); 5] = [
    (Arm::Tokio, true),
    (Arm::TokioPerCore, false),
    (Arm::Threads(AskedBy::Ours), false),
    (Arm::BlockingInTask, true),
    (Arm::SpawnBlocking, false),
];

pub(crate) fn experiment(program: &File) -> Experiment {
    let cells = [0, SLOW].into_iter().flat_map(|slow| {
        ARMS.map(|(arm, is_quick)| {
            let cell = cell(program, arm, slow);
            if is_quick && slow > 0 {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("slow-query", "throughput", "tokio multi-thread")
        .cells(cells)
}

fn cell(program: &File, arm: Arm, slow: usize) -> Cell {
    let program = program.to_owned();
    let setting = Setting { slow, ..Setting::centre(arm) };
    let take = move |window| visit::closed(&program, &setting, window);
    Cell::window(arm.contender(), WINDOW, take)
        .also(&CPU_TIMES)
        .parameter("client", arm.asked_by().name())
        .parameter("slow_callers", slow as i64)
        .group("all")
        .in_sweep()
        .needs(move || setting.can_run())
}
