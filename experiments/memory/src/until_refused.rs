//! A process that creates threads or sockets until a limit refuses one.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{mpsc, Arc};
use std::thread;

use clap::{Parser, ValueEnum};
use host::how_many::{limits_on, Kind, Limit, UnitMemory};
use runtimes::glommio::UNBOUND as GLOMMIO;
use serde::{Deserialize, Serialize};

use crate::listings::idle_thread::{idle, Gate};
use crate::report;
use crate::wanted_units::stack_of_std;

/// The first argument of a process that creates threads or sockets until a
/// limit refuses one.
pub(crate) const NAME: &str = "until-refused";

/// The share of each limit that is left to other programs, as a divisor: 10
/// leaves one tenth.
const LEFT_TO_OTHERS: u64 = 10;

/// A limit may have refused even if it has room for this many threads or
/// sockets, since some need slightly more than others.
const USED_UP: u64 = 16;

/// The bounds of a trial. A trial creates threads or sockets until one is
/// refused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The maximum number of threads or sockets to create.
    pub(crate) most: u64,
    /// True if the trial may use up limits that other programs share.
    pub(crate) uses_up_shared: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The number of threads or sockets that existed at once.
    pub(crate) reached: u64,
    pub(crate) end: End,
}

/// The reason why a trial ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// The trial reached its own maximum.
    Bounded,
    /// The trial stopped before it used up this limit, because other programs
    /// share it.
    LeftToOthers { limit: String },
    /// This limit refused the next thread or socket, with this error. The
    /// limit is `None` if no known limit was used up.
    Refused { limit: Option<String>, error: String },
    /// The whole process died, and this limit would have refused next.
    Aborted { limit: Option<String>, how: String },
}

/// A progress report from the child process.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Progress {
    reached: u64,
    /// The limit that will refuse first. If there is an error, the limit that
    /// has already refused.
    limit: Option<String>,
    /// True if the child stops before it uses up a limit that other programs
    /// share.
    stops: bool,
    error: Option<String>,
}

/// The units to create, and how far to go.
#[derive(Debug, Clone, Parser)]
#[command(name = "memory until-refused")]
struct Arguments {
    #[arg(value_enum)]
    kind: Made,
    most: u64,
    #[arg(long)]
    use_up_shared: bool,
}

/// The units that can be created until something refuses. Only memory limits
/// tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Made {
    Threads,
    Sockets,
    Rings,
}

/// Creates threads or sockets, in a process of `program`, until one is
/// refused.
///
/// # Errors
///
/// If the process cannot be run, or reports nothing.
pub(crate) fn try_it(
    program: &Path,
    kind: Kind,
    bounds: Bounds,
) -> Result<Outcome, String> {
    let kind = match kind {
        Kind::Threads => "threads",
        Kind::Sockets => "sockets",
        Kind::Rings => "rings",
        Kind::Tasks => return Err("nothing but memory refuses tasks".into()),
    };
    let mut arguments =
        vec![NAME.to_owned(), kind.to_owned(), bounds.most.to_string()];
    if bounds.uses_up_shared {
        arguments.push("--use-up-shared".to_owned());
    }
    let output = report::run(program, &arguments)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut said =
        text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let Some(Progress { reached, limit, stops, error }) = said.next_back()
    else {
        return Err(report::last_words(&output));
    };
    let end = match (error, limit) {
        (Some(error), limit) => End::Refused { limit, error },
        (None, Some(limit)) if stops => End::LeftToOthers { limit },
        (None, limit) if !output.status.success() => {
            End::Aborted { limit, how: report::last_words(&output) }
        }
        (None, _) => End::Bounded,
    };
    Ok(Outcome { reached, end })
}

pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    harness::end_with_input();
    let Arguments { kind, most, use_up_shared } =
        Arguments::parse_from(arguments);
    let bounds = Bounds { most, uses_up_shared: use_up_shared };
    match kind {
        Made::Threads => {
            let gate = Arc::new(Gate::default());
            let start = || {
                let gate = gate.clone();
                let unit = move || idle::<64>(&gate, || ());
                thread::Builder::new().spawn(unit).map(drop)
            };
            make(Kind::Threads, bounds, start);
        }
        Made::Sockets => {
            let mut sockets = Vec::new();
            make(Kind::Sockets, bounds, || {
                sockets.push(UnixDatagram::unbound()?);
                Ok(())
            });
        }
        Made::Rings => make(Kind::Rings, bounds, ring),
    }
    // The waiting threads end together with the process.
    ExitCode::SUCCESS
}

/// Starts a Glommio executor that lives until its thread ends.
fn ring() -> io::Result<()> {
    let (says, started) = mpsc::sync_channel(1);
    thread::Builder::new().spawn(move || {
        let outcome = GLOMMIO.start();
        let stays = outcome.is_ok();
        says.send(outcome).ok();
        if stays {
            loop {
                thread::park();
            }
        }
    })?;
    let outcome = started.recv().map_err(io::Error::other)?;
    outcome.map_err(io::Error::other)
}

/// Calls `start` to create threads or sockets until one is refused. Reports
/// progress whenever half of the remaining room is used up, because `std` may
/// end the process without a final report.
fn make(kind: Kind, bounds: Bounds, mut start: impl FnMut() -> io::Result<()>) {
    // Reserves a file descriptor. It is released once something has been
    // refused, because finding the limit requires opening a file.
    let spare = File::open("/dev/null");
    let mut reached = 0;
    loop {
        let first = first_to_refuse(kind);
        let room = first.as_ref().and_then(Limit::room).unwrap_or(u64::MAX);
        let limit = first.as_ref().map(|limit| limit.name.clone());
        let stops = !bounds.uses_up_shared
            && first.is_some_and(|limit| is_left_to_others(&limit));
        say(&Progress { reached, limit, stops, error: None });
        if stops || reached == bounds.most {
            return;
        }
        let until = reached + (room / 2).max(1);
        while reached < until.min(bounds.most) {
            if let Err(error) = start() {
                drop(spare);
                let used_up = first_to_refuse(kind).filter(|limit| {
                    limit.room().is_some_and(|room| room <= USED_UP)
                });
                let limit = used_up.map(|limit| limit.name);
                let error = Some(error.to_string());
                return say(&Progress { reached, limit, stops, error });
            }
            reached += 1;
        }
    }
}

/// Returns the limit that will refuse first. Ignores memory, since the
/// trial's bounds make sure that there is enough.
fn first_to_refuse(kind: Kind) -> Option<Limit> {
    let virtual_bytes = match kind {
        Kind::Threads => stack_of_std(),
        Kind::Tasks | Kind::Sockets | Kind::Rings => 0,
    };
    let memory = UnitMemory { virtual_bytes, resident_bytes: 0 };
    let limits = limits_on(kind, memory).into_iter();
    limits.into_iter().find(|limit| limit.room().is_some())
}

/// Returns whether other programs share the limit and need the rest of it.
fn is_left_to_others(limit: &Limit) -> bool {
    let left = limit.most.map(|most| most.saturating_sub(limit.used));
    limit.is_shared
        && left
            .zip(limit.most)
            .is_some_and(|(left, most)| left <= most / LEFT_TO_OTHERS)
}

fn say(progress: &Progress) {
    let line = serde_json::to_string(progress);
    println!("{}", line.expect("it is plain data"));
}
