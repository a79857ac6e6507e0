//! Threads that keep the cores awake while a cell runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc};
use std::thread::{self, JoinHandle};

use crate::placement;
use crate::policy::{self, Policy};

/// Threads that do nothing and never rest, one on each core that this process may
/// use, while a cell runs. With them no core goes to sleep, so that waking one is
/// no part of the cell's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spinners {
    /// Of the lowest priority (`SCHED_IDLE`): they make way at once for whatever
    /// else wants their core, and take none from the cell.
    Idle,
    /// Of the same priority as the cell, with which they share the cores.
    Normal,
}

impl Spinners {
    /// Starts them. They spin on all cores when this returns, and until what it
    /// returns is dropped.
    ///
    /// # Errors
    ///
    /// If they cannot have their core or their priority here, with the reason.
    pub(crate) fn start(self) -> Result<Spinning, String> {
        let mut spinning =
            Spinning { stop: Arc::default(), threads: Vec::new() };
        let (says, ready) = mpsc::channel();
        for place in 0..placement::cores()?.len() {
            let (stop, says) = (spinning.stop.clone(), says.clone());
            let body = move || {
                let set_up = self.set_up(place);
                let go_on = set_up.is_ok();
                drop(says.send(set_up));
                drop(says);
                // Without the processor's hint that this is waiting: a
                // hypervisor may take it as an offer to give the core away.
                while go_on && !stop.load(Ordering::Relaxed) {}
            };
            let builder = thread::Builder::new().name("spinner".to_owned());
            let started = builder.spawn(body);
            spinning.threads.push(started.map_err(|error| error.to_string())?);
        }
        drop(says);
        ready.iter().collect::<Result<(), String>>()?;
        Ok(spinning)
    }

    fn set_up(self, place: usize) -> Result<(), String> {
        placement::pin_this_thread(place)?;
        match self {
            Spinners::Idle => policy::set(Policy::Idle),
            Spinners::Normal => Ok(()),
        }
    }
}

/// Spinners at work: they end when this is dropped.
pub(crate) struct Spinning {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Drop for Spinning {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// The scheduling policy of each spinner of this process.
    fn policies() -> Vec<u64> {
        let tasks = procfs::process::Process::myself().unwrap().tasks();
        let stats = tasks.unwrap().flatten().flat_map(|task| task.stat());
        stats
            .filter(|stat| stat.comm == "spinner")
            .map(|stat| stat.policy.unwrap().into())
            .collect()
    }

    #[test]
    fn there_is_one_on_each_core_while_they_live() {
        let cores = placement::cores().unwrap().len();
        for (spinners, policy) in [(Spinners::Idle, 5), (Spinners::Normal, 0)] {
            let spinning = spinners.start().unwrap();
            assert_eq!(policies(), vec![policy; cores]);
            drop(spinning);
            assert!(policies().is_empty());
        }
    }
}
