//! Experiment `pinned`: the effect of pinning each runtime to a core. There
//! is one runtime per core, and the load shares the cores.

use std::path::Path;

use harness::{Cell, Experiment};

use crate::echo::setting::{Cores, Setting};
use crate::echo::stated;
use crate::echo::told;
use crate::echo::visit::{closed_loop_of, start, WINDOW};
use crate::serve::{servers, Server};

/// The runtimes. Each is measured with pinned threads and with unpinned ones.
const CONTENDERS: [&str; 5] = [
    "tokio current_thread",
    "monoio epoll",
    "monoio io_uring",
    "compio",
    "glommio",
];

pub(crate) fn experiment(program: &Path) -> Experiment {
    let is_one = |server: &&Server| {
        CONTENDERS.contains(&server.contender)
            && matches!(server.variation, "" | "pinned")
    };
    let cells = servers()
        .iter()
        .filter(is_one)
        .map(|server| throughput(program, server).full_only());
    Experiment::new("pinned", "throughput", "tokio current_thread").cells(cells)
}

fn throughput(program: &Path, server: &'static Server) -> Cell {
    let setting = Setting::centre(Cores::Shared);
    let path = program.to_owned();
    let take = move |window| {
        let running = start(&path, server, setting.cores)?;
        closed_loop_of(running, &path, server, setting, window)
    };
    let cell = Cell::window(server.contender, WINDOW, take)
        .also(&told::quantities(server, setting));
    // Groups the rows by runtime, so that each pinned server is compared with
    // the plain one.
    stated(cell, program, server, setting).group(server.contender)
}
