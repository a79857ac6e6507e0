//! What is counted beside the clock, in a process of its own: counting disturbs
//! what it counts, so no time is taken there.

use std::sync::{Mutex, OnceLock};

use measurement::Source;

use crate::allocations;

/// Something that can be counted, by the program itself or by the kernel.
/// Threads that end meanwhile count as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Calls of the allocator. Growing an allocation is one, too.
    Allocations,
    /// Bytes asked of the allocator. Growing an allocation asks for its new size.
    Bytes,
    /// Times that a thread gave up its core or lost it.
    ContextSwitches,
    /// Time on a core, in user and system mode.
    CpuTime,
    /// Time on a core in user mode.
    UserCpuTime,
    /// Time on a core in the kernel.
    SystemCpuTime,
    /// Page faults, whether or not they waited for a disk.
    PageFaults,
    /// Times that a thread went to another core.
    Migrations,
    /// Calls of the kernel.
    SystemCalls,
}

const ALL: [Counter; 9] = [
    Counter::Allocations,
    Counter::Bytes,
    Counter::ContextSwitches,
    Counter::CpuTime,
    Counter::UserCpuTime,
    Counter::SystemCpuTime,
    Counter::PageFaults,
    Counter::Migrations,
    Counter::SystemCalls,
];

impl Counter {
    /// The quantity's name: what is counted, and per what.
    pub(crate) fn quantity(self, per: &str) -> String {
        let what = match self {
            Counter::Allocations => "allocations",
            Counter::Bytes => "bytes",
            Counter::ContextSwitches => "context switches",
            Counter::CpuTime => "CPU time",
            Counter::UserCpuTime => "user CPU time",
            Counter::SystemCpuTime => "system CPU time",
            Counter::PageFaults => "page faults",
            Counter::Migrations => "migrations",
            Counter::SystemCalls => "system calls",
        };
        format!("{what} per {per}")
    }

    pub(crate) fn source(self) -> Source {
        match self {
            Counter::ContextSwitches
            | Counter::CpuTime
            | Counter::UserCpuTime
            | Counter::SystemCpuTime
            | Counter::PageFaults => Source::Getrusage,
            Counter::Allocations
            | Counter::Bytes
            | Counter::Migrations
            | Counter::SystemCalls => Source::Counter,
        }
    }
}

/// Makes this a process that counts. The kernel's counters follow the threads
/// that are started from here on, so this comes first.
pub(crate) fn switch_on() {
    allocations::count(true);
    METERS.get_or_init(|| Mutex::new(Meters::open()));
}

/// Why a counter cannot be read here, if it cannot.
pub(crate) fn unavailable(counter: Counter) -> Option<String> {
    let meters = METERS.get()?.lock().expect("no reading panics");
    meters.unavailable(counter)
}

static METERS: OnceLock<Mutex<Meters>> = OnceLock::new();

/// A reading of every counter, or the difference of two. What cannot be read
/// is 0, and [`unavailable`] knows why.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts([u64; ALL.len()]);

impl Counts {
    /// A reading, in a process that counts.
    pub(crate) fn before() -> Option<Counts> {
        let meters = METERS.get()?;
        Some(meters.lock().expect("no reading panics").read(true))
    }

    /// What was counted since an earlier reading.
    pub(crate) fn since(before: Counts) -> Counts {
        let meters = METERS.get().expect("it was read before");
        let after = meters.lock().expect("no reading panics").read(false);
        let mut counts = after;
        for (count, earlier) in counts.0.iter_mut().zip(before.0) {
            *count = count.saturating_sub(earlier);
        }
        counts
    }

    pub(crate) fn plus(mut self, other: Counts) -> Counts {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
        self
    }

    pub(crate) fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }
}

#[cfg(target_os = "linux")]
struct Meters {
    migrations: Result<perf_event::Counter, String>,
    system_calls: Result<perf_event::Counter, String>,
}

#[cfg(target_os = "linux")]
impl Meters {
    fn open() -> Meters {
        use perf_event::events::Software;
        let refused = |error: std::io::Error| {
            format!(
                "the kernel does not let this user count it ({error}): \
                 sudo sysctl kernel.perf_event_paranoid=-1"
            )
        };
        let migrations = Meters::follow(Software::CPU_MIGRATIONS);
        let system_calls = Meters::tracepoint("raw_syscalls/sys_enter");
        let system_calls = system_calls
            .and_then(|tracepoint| Meters::follow(tracepoint).map_err(refused));
        Meters { migrations: migrations.map_err(refused), system_calls }
    }

