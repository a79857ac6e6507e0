//! Experiment `without-database`: the cost of an order that the server stores
//! in its own map. This includes runtimes that have no PostgreSQL client to
//! measure.

use std::path::Path as File;

use harness::{Cell, Experiment};

use crate::servers::{Arm, Local};
use crate::store::AskedBy;
use crate::visit::{self, Setting, CPU_TIMES, WINDOW};

pub(crate) fn experiment(program: &File) -> Experiment {
    let cell = |library, arm| cell(program, library, arm);
    Experiment::new("without-database", "throughput", "tokio multi-thread")
        .cells([
            cell("hyper", Arm::Tokio).twinned(),
            cell("hyper", Arm::TokioPerCore).full_only(),
            cell("httparse", Arm::Threads(AskedBy::Ours)),
        ])
        .cells(
            [
                Local::Tokio,
                Local::MonoioEpoll,
                Local::MonoioRing,
                Local::Glommio,
                Local::Compio,
            ]
            .map(|local| cell("httparse", Arm::PerCore(local)).full_only()),
        )
}

fn cell(program: &File, library: &str, arm: Arm) -> Cell {
    let (program, setting) = (program.to_owned(), Setting::in_memory(arm));
    let take = move |window| visit::closed(&program, &setting, window);
    Cell::window(arm.contender(), WINDOW, take)
        .also(&CPU_TIMES)
        .parameter("library", library)
        .group("all")
        .in_sweep()
        .needs(move || setting.can_run())
}
