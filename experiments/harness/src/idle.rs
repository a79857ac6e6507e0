//! How idle cores wait while a benchmark runs: as the machine is set up, or
//! by polling.
//!
//! A polling core looks for work all the time, and another core gives it work
//! by a store to memory. A halted core has to be woken by an interrupt. PM
//! QoS makes all idle cores poll while a process holds `/dev/cpu_dma_latency`
//! open and has written a latency of 0 to it:
//! `Documentation/power/pm_qos_interface.rst`.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use host::cores::{pin_this_thread, usable};
use host::idle::{Counted, IdleStates};
use host::idle_settings::IdleSettings;
use host::kernel_files::KernelFiles;

const DEVICE: &str = "/dev/cpu_dma_latency";

/// How long it may take until idle cores wait differently. After a request to
/// poll has ended, `haltpoll` still remembers how long to poll, and shortens
/// this only when a core halts. When a request begins, a core whose
/// hypervisor keeps it waiting still has to leave its halt.
const UNTIL_THEY_DO: Duration = Duration::from_secs(3);

/// A sleep longer than `haltpoll` ever polls: it polls for at most one tick
/// of the kernel's clock.
const LONGER_THAN_A_TICK: Duration = Duration::from_millis(12);
const SHORT_SLEEP: Duration = Duration::from_micros(200);

/// How idle cores wait while a benchmark runs. This is the parameter `idle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Idle cores wait in the machine's default way.
    Default,
    /// Idle cores poll for work and never halt. This needs write access to
    /// `/dev/cpu_dma_latency`, which only root has.
    Polls,
}

impl Idle {
    /// Returns the value of the parameter `idle` for this choice.
    pub fn name(self) -> &'static str {
        match self {
            Idle::Default => "default",
            Idle::Polls => "polls",
        }
    }

    /// Makes idle cores poll or halt as chosen, until the result is dropped.
    /// Returns once all of them do.
    ///
    /// Fails, with the reason, if this isn't possible here.
    pub(crate) fn take(self) -> Result<Idling, String> {
        let files = KernelFiles::of_this_computer();
        let request = match self {
            Idle::Default => None,
            Idle::Polls => {
                // Without a cpuidle driver, the kernel would accept the
                // request to poll, but it would have no effect.
                IdleStates::read(&files)
                    .ok_or("the kernel has no idle states here to choose from (no cpuidle driver)")?;
                Some(ask_to_poll(Path::new(DEVICE))?)
            }
        };
        if self == Idle::Polls || never_polls() {
            self.until_all_cores_do()?;
        }
        let before = IdleStates::read(&files);
        Ok(Idling { idle: self, before, _request: request })
    }

    fn until_all_cores_do(self) -> Result<(), String> {
        let places = usable()?.len();
        thread::scope(|scope| {
            let settled: Vec<_> = (0..places)
                .map(|place| scope.spawn(move || self.until_a_core_does(place)))
                .collect();
            settled.into_iter().try_for_each(|core| {
                core.join().expect("reading counters does not panic")
            })
        })
    }

    /// Waits until the core at index `place` polls or halts as chosen, while
    /// this thread sleeps on it. The core halves its polling time whenever it
    /// has polled in vain and halted.
    fn until_a_core_does(self, place: usize) -> Result<(), String> {
        pin_this_thread(place)?;
        let files = KernelFiles::of_this_computer();
        let core = usable()?[place];
        let counted = || {
            let states = IdleStates::read(&files)?;
            let (mut polled, mut halts) = (Counted::default(), 0);
            for (_, state) in states.of_cores().filter(|(cpu, _)| *cpu == core)
            {
                if state.polls {
                    polled = state.counted;
                } else {
                    halts += state.counted.entries;
                }
            }
            Some((polled, halts))
        };
        let (mut sleep, began) = (SHORT_SLEEP, Instant::now());
        let (mut before, mut in_a_row) = (counted(), 0);
        loop {
            thread::sleep(sleep);
            let now = counted();
            let (Some((earlier, halts_then)), Some((later, halts))) =
                (before, now)
            else {
                return Ok(());
            };
            let (polled, halted) =
                (later.entries > earlier.entries, halts > halts_then);
            // A core that other programs keep busy neither polls nor halts.
            in_a_row = match self {
                Idle::Default if polled => 0,
                Idle::Polls if halted => 0,
                Idle::Default | Idle::Polls if polled || halted => in_a_row + 1,
                Idle::Default | Idle::Polls => in_a_row,
            };
            // A core that polls also halts once it has polled in vain, so a
            // single observation isn't enough.
            if in_a_row == 3 {
                return Ok(());
            }
            if began.elapsed() > UNTIL_THEY_DO {
                return Err(match self {
                    Idle::Default => format!(
                        "idle cores poll, which they do here only if asked to, or have no time to halt: \
                         does another process hold {DEVICE}, or keep the cores busy?"
                    ),
                    Idle::Polls => {
                        "idle cores were asked to poll and halt all the same, or have no time to: \
                         does another process keep the cores busy?"
                            .to_owned()
                    }
                });
            }
            let while_asleep =
                Duration::from_micros(later.time_us - earlier.time_us);
            // If the core polled until the end of the sleep, it did not halt.
            sleep = match self {
                Idle::Polls => SHORT_SLEEP,
                Idle::Default if while_asleep * 2 > sleep => {
                    LONGER_THAN_A_TICK.min(sleep * 4)
                }
                Idle::Default => SHORT_SLEEP.max(while_asleep * 3),
            };
            before = now;
        }
    }
}

