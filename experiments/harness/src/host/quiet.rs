//! Waiting until nobody else uses the machine.

use std::time::Duration;

use measurement::is_disturbed;

use super::own_use::{OwnUse, Shares};

/// For so long it is looked, then said whether it was quiet.
const WINDOW: Duration = Duration::from_secs(1);

/// So many windows in a row are quiet before the machine is.
const IN_A_ROW: usize = 3;

/// What became of waiting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Quiet {
    /// It is quiet; looking took so long.
    After(Duration),
    /// It was not until the limit, which was so long ago.
    Never(Duration),
    /// It cannot be seen here.
    NotKnown,
}

/// What was seen in a window.
struct Seen {
    took: Duration,
    shares: Shares,
    /// The name under which others computed most, and for how long.
    busiest: Option<(String, Duration)>,
}

/// Waits until, for three seconds, others used so little of the machine's CPU time
/// and the hypervisor kept so little of it that [`is_disturbed`] does not mind; or
/// until `limit` is over. It takes three seconds if it is quiet, and one if it is
/// not and the limit is 0; where it is getting quiet at the limit, two more.
///
/// Says by `say` that it waits, once, and for whom if that can be seen; then that
/// it has become quiet, or that it measures all the same. What another guest does
/// on the other hardware thread of a core is not seen by this: the kernel does not
/// know.
pub(crate) fn wait_for_quiet(
    own: &OwnUse,
    limit: Duration,
    say: impl Fn(&str),
) -> Quiet {
    wait(limit, say, || look(own))
}

fn wait(
    limit: Duration,
    say: impl Fn(&str),
    mut look: impl FnMut() -> Option<Seen>,
) -> Quiet {
    let mut waited = Duration::ZERO;
    let mut in_a_row = 0;
    let mut has_said = false;
    while in_a_row < IN_A_ROW {
        let Some(seen) = look() else {
            say("warning: whether others use this machine is not known");
            return Quiet::NotKnown;
        };
        waited += seen.took;
        if !is_disturbed(seen.shares.foreign, seen.shares.steal) {
            in_a_row += 1;
            continue;
        }
        in_a_row = 0;
        if waited >= limit {
            let meanwhile = in_words(&seen);
            say(&format!(
                "not quiet after {}: {meanwhile}; it is measured all the same, and marked",
                seconds(waited)
            ));
            return Quiet::Never(waited);
        }
        if !has_said {
            has_said = true;
            say(&format!(
                "waiting until the machine is quiet, up to {}: {}",
                seconds(limit),
                in_words(&seen)
            ));
        }
    }
    if has_said {
        say(&format!("quiet after {}", seconds(waited)));
    }
    Quiet::After(waited)
}

/// Who uses what, for example: others use 43.0 % of its CPU time, most of it
/// `rustc` (0.8 of a CPU).
fn in_words(seen: &Seen) -> String {
    let Shares { foreign, steal } = seen.shares;
    let mut words = Vec::new();
    if is_disturbed(foreign, 0.0) {
        let others =
            format!("others use {:.1} % of its CPU time", foreign * 100.0);
        let most = seen.busiest.as_ref().map(|(name, used)| {
            let cpus = used.as_secs_f64() / seen.took.as_secs_f64();
            format!(", most of it `{name}` ({cpus:.1} of a CPU)")
        });
        words.push(others + &most.unwrap_or_default());
    }
    if is_disturbed(0.0, steal) {
        words.push(format!("the hypervisor keeps {:.1} %", steal * 100.0));
    }
    words.join(", ")
}

fn seconds(time: Duration) -> String {
    humantime::format_duration(Duration::from_secs(time.as_secs())).to_string()
}

/// Looks for a window.
#[cfg(target_os = "linux")]
fn look(own: &OwnUse) -> Option<Seen> {
    use super::processes::Processes;

    let processes = Processes::now();
    let before = own.now()?;
    std::thread::sleep(WINDOW);
    let after = own.now()?;
    let busiest = processes.zip(Processes::now());
    let busiest =
        busiest.and_then(|(earlier, now)| now.busiest_other(&earlier));
    Some(Seen {
        took: after.elapsed_since(&before),
        shares: after.since(&before),
        busiest: busiest.filter(|(_, used)| !used.is_zero()),
    })
}

