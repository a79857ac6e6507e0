//! A server's report, in the format of thread-per-core's servers, so that
//! [`Running`](thread_per_core::serve::Running) can read it too.

use std::collections::BTreeMap;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::time::{clock_gettime, ClockId};
use thread_per_core::serve::{Interface, Report};

/// Returns a report with `counts`, and with the CPU time and context switches
/// of this process.
///
/// # Errors
///
/// If the system doesn't report CPU time and context switches.
pub(super) fn report(
    server: &str,
    counts: BTreeMap<String, u64>,
) -> nix::Result<Report> {
    let at = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
    let used = getrusage(UsageWho::RUSAGE_SELF)?;
    let ns = |time: TimeVal| 1000 * time.num_microseconds().unsigned_abs();
    Ok(Report {
        server: server.to_owned(),
        interface: Interface::Epoll.name().to_owned(),
        at_ns: at.num_nanoseconds().unsigned_abs(),
        user_cpu_ns: ns(used.user_time()),
        system_cpu_ns: ns(used.system_time()),
        voluntary_switches: used.voluntary_context_switches().unsigned_abs(),
        involuntary_switches: used
            .involuntary_context_switches()
            .unsigned_abs(),
        accepted: Vec::new(),
        // The servers of thread-per-core report their system call counts in
        // this map.
        calls: counts,
    })
}
