//! Experiment `latency`: how long orders wait when they arrive at fixed
//! shares of each server's capacity, whether or not the server is ready.

use std::path::Path as File;

use harness::{Cell, Experiment};

use crate::servers::Arm;
use crate::store::AskedBy;
use crate::visit::{self, Setting, OF_OPEN, WINDOW};

/// The loads to test, as percentages of the capacity, and whether quick runs
/// include each.
const LOADS: [(i64, bool); 2] = [(50, true), (80, false)];

pub(crate) fn experiment(program: &File) -> Experiment {
    let cells = LOADS.into_iter().flat_map(|(percent, is_quick)| {
        let arms = [Arm::Tokio, Arm::TokioPerCore, Arm::Threads(AskedBy::Ours)];
        arms.map(|arm| {
            let cell = cell(program, arm, percent);
            match arm {
                Arm::Tokio if is_quick => cell,
                _ => cell.full_only(),
            }
        })
    });
    Experiment::new("latency", "latency p99", "tokio multi-thread").cells(cells)
}

fn cell(program: &File, arm: Arm, percent: i64) -> Cell {
    let (program, setting) = (program.to_owned(), Setting::centre(arm));
    let share = percent as f64 / 100.0;
    let take = move |window| visit::open(&program, &setting, share, window);
    Cell::window(arm.contender(), 2 * WINDOW, take)
        .also(&OF_OPEN)
        .parameter("load_percent", percent)
        .group(&format!("{percent} %"))
        .in_sweep()
        .needs(move || setting.can_run())
}
