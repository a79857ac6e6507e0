//! Waits until no other program uses this machine.

use std::fmt;
use std::time::Duration;

use measurement::is_disturbed;

use crate::cpu_use::{CpuUse, Shares};
use crate::processes::Processes;

/// The length of a window. After each window, we check whether the machine was quiet.
const WINDOW: Duration = Duration::from_secs(1);

/// The number of consecutive quiet windows after which the machine is considered quiet.
const IN_A_ROW: usize = 3;

/// The outcome of waiting for a quiet machine.
#[derive(Debug, PartialEq)]
pub enum Quiet {
    /// The machine was quiet from the start.
    AtOnce,
    /// The machine became quiet after this time.
    After(Duration),
    /// The machine didn't become quiet within the limit. Holds the time we waited, and the last
    /// disturbance.
    Never(Duration, Disturbance),
    /// Unknown, since this system doesn't report who uses the machine.
    NotKnown,
}

/// The CPU time that other processes and the hypervisor took during a window, and the program
/// that used most.
#[derive(Debug, PartialEq)]
pub struct Disturbance {
    /// The shares of the machine's CPU time that other processes and the hypervisor used.
    pub shares: Shares,
    /// The name of the program that used most CPU time, and how many CPUs its processes used on
    /// average.
    pub busiest: Option<(String, f64)>,
}

/// Waits until other processes and the hypervisor haven't disturbed the machine (see
/// [`is_disturbed`]) for three seconds, or until `limit` expires. Takes three seconds on a quiet
/// machine. If the machine is quiet when the limit expires, waits two more seconds to confirm
/// that. If it isn't quiet and the limit is 0, takes one second.
///
/// If it has to wait, calls `say` once, with the name of the busiest process, if known. Doesn't
/// notice another virtual machine on the other hardware thread of a core, since the kernel
/// doesn't know about it.
pub fn wait_for_quiet(own: &CpuUse, limit: Duration, say: impl Fn(&str)) -> Quiet {
    wait(limit, say, || look(own))
}

/// Implements [`wait_for_quiet`]. Calls `look` to observe the machine for one window; `look`
/// returns the window's length and the disturbance.
fn wait(
    limit: Duration,
    say: impl Fn(&str),
    mut look: impl FnMut() -> Option<(Duration, Disturbance)>,
) -> Quiet {
    let mut waited = Duration::ZERO;
    let mut in_a_row = 0;
    let mut has_said = false;
    while in_a_row < IN_A_ROW {
        let Some((took, who)) = look() else {
            return Quiet::NotKnown;
        };
        waited += took;
        in_a_row += 1;
        if is_disturbed(who.shares.foreign, who.shares.steal) {
            in_a_row = 0;
            if waited >= limit {
                return Quiet::Never(waited, who);
            }
            if !has_said {
                has_said = true;
                let limit = seconds(limit);
                say(&format!("waiting until the machine is quiet, up to {limit}: {who}"));
            }
        }
    }
    if has_said {
        Quiet::After(waited)
    } else {
        Quiet::AtOnce
    }
}

impl fmt::Display for Quiet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quiet::AtOnce => write!(f, "quiet"),
            Quiet::After(waited) => write!(f, "quiet after {}", seconds(*waited)),
            Quiet::Never(waited, who) => write!(f, "not quiet after {}: {who}", seconds(*waited)),
            Quiet::NotKnown => write!(f, "whether others use this machine is not known"),
        }
    }
}

/// Writes, for example: others use 43.0 % of its CPU time, most of it `rustc` (0.8 of a CPU).
impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shares { foreign, steal } = self.shares;
        let is_used = is_disturbed(foreign, 0.0);
        if is_used {
            write!(f, "others use {:.1} % of its CPU time", foreign * 100.0)?;
            if let Some((name, cpus)) = &self.busiest {
                write!(f, ", most of it `{name}` ({cpus:.1} of a CPU)")?;
            }
        }
        if is_disturbed(0.0, steal) {
            let comma = if is_used { ", " } else { "" };
            write!(f, "{comma}the hypervisor keeps {:.1} %", steal * 100.0)?;
        }
        Ok(())
    }
}

fn seconds(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}

/// Observes the machine for one window. Returns the window's length and the disturbance.
fn look(own: &CpuUse) -> Option<(Duration, Disturbance)> {
    let processes = Processes::now(&own.files)?;
    let before = own.now()?;
    std::thread::sleep(WINDOW);
    let after = own.now()?;
    let took = after.at - before.at;
    let busiest = Processes::now(&own.files)?.busiest_other(&processes);
    let busiest = busiest.map(|(name, used)| (name, used / took.as_secs_f64()));
    Some((took, Disturbance { shares: after.since(&before), busiest }))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Returns a window of one second in which the machine is quiet (q), other processes are busy
    /// (b), the hypervisor takes time (s), or both disturb (a).
    fn window(kind: char) -> (Duration, Disturbance) {
        let (foreign, steal) = match kind {
            'b' => (0.43, 0.0),
            's' => (0.0, 0.03),
            'a' => (0.43, 0.03),
            _ => (0.04, 0.01),
        };
        let busiest = Some(("rustc".to_owned(), 0.8));
        (SECOND, Disturbance { shares: Shares { foreign, steal }, busiest })
    }

    #[test]
    fn it_waits_for_windows_in_a_row_and_says_so_once() {
        let busy = "others use 43.0 % of its CPU time, most of it `rustc` (0.8 of a CPU)";
        let stolen = "the hypervisor keeps 3.0 %";
        let both = format!("{busy}, {stolen}");
        let waiting = |who: &str| format!("waiting until the machine is quiet, up to {who}");
        // A test case: the limit in seconds, the kinds of windows (the last one repeats), the
        // expected outcome, and its message.
        for (limit, windows, quiet, said) in [
            (60, "q", "quiet", None),
            // A limit of 0: the machine is quiet at the first look, so the outcome doesn't
            // mention waiting.
            (0, "q", "quiet", None),
            (60, "bqqsq", "quiet after 7s", Some(format!("1m: {busy}"))),
            (60, "aq", "quiet after 4s", Some(format!("1m: {both}"))),
            (4, "bqqbs", &format!("not quiet after 4s: {busy}"), Some(format!("4s: {busy}"))),
            (0, "s", &format!("not quiet after 1s: {stolen}"), None),
            // If the machine becomes quiet just when the limit expires, it gets two more seconds
            // to confirm that.
            (2, "bq", "quiet after 4s", Some(format!("2s: {busy}"))),
            (2, "bqqb", &format!("not quiet after 4s: {busy}"), Some(format!("2s: {busy}"))),
        ] {
            let mut left = windows.chars();
            let mut current = 'q';
            let heard = RefCell::new(Vec::new());
            let found = wait(
                limit * SECOND,
                |text| heard.borrow_mut().push(text.to_owned()),
                || {
                    current = left.next().unwrap_or(current);
                    Some(window(current))
                },
            );
            assert_eq!(found.to_string(), quiet, "{windows}");
            let said: Vec<String> = said.iter().map(|who| waiting(who)).collect();
            assert_eq!(heard.into_inner(), said, "{windows}");
        }
        assert_eq!(wait(60 * SECOND, |text| panic!("{text}"), || None), Quiet::NotKnown);
    }
}
