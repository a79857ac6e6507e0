//! Counters, which run in separate processes: counting disturbs the counted
//! work, so no time is taken there.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock};

use measurement::Source;
use serde::{Deserialize, Serialize};

use crate::allocations;

/// Something that the program or the kernel can count. Threads that have ended
/// are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Calls of the allocator, including those that grow an allocation.
    Allocations,
    /// Bytes requested from the allocator. Growing an allocation requests its
    /// new size.
    Bytes,
    /// Times that a thread gave up its core or lost it.
    ContextSwitches,
    /// Time on a core, in user and system mode.
    CpuTime,
    /// Page faults, whether or not they waited for a disk.
    PageFaults,
    /// Times that a thread moved to another core.
    Migrations,
    /// System calls.
    SystemCalls,
    /// System calls that read: `read`, `readv`, `recvfrom`, `recvmsg`.
    ReadCalls,
    /// System calls that write: `write`, `writev`, `sendto`, `sendmsg`.
    WriteCalls,
    /// System calls that wait for readiness: `epoll_wait`, `epoll_pwait`,
    /// `epoll_pwait2`.
    EpollWaitCalls,
    /// `futex`, by which threads wait for each other and wake each other.
    FutexCalls,
    /// `io_uring_enter`.
    IoUringEnterCalls,
    /// `sched_yield`.
    SchedYieldCalls,
    /// Times that any core of the machine halted because it was idle.
    Halts,
    /// Times that any core of the machine was idle and polled for work.
    IdlePolls,
    /// Interrupts between cores to reschedule (`RES` in `/proc/interrupts`).
    RescheduleInterrupts,
    /// Interrupts between cores to call a function (`CAL`), which can also wake
    /// an idle core.
    FunctionCallInterrupts,
    /// The sum of both.
    InterruptsBetweenCores,
}

/// A counting pass. Each pass has separate processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pass {
    /// Counters of the program and the kernel that are always on, or cheap.
    Meters,
    /// System calls: counting makes each more expensive, which would distort
    /// the others.
    Calls,
    /// The kernel's counters for all processes together, which are always on.
    Machine,
}

/// The means of counting.
enum Means {
    /// The program counts.
    Program,
    /// The kernel counts for every process.
    Usage,
    /// The kernel's counter of migrations.
    Migrations,
    /// The kernel's counters of the whole machine.
    Machine,
    /// Calls with these names and numbers; all calls if empty.
    Calls(&'static [(&'static str, u64)]),
}

