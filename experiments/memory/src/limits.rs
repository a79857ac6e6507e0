//! The command `memory limits`, which shows the limits on the number of
//! threads, tasks or sockets.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use host::how_many::{first_stack, limits_on, Kind, Limit, UnitMemory};
use host::memory::MemoryGroup;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::report::Report;
use crate::until_refused::{self, Bounds, End};
use crate::wanted_units::{stack_of_std, Units, STATES};

/// Lists the limits on the threads, tasks, sockets or io_uring executors (rings) of a process: each with its value, its
/// current use, the number of units that still fit, and how to raise it.
///
/// Then it tries, in a separate process: it creates units until one is refused, and names the limit
/// that refused it. It stops before it exhausts limits that other programs share.
#[derive(Parser)]
#[command(name = "memory limits")]
struct Arguments {
    /// The kind of unit; without it, threads and sockets
    #[arg(value_enum)]
    kind: Option<KindName>,
    /// Try nothing, but predict which limit would refuse this many, such as `50000 threads`; the exit
    /// code is 1 if one would
    #[arg(long, num_args = 2, value_names = ["COUNT", "KIND"], conflicts_with = "kind")]
    want: Option<Vec<String>>,
    /// Create at most this many
    #[arg(long, default_value_t = 100_000)]
    most: u64,
    /// Use up what other programs share, too: they will be refused as well
    #[arg(long)]
    use_up_shared: bool,
}

/// The maximum number of io_uring executors to start: each takes some
/// megabytes.
const RINGS: u64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindName {
    Threads,
    Tasks,
    Sockets,
    Rings,
}

impl KindName {
    fn kind(self) -> Kind {
        match self {
            KindName::Threads => Kind::Threads,
            KindName::Tasks => Kind::Tasks,
            KindName::Sockets => Kind::Sockets,
            KindName::Rings => Kind::Rings,
        }
    }

    fn word(self) -> &'static str {
        match self {
            KindName::Threads => "threads",
            KindName::Tasks => "tasks",
            KindName::Sockets => "sockets",
            KindName::Rings => "executors on io_uring",
        }
    }
}