/// Makes idle cores poll while the returned file is open.
fn ask_to_poll(device: &Path) -> Result<File, String> {
    let name = device.display();
    let mut file = OpenOptions::new().write(true).open(device).map_err(|error| {
        format!("{name} cannot be opened, by which idle cores are asked to poll ({error}): run as root, outside of a container")
    })?;
    let latency: i32 = 0;
    file.write_all(&latency.to_ne_bytes()).map_err(|error| {
        format!("{name} refuses a latency of 0, by which idle cores are asked to poll: {error}")
    })?;
    Ok(file)
}

/// A guard that makes idle cores wait in the chosen way until it is dropped.
pub(crate) struct Idling {
    idle: Idle,
    before: Option<IdleStates>,
    _request: Option<File>,
}

impl Idling {
    /// Checks that idle cores have polled or halted as chosen since
    /// [`Idle::take`].
    pub(crate) fn check(&self) -> Result<(), String> {
        let files = KernelFiles::of_this_computer();
        let (Some(before), Some(now)) =
            (&self.before, IdleStates::read(&files))
        else {
            return Ok(());
        };
        let used = now.since(before);
        let (polled, halted) = (used.polled.entries, used.halted.entries);
        match self.idle {
            Idle::Polls if halted > 0 => Err(format!(
                "idle cores were to poll and halted all the same, {halted} times"
            )),
            Idle::Default if polled > 0 && never_polls() => Err(format!(
                "idle cores polled {polled} times, which they do here only if asked to: \
                 does another process hold {DEVICE}?"
            )),
            Idle::Default | Idle::Polls => Ok(()),
        }
    }
}

/// Returns whether idle cores poll only on request here: the driver is
/// `haltpoll`, with a limit of 0 ns.
fn never_polls() -> bool {
    let settings = IdleSettings::read(&KernelFiles::of_this_computer());
    let limit = settings.haltpoll.get("guest_halt_poll_ns");
    settings.driver.as_deref() == Some("haltpoll")
        && limit.is_some_and(|limit| limit == "0")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_cannot_be_made_says_why() {
        let there_is_none = ask_to_poll(Path::new("/dev/no_such_latency"));
        let refused = ask_to_poll(Path::new("/dev/full"));
        for (asked, says) in [
            (there_is_none, "cannot be opened"),
            (refused, "refuses a latency of 0"),
        ] {
            let reason = asked.unwrap_err();
            assert!(
                reason.starts_with("/dev/") && reason.contains(says),
                "{reason}"
            );
        }
    }

    /// If the machine accepts the request to poll, all cores poll until the
    /// request is withdrawn, and then halt again.
    #[test]
    fn cores_poll_while_they_are_asked_to() {
        match Idle::Polls.take() {
            Err(reason) => eprintln!("skipped: {reason}"),
            Ok(idling) => {
                thread::sleep(Duration::from_millis(20));
                assert_eq!(idling.check(), Ok(()));
                drop(idling);
                match Idle::Default.take() {
                    // The request can fail because another process requests
                    // polling, or keeps a core too busy to halt.
                    Err(reason) => eprintln!("skipped: {reason}"),
                    Ok(idling) => {
                        thread::sleep(Duration::from_millis(5));
                        assert_eq!(idling.check(), Ok(()));
                    }
                }
            }
        }
    }
}
