//! Counts events, such as system calls. Counting disturbs the work, so it is
//! done in separate processes in which nothing is timed.

use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock};

use measurement::Source;

use crate::allocations;
use crate::counter::{Counter, CounterReading, Means, Pass};
#[cfg(target_os = "linux")]
use crate::meters::{tracepoints_can_be_counted, Meters};
#[cfg(not(target_os = "linux"))]
use crate::no_meters::{tracepoints_can_be_counted, NoMeters as Meters};

/// Returns whether a tracer counts system calls. A tracer needs no
/// privileges, but stops the program at each call. If threads race, the
/// stopped one loses, so the program may make different calls. The kernel's
/// tracepoints disturb little, but need root. They are not used if
/// `HARNESS_BY_PTRACE` is set, to compare both methods.
pub(crate) fn calls_are_traced() -> bool {
    static ARE_TRACED: LazyLock<bool> = LazyLock::new(|| {
        std::env::var_os("HARNESS_BY_PTRACE").is_some()
            || !tracepoints_can_be_counted()
    });
    *ARE_TRACED
}

impl Counter {
    /// Returns the source of the counter's figures, as shown in their rows.
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
}

/// Switches on the counters of `pass` in this process. Call this first,
/// because the kernel's counters include only threads that are started
/// afterwards.
pub(crate) fn switch_on(pass: Pass) {
    METERS.get_or_init(|| {
        if pass == Pass::Meters {
            allocations::count(true);
        }
        Mutex::new(Meters::open(pass))
    });
}

/// Makes this process count its own system calls, including those of all
/// threads started from now on. This is for a server in a process of its own,
/// which another process asks for the counts. Counting slows each call, so
/// nothing is timed meanwhile.
///
/// Fails if the kernel's tracepoints cannot be read, and says what to do.
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

/// Returns what `counters` have counted since [`count_own_calls`]; `None` if
/// calls are not counted.
pub fn own_calls(counters: &[Counter]) -> Option<Vec<u64>> {
    let counts = meters()?.read();
    Some(counters.iter().map(|&counter| counts.get(counter)).collect())
}

/// Returns the reason why `counter` cannot be read here; `None` if it can.
pub(crate) fn unavailable(counter: Counter) -> Option<String> {
    meters()?.unavailable(counter)
}

static METERS: OnceLock<Mutex<Meters>> = OnceLock::new();

/// Returns the kernel's counters that this process reads; `None` if it
/// doesn't count.
fn meters() -> Option<MutexGuard<'static, Meters>> {
    Some(METERS.get()?.lock().expect("no reading panics"))
}

impl CounterReading {
    /// Reads the counters; `None` if this process doesn't count.
    pub(crate) fn before() -> Option<CounterReading> {
        let mut meters = meters()?;
        let counts = meters.read();
        meters.start();
        Some(counts)
    }

    /// Returns by how much the counters have increased since the reading
    /// `before`.
    pub(crate) fn since(before: CounterReading) -> CounterReading {
        let mut meters = meters().expect("it was read before");
        meters.stop();
        let mut counts = meters.read();
        for (count, earlier) in counts.0.iter_mut().zip(before.0) {
            *count = count.saturating_sub(earlier);
        }
        counts
    }
}
