//! Counting, in separate processes: it disturbs the counted work, so no time is
//! taken there.

use std::sync::{LazyLock, Mutex, MutexGuard, OnceLock};

use measurement::Source;

use crate::allocations;
use crate::counter::{Counter, CounterReading, Means, Pass};
#[cfg(target_os = "linux")]
use crate::meters::{tracepoints_can_be_counted, Meters};
#[cfg(not(target_os = "linux"))]
use crate::no_meters::{tracepoints_can_be_counted, NoMeters as Meters};

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

impl Counter {
    /// Returns the source of its rows.
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
}
