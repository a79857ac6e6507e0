//! What something costs: time on the wall, and CPU time of the processes that it starts.

use std::fmt;
use std::time::{Duration, Instant};

/// A cost.
pub(crate) struct Cost {
    /// Time on the wall.
    wall: Duration,
    /// CPU time, in user and kernel mode, of processes that have ended; none where the system does not
    /// tell.
    cpu: Option<Duration>,
}

impl Cost {
    /// What `work` costs, and what it gives.
    pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (Cost, T) {
        let (start, before) = (Instant::now(), of_children());
        let done = work();
        let cpu = of_children().zip(before).map(|(after, before)| after.saturating_sub(before));
        (Cost { wall: start.elapsed(), cpu }, done)
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:7.1} s", self.wall.as_secs_f64())?;
        match self.cpu {
            Some(cpu) => write!(f, " {:7.1} CPU s", cpu.as_secs_f64()),
            None => Ok(()),
        }
    }
}

/// The CPU time of all child processes, and theirs, that have ended.
#[cfg(unix)]
fn of_children() -> Option<Duration> {
    use nix::sys::resource::{getrusage, UsageWho};
    use nix::sys::time::TimeValLike;
    let used = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let microseconds = (used.user_time() + used.system_time()).num_microseconds();
    Some(Duration::from_micros(microseconds.try_into().ok()?))
}

#[cfg(not(unix))]
fn of_children() -> Option<Duration> {
    None
}
