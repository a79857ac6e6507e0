//! Counters of events, such as system calls, and the source of each counter's
//! counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// An event or amount that the program or the kernel can count. The counts
/// include threads that have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// The number of calls to the allocator, including those that grow an
    /// allocation.
    Allocations,
    /// Bytes requested from the allocator. Growing an allocation requests its
    /// whole new size.
    Bytes,
    /// How many times a thread gave up its core or lost it.
    ContextSwitches,
    /// CPU time, in user and system mode.
    CpuTime,
    /// Page faults, whether or not they waited for a disk.
    PageFaults,
    /// How many times a thread moved to another core.
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
    /// The system call `futex`, by which threads wait for each other and wake
    /// each other.
    FutexCalls,
    /// `io_uring_enter`.
    IoUringEnterCalls,
    /// `sched_yield`.
    SchedYieldCalls,
    /// How many times a core of the machine halted because it was idle.
    Halts,
    /// How many times a core of the machine was idle and polled for work.
    IdlePolls,
    /// Interrupts from one core to another to make it reschedule (`RES` in
    /// `/proc/interrupts`).
    RescheduleInterrupts,
    /// Interrupts from one core to another to call a function (`CAL`), which
    /// can also wake an idle core.
    FunctionCallInterrupts,
    /// The sum of rescheduling and function-call interrupts.
    InterruptsBetweenCores,
}

/// A pass of a run that counts instead of timing, in separate processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pass {
    /// Counters of the program and the kernel that are always on, or that
    /// cost little.
    Meters,
    /// Counters of system calls. They make each call more expensive, which
    /// would distort other counts.
    Calls,
    /// The kernel's counters for the whole machine, which are always on.
    Machine,
}

/// The source of a counter's counts.
pub(crate) enum Means {
    Program,
    /// Counts that the kernel keeps for every process, as reported by
    /// `getrusage`.
    Usage,
    Migrations,
    Machine,
    /// The names and numbers of the system calls to count. If the list is
    /// empty, all are counted.
    Calls(&'static [(&'static str, u64)]),
}

/// Lists system calls by name and number. An attribute excludes a call on
/// platforms that don't have it.
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
    /// Returns the name of the counted event or amount, and the source of the
    /// counts.
    pub(crate) fn of(self) -> (&'static str, Means) {
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

    /// Returns the name of the quantity, such as `allocations per unit` if
    /// `per` is `unit`.
    pub fn quantity(self, per: &str) -> String {
        format!("{} per {per}", self.of().0)
    }

    pub(crate) fn pass(self) -> Pass {
        match self.of().1 {
            Means::Calls(_) => Pass::Calls,
            Means::Machine => Pass::Machine,
            Means::Program | Means::Usage | Means::Migrations => Pass::Meters,
        }
    }

    /// Returns how many of `calls` are included in this counter, or `None` if
    /// it doesn't count system calls. `calls` maps the number of a system
    /// call to how often it was made.
    pub(crate) fn among(self, calls: &BTreeMap<u64, u64>) -> Option<u64> {
        let Means::Calls(own) = self.of().1 else { return None };
        let is_own = |number: &u64| {
            own.is_empty() || own.iter().any(|(_, other)| other == number)
        };
        let own = calls.iter().filter(|(number, _)| is_own(number));
        Some(own.map(|(_, count)| count).sum())
    }
}

pub(crate) const COUNTERS: usize = Counter::InterruptsBetweenCores as usize + 1;

/// A reading of all counters of a counting pass, or the difference of two
/// readings. Counters that can't be read are 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CounterReading(pub(crate) [u64; COUNTERS]);

impl CounterReading {
    pub(crate) fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize]
    }
}
