//! Policies by which the kernel schedules a thread.

/// Scheduling policies that any thread may choose instead of the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchedulingPolicy {
    /// `SCHED_IDLE`: the lowest priority.
    Idle,
    /// `SCHED_BATCH`: the usual priority, but a woken thread doesn't preempt
    /// the running thread. It waits until that thread blocks or has used up
    /// its time slice.
    Batch,
}

/// Sets the policy `SCHED_BATCH` for the calling thread and the threads that
/// it starts from now on. When such a thread is woken, it doesn't preempt the
/// running thread, not even the one that woke it.
pub fn preempt_nobody() -> Result<(), String> {
    set(SchedulingPolicy::Batch)
}

#[cfg(target_os = "linux")]
pub(crate) fn set(policy: SchedulingPolicy) -> Result<(), String> {
    use nix::errno::Errno;
    use nix::libc::{sched_param, sched_setscheduler, SCHED_BATCH, SCHED_IDLE};
    let number = match policy {
        SchedulingPolicy::Idle => SCHED_IDLE,
        SchedulingPolicy::Batch => SCHED_BATCH,
    };
    let parameters = sched_param { sched_priority: 0 };
    // SAFETY: the call reads `parameters`, which outlives the call, and only
    // changes how this thread (0) is scheduled. None of our dependencies has
    // a safe wrapper for it.
    let result = unsafe { sched_setscheduler(0, number, &parameters) };
    Errno::result(result).map(drop).map_err(|error| {
        format!("threads cannot be scheduled as {policy:?} here: {error}")
    })
}

/// Fails, since systems other than Linux have no such policies.
#[cfg(not(target_os = "linux"))]
pub(crate) fn set(policy: SchedulingPolicy) -> Result<(), String> {
    Err(format!("threads are scheduled as {policy:?} on Linux only"))
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests {
    use procfs_core::process::Stat;
    use procfs_core::FromRead;

    use super::*;

    /// Returns the policy of a thread, or of the first thread of a process,
    /// by its id. `None` if there is no such thread.
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