    /// A counter of this process and all threads that it starts.
    fn follow(
        event: impl perf_event::events::Event,
    ) -> std::io::Result<perf_event::Counter> {
        let mut builder = perf_event::Builder::new(event);
        // The kernel does the migrations and receives the calls.
        builder.inherit(true).include_kernel();
        let mut counter = builder.build()?;
        counter.enable()?;
        Ok(counter)
    }

    fn tracepoint(
        name: &str,
    ) -> Result<perf_event::events::Tracepoint, String> {
        const MOUNTS: [&str; 2] =
            ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];
        let id = |mount| {
            let file = format!("{mount}/events/{name}/id");
            std::fs::read_to_string(file).ok()?.trim().parse().ok()
        };
        let id = MOUNTS.into_iter().find_map(id).ok_or(
            "the kernel's tracepoints cannot be read: as root, \
             mount -t tracefs none /sys/kernel/tracing, and run this as root",
        )?;
        Ok(perf_event::events::Tracepoint::with_id(id))
    }

    /// A reading. The calls that it makes are not what is to be counted, so
    /// their counter is read last `before`, and first after.
    fn read(&mut self, before: bool) -> Counts {
        use nix::sys::resource::{getrusage, UsageWho};
        use nix::sys::time::TimeValLike;
        let count = |meter: &mut Result<perf_event::Counter, String>| {
            let read = meter.as_mut().ok().map(perf_event::Counter::read);
            read.and_then(Result::ok).unwrap_or(0)
        };
        let mut counts = Counts([0; ALL.len()]);
        let mut set = |counter: Counter, value: u64| {
            counts.0[counter as usize] = value;
        };
        let mut system_calls = None;
        if !before {
            // This very reading is a call.
            let calls = count(&mut self.system_calls).saturating_sub(1);
            system_calls = Some(calls);
        }
        let (allocations, bytes) = allocations::counted();
        set(Counter::Allocations, allocations);
        set(Counter::Bytes, bytes);
        set(Counter::Migrations, count(&mut self.migrations));
        if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
            let nanoseconds = |time: nix::sys::time::TimeVal| {
                u64::try_from(time.num_microseconds()).unwrap_or(0) * 1_000
            };
            let user = nanoseconds(usage.user_time());
            let system = nanoseconds(usage.system_time());
            set(Counter::UserCpuTime, user);
            set(Counter::SystemCpuTime, system);
            set(Counter::CpuTime, user + system);
            let switches = usage.voluntary_context_switches()
                + usage.involuntary_context_switches();
            let faults = usage.minor_page_faults() + usage.major_page_faults();
            set(Counter::ContextSwitches, switches.unsigned_abs());
            set(Counter::PageFaults, faults.unsigned_abs());
        }
        let system_calls =
            system_calls.unwrap_or_else(|| count(&mut self.system_calls));
        set(Counter::SystemCalls, system_calls);
        counts
    }

    fn unavailable(&self, counter: Counter) -> Option<String> {
        match counter {
            Counter::Migrations => self.migrations.as_ref().err().cloned(),
            Counter::SystemCalls => self.system_calls.as_ref().err().cloned(),
            _ => None,
        }
    }
}

/// Elsewhere only what the program itself counts is known.
#[cfg(not(target_os = "linux"))]
struct Meters;

#[cfg(not(target_os = "linux"))]
impl Meters {
    fn open() -> Meters {
        Meters
    }

    fn read(&mut self, _before: bool) -> Counts {
        let mut counts = Counts([0; ALL.len()]);
        let (allocations, bytes) = allocations::counted();
        counts.0[Counter::Allocations as usize] = allocations;
        counts.0[Counter::Bytes as usize] = bytes;
        counts
    }

    fn unavailable(&self, counter: Counter) -> Option<String> {
        match counter {
            Counter::Allocations | Counter::Bytes => None,
            _ => Some("counted on Linux only".to_owned()),
        }
    }
}
