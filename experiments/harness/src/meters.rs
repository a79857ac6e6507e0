//! Counts events in this process on Linux, by `getrusage`, by
//! `perf_event_open`, and by the kernel's counts for the whole machine.

use host::idle::{IdleStates, InterruptCounts};
use host::kernel_files::KernelFiles;
use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeValLike;
use perf_event::events::{Event, Software, Tracepoint};
use perf_event::Builder;
use recorder::tracefs;

use crate::allocations;
use crate::counter::{Counter, CounterReading, Means, Pass, COUNTERS};

pub(crate) struct Meters {
    pass: Pass,
    /// The perf events that count migrations or system calls. The one for all
    /// calls is last, so that it doesn't count the calls that switch the
    /// others on.
    meters: Vec<(Counter, perf_event::Counter)>,
    /// The reason why migrations can't be counted, if opening their counter
    /// failed.
    no_migrations: Option<String>,
    /// How often the counter of all system calls has been switched off.
    /// Switching it off takes one system call, which the counter includes.
    stops: u64,
    /// The kernel's counts of idle states at the start, or `None` if the
    /// kernel has no such counts.
    idle_states: Option<IdleStates>,
}

impl Meters {
    pub(crate) fn open(pass: Pass) -> Meters {
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

    pub(crate) fn start(&mut self) {
        if self.pass == Pass::Calls {
            for (_, meter) in &mut self.meters {
                meter.enable().expect("what was built can be switched on");
            }
        }
    }

    pub(crate) fn stop(&mut self) {
        if self.pass == Pass::Calls {
            for (_, meter) in self.meters.iter_mut().rev() {
                meter.disable().expect("what was built can be switched off");
            }
            self.stops += 1;
        }
    }

    pub(crate) fn read(&mut self) -> CounterReading {
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
            let spent = usage.user_time() + usage.system_time();
            let micros = u64::try_from(spent.num_microseconds()).unwrap_or(0);
            add(Counter::CpuTime, micros * 1_000);
            let switches = usage.voluntary_context_switches()
                + usage.involuntary_context_switches();
            let faults = usage.minor_page_faults() + usage.major_page_faults();
            add(Counter::ContextSwitches, switches.unsigned_abs());
            add(Counter::PageFaults, faults.unsigned_abs());
        }
        counts
    }

    /// Returns how often cores have halted and how often they have polled
    /// since the start, and the total number of interrupts between cores.
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
            set(Counter::Halts, used.halted.entries);
            set(Counter::IdlePolls, used.polled.entries);
        }
        if let Some(interrupts) = InterruptCounts::read(&files) {
            let InterruptCounts { reschedule, function_call } = interrupts;
            set(Counter::RescheduleInterrupts, reschedule);
            set(Counter::FunctionCallInterrupts, function_call);
            set(Counter::InterruptsBetweenCores, reschedule + function_call);
        }
        counts
    }

    pub(crate) fn unavailable(&self, counter: Counter) -> Option<String> {
        match counter {
            Counter::Migrations => self.no_migrations.clone(),
            Counter::Halts | Counter::IdlePolls
                if self.idle_states.is_none() =>
            {
                Some(
                    "the kernel counts no idle states here (no cpuidle driver)"
                        .to_owned(),
                )
            }
            Counter::RescheduleInterrupts
            | Counter::FunctionCallInterrupts
            | Counter::InterruptsBetweenCores
                if InterruptCounts::read(&KernelFiles::of_this_computer())
                    .is_none() =>
            {
                Some(
                    "the kernel counts no interrupts between cores here"
                        .to_owned(),
                )
            }
            _ => None,
        }
    }
}

/// Counts migrations of this process and of all threads that it starts.
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

/// Opens a counter for each system call that is counted by name, and one for
/// all calls. Leaves out names that this kernel doesn't have.
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

/// Opens a counter for a kernel event in this process and in all threads that
/// it starts.
fn follow(event: impl Event) -> std::io::Result<perf_event::Counter> {
    Builder::new(event).inherit(true).include_kernel().build()
}

/// Opens a counter for one of the kernel's tracepoints; `None` if that isn't
/// allowed.
fn tracepoint(name: &str) -> Option<perf_event::Counter> {
    let id = tracefs::read(name, "id")?.trim().parse().ok()?;
    follow(Tracepoint::with_id(id)).ok()
}

pub(crate) fn tracepoints_can_be_counted() -> bool {
    tracepoint("raw_syscalls/sys_enter").is_some()
}
