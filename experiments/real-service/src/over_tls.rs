//! Experiment `over-tls`: what TLS adds to an order. Compares Tokio with a
//! thread per connection that encrypts and decrypts. Orders are stored in the
//! server's map or in the database.

use std::path::Path as File;

use harness::{Cell, Experiment};

use crate::servers::Arm;
use crate::store::AskedBy;
use crate::visit::{self, Setting, CPU_TIMES, WINDOW};

pub(crate) fn experiment(program: &File) -> Experiment {
    let arms = [Arm::Tokio, Arm::Threads(AskedBy::Ours)];
    let cells = arms.into_iter().flat_map(|arm| {
        [("map", Setting::in_memory(arm)), ("database", Setting::centre(arm))]
            .into_iter()
            .flat_map(move |(kept, plain)| {
                [false, true]
                    .map(|tls| cell(program, kept, Setting { tls, ..plain }))
            })
    });
    Experiment::new("over-tls", "throughput", "tokio multi-thread").cells(cells)
}

fn cell(program: &File, kept: &str, setting: Setting) -> Cell {
    let program = program.to_owned();
    let take = move |window| visit::closed(&program, &setting, window);
    let cell = Cell::window(setting.arm.contender(), WINDOW, take)
        .also(&CPU_TIMES)
        .parameter("kept", kept)
        .parameter("tls", setting.tls)
        .group(kept)
        .needs(move || setting.can_run());
    let is_quick = matches!(setting.arm, Arm::Threads(_)) && kept == "map";
    if is_quick {
        cell
    } else {
        cell.full_only()
    }
}
