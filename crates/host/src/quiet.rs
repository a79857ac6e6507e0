//! Waiting until no other program uses the machine.

use std::fmt;
use std::time::Duration;

use measurement::is_disturbed;

use crate::cpu_use::{CpuUse, Shares};
use crate::processes::Processes;

/// The length of a window, after which it is known whether the machine was quiet.
const WINDOW: Duration = Duration::from_secs(1);

/// The machine is quiet after this many quiet windows in a row.
const IN_A_ROW: usize = 3;

/// The outcome of waiting.
#[derive(Debug, PartialEq)]
pub enum Quiet {
    /// It was quiet from the start.
    AtOnce,
    /// It became quiet after this time.
    After(Duration),
    /// It didn't become quiet within the limit: how long we waited, and who used it last.
    Never(Duration, Disturbance),
    /// The use of the machine can't be seen here.
    NotKnown,
}

/// The use of the machine by others during a window.
#[derive(Debug, PartialEq)]
pub struct Disturbance {
    /// The shares of its CPU time.
    pub shares: Shares,
    /// The name under which other processes computed most, and how many CPUs they used.
    pub busiest: Option<(String, f64)>,
}

/// Waits until [`is_disturbed`] has seen no disturbance by other processes or the hypervisor for
/// three seconds, or until `limit` expires. Takes three seconds on a quiet machine, and one if it
/// is not quiet and the limit is 0. If the machine is getting quiet when the limit is reached, it
/// waits two more seconds.
///
/// Reports by `say`, once, that it waits and, if known, for whom. Another guest on the other
/// hardware thread of a core isn't seen: the kernel doesn't know about it.
pub fn wait_for_quiet(own: &CpuUse, limit: Duration, say: impl Fn(&str)) -> Quiet {
    wait(limit, say, || look(own))
}

/// The same, with a function that observes one window and returns its length and the disturbance in
/// it.
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

/// For example: others use 43.0 % of its CPU time, most of it `rustc` (0.8 of a CPU).
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

/// Observes one window.
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

    /// A second that is quiet (q), in which other processes are busy (b), or the hypervisor takes
    /// time (s).
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
        // The patience in seconds, the windows (the last one repeats), the outcome, and the report.
        for (limit, windows, quiet, said) in [
            (60, "q", "quiet", None),
            // A single look doesn't count as waiting.
            (0, "q", "quiet", None),
            (60, "bqqsq", "quiet after 7s", Some(format!("1m: {busy}"))),
            (60, "aq", "quiet after 4s", Some(format!("1m: {both}"))),
            (4, "bqqbs", &format!("not quiet after 4s: {busy}"), Some(format!("4s: {busy}"))),
            (0, "s", &format!("not quiet after 1s: {stolen}"), None),
            // A machine that is getting quiet at the limit gets the chance.
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