/// Lists system calls by name and number, if the platform has them.
macro_rules! calls {
    ($($(#[$where:meta])? $name:ident $number:ident),*) => {
        Means::Calls(&[$($(#[$where])? (stringify!($name), number!($number))),*])
    };
}

#[cfg(target_os = "linux")]
macro_rules! number {
    ($number:ident) => {
        nix::libc::$number as u64
    };
}
#[cfg(not(target_os = "linux"))]
macro_rules! number {
    ($number:ident) => {
        u64::MAX
    };
}

impl Counter {
    /// Returns the counted thing, and the means.
    fn of(self) -> (&'static str, Means) {
        use Means::{Machine, Migrations, Program, Usage};
        match self {
            Counter::Allocations => ("allocations", Program),
            Counter::Bytes => ("bytes", Program),
            Counter::ContextSwitches => ("context switches", Usage),
            Counter::CpuTime => ("CPU time", Usage),
            Counter::PageFaults => ("page faults", Usage),
            Counter::Migrations => ("migrations", Migrations),
            Counter::SystemCalls => ("system calls", calls!()),
            Counter::ReadCalls => (
                "read calls",
                calls!(read SYS_read, readv SYS_readv, recvfrom SYS_recvfrom, recvmsg SYS_recvmsg),
            ),
            Counter::WriteCalls => (
                "write calls",
                calls!(write SYS_write, writev SYS_writev, sendto SYS_sendto, sendmsg SYS_sendmsg),
            ),
            Counter::EpollWaitCalls => (
                "epoll_wait calls",
                calls!(
                    #[cfg(target_arch = "x86_64")]
                    epoll_wait SYS_epoll_wait,
                    epoll_pwait SYS_epoll_pwait,
                    epoll_pwait2 SYS_epoll_pwait2
                ),
            ),
            Counter::FutexCalls => ("futex calls", calls!(futex SYS_futex)),
            Counter::IoUringEnterCalls => (
                "io_uring_enter calls",
                calls!(io_uring_enter SYS_io_uring_enter),
            ),
            Counter::SchedYieldCalls => {
                ("sched_yield calls", calls!(sched_yield SYS_sched_yield))
            }
            Counter::Halts => ("halts", Machine),
            Counter::IdlePolls => ("idle polls", Machine),
            Counter::RescheduleInterrupts => ("reschedule interrupts", Machine),
            Counter::FunctionCallInterrupts => {
                ("function-call interrupts", Machine)
            }
            Counter::InterruptsBetweenCores => {
                ("interrupts between cores", Machine)
            }
        }
    }

    /// Returns the name of the quantity: the counted thing, per `per`.
    pub fn quantity(self, per: &str) -> String {
        format!("{} per {per}", self.of().0)
    }

    pub(crate) fn source(self) -> Source {
        match self.of().1 {
            Means::Usage => Source::Getrusage,
            Means::Calls(_) if calls_are_traced() => Source::Ptrace,
            Means::Program
            | Means::Migrations
            | Means::Machine
            | Means::Calls(_) => Source::Counter,
        }
    }

    pub(crate) fn pass(self) -> Pass {
        match self.of().1 {
            Means::Calls(_) => Pass::Calls,
            Means::Machine => Pass::Machine,
            Means::Program | Means::Usage | Means::Migrations => Pass::Meters,
        }
    }

    /// Returns how many of `calls`, given by their number, it counts; `None` if
    /// it doesn't count calls.
    pub(crate) fn among(self, calls: &BTreeMap<u64, u64>) -> Option<u64> {
        let Means::Calls(own) = self.of().1 else { return None };
        let is_own = |number: &u64| {
            own.is_empty() || own.iter().any(|(_, other)| other == number)
        };
        let own = calls.iter().filter(|(number, _)| is_own(number));
        Some(own.map(|(_, count)| count).sum())
    }
}

/// Returns whether system calls are counted by a tracer, which stops the
/// program at each call and needs no privileges. Where threads race, the
/// stopped one loses, so the program may make other calls. The kernel's
/// tracepoints disturb little, but need root. They are also avoided if
/// `HARNESS_BY_PTRACE` is set, to compare the two.
pub(crate) fn calls_are_traced() -> bool {
    static ARE_TRACED: LazyLock<bool> = LazyLock::new(|| {
        std::env::var_os("HARNESS_BY_PTRACE").is_some()
            || !tracepoints_can_be_counted()
    });
    *ARE_TRACED
}

/// Makes this process count for `pass`. Has to come first, since the kernel's
/// counters only follow threads that are started afterwards.
pub(crate) fn switch_on(pass: Pass) {
    METERS.get_or_init(|| {
        if pass == Pass::Meters {
            allocations::count(true);
        }
        Mutex::new(Meters::open(pass))
    });
}

/// Makes this process count its system calls, including those of all threads
/// started from now on: for a server in a separate process, which another
/// process queries. This slows each call, so no time is measured there.
///
/// Fails if the kernel's tracepoints cannot be read, with a remedy.
pub fn count_own_calls() -> Result<(), String> {
    if !tracepoints_can_be_counted() {
        return Err(
            "a server's system calls are counted by the kernel's tracepoints, which \
             cannot be read here: as root, mount -t tracefs none /sys/kernel/tracing"
                .to_owned(),
        );
    }
    switch_on(Pass::Calls);
    CounterReading::before();
    Ok(())
}

/// Returns the counts of these counters since [`count_own_calls`]; `None` if
/// calls are not counted.
pub fn own_calls(counters: &[Counter]) -> Option<Vec<u64>> {
    let counts = meters()?.read();
    Some(counters.iter().map(|&counter| counts.get(counter)).collect())
}

/// Returns why a counter cannot be read here, if so.
pub(crate) fn unavailable(counter: Counter) -> Option<String> {
    meters()?.unavailable(counter)
}

static METERS: OnceLock<Mutex<Meters>> = OnceLock::new();

/// Returns the meters of a counting process.
fn meters() -> Option<MutexGuard<'static, Meters>> {
    Some(METERS.get()?.lock().expect("no reading panics"))
}

/// The number of counters.
const COUNTERS: usize = Counter::InterruptsBetweenCores as usize + 1;

/// A reading of all counters of a pass, or the difference of two. Unreadable
/// counters are 0; [`unavailable`] has the reason.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CounterReading([u64; COUNTERS]);

impl CounterReading {
    /// Takes a reading, if this process counts.
    pub(crate) fn before() -> Option<CounterReading> {
        let mut meters = meters()?;
        let counts = meters.read();
        meters.start();
        Some(counts)
    }

    /// Returns the counts since an earlier reading.
    pub(crate) fn since(before: CounterReading) -> CounterReading {
        let mut meters = meters().expect("it was read before");
        meters.stop();
        let mut counts = meters.read();
        for (count, earlier) in counts.0.iter_mut().zip(before.0) {
            *count = count.saturating_sub(earlier);
        }
        counts
    }

    pub(crate) fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }
}

#[cfg(target_os = "linux")]
fn tracepoints_can_be_counted() -> bool {
    linux::tracepoint("raw_syscalls/sys_enter").is_some()
}

#[cfg(not(target_os = "linux"))]
fn tracepoints_can_be_counted() -> bool {
    false
}

#[cfg(target_os = "linux")]
use linux::Meters;

#[cfg(target_os = "linux")]
mod linux;

/// On other systems, only the program's own counts are available.
#[cfg(not(target_os = "linux"))]
struct Meters;

#[cfg(not(target_os = "linux"))]
impl Meters {
    fn open(_pass: Pass) -> Meters {
        Meters
    }

    fn start(&mut self) {}

    fn stop(&mut self) {}

    fn read(&mut self) -> CounterReading {
        let mut counts = CounterReading([0; COUNTERS]);
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
