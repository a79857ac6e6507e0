//! A process that makes threads or sockets until something refuses.

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

/// The first argument that makes a process one.
pub(crate) const NAME: &str = "until-refused";

/// What stays of a limit that others share: a tenth.
const LEFT_TO_OTHERS: u64 = 10;

/// A limit with room for as many or fewer is the one that refused: some of what is
/// made needs a little more than another.
const USED_UP: u64 = 16;

/// How far it goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// How many there are at most.
    pub(crate) most: u64,
    /// Whether it goes on where a limit is nearly used up that others share.
    pub(crate) uses_up_shared: bool,
}

/// How far it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// How many there were at once.
    pub(crate) reached: u64,
    pub(crate) end: End,
}

/// Why there were no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// There were to be no more.
    Bounded,
    /// Others need what is left of this limit.
    LeftToOthers { limit: String },
    /// This limit refused the next one, by that error; `None` if no limit that is
    /// known was used up.
    Refused { limit: Option<String>, error: String },
    /// It ended the whole process, and this limit was the next to refuse.
    Aborted { limit: Option<String>, how: String },
}

/// What such a process says now and then.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Progress {
    reached: u64,
    /// The limit that will be the first to refuse, and has refused where there is
    /// an error.
    limit: Option<String>,
    /// Whether it stops for the sake of others.
    stops: bool,
    error: Option<String>,
}

/// What to make, and how far to go.
#[derive(Debug, Clone, Parser)]
#[command(name = "memory until-refused")]
struct Arguments {
    #[arg(value_enum)]
    kind: Made,
    most: u64,
    #[arg(long)]
    use_up_shared: bool,
}

/// What can be made until it is refused. Nothing but memory refuses a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Made {
    Threads,
    Sockets,
    Rings,
}

/// Lets a process of the program try it.
///
/// # Errors
///
/// If it cannot be run, or says nothing.
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

/// The `main` of such a process.
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
    // Threads that wait end with the process.
    ExitCode::SUCCESS
}

/// An executor of Glommio, which stays as long as the thread that started it.
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

/// Makes them one by one, and says how far it has come whenever half of the room
/// that there was is used: the last word counts, since `std` may end the process
/// without one.
fn make(kind: Kind, bounds: Bounds, mut start: impl FnMut() -> io::Result<()>) {
    // To look for what refused takes a file.
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

/// The limit that will be the first to refuse. Memory is left out: the bounds are
/// such that there is enough of it.
fn first_to_refuse(kind: Kind) -> Option<Limit> {
    let virtual_bytes = match kind {
        Kind::Threads => stack_of_std(),
        Kind::Tasks | Kind::Sockets | Kind::Rings => 0,
    };
    let memory = UnitMemory { virtual_bytes, resident_bytes: 0 };
    let limits = limits_on(kind, memory).into_iter();
    limits.into_iter().find(|limit| limit.room().is_some())
}

/// Whether others share it, and need what is left.
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