pub(crate) fn main(
    program: &Path,
    arguments: impl Iterator<Item = OsString>,
) -> ExitCode {
    let arguments = Arguments::parse_from(arguments);
    let done = match &arguments.want {
        Some(want) => foretell(program, want),
        None => try_all(program, &arguments),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Reports whether the wanted number of threads, tasks or sockets is
/// possible, and which limits would refuse. Returns true if it is possible.
fn foretell(program: &Path, want: &[String]) -> Result<bool, String> {
    let [count, kind] = want else { return Err("a count and a kind".into()) };
    let count: u64 = count
        .replace(['_', ','], "")
        .parse()
        .map_err(|_| format!("{count:?} is no count, such as 50000"))?;
    let kind = KindName::from_str(kind, true).map_err(|_| {
        format!("{kind:?} is none of threads, tasks, sockets and rings")
    })?;
    let memory = memory_of(program, kind);
    let limits = limits_on(kind.kind(), memory);
    print(&limits, count);
    if memory.resident_bytes > 0 {
        println!("{}\n", taken(count, kind, memory));
    }
    let refuse: Vec<&Limit> =
        limits.iter().filter(|limit| !limit.allows(count)).collect();
    let word = kind.word();
    let Some((first, next)) = refuse.split_first() else {
        println!("{count} {word} fit.");
        return Ok(true);
    };
    println!(
        "{count} {word} do not fit: {} refuses after {}. To raise it: {}",
        first.name,
        first.room().unwrap_or_default(),
        first.raised_for(count)
    );
    for limit in next {
        println!(
            "Then {} refuses after {}: {}",
            limit.name,
            limit.room().unwrap_or_default(),
            limit.raised_for(count)
        );
    }
    Ok(false)
}

/// Formats how much memory `count` threads or tasks take together, and how
/// much each of them takes.
fn taken(count: u64, kind: KindName, each: UnitMemory) -> String {
    let mib = |bytes: u64| bytes.saturating_mul(count).div_ceil(1 << 20);
    format!(
        "{count} idle {} take about {} MiB of memory and {} MiB of addresses: \
         {} bytes and {} each, by a trial.",
        kind.word(),
        mib(each.resident_bytes),
        mib(each.virtual_bytes),
        each.resident_bytes,
        each.virtual_bytes
    )
}

/// Creates as many threads, sockets or io_uring executors as possible, and
/// prints how many there were. Creates no tasks, since only memory limits
/// their number.
fn try_all(program: &Path, arguments: &Arguments) -> Result<bool, String> {
    let kinds = match arguments.kind {
        Some(kind) => vec![kind],
        None => vec![KindName::Threads, KindName::Sockets],
    };
    for kind in kinds {
        let most = match kind {
            KindName::Rings => arguments.most.min(RINGS),
            _ => arguments.most,
        };
        let bounds = Bounds { most, uses_up_shared: arguments.use_up_shared };
        let limits = limits_on(kind.kind(), memory_of(program, kind));
        print(&limits, most);
        if kind == KindName::Threads {
            println!("{}\n", of_stacks());
        }
        if kind == KindName::Tasks {
            println!("Nothing but memory refuses tasks: none were made.");
            continue;
        }
        let outcome = until_refused::try_it(program, kind.kind(), bounds)?;
        println!("{} {} {}", outcome.reached, kind.word(), ended(&outcome.end));
    }
    Ok(true)
}

fn of_stacks() -> String {
    let first = match first_stack() {
        Some(bytes) => format!("RLIMIT_STACK is {bytes} bytes: it bounds"),
        None => "RLIMIT_STACK is unlimited: it would bound".to_owned(),
    };
    format!(
        "{first} the stack of the first thread only. The others have {} bytes \
         each, by `std` or RUST_MIN_STACK, and Builder::stack_size sets it.",
        stack_of_std()
    )
}

/// Describes how the trial ended. Printed after the number of threads or
/// sockets that were created.
fn ended(end: &End) -> String {
    let by = |limit: &Option<String>| {
        limit.clone().unwrap_or_else(|| "something not listed".to_owned())
    };
    match end {
        End::Bounded => "were made, and nothing refused.".to_owned(),
        End::LeftToOthers { limit } => {
            format!("were made; what is left of {limit} is for other programs.")
        }
        End::Refused { limit, error } => {
            format!("were made, then {} refused: {error}.", by(limit))
        }
        End::Aborted { limit, how } => format!(
            "and some more were made, then the process ended where {} \
             would refuse: {how}.",
            by(limit)
        ),
    }
}

/// Returns the memory that a thread or task adds to a process. If even a
/// small trial is refused, returns the size of a thread's stack. Returns zero
/// for sockets and io_uring executors.
fn memory_of(program: &Path, kind: KindName) -> UnitMemory {
    let (tried, known) = match kind {
        KindName::Threads => {
            (tried(program, std_thread::NAME, 50), stack_of_std())
        }
        KindName::Tasks => (tried(program, MULTI_THREAD.name(), 10_000), 0),
        KindName::Sockets | KindName::Rings => return UnitMemory::default(),
    };
    tried.unwrap_or_else(|reason| {
        println!("What each takes in memory is not known: {reason}\n");
        UnitMemory { virtual_bytes: known, resident_bytes: 0 }
    })
}

/// Returns the memory that a thread or task adds, computed from two
/// processes: one with `step` of them, and one with twice as many.
fn tried(
    program: &Path,
    contender: &str,
    step: u64,
) -> Result<UnitMemory, String> {
    // If the kernel doesn't report its own memory, only the memory of the
    // process is included.
    let group = MemoryGroup::make().ok();
    let group = group.as_ref().map(|group| group.directory().to_owned());
    let with = |units| {
        let units = Units::new(contender, units, STATES[0]);
        let (stack_bytes, group) = (stack_of_std(), group.clone());
        Units { stack_bytes, group, ..units }.in_a_process(program)
    };
    let (fewer, more) = (with(step)?, with(2 * step)?);
    let each =
        |of: fn(&Report) -> u64| of(&more).saturating_sub(of(&fewer)) / step;
    Ok(UnitMemory {
        virtual_bytes: each(|report| report.virtual_bytes),
        resident_bytes: each(|report| {
            report.resident_bytes + report.kernel_bytes.unwrap_or(0)
        }),
    })
}

/// Prints the limits, lowest first. For each limit that would refuse `count`
/// threads, tasks or sockets, also prints how to raise it.
fn print(limits: &[Limit], count: u64) {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header([
        "limit",
        "allows",
        "in use",
        "enough for",
        "to raise it",
    ]);
    let mut unlimited = Vec::new();
    for limit in limits {
        let (Some(most), Some(room)) = (limit.most, limit.room()) else {
            unlimited.push(limit.name.as_str());
            continue;
        };
        let raise = if limit.allows(count) {
            String::new()
        } else {
            limit.raised_for(count)
        };
        let (most, used) = (most.to_string(), limit.used.to_string());
        let name = limit.name.clone();
        table.add_row([name, most, used, room.to_string(), raise]);
    }
    for column in table.column_iter_mut().skip(1).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    harness::fit_to_terminal(&mut table);
    println!("{}\n", table.trim_fmt());
    println!("Not set, or not counted: {}\n", unlimited.join(", "));
}
