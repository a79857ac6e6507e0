//! What is counted beside the clock, in processes of their own: counting disturbs
//! what it counts, so no time is taken there.

use std::collections::BTreeMap;
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
    /// Calls of the kernel, by any thread of the process, as ptrace sees them.
    SystemCalls,
    /// Those that read: `read`, `recvfrom` and their relatives.
    ReadCalls,
    /// Those that write: `write`, `sendto` and their relatives.
    WriteCalls,
    /// Those that wait for readiness: `epoll_wait` and its relatives.
    EpollWaitCalls,
    /// `futex`, by which threads wait for each other and wake each other.
    FutexCalls,
    /// `io_uring_enter`.
    IoUringEnterCalls,
    /// `sched_yield`.
    SchedYieldCalls,
}

/// In which pass something is counted, each in processes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// By counters that run beside the cell, and are read before and after.
    Meters,
    /// By stopping the cell at each call. That takes many times the call's own
    /// time, so it would spoil what the meters count.
    Trace,
}

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
            Counter::ReadCalls => "read calls",
            Counter::WriteCalls => "write calls",
            Counter::EpollWaitCalls => "epoll_wait calls",
            Counter::FutexCalls => "futex calls",
            Counter::IoUringEnterCalls => "io_uring_enter calls",
            Counter::SchedYieldCalls => "sched_yield calls",
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
            Counter::Allocations | Counter::Bytes | Counter::Migrations => {
                Source::Counter
            }
            Counter::SystemCalls
            | Counter::ReadCalls
            | Counter::WriteCalls
            | Counter::EpollWaitCalls
            | Counter::FutexCalls
            | Counter::IoUringEnterCalls
            | Counter::SchedYieldCalls => Source::Ptrace,
        }
    }

    pub(crate) fn pass(self) -> Pass {
        match self.source() {
            Source::Ptrace => Pass::Trace,
            _ => Pass::Meters,
        }
    }

    /// How many of the calls, by their number, are those that it counts.
    pub(crate) fn among(self, calls: &BTreeMap<u64, u64>) -> u64 {
        let counted = calls.iter().filter(|(number, _)| {
            let numbers = self.numbers();
            numbers.is_none_or(|numbers| {
                numbers.iter().any(|&own| own as u64 == **number)
            })
        });
        counted.map(|(_, count)| count).sum()
    }

    /// The numbers of the calls that it counts, or none if it counts all.
    #[cfg(target_os = "linux")]
    fn numbers(self) -> Option<&'static [nix::libc::c_long]> {
        use nix::libc::*;
        match self {
            Counter::ReadCalls => Some(&[
                SYS_read,
                SYS_readv,
                SYS_pread64,
                SYS_preadv,
                SYS_preadv2,
                SYS_recvfrom,
                SYS_recvmsg,
                SYS_recvmmsg,
            ]),
            Counter::WriteCalls => Some(&[
                SYS_write,
                SYS_writev,
                SYS_pwrite64,
                SYS_pwritev,
                SYS_pwritev2,
                SYS_sendto,
                SYS_sendmsg,
                SYS_sendmmsg,
            ]),
            Counter::EpollWaitCalls => Some(&[
                #[cfg(target_arch = "x86_64")]
                SYS_epoll_wait,
                SYS_epoll_pwait,
                SYS_epoll_pwait2,
            ]),
            Counter::FutexCalls => Some(&[SYS_futex]),
            Counter::IoUringEnterCalls => Some(&[SYS_io_uring_enter]),
            Counter::SchedYieldCalls => Some(&[SYS_sched_yield]),
            _ => None,
        }
    }

    /// Elsewhere no call is counted.
    #[cfg(not(target_os = "linux"))]
    fn numbers(self) -> Option<&'static [u64]> {
        None
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

/// The counters that are read; what ptrace counts stands behind them.
const READ: usize = Counter::SystemCalls as usize;

/// A reading of every counter, or the difference of two. What cannot be read
/// is 0, and [`unavailable`] knows why.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counts([u64; READ]);

impl Counts {
    /// A reading, in a process that counts.
    pub(crate) fn before() -> Option<Counts> {
        let meters = METERS.get()?;
        Some(meters.lock().expect("no reading panics").read())
    }

    /// What was counted since an earlier reading.
    pub(crate) fn since(before: Counts) -> Counts {
        let meters = METERS.get().expect("it was read before");
        let after = meters.lock().expect("no reading panics").read();
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
}

#[cfg(target_os = "linux")]
impl Meters {
    fn open() -> Meters {
        let refused = |error: std::io::Error| {
            format!(
                "the kernel does not let this user count it ({error}): \
                 sudo sysctl kernel.perf_event_paranoid=-1"
            )
        };
        Meters { migrations: Meters::migrations().map_err(refused) }
    }

    /// Those of this process and all threads that it starts.
    fn migrations() -> std::io::Result<perf_event::Counter> {
        use perf_event::{events::Software, Builder};
        let mut builder = Builder::new(Software::CPU_MIGRATIONS);
        // It is the kernel that does them.
        builder.inherit(true).include_kernel();
        let mut counter = builder.build()?;
        counter.enable()?;
        Ok(counter)
    }

    fn read(&mut self) -> Counts {
        use nix::sys::resource::{getrusage, UsageWho};
        use nix::sys::time::TimeValLike;
        let mut counts = Counts([0; READ]);
        let mut set = |counter: Counter, value: u64| {
            counts.0[counter as usize] = value;
        };
        let (allocations, bytes) = allocations::counted();
        set(Counter::Allocations, allocations);
        set(Counter::Bytes, bytes);
        let migrations = self.migrations.as_mut().ok();
        let migrations = migrations.and_then(|counter| counter.read().ok());
        set(Counter::Migrations, migrations.unwrap_or(0));
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
        counts
    }

    fn unavailable(&self, counter: Counter) -> Option<String> {
        match counter {
            Counter::Migrations => self.migrations.as_ref().err().cloned(),
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

    fn read(&mut self) -> Counts {
        let mut counts = Counts([0; READ]);
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
