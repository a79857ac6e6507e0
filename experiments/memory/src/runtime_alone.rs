//! Experiment `runtime-alone`: the memory of a process with a runtime but no
//! tasks.

use std::path::Path;

use harness::{Cell, Experiment};
use host::memory::MemoryGroup;
use measurement::Source;
use runtimes::compio::DEFAULT as COMPIO;
use runtimes::glommio::UNBOUND as GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};

use crate::wanted_units::{Units, STATES};

const RESIDENT: &str = "resident memory per process";

const KERNEL: &str = "kernel memory per process";

/// The contender that has no runtime.
const BASELINE: &str = "baseline";

pub(crate) fn experiment(program: &Path) -> Experiment {
    let contenders = [
        BASELINE,
        MULTI_THREAD.name(),
        CURRENT_THREAD.name(),
        SMOL.name(),
        GLOMMIO.name(),
        EPOLL.name(),
        IO_URING.name(),
        COMPIO.name(),
    ];
    let cells = contenders.into_iter().flat_map(|contender| {
        [resident(program, contender), kernel(program, contender)]
    });
    Experiment::new("runtime-alone", RESIDENT, BASELINE).cells(cells)
}

/// Returns a request for a process with this contender's runtime and no
/// tasks. For the baseline, the process has no runtime either.
fn no_units(contender: &str) -> Units {
    let name = if contender == BASELINE { std_thread::NAME } else { contender };
    Units::new(name, 0, STATES[0])
}

fn resident(program: &Path, contender: &str) -> Cell {
    let (program, none) = (program.to_owned(), no_units(contender));
    let take = move || {
        let report = none.in_a_process(&program)?;
        Ok(vec![report.resident_bytes as f64])
    };
    let cell = Cell::once(contender, Source::Harness, &[RESIDENT], take)
        .quantity(RESIDENT);
    if [BASELINE, MULTI_THREAD.name()].contains(&contender) {
        cell
    } else {
        cell.full_only()
    }
}

fn kernel(program: &Path, contender: &str) -> Cell {
    let (program, none) = (program.to_owned(), no_units(contender));
    let take = move || {
        // The control group is removed when this function returns.
        let group = MemoryGroup::make()?;
        let group = Some(group.directory().to_owned());
        let report = Units { group, ..none.clone() }.in_a_process(&program)?;
        Ok(vec![report.kernel()? as f64])
    };
    Cell::once(contender, Source::Harness, &[KERNEL], take)
        .quantity(KERNEL)
        .full_only()
        .needs(|| MemoryGroup::make().map(drop))
}
