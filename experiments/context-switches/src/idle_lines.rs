//! Experiment `idle-lines`: the lines of threads and of tasks from experiment
//! `brigade`. Idle cores either wait in the machine's default way, or poll.
//! An operation sends a byte through the whole line. The time is per hop.

use harness::{
    pin_this_thread, room_for_cores, room_for_files, room_for_threads,
    tokio_started_on, Body, Cell, Counter, Experiment, Idle, Placement,
};
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::brigade::{sockets_of_tokio, threads};

/// Two numbers of threads or tasks per line. One is the published number. The
/// other is so small that little time passes until a thread runs again.
const LONG: u64 = 500;
const SHORT: u64 = 10;

pub(crate) fn experiment() -> Experiment {
    use Placement::{AllCores, Neighbours, OneCore};
    let of_threads = [(LONG, OneCore), (LONG, AllCores), (SHORT, AllCores)]
        .map(|(units, placement)| {
            let line: fn(u64) -> Body = |units| threads(units, |_| ());
            (std_thread::NAME, units, placement, line)
        });
    let of_neighbours = [LONG, SHORT].map(|units| {
        let line: fn(u64) -> Body = |units| threads(units, on_its_core);
        (std_thread::NAME, units, Neighbours, line)
    });
    let of_tasks = [OneCore, AllCores].map(|placement| {
        let line: fn(u64) -> Body = match placement {
            OneCore => {
                |units| sockets_of_tokio(tokio_started_on(OneCore), units)
            }
            AllCores | Neighbours => {
                |units| sockets_of_tokio(MULTI_THREAD, units)
            }
        };
        (MULTI_THREAD.name(), LONG, placement, line)
    });
    let all = of_threads.into_iter().chain(of_neighbours).chain(of_tasks);
    let cells = all.flat_map(|(contender, units, placement, line)| {
        [Idle::Default, Idle::Polls].map(|idle| {
            cell(contender, units, placement, line(units)).idle(idle)
        })
    });
    Experiment::new("idle-lines", "time per hop", std_thread::NAME)
        .counting(&[
            Counter::ContextSwitches,
            Counter::Halts,
            Counter::InterruptsBetweenCores,
        ])
        .cells(cells)
}

/// Pins the thread at `place` in the line to a core, so that the byte changes
/// cores with each hop.
fn on_its_core(place: u64) {
    pin_this_thread(place as usize).expect("threads may be pinned");
}

fn cell(contender: &str, units: u64, placement: Placement, body: Body) -> Cell {
    let is_of_threads = contender == std_thread::NAME;
    let cell = Cell::new(contender, units % 256, body)
        .per(units + 1)
        .parameter("units", units as i64)
        .placement(placement)
        .needs(move || room_for_files(2 * (units + 1)))
        .needs(move || match placement {
            Placement::Neighbours => room_for_cores(2),
            Placement::OneCore | Placement::AllCores => Ok(()),
        });
    let cell = if is_of_threads && placement == Placement::AllCores {
        cell.twinned()
    } else {
        cell
    };
    let cell = if is_of_threads {
        cell.needs(move || room_for_threads(units + 1))
    } else {
        cell
    };
    cell.group(&format!("{units} units"))
}
