//! Experiment `parts`: the parts that make up the memory of an idle thread
//! and of a socket, according to the kernel.
//!
//! The kernel reports its stacks, page tables and objects for the whole
//! computer (for a control group only in version 2). So there is no new
//! process for each number of threads or sockets. Instead, one process gets
//! more and more of them, enough that changes caused by other processes
//! matter little.

use harness::{room_for_files, room_for_threads, Cell, Experiment};
use host::memory::KernelMemory;
use measurement::Source;
use runtimes::std_thread;

use crate::line;

mod open_sockets;
mod waiting_threads;

use open_sockets::OpenSockets;
use waiting_threads::WaitingThreads;

/// The name of the contender whose units are the ends of TCP connections.
const SOCKET: &str = "TCP socket";

/// The difference between successive numbers of threads, of which five are
/// measured. It is small, so that a test can run where only a few thousand
/// threads are allowed.
const THREADS: u64 = 400;

/// The difference between successive numbers of sockets, of which five are
/// measured.
const SOCKETS: u64 = 400;

/// A part of the memory of a thread or socket, with the function that reads
/// it.
struct Part {
    quantity: &'static str,
    bytes: fn() -> Result<u64, String>,
}

const SLAB: Part = Part {
    quantity: "slab per unit",
    bytes: || Ok(KernelMemory::now()?.slab_bytes),
};

const OF_THREADS: [Part; 4] = [
    Part {
        quantity: "kernel memory per unit",
        bytes: || Ok(KernelMemory::now()?.sum()),
    },
    Part {
        quantity: "kernel stacks per unit",
        bytes: || Ok(KernelMemory::now()?.stack_bytes),
    },
    Part {
        quantity: "page tables per unit",
        bytes: || Ok(KernelMemory::now()?.page_table_bytes),
    },
    SLAB,
];

pub(crate) fn experiment() -> Experiment {
    let kernel_side = OF_THREADS
        .into_iter()
        .map(|Part { quantity, bytes }| of_threads(quantity, move |_| bytes()));
    let stack =
        of_threads("touched stack per unit", WaitingThreads::touched_stacks);
    let Part { quantity, bytes } = SLAB;
    let cells = kernel_side.chain([stack, of_sockets(quantity, bytes)]);
    Experiment::new("parts", OF_THREADS[0].quantity, std_thread::NAME)
        // All benchmarks form one group and are measured in alternation,
        // because threads and sockets are compared.
        .cells(cells.map(|cell| cell.group("all").full_only()))
}

fn of_threads(
    quantity: &str,
    bytes: impl Fn(&WaitingThreads) -> Result<u64, String> + 'static,
) -> Cell {
    let take = move || {
        let mut threads = WaitingThreads::none();
        let mut points = Vec::new();
        for _ in 0..line::COUNTS {
            threads.add(THREADS)?;
            points.push((threads.count() as f64, bytes(&threads)? as f64));
        }
        threads.end()?;
        Ok(points)
    };
    Cell::fitted(std_thread::NAME, Source::Harness, quantity, take)
        .quantity(quantity)
        .needs(|| room_for_threads(line::COUNTS * THREADS))
        .needs(|| KernelMemory::now().map(drop))
}

fn of_sockets(
    quantity: &str,
    bytes: impl Fn() -> Result<u64, String> + 'static,
) -> Cell {
    let take = move || {
        let failed = |error| format!("a socket: {error}");
        let mut sockets = OpenSockets::none().map_err(failed)?;
        let mut points = Vec::new();
        for _ in 0..line::COUNTS {
            sockets.add(SOCKETS).map_err(failed)?;
            points.push((sockets.count() as f64, bytes()? as f64));
        }
        sockets.end().map_err(failed)?;
        Ok(points)
    };
    Cell::fitted(SOCKET, Source::Harness, quantity, take)
        .quantity(quantity)
        .needs(|| room_for_files(line::COUNTS * SOCKETS))
        .needs(|| KernelMemory::now().map(drop))
}
