//! Scheduling policies: how the kernel schedules a thread.

/// A scheduling policy other than the usual one, which every thread may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchedulingPolicy {
    /// `SCHED_IDLE`: the lowest priority.
    Idle,
    /// `SCHED_BATCH`: the usual priority, but a woken thread waits until the
    /// running one blocks or has used up its time.
    Batch,
}

/// Sets the policy `SCHED_BATCH` for the calling thread and the threads that it
/// will start: when such a thread is woken, it doesn't preempt the running
/// thread, not even the one that woke it.
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
    // SAFETY: the call reads `parameters`, which outlives it, and only changes
    // the scheduling of this thread (0). None of our dependencies has a safe
    // wrapper.
    let result = unsafe { sched_setscheduler(0, number, &parameters) };
    Errno::result(result).map(drop).map_err(|error| {
        format!("threads cannot be scheduled as {policy:?} here: {error}")
    })
}

/// Other systems have no such policies.
#[cfg(not(target_os = "linux"))]
pub(crate) fn set(policy: SchedulingPolicy) -> Result<(), String> {
    Err(format!("threads are scheduled as {policy:?} on Linux only"))
}

#[cfg(all(test, target_os = "linux"))]
pub(crate) mod tests {
    use procfs_core::process::Stat;
    use procfs_core::FromRead;

    use super::*;

    /// Returns the policy of a thread, or of the first thread of a process, by
    /// its id; `None` if it doesn't exist.
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
