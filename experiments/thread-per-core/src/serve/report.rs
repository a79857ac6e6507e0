//! A server's report on the resources that it has used, and its counts.

use std::collections::BTreeMap;

use harness::Counter;
use serde::{Deserialize, Serialize};

/// The system calls that a server counts if the command line asks for it.
pub(crate) const CALLS: [Counter; 6] = [
    Counter::SystemCalls,
    Counter::ReadCalls,
    Counter::WriteCalls,
    Counter::EpollWaitCalls,
    Counter::IoUringEnterCalls,
    Counter::FutexCalls,
];

/// The resources that a server has used, and its counts, since its process
/// was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The server's name, from [`Server::name`](super::Server::name).
    pub server: String,
    /// The interface that the server uses to wait:
    /// [`Interface::name`](super::Interface::name).
    pub interface: String,
    /// The time of this report, in nanoseconds of the kernel's monotonic
    /// clock.
    pub at_ns: u64,
    /// CPU time of all threads in user mode, in nanoseconds. The sum of
    /// `user_cpu_ns` and `system_cpu_ns` is exact; how the kernel divides it
    /// depends on what ran at each clock tick.
    pub user_cpu_ns: u64,
    /// CPU time of all threads in the kernel, in nanoseconds.
    pub system_cpu_ns: u64,
    /// The number of voluntary context switches: those of threads that had to
    /// wait.
    pub voluntary_switches: u64,
    /// The number of involuntary context switches: those of threads that
    /// could have continued to run.
    pub involuntary_switches: u64,
    /// The number of connections that each listener has accepted. Shows how
    /// SO_REUSEPORT distributes them.
    pub accepted: Vec<u64>,
    /// The system calls of all threads, keyed by the quantity's name. Empty
    /// if the server doesn't count them.
    pub calls: BTreeMap<String, u64>,
}

/// Returns the CPU time, context switches and system calls of this process so
/// far.
///
/// # Errors
///
/// If the system doesn't report them.
pub(crate) fn report(
    server: String,
    interface: &str,
    accepted: Vec<u64>,
) -> Result<Report, String> {
    use nix::sys::resource::{getrusage, UsageWho};
    use nix::sys::time::{TimeVal, TimeValLike};
    use nix::time::{clock_gettime, ClockId};

    let at = clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map_err(|error| format!("the time is not known: {error}"))?;
    let used = getrusage(UsageWho::RUSAGE_SELF)
        .map_err(|error| format!("the CPU time is not known: {error}"))?;
    let ns = |time: TimeVal| 1000 * time.num_microseconds().unsigned_abs();
    let counted = harness::own_calls(&CALLS).unwrap_or_default();
    let calls = CALLS.iter().zip(counted);
    let calls = calls.map(|(call, count)| (call.quantity("message"), count));
    Ok(Report {
        server,
        interface: interface.to_owned(),
        at_ns: at.num_nanoseconds().unsigned_abs(),
        user_cpu_ns: ns(used.user_time()),
        system_cpu_ns: ns(used.system_time()),
        voluntary_switches: used.voluntary_context_switches().unsigned_abs(),
        involuntary_switches: used
            .involuntary_context_switches()
            .unsigned_abs(),
        accepted,
        calls: calls.collect(),
    })
}
