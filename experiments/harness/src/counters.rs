//! What is counted beside the clock, in processes of their own: counting disturbs
//! what it counts, so no time is taken there.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use measurement::Source;
use serde::{Deserialize, Serialize};

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
    /// Those that read: `read`, `readv`, `recvfrom`, `recvmsg`.
    ReadCalls,
    /// Those that write: `write`, `writev`, `sendto`, `sendmsg`.
    WriteCalls,
    /// Those that wait for readiness: `epoll_wait`, `epoll_pwait`,
    /// `epoll_pwait2`.
    EpollWaitCalls,
    /// `futex`, by which threads wait for each other and wake each other.
    FutexCalls,
    /// `io_uring_enter`.
    IoUringEnterCalls,
    /// `sched_yield`.
    SchedYieldCalls,
}

/// In which pass something is counted, each in processes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pass {
    /// What the program and the kernel count all the time, or for little.
    Meters,
    /// System calls: counting makes each dearer, which would spoil the rest.
    Calls,
}

/// How system calls are counted on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallsBy {
    /// By the kernel's tracepoints, which disturb little; for root only.
    Tracepoints,
    /// By a tracer that stops the program at each call, for everybody. Of
    /// threads that race each other the one that is stopped loses, so where they
    /// do, other calls are made.
    Ptrace,
}

impl CallsBy {
    /// Tracepoints if the kernel allows it; with `HARNESS_BY_PTRACE` set, to
    /// compare the two, not even then.
    pub(crate) fn here() -> CallsBy {
        static HERE: OnceLock<CallsBy> = OnceLock::new();
        *HERE.get_or_init(|| {
            let asked = std::env::var_os("HARNESS_BY_PTRACE").is_some();
            if !asked && tracepoints_can_be_counted() {
                CallsBy::Tracepoints
            } else {
                CallsBy::Ptrace
            }
        })
    }
}

impl Counter {
    /// The quantity's name: what is counted, and per what.
    pub fn quantity(self, per: &str) -> String {
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
            | Counter::SchedYieldCalls => match CallsBy::here() {
                CallsBy::Tracepoints => Source::Counter,
                CallsBy::Ptrace => Source::Ptrace,
            },
        }
    }

    pub(crate) fn pass(self) -> Pass {
        match self.calls() {
            None => Pass::Meters,
            Some(_) => Pass::Calls,
        }
    }

    /// How many calls are those that it counts, of calls by their number.
    pub(crate) fn among(self, calls: &BTreeMap<u64, u64>) -> u64 {
        match self.calls() {
            None | Some([]) => calls.values().sum(),
            Some(own) => {
                let own = own.iter().filter_map(|(_, number)| *number);
                own.filter_map(|number| calls.get(&number)).sum()
            }
        }
    }

    /// The calls that it counts, by name and number, if this machine has them;
    /// none stands for all. What is no counter of calls has not even that.
    fn calls(self) -> Option<&'static [Call]> {
        match self {
            Counter::SystemCalls => Some(&[]),
            Counter::ReadCalls => Some(calls::READ),
            Counter::WriteCalls => Some(calls::WRITE),
            Counter::EpollWaitCalls => Some(calls::EPOLL_WAIT),
            Counter::FutexCalls => Some(calls::FUTEX),
            Counter::IoUringEnterCalls => Some(calls::IO_URING_ENTER),
            Counter::SchedYieldCalls => Some(calls::SCHED_YIELD),
            _ => None,
        }
    }
}

