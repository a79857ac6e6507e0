//! Experiment `fallback`: a Monoio server when the kernel refuses io_uring,
//! compared with Monoio's epoll driver under the same filter of system calls.

use std::fs;
use std::path::Path;
use std::time::Duration;

use harness::{Cell, Experiment, Measurement};
use measurement::Source;

use crate::echo::setting::{Cores, Setting};
use crate::echo::stated;
use crate::echo::told;
use crate::echo::visit::{closed_loop_of, WINDOW};
use crate::serve::{command, find, Interface, Running, Server};

/// The kinds of open files that show how a server waits: the name of the
/// quantity, and the kernel's name for such files.
const INSTANCES: [(&str, &str); 2] = [
    ("epoll instances", "anon_inode:[eventpoll]"),
    ("io_uring instances", "anon_inode:[io_uring]"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IoUring {
    Allowed,
    /// The kernel refuses to create a ring, as in many containers.
    Refused,
}

impl IoUring {
    fn name(self) -> &'static str {
        match self {
            IoUring::Allowed => "allowed",
            IoUring::Refused => "refused",
        }
    }
}

/// Creates the experiment. It has three benchmarks: Monoio's fusion driver
/// with io_uring, the same driver without io_uring, and Monoio's epoll
/// driver.
pub(crate) fn experiment(program: &Path) -> Experiment {
    Experiment::new("fallback", "throughput", "monoio epoll").cells(
        [
            ("monoio fusion, as published", IoUring::Allowed),
            ("monoio fusion, as published", IoUring::Refused),
            // The kernel runs the filter at each system call. Both servers
            // under the filter pay the same for it.
            ("monoio epoll", IoUring::Refused),
        ]
        .map(|(name, io_uring)| {
            let server = find(name).expect("there are such servers");
            cell(program, server, io_uring)
        }),
    )
}

fn cell(program: &Path, server: &'static Server, io_uring: IoUring) -> Cell {
    let setting = Setting::centre(Cores::Apart);
    let path = program.to_owned();
    let take = move |window| visit(&path, server, io_uring, setting, window);
    let path = program.to_owned();
    let needs = move || {
        let mut running = start(&path, server, io_uring)?;
        let chosen = running.report()?.interface;
        // Without io_uring, the server would use epoll, and its results would
        // be shown under the wrong name.
        if io_uring == IoUring::Allowed && chosen != Interface::IoUring.name() {
            return Err(format!("io_uring is refused here to all: {chosen}"));
        }
        Ok(())
    };
    let instances = INSTANCES.map(|(quantity, _)| (quantity, Source::Harness));
    let cell = Cell::window(server.contender, WINDOW, take)
        .also(&told::quantities(server, setting))
        .also(&instances);
    stated(cell, program, server, setting)
        .parameter("io_uring", io_uring.name())
        .needs(needs)
        .group(&setting.group())
        .in_sweep()
        .full_only()
}

fn start(
    program: &Path,
    server: &Server,
    io_uring: IoUring,
) -> Result<Running, String> {
    let on = Cores::Apart.of_server()?;
    let mut command = command(program, server, on.len(), &on);
    if io_uring == IoUring::Refused {
        command.arg("--without-io-uring");
    }
    Running::start(command)
}

fn visit(
    program: &Path,
    server: &Server,
    io_uring: IoUring,
    setting: Setting,
    window: Duration,
) -> Result<Measurement, String> {
    let running = start(program, server, io_uring)?;
    let instances = instances(running.id())?;
    let mut measurement =
        closed_loop_of(running, program, server, setting, window)?;
    measurement.also.extend(instances);
    Ok(measurement)
}

/// Returns how many open files of each kind in [`INSTANCES`] a process has.
fn instances(process: u32) -> Result<[f64; 2], String> {
    let directory = format!("/proc/{process}/fd");
    let files = fs::read_dir(&directory)
        .map_err(|error| format!("{directory} cannot be read: {error}"))?;
    // Skips files that the process has closed in the meantime. They no longer
    // have a name.
    let names: Vec<_> =
        files.flatten().flat_map(|file| fs::read_link(file.path())).collect();
    Ok(INSTANCES.map(|(_, name)| {
        names.iter().filter(|found| **found == Path::new(name)).count() as f64
    }))
}
