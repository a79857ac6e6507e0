//! Waiting until nobody else uses the machine.

use std::fmt;
use std::time::Duration;

use measurement::is_disturbed;

use crate::cpu_use::{CpuUse, Shares};
use crate::processes::Processes;

/// For so long it is looked, then said whether it was quiet.
const WINDOW: Duration = Duration::from_secs(1);

/// So many windows in a row are quiet before the machine is.
const IN_A_ROW: usize = 3;

/// What became of waiting.
#[derive(Debug, Clone, PartialEq)]
pub enum Quiet {
    /// It was quiet from the first look on.
    AtOnce,
    /// It became quiet, after so long.
    After(Duration),
    /// It did not become so until the limit: how long it was looked, and who used it last.
    Never(Duration, Disturbance),
    /// It cannot be seen here.
    NotKnown,
}

/// Who used the machine for a moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Disturbance {
    /// How its CPU time was shared out.
    pub shares: Shares,
    /// The name under which others computed most, and how many CPUs that took.
    pub busiest: Option<(String, f64)>,
}

/// What was seen in a window.
struct Watched {
    took: Duration,
    who: Disturbance,
}

/// Waits until, for three seconds, others used so little of the machine's CPU time
/// and the hypervisor kept so little of it that [`is_disturbed`] does not mind; or
/// until `limit` is over. It takes three seconds if it is quiet, and one if it is
/// not and the limit is 0; where it is getting quiet at the limit, two more.
///
/// Says by `say` that it waits, once, and for whom if that can be seen. What another
/// guest does on the other hardware thread of a core is not seen by this: the kernel
/// does not know.
pub fn wait_for_quiet(own: &CpuUse, limit: Duration, say: impl Fn(&str)) -> Quiet {
    wait(limit, say, || look(own))
}

fn wait(limit: Duration, say: impl Fn(&str), mut look: impl FnMut() -> Option<Watched>) -> Quiet {
    let mut waited = Duration::ZERO;
    let mut in_a_row = 0;
    let mut has_said = false;
    while in_a_row < IN_A_ROW {
        let Some(Watched { took, who }) = look() else {
            return Quiet::NotKnown;
        };
        waited += took;
        if !is_disturbed(who.shares.foreign, who.shares.steal) {
            in_a_row += 1;
            continue;
        }
        in_a_row = 0;
        if waited >= limit {
            return Quiet::Never(waited, who);
        }
        if !has_said {
            has_said = true;
            say(&format!("waiting until the machine is quiet, up to {}: {who}", seconds(limit)));
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
            Quiet::Never(waited, who) => {
                write!(f, "not quiet after {}: {who}", seconds(*waited))
            }
            Quiet::NotKnown => write!(f, "whether others use this machine is not known"),
        }
    }
}

/// For example: others use 43.0 % of its CPU time, most of it `rustc` (0.8 of a CPU).
impl fmt::Display for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shares { foreign, steal } = self.shares;
        let mut words = Vec::new();
        if is_disturbed(foreign, 0.0) {
            let others = format!("others use {:.1} % of its CPU time", foreign * 100.0);
            let most = self.busiest.as_ref();
            let most =
                most.map(|(name, cpus)| format!(", most of it `{name}` ({cpus:.1} of a CPU)"));
            words.push(others + &most.unwrap_or_default());
        }
        if is_disturbed(0.0, steal) {
            words.push(format!("the hypervisor keeps {:.1} %", steal * 100.0));
        }
        write!(f, "{}", words.join(", "))
    }
}

fn seconds(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}

