//! Experiment `connections`: the memory that a connection takes in the
//! server. It is computed as the slope of a line through servers with
//! different numbers of connections.

use std::path::Path;

use harness::{room_for_files, room_for_threads, Cell, Experiment};
use host::memory::MemoryGroup;
use measurement::Source;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::line;
use crate::report::Report;
use crate::talking_child::TalkingChild;
use crate::wanted_connections::{BufferLife, WantedConnections};

const RESIDENT: &str = "resident memory per connection";

const KERNEL: &str = "kernel memory per connection";

/// The difference between successive numbers of connections, of which five
/// are measured, if a connection takes a few pages of memory.
const OF_PAGES: u64 = 100;

/// The difference between successive numbers of connections, of which five
/// are measured, if a connection takes less than a page of memory.
const OF_BYTES: u64 = 500;

/// The number of connections per server. On nearly every system, a process
/// may open this many files.
const CONNECTIONS: u64 = 8_000;

/// The number of servers among which connections are distributed. The clients
/// of each server are in a separate process.
const SERVERS: u64 = 3;

pub(crate) fn experiment(program: &Path) -> Experiment {
    let settings = [
        (BufferLife::Held, false),
        (BufferLife::WhileReading, false),
        (BufferLife::WhileReading, true),
    ];
    let cells = settings.into_iter().flat_map(|(buffer, burst)| {
        let contenders = [std_thread::NAME, MULTI_THREAD.name()];
        let cells = contenders.into_iter().flat_map(move |contender| {
            let of = WantedConnections::new(contender, buffer, burst);
            let kernel = (buffer == BufferLife::WhileReading)
                .then(|| kernel(program, &of));
            [resident(program, &of)].into_iter().chain(kernel)
        });
        let is_brief = buffer == BufferLife::WhileReading && !burst;
        cells.map(move |cell| {
            let cell = cell
                .parameter("buffer", buffer.name())
                .parameter("traffic", if burst { "burst" } else { "none" })
                // All benchmarks form one group and are measured in
                // alternation, because both buffers and traffic are compared.
                .group("all");
            if is_brief {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("connections", RESIDENT, std_thread::NAME)
        .cells(cells)
        .cell(at_once(program))
}

/// Returns the benchmark that reports how many connections existed at once.
fn at_once(program: &Path) -> Cell {
    let server = WantedConnections {
        connections: CONNECTIONS,
        stay: true,
        ..WantedConnections::new(
            MULTI_THREAD.name(),
            BufferLife::WhileReading,
            false,
        )
    };
    let (contender, program) = (server.contender.clone(), program.to_owned());
    let take = move || {
        let arguments = server.arguments();
        let start = |_| TalkingChild::start(&program, &arguments);
        let servers: Result<Vec<_>, _> = (0..SERVERS).map(start).collect();
        for server in &mut servers? {
            let _its_memory: Report = server.hear()?;
        }
        Ok(vec![(SERVERS * CONNECTIONS) as f64])
    };
    Cell::once(&contender, Source::Harness, &["reached"], take)
        .quantity("reached")
        .parameter("buffer", BufferLife::WhileReading.name())
        .parameter("traffic", "none")
        .full_only()
        .needs(|| room_for_files(CONNECTIONS))
}

fn resident(program: &Path, of: &WantedConnections) -> Cell {
    let (program, server) = (program.to_owned(), of.clone());
    fitted(of, RESIDENT, move || {
        line::points(step(&server), |connections| {
            let server = WantedConnections { connections, ..server.clone() };
            Ok(server.served(&program)?.resident_bytes)
        })
    })
}

/// Returns the benchmark of the kernel memory that the server uses, as
/// reported for its control group. The clients are outside the group. The
/// lifetime of a buffer doesn't affect this memory.
fn kernel(program: &Path, of: &WantedConnections) -> Cell {
    let (program, server) = (program.to_owned(), of.clone());
    let take = move || {
        // The control group is removed when this function returns.
        let group = MemoryGroup::make()?;
        line::points(step(&server), |connections| {
            let group = Some(group.directory().to_owned());
            let server =
                WantedConnections { connections, group, ..server.clone() };
            server.served(&program)?.kernel()
        })
    };
    fitted(of, KERNEL, take).needs(|| MemoryGroup::make().map(drop))
}

fn fitted(
    of: &WantedConnections,
    quantity: &str,
    take: impl Fn() -> Result<Vec<(f64, f64)>, String> + 'static,
) -> Cell {
    let most = line::COUNTS * step(of);
    let cell = Cell::fitted(&of.contender, Source::Harness, quantity, take)
        .quantity(quantity)
        .needs(move || room_for_files(most));
    if of.contender == std_thread::NAME {
        cell.needs(move || room_for_threads(most))
    } else {
        cell
    }
}

fn step(of: &WantedConnections) -> u64 {
    if of.contender == std_thread::NAME || of.buffer == BufferLife::Held {
        OF_PAGES
    } else {
        OF_BYTES
    }
}
