//! Scheduling policies: how the kernel schedules a thread.

/// A policy other than the usual one, which every thread may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchedulingPolicy {
    /// `SCHED_IDLE`: the lowest priority that there is.
    Idle,
    /// `SCHED_BATCH`: the usual priority, but a thread that is woken waits until
    /// the running one blocks, or has used up its time.
    Batch,
}

/// Makes the calling thread one that, when it is woken, does not preempt the
/// thread that is running, not even the one that has woken it (`SCHED_BATCH`).
/// The threads that it starts are like it.
pub fn preempt_nobody() -> Result<(), String> {
    set(SchedulingPolicy::Batch)
}

/// Sets the calling thread's policy.
#[cfg(target_os = "linux")]
pub(crate) fn set(policy: SchedulingPolicy) -> Result<(), String> {
    use nix::errno::Errno;
    use nix::libc::{sched_param, sched_setscheduler, SCHED_BATCH, SCHED_IDLE};
    let number = match policy {
        SchedulingPolicy::Idle => SCHED_IDLE,
        SchedulingPolicy::Batch => SCHED_BATCH,
    };
    let parameters = sched_param { sched_priority: 0 };
    // SAFETY: the call reads `parameters`, which outlives it, and changes how
    // this thread (0) is scheduled. No crate here has a safe form of it.
    let result = unsafe { sched_setscheduler(0, number, &parameters) };
    Errno::result(result).map(drop).map_err(|error| {
        format!("threads cannot be scheduled as {policy:?} here: {error}")
    })
}

/// Elsewhere there are no such policies.
#[cfg(not(target_os = "linux"))]
pub(crate) fn set(policy: SchedulingPolicy) -> Result<(), String> {
    Err(format!("threads are scheduled as {policy:?} on Linux only"))
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests {
    use procfs_core::process::Stat;
    use procfs_core::FromRead;

    use super::*;

    /// How a thread, or the first thread of a process, is scheduled, by its id;
    /// none if there is none.
    pub(crate) fn policy_of(id: u32) -> Option<u32> {
        let stat = Stat::from_file(format!("/proc/{id}/stat"));
        stat.ok()?.policy
    }

    #[test]
    fn a_thread_that_preempts_nobody_is_a_batch_thread() {
        let policy = std::thread::spawn(|| {
            preempt_nobody().unwrap();
            policy_of(nix::unistd::gettid().as_raw().unsigned_abs())
        });
        assert_eq!(policy.join().unwrap(), Some(3));
    }
}
