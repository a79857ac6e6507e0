//! What is counted beside the clock, in processes of their own: counting disturbs
//! what it counts, so no time is taken there.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock};

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
    /// Times that any core of the machine halted because it had nothing to do.
    Halts,
    /// Times that any core of the machine had nothing to do and polled for work.
    IdlePolls,
    /// Interrupts from any core to another one, to have it schedule again (`RES` in `/proc/interrupts`).
    RescheduleInterrupts,
    /// Those to have it call a function (`CAL`): one that was idle may be woken by it.
    FunctionCallInterrupts,
    /// Both together.
    InterruptsBetweenCores,
}

/// In which pass something is counted, each in processes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pass {
    /// What the program and the kernel count all the time, or for little.
    Meters,
    /// System calls: counting makes each dearer, which would spoil the rest.
    Calls,
    /// What the kernel counts for all processes together, all the time.
    Machine,
}

/// By what means something is counted.
enum Means {
    /// By the program itself.
    Program,
    /// By the kernel, for every process.
    Usage,
    /// By the kernel's counter of migrations.
    Migrations,
    /// By the kernel's counters of the whole machine.
    Machine,
    /// As calls of these names and numbers; none stands for all.
    Calls(&'static [(&'static str, u64)]),
}

/// System calls by their names and numbers, where they have such.
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
    /// What is counted, and by what means.
    fn of(self) -> (&'static str, Means) {
        use Means::{Machine, Migrations, Program, Usage};
        match self {
            Counter::Allocations => ("allocations", Program),
            Counter::Bytes => ("bytes", Program),
            Counter::ContextSwitches => ("context switches", Usage),
            Counter::CpuTime => ("CPU time", Usage),
            Counter::UserCpuTime => ("user CPU time", Usage),
            Counter::SystemCpuTime => ("system CPU time", Usage),
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

    /// The quantity's name: what is counted, and per what.
    pub fn quantity(self, per: &str) -> String {
        format!("{} per {per}", self.of().0)
    }

    /// Whether it is time on cores.
    pub(crate) fn is_cpu_time(self) -> bool {
        matches!(
            self,
            Counter::CpuTime | Counter::UserCpuTime | Counter::SystemCpuTime
        )
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

    /// How many calls are those that it counts, of calls by their number; `None`
    /// if it counts no calls.
    pub(crate) fn among(self, calls: &BTreeMap<u64, u64>) -> Option<u64> {
        let Means::Calls(own) = self.of().1 else { return None };
        let is_own = |number: &u64| {
            own.is_empty() || own.iter().any(|(_, other)| other == number)
        };
        let own = calls.iter().filter(|(number, _)| is_own(number));
        Some(own.map(|(_, count)| count).sum())
    }
}

/// Whether system calls are counted by a tracer that stops the program at each call,
/// which everybody may. Of threads that race each other the one that is stopped
/// loses, so where they do, other calls are made. The kernel's tracepoints disturb
/// little, but are for root only; with `HARNESS_BY_PTRACE` set, to compare the two,
/// not even then.
pub(crate) fn calls_are_traced() -> bool {
    static ARE_TRACED: LazyLock<bool> = LazyLock::new(|| {
        std::env::var_os("HARNESS_BY_PTRACE").is_some()
            || !tracepoints_can_be_counted()
    });
    *ARE_TRACED
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
/// Fails if the kernel's tracepoints cannot be read, with what to do.
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
    let counts = meters()?.read();
    Some(counters.iter().map(|&counter| counts.get(counter)).collect())
}

/// Why a counter cannot be read here, if it cannot.
pub(crate) fn unavailable(counter: Counter) -> Option<String> {
    meters()?.unavailable(counter)
}

static METERS: OnceLock<Mutex<Meters>> = OnceLock::new();

/// What a process that counts counts with.
fn meters() -> Option<MutexGuard<'static, Meters>> {
    Some(METERS.get()?.lock().expect("no reading panics"))
}

/// How many counters there are.
const COUNTERS: usize = Counter::InterruptsBetweenCores as usize + 1;

/// A reading of every counter of a pass, or the difference of two. What cannot
/// be read is 0, and [`unavailable`] knows why.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CounterReading([u64; COUNTERS]);

impl CounterReading {
    /// A reading, in a process that counts.
    pub(crate) fn before() -> Option<CounterReading> {
        let mut meters = meters()?;
        let counts = meters.read();
        meters.start();
        Some(counts)
    }

    /// What was counted since an earlier reading.
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
mod linux {
    use host::idle::{IdleStates, InterruptCounts};
    use host::kernel_files::KernelFiles;
    use nix::sys::resource::{getrusage, UsageWho};
    use nix::sys::time::{TimeVal, TimeValLike};
    use perf_event::events::{Event, Software, Tracepoint};
    use perf_event::Builder;
    use recorder::tracefs;

    use super::{Counter, CounterReading, Means, Pass, COUNTERS};
    use crate::allocations;

    pub(super) struct Meters {
        pass: Pass,
        /// What counts migrations, or calls. That of all calls is the last, so
        /// that it counts none that switch others on.
        meters: Vec<(Counter, perf_event::Counter)>,
        /// Why migrations are not counted.
        no_migrations: Option<String>,
        /// How often that of all calls has been switched off, which is a call as
        /// well.
        stops: u64,
        /// The idle states when this was opened, where there are any.
        idle_states: Option<IdleStates>,
    }

    impl Meters {
        pub(super) fn open(pass: Pass) -> Meters {
            let (meters, no_migrations) = match pass {
                Pass::Calls => (calls(), None),
                Pass::Machine => (Vec::new(), None),
                Pass::Meters => match migrations() {
                    Ok(meter) => (vec![(Counter::Migrations, meter)], None),
                    Err(reason) => (Vec::new(), Some(reason)),
                },
            };
            let idle_states = (pass == Pass::Machine)
                .then(|| IdleStates::read(&KernelFiles::of_this_computer()))
                .flatten();
            Meters { pass, meters, no_migrations, stops: 0, idle_states }
        }

        pub(super) fn start(&mut self) {
            if self.pass == Pass::Calls {
                for (_, meter) in &mut self.meters {
                    meter.enable().expect("what was built can be switched on");
                }
            }
        }

        pub(super) fn stop(&mut self) {
            if self.pass == Pass::Calls {
                for (_, meter) in self.meters.iter_mut().rev() {
                    meter
                        .disable()
                        .expect("what was built can be switched off");
                }
                self.stops += 1;
            }
        }

        pub(super) fn read(&mut self) -> CounterReading {
            let mut counts = CounterReading([0; COUNTERS]);
            let mut add = |counter: Counter, value: u64| {
                counts.0[counter as usize] += value;
            };
            for (counter, meter) in &mut self.meters {
                let own = match counter {
                    Counter::SystemCalls => self.stops,
                    _ => 0,
                };
                add(*counter, meter.read().unwrap_or(0).saturating_sub(own));
            }
            match self.pass {
                Pass::Calls => return counts,
                Pass::Machine => return self.of_the_machine(),
                Pass::Meters => {}
            }
            let (allocations, bytes) = allocations::counted();
            add(Counter::Allocations, allocations);
            add(Counter::Bytes, bytes);
            if let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) {
                let mut spent = |counter, time: TimeVal| {
                    let micros = u64::try_from(time.num_microseconds());
                    let nanos = micros.unwrap_or(0) * 1_000;
                    add(counter, nanos);
                    add(Counter::CpuTime, nanos);
                };
                spent(Counter::UserCpuTime, usage.user_time());
                spent(Counter::SystemCpuTime, usage.system_time());
                let switches = usage.voluntary_context_switches()
                    + usage.involuntary_context_switches();
                let faults =
                    usage.minor_page_faults() + usage.major_page_faults();
                add(Counter::ContextSwitches, switches.unsigned_abs());
                add(Counter::PageFaults, faults.unsigned_abs());
            }
            counts
        }

        /// What all cores have done since this was opened, and all interrupts between them.
        fn of_the_machine(&self) -> CounterReading {
            let mut counts = CounterReading([0; COUNTERS]);
            let files = KernelFiles::of_this_computer();
            let mut set = |counter: Counter, value: u64| {
                counts.0[counter as usize] = value;
            };
            if let Some((before, now)) =
                self.idle_states.as_ref().zip(IdleStates::read(&files))
            {
                let used = now.since(before);
                set(Counter::Halts, used.halted().entries);
                set(Counter::IdlePolls, used.polled().entries);
            }
            if let Some(interrupts) = InterruptCounts::read(&files) {
                let InterruptCounts { reschedule, function_call } = interrupts;
                set(Counter::RescheduleInterrupts, reschedule);
                set(Counter::FunctionCallInterrupts, function_call);
                set(
                    Counter::InterruptsBetweenCores,
                    reschedule + function_call,
                );
            }
            counts
        }

        pub(super) fn unavailable(&self, counter: Counter) -> Option<String> {
            match counter {
                Counter::Migrations => self.no_migrations.clone(),
                Counter::Halts | Counter::IdlePolls
                    if self.idle_states.is_none() =>
                {
                    Some("the kernel counts no idle states here (no cpuidle driver)".to_owned())
                }
                Counter::RescheduleInterrupts
                | Counter::FunctionCallInterrupts
                | Counter::InterruptsBetweenCores
                    if InterruptCounts::read(
                        &KernelFiles::of_this_computer(),
                    )
                    .is_none() =>
                {
                    Some("the kernel counts no interrupts between cores here".to_owned())
                }
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
        let counters = [
            Counter::ReadCalls,
            Counter::WriteCalls,
            Counter::EpollWaitCalls,
            Counter::FutexCalls,
            Counter::IoUringEnterCalls,
            Counter::SchedYieldCalls,
        ];
        let mut meters = Vec::new();
        for counter in counters {
            let Means::Calls(calls) = counter.of().1 else { continue };
            meters.extend(calls.iter().filter_map(|(name, _)| {
                let name = format!("syscalls/sys_enter_{name}");
                Some((counter, tracepoint(&name)?))
            }));
        }
        let all = tracepoint("raw_syscalls/sys_enter");
        meters.extend(all.map(|meter| (Counter::SystemCalls, meter)));
        meters
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