/// A system call's name, and its number on this machine.
type Call = (&'static str, Option<u64>);

#[cfg(target_os = "linux")]
mod calls {
    use nix::libc::*;

    use super::Call;

    const fn call(name: &'static str, number: c_long) -> Call {
        (name, Some(number as u64))
    }

    pub(super) const READ: &[Call] = &[
        call("read", SYS_read),
        call("readv", SYS_readv),
        call("recvfrom", SYS_recvfrom),
        call("recvmsg", SYS_recvmsg),
    ];
    pub(super) const WRITE: &[Call] = &[
        call("write", SYS_write),
        call("writev", SYS_writev),
        call("sendto", SYS_sendto),
        call("sendmsg", SYS_sendmsg),
    ];
    pub(super) const EPOLL_WAIT: &[Call] = &[
        #[cfg(target_arch = "x86_64")]
        call("epoll_wait", SYS_epoll_wait),
        call("epoll_pwait", SYS_epoll_pwait),
        call("epoll_pwait2", SYS_epoll_pwait2),
    ];
    pub(super) const FUTEX: &[Call] = &[call("futex", SYS_futex)];
    pub(super) const IO_URING_ENTER: &[Call] =
        &[call("io_uring_enter", SYS_io_uring_enter)];
    pub(super) const SCHED_YIELD: &[Call] =
        &[call("sched_yield", SYS_sched_yield)];
}

/// Elsewhere none is counted, and only the names are known.
#[cfg(not(target_os = "linux"))]
mod calls {
    use super::Call;

    pub(super) const READ: &[Call] = &[("read", None)];
    pub(super) const WRITE: &[Call] = &[("write", None)];
    pub(super) const EPOLL_WAIT: &[Call] = &[("epoll_wait", None)];
    pub(super) const FUTEX: &[Call] = &[("futex", None)];
    pub(super) const IO_URING_ENTER: &[Call] = &[("io_uring_enter", None)];
    pub(super) const SCHED_YIELD: &[Call] = &[("sched_yield", None)];
}

/// Makes this a process that counts what belongs to a pass. The kernel's
/// counters follow the threads that are started from here on, so this comes
/// first.
pub(crate) fn switch_on(pass: Pass) {
    METERS.get_or_init(|| {
        if pass == Pass::Meters {
            allocations::count(true);
        }
        Mutex::new(Meters::open(pass))
    });
}

/// Has this process count its system calls, those of all threads that it starts from
/// here on among them: for a server that has a process of its own, and is asked by
/// another one. It costs each call some time, so none is measured there.
///
/// # Errors
///
/// If the kernel's tracepoints cannot be read, with what to do.
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

/// How many calls each of these counters has counted since [`count_own_calls`]; `None`
/// where they are not counted.
pub fn own_calls(counters: &[Counter]) -> Option<Vec<u64>> {
    let mut meters = METERS.get()?.lock().expect("no reading panics");
    let counts = meters.read();
    Some(counters.iter().map(|&counter| counts.get(counter)).collect())
}

/// Why a counter cannot be read here, if it cannot.
pub(crate) fn unavailable(counter: Counter) -> Option<String> {
    let meters = METERS.get()?.lock().expect("no reading panics");
    meters.unavailable(counter)
}

static METERS: OnceLock<Mutex<Meters>> = OnceLock::new();

/// How many counters there are.
const COUNTERS: usize = Counter::SchedYieldCalls as usize + 1;

/// A reading of every counter of a pass, or the difference of two. What cannot
/// be read is 0, and [`unavailable`] knows why.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CounterReading([u64; COUNTERS]);

impl CounterReading {
    /// A reading, in a process that counts.
    pub(crate) fn before() -> Option<CounterReading> {
        let mut meters = METERS.get()?.lock().expect("no reading panics");
        let counts = meters.read();
        meters.start();
        Some(counts)
    }

    /// What was counted since an earlier reading.
    pub(crate) fn since(before: CounterReading) -> CounterReading {
        let meters = METERS.get().expect("it was read before");
        let mut meters = meters.lock().expect("no reading panics");
        meters.stop();
        let mut counts = meters.read();
        for (count, earlier) in counts.0.iter_mut().zip(before.0) {
            *count = count.saturating_sub(earlier);
        }
        counts
    }

    pub(crate) fn plus(mut self, other: CounterReading) -> CounterReading {
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
mod linux {
    use nix::sys::resource::{getrusage, UsageWho};
    use nix::sys::time::{TimeVal, TimeValLike};
    use perf_event::events::{Event, Software, Tracepoint};
    use perf_event::Builder;
    use recorder::tracefs;

    use super::{Counter, CounterReading, Pass, COUNTERS};
    use crate::allocations;

    pub(super) struct Meters {
        pass: Pass,
        migrations: Result<perf_event::Counter, String>,
        /// What counts calls. That of all calls is the last, so that it counts
        /// none that switch others on.
        calls: Vec<(Counter, perf_event::Counter)>,
        /// How often that one has been switched off, which is a call as well.
        stops: u64,
    }

    impl Meters {
        pub(super) fn open(pass: Pass) -> Meters {
            let (migrations, calls) = match pass {
                Pass::Meters => (migrations(), Vec::new()),
                Pass::Calls => {
                    let elsewhere = "it is counted in another pass";
                    (Err(elsewhere.to_owned()), calls())
                }
            };
            Meters { pass, migrations, calls, stops: 0 }
        }

        pub(super) fn start(&mut self) {
            for (_, meter) in &mut self.calls {
                meter.enable().expect("what was built can be switched on");
            }
        }

        pub(super) fn stop(&mut self) {
            for (_, meter) in self.calls.iter_mut().rev() {
                meter.disable().expect("what was built can be switched off");
            }
            self.stops += 1;
        }

        pub(super) fn read(&mut self) -> CounterReading {
            let mut counts = CounterReading([0; COUNTERS]);
            let mut add = |counter: Counter, value: u64| {
                counts.0[counter as usize] += value;
            };
            for (counter, meter) in &mut self.calls {
                let own = match counter {
                    Counter::SystemCalls => self.stops,
                    _ => 0,
                };
                add(*counter, meter.read().unwrap_or(0).saturating_sub(own));
            }
            if self.pass == Pass::Calls {
                return counts;
            }
            let (allocations, bytes) = allocations::counted();
            add(Counter::Allocations, allocations);
            add(Counter::Bytes, bytes);
            let migrations = self.migrations.as_mut().ok();
            let migrations = migrations.and_then(|meter| meter.read().ok());
            add(Counter::Migrations, migrations.unwrap_or(0));
            if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
                let nanoseconds = |time: TimeVal| {
                    u64::try_from(time.num_microseconds()).unwrap_or(0) * 1_000
                };
                let user = nanoseconds(usage.user_time());
                let system = nanoseconds(usage.system_time());
                add(Counter::UserCpuTime, user);
                add(Counter::SystemCpuTime, system);
                add(Counter::CpuTime, user + system);
                let switches = usage.voluntary_context_switches()
                    + usage.involuntary_context_switches();
                let faults =
                    usage.minor_page_faults() + usage.major_page_faults();
                add(Counter::ContextSwitches, switches.unsigned_abs());
                add(Counter::PageFaults, faults.unsigned_abs());
            }
            counts
        }

        pub(super) fn unavailable(&self, counter: Counter) -> Option<String> {
            match counter {
                Counter::Migrations => self.migrations.as_ref().err().cloned(),
                _ => None,
            }
        }
    }

    /// Those of this process and all threads that it starts.
    fn migrations() -> Result<perf_event::Counter, String> {
        let switched_on = || {
            let mut meter = follow(Software::CPU_MIGRATIONS)?;
            meter.enable()?;
            Ok(meter)
        };
        switched_on().map_err(|error: std::io::Error| {
            format!(
                "the kernel does not let this user count it ({error}): \
                 sudo sysctl kernel.perf_event_paranoid=-1"
            )
        })
    }

    /// A meter for each call that is counted by name, and one for all. A kernel
    /// may lack some of the names.
    fn calls() -> Vec<(Counter, perf_event::Counter)> {
        let named = [
            Counter::ReadCalls,
            Counter::WriteCalls,
            Counter::EpollWaitCalls,
            Counter::FutexCalls,
            Counter::IoUringEnterCalls,
            Counter::SchedYieldCalls,
        ];
        let meters = named.into_iter().flat_map(|counter| {
            let calls = counter.calls().unwrap_or_default().iter();
            calls.filter_map(move |(name, _)| {
                let tracepoint = format!("syscalls/sys_enter_{name}");
                Some((counter, self::tracepoint(&tracepoint)?))
            })
        });
        let all = tracepoint("raw_syscalls/sys_enter");
        let all = all.map(|meter| (Counter::SystemCalls, meter));
        meters.chain(all).collect()
    }

    /// A meter of what the kernel does for this process and all threads that it
    /// starts.
    fn follow(event: impl Event) -> std::io::Result<perf_event::Counter> {
        Builder::new(event).inherit(true).include_kernel().build()
    }

    /// The same of one of the kernel's tracepoints, if it can be had.
    pub(super) fn tracepoint(name: &str) -> Option<perf_event::Counter> {
        let id = tracefs::read(name, "id")?.trim().parse().ok()?;
        follow(Tracepoint::with_id(id)).ok()
    }
}

/// Elsewhere only what the program itself counts is known.
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