/// Looks for a window.
fn look(own: &CpuUse) -> Option<Watched> {
    let processes = Processes::now(own.files());
    let before = own.now()?;
    std::thread::sleep(WINDOW);
    let after = own.now()?;
    let took = after.elapsed_since(&before);
    let busiest = processes.zip(Processes::now(own.files()));
    let busiest = busiest.and_then(|(earlier, now)| now.busiest_other(&earlier));
    let busiest = busiest.filter(|(_, used)| !used.is_zero());
    let busiest = busiest.map(|(name, used)| (name, used.as_secs_f64() / took.as_secs_f64()));
    Some(Watched { took, who: Disturbance { shares: after.since(&before), busiest } })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::kernel_files::KernelFiles;

    const QUIET: (f64, f64) = (0.04, 0.01);
    const BUSY: (f64, f64) = (0.43, 0.0);
    const STOLEN: (f64, f64) = (0.0, 0.03);

    /// What becomes of it, and what is said, if each window of a second shows
    /// these shares, the last for ever.
    fn waited(limit: u64, windows: &[(f64, f64)]) -> (Quiet, Vec<String>) {
        let mut left = windows.iter();
        let mut current = QUIET;
        let said = RefCell::new(Vec::new());
        let quiet = wait(
            Duration::from_secs(limit),
            |text| said.borrow_mut().push(text.to_owned()),
            || {
                current = left.next().copied().unwrap_or(current);
                Some(Watched { took: Duration::from_secs(1), who: who(current) })
            },
        );
        (quiet, said.into_inner())
    }

    fn who((foreign, steal): (f64, f64)) -> Disturbance {
        Disturbance { shares: Shares { foreign, steal }, busiest: Some(("rustc".to_owned(), 0.8)) }
    }

    fn after(seconds: u64) -> Quiet {
        Quiet::After(Duration::from_secs(seconds))
    }

    fn never(seconds: u64, shares: (f64, f64)) -> Quiet {
        Quiet::Never(Duration::from_secs(seconds), who(shares))
    }

    #[test]
    fn a_quiet_machine_is_quiet_after_three_windows_and_nothing_is_said() {
        assert_eq!(waited(60, &[QUIET]), (Quiet::AtOnce, vec![]));
        // Looking is no waiting.
        assert_eq!(waited(0, &[QUIET]), (Quiet::AtOnce, vec![]));
    }

    #[test]
    fn it_waits_for_windows_in_a_row_and_says_so_once() {
        let windows = [BUSY, QUIET, QUIET, STOLEN, QUIET];
        let (quiet, said) = waited(60, &windows);
        assert_eq!(quiet, after(7));
        assert_eq!(quiet.to_string(), "quiet after 7s");
        assert_eq!(
            said,
            ["waiting until the machine is quiet, up to 1m: others use 43.0 % of its CPU time, most of it `rustc` (0.8 of a CPU)"]
        );
    }

    #[test]
    fn a_machine_that_is_never_quiet_is_waited_for_until_the_limit() {
        let (quiet, said) = waited(4, &[BUSY, QUIET, QUIET, BUSY, STOLEN]);
        assert_eq!(quiet, never(4, BUSY));
        assert_eq!(said.len(), 1);
        assert!(quiet.to_string().starts_with("not quiet after 4s: others use"), "{quiet}");
        let (quiet, said) = waited(0, &[STOLEN]);
        assert_eq!(quiet, never(1, STOLEN));
        assert!(said.is_empty(), "{said:?}");
        assert_eq!(quiet.to_string(), "not quiet after 1s: the hypervisor keeps 3.0 %");
    }

    #[test]
    fn what_is_getting_quiet_at_the_limit_may_become_so() {
        assert_eq!(waited(2, &[BUSY, QUIET]).0, after(4));
        let relapsing = [BUSY, QUIET, QUIET, BUSY];
        assert_eq!(waited(2, &relapsing).0, never(4, BUSY));
    }

    #[test]
    fn where_nothing_is_seen_nothing_is_waited_for() {
        let limit = Duration::from_secs(60);
        let quiet = wait(limit, |text| panic!("{text}"), || None);
        assert_eq!(quiet, Quiet::NotKnown);
    }

    /// Whether this machine is quiet is not for a test to say.
    #[test]
    fn this_machine_is_looked_at_without_waiting() {
        let own = CpuUse::by_the_process_tree(KernelFiles::of_this_computer());
        let can_be_seen = own.now().is_some();
        match wait_for_quiet(&own, Duration::ZERO, |text| panic!("{text}")) {
            Quiet::AtOnce => assert!(can_be_seen),
            Quiet::Never(took, _) => assert!(took >= WINDOW, "{took:?}"),
            Quiet::NotKnown => assert!(!can_be_seen),
            Quiet::After(took) => panic!("waited for {took:?}"),
        }
    }
}
