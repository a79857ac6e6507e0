//! Programs that keep the cores awake while a benchmark runs.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;

use host::cores;

use crate::scheduling_policy::{self, SchedulingPolicy};

/// Programs that spin while a benchmark runs, one on each core that this
/// process may use. They keep every core awake, so the measured time doesn't
/// include waking a core.
///
/// Spinners are separate processes. If they were threads of this process, its
/// memory would be in use on every core, and each unmapping by the benchmark
/// would interrupt all cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spinners {
    /// The lowest priority (`SCHED_IDLE`). A spinner with this priority
    /// yields its core to any other thread at once, and takes no time from
    /// the benchmark.
    Idle,
    /// The same priority as the benchmark, so the benchmark shares its cores
    /// with the spinners.
    Normal,
}

/// A shell script that prints an empty line and then spins as long as the
/// process with the given id lives, so that no spinner outlives the process
/// that started it. Avoids the processor's pause hint, which a hypervisor may
/// take as an offer to give the core away.
const SPIN: &str = "echo
    while kill -0 $1; do
        i=0
        while [ $i -lt 100000 ]; do i=$((i + 1)); done
    done";

impl Spinners {
    /// Starts the spinners. When this function returns, they are spinning on
    /// all cores, and continue until the result is dropped.
    ///
    /// Fails, with the reason, if a spinner can't be pinned or can't have its
    /// priority here.
    pub(crate) fn start(self) -> Result<Spinning, String> {
        let mut spinning = Spinning { programs: Vec::new() };
        for place in 0..cores::usable()?.len() {
            // A process inherits the core and the policy of the thread that
            // starts it.
            let starter = thread::spawn(move || self.start_one(place));
            let program = starter.join().expect("starting does not panic")?;
            spinning.programs.push(program);
        }
        for program in &mut spinning.programs {
            let said = program.stdout.as_mut().expect("it is piped");
            said.read_exact(&mut [0]).map_err(in_words)?;
        }
        Ok(spinning)
    }

    fn start_one(self, place: usize) -> Result<Child, String> {
        cores::pin_this_thread(place)?;
        match self {
            Spinners::Idle => scheduling_policy::set(SchedulingPolicy::Idle)?,
            Spinners::Normal => {}
        }
        Command::new("sh")
            .args(["-c", SPIN, "spinner", &std::process::id().to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(in_words)
    }
}

fn in_words(error: std::io::Error) -> String {
    format!("a spinner, by the shell, cannot be started: {error}")
}

/// Running spinners, that is, programs that keep the cores awake. Dropping
/// this value ends them.
pub(crate) struct Spinning {
    programs: Vec<Child>,
}

impl Drop for Spinning {
    fn drop(&mut self) {
        for program in &mut self.programs {
            drop(program.kill());
            drop(program.wait());
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::scheduling_policy::tests::policy_of;

    #[test]
    fn there_is_one_on_each_core_while_they_live() {
        let cores = cores::usable().unwrap();
        for (spinners, policy) in [(Spinners::Idle, 5), (Spinners::Normal, 0)] {
            let spinning = spinners.start().unwrap();
            let ids: Vec<u32> =
                spinning.programs.iter().map(Child::id).collect();
            let found = ids.iter().map(|&id| policy_of(id));
            assert!(found.eq(vec![Some(policy); cores.len()]));
            drop(spinning);
            assert!(ids.iter().all(|&id| policy_of(id).is_none()));
        }
    }

    #[test]
    fn they_do_not_outlive_who_started_them() {
        let starts_one = format!("sh -c '{SPIN}' spinner $$ &");
        let mut starter = Command::new("sh")
            .args(["-c", &starts_one])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        starter.wait().unwrap();
        // The spinner also holds the pipe, so reading ends when the spinner
        // exits.
        let said = std::io::read_to_string(starter.stdout.unwrap());
        assert_eq!(said.unwrap(), "\n");
    }
}
