//! Experiment `order`: the cost of an order on each kind of server, with the
//! database. Some kinds are also measured with other settings.

use std::path::Path as File;

use harness::{Cell, Experiment};

use crate::servers::{Arm, Local};
use crate::store::AskedBy;
use crate::visit::{self, Kept, Setting, CPU_TIMES, WINDOW};

/// The numbers of connections that are tested in addition to the usual one.
const CONNECTIONS: [usize; 2] = [1, 128];

/// The reasons why some runtimes are not measured with the database.
const NO_CLIENT: &str = "we found no client of PostgreSQL for it that is kept";
const HALF_A_CLIENT: &str =
    "its client, in xitca-postgres 0.4.0, has to be connected on Tokio";

pub(crate) fn experiment(program: &File) -> Experiment {
    let centre = |arm| cell(program, Setting::centre(arm)).group("arms");
    let swept = CONNECTIONS.into_iter().flat_map(|connections| {
        let arms = [Arm::Tokio, Arm::TokioPerCore, Arm::Threads(AskedBy::Ours)];
        arms.map(|arm| {
            let setting = Setting { connections, ..Setting::centre(arm) };
            let group = format!("{connections} connections");
            cell(program, setting).group(&group).in_sweep().full_only()
        })
    });
    let fsync = Setting {
        kept: Kept::InDatabase { fsync: true },
        ..Setting::centre(Arm::Tokio)
    };
    Experiment::new("order", "throughput", "tokio multi-thread")
        .cells([
            centre(Arm::Tokio).twinned(),
            centre(Arm::TokioPerCore).full_only(),
            centre(Arm::Threads(AskedBy::Ours)),
            centre(Arm::Threads(AskedBy::Postgres)).full_only(),
            centre(Arm::BlockingInTask).full_only(),
            centre(Arm::SpawnBlocking).full_only(),
        ])
        .cells(
            [
                (Local::MonoioRing, NO_CLIENT),
                (Local::Glommio, NO_CLIENT),
                (Local::Compio, HALF_A_CLIENT),
            ]
            .map(|(local, why)| no_client(program, local, why)),
        )
        .cells(swept)
        .cell(cell(program, fsync).group("fsync").in_sweep().full_only())
}

/// Returns a cell that isn't measured because there is no database client for
/// the runtime. `why` is the reason.
fn no_client(program: &File, local: Local, why: &'static str) -> Cell {
    cell(program, Setting::centre(Arm::PerCore(local)))
        .group("arms")
        .needs(move || Err(why.to_owned()))
}

fn cell(program: &File, setting: Setting) -> Cell {
    let program = program.to_owned();
    let take = move |window| visit::closed(&program, &setting, window);
    let fsync = setting.kept == Kept::InDatabase { fsync: true };
    let client = match setting.arm {
        Arm::PerCore(_) => "none",
        arm => arm.asked_by().name(),
    };
    Cell::window(setting.arm.contender(), WINDOW, take)
        .also(&CPU_TIMES)
        .parameter("client", client)
        .parameter("fsync", fsync)
        .parameter("connections", setting.connections as i64)
        .needs(move || setting.can_run())
}