#[cfg(not(target_os = "linux"))]
fn look(own: &OwnUse) -> Option<Seen> {
    let before = own.now()?;
    std::thread::sleep(WINDOW);
    let after = own.now()?;
    Some(Seen {
        took: after.elapsed_since(&before),
        shares: after.since(&before),
        busiest: None,
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const QUIET: (f64, f64) = (0.04, 0.01);
    const BUSY: (f64, f64) = (0.43, 0.0);
    const STOLEN: (f64, f64) = (0.0, 0.03);

    /// What becomes of it, and what is said, if each window of a second shows
    /// these shares, the last for ever.
    fn waited(limit: u64, windows: &[(f64, f64)]) -> (Quiet, Vec<String>) {
        let mut left = windows.iter();
        let mut current = windows[0];
        let said = RefCell::new(Vec::new());
        let quiet = wait(
            Duration::from_secs(limit),
            |text| said.borrow_mut().push(text.to_owned()),
            || {
                current = left.next().copied().unwrap_or(current);
                let (foreign, steal) = current;
                Some(Seen {
                    took: Duration::from_secs(1),
                    shares: Shares { foreign, steal },
                    busiest: Some((
                        "rustc".to_owned(),
                        Duration::from_millis(800),
                    )),
                })
            },
        );
        (quiet, said.into_inner())
    }

    fn after(seconds: u64) -> Quiet {
        Quiet::After(Duration::from_secs(seconds))
    }

    #[test]
    fn a_quiet_machine_is_quiet_after_three_windows_and_nothing_is_said() {
        assert_eq!(waited(60, &[QUIET]), (after(3), vec![]));
        // Looking is no waiting.
        assert_eq!(waited(0, &[QUIET]), (after(3), vec![]));
    }

    #[test]
    fn it_waits_for_windows_in_a_row_and_says_so_once() {
        let windows = [BUSY, QUIET, QUIET, STOLEN, QUIET];
        let (quiet, said) = waited(60, &windows);
        assert_eq!(quiet, after(7));
        assert_eq!(
            said,
            [
                "waiting until the machine is quiet, up to 1m: others use 43.0 % of its CPU time, most of it `rustc` (0.8 of a CPU)",
                "quiet after 7s",
            ]
        );
    }

    #[test]
    fn a_machine_that_never_is_quiet_is_measured_all_the_same() {
        let (quiet, said) = waited(4, &[BUSY, QUIET, QUIET, BUSY, STOLEN]);
        assert_eq!(quiet, Quiet::Never(Duration::from_secs(4)));
        assert_eq!(said.len(), 2);
        assert!(
            said[1].starts_with("not quiet after 4s: others use"),
            "{said:?}"
        );
        let (quiet, said) = waited(0, &[STOLEN]);
        assert_eq!(quiet, Quiet::Never(Duration::from_secs(1)));
        assert_eq!(
            said,
            ["not quiet after 1s: the hypervisor keeps 3.0 %; it is measured all the same, and marked"]
        );
    }

    #[test]
    fn what_is_getting_quiet_at_the_limit_may_become_so() {
        assert_eq!(waited(2, &[BUSY, QUIET]).0, after(4));
        let relapsing = [BUSY, QUIET, QUIET, BUSY];
        let never = Quiet::Never(Duration::from_secs(4));
        assert_eq!(waited(2, &relapsing).0, never);
    }

    #[test]
    fn where_nothing_is_seen_nothing_is_waited_for() {
        let said = RefCell::new(0);
        let limit = Duration::from_secs(60);
        let quiet = wait(limit, |_| *said.borrow_mut() += 1, || None);
        assert_eq!((quiet, said.into_inner()), (Quiet::NotKnown, 1));
    }

    /// Whether this machine is quiet is not for a test to say.
    #[test]
    fn this_machine_is_looked_at_without_waiting() {
        let own = OwnUse::by_the_process_tree();
        let can_be_seen = own.now().is_some();
        match wait_for_quiet(&own, Duration::ZERO, |_| {}) {
            Quiet::After(took) => assert!(took >= 3 * WINDOW, "{took:?}"),
            Quiet::Never(took) => assert!(took >= WINDOW, "{took:?}"),
            Quiet::NotKnown => assert!(!can_be_seen),
        }
    }
}
