//! A visit with what the probe said of its core, as one of all that a machine's runs made.

use std::collections::HashSet;

/// A core that takes more than so many times as long for the probe as at its best is disturbed. In a run
/// with hardly a neighbour, 95 in 100 probes stayed below 1.13; with one, half took 1.2 to 1.8.
const DISTURBED: f64 = 1.15;

/// Which share of a machine's probes may have been faster than what counts as its best: one lucky
/// probe in a hundred is not what the core can do.
const LUCKY: f64 = 0.01;

/// What the core was able to do around a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoreState {
    /// About as much as at the machine's best.
    Undisturbed,
    /// Less: somebody computed on the core's other hardware thread, or its clock was slower.
    Disturbed,
    /// Nobody asked.
    Unknown,
}

/// A visit among all that a machine's runs made of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ProbedVisit {
    /// The run, counted from the machine's first.
    pub(crate) run: u32,
    /// The process within the run, which is a link of the program of its own.
    pub(crate) build: u32,
    /// The turn within the run; rows are paired by it.
    pub(crate) turn: u32,
    /// The figure.
    pub(crate) value: f64,
    /// The core's state.
    pub(crate) state: CoreState,
}

/// The visits that count: those that were not disturbed, unless only [all are enough](enough).
pub(crate) fn that_count(seen: &[ProbedVisit]) -> Vec<ProbedVisit> {
    let calm = seen.iter().copied().filter(|seen| seen.state != CoreState::Disturbed).collect();
    enough(calm, seen.to_vec())
}

/// Those visits that one would rather count, or all: if the former are of one process, and all are of several,
/// since of one process nobody can tell how much it scatters; or if the former are none.
pub(crate) fn enough(preferred: Vec<ProbedVisit>, all: Vec<ProbedVisit>) -> Vec<ProbedVisit> {
    let tells_more = are_of_two_processes(&all) && !are_of_two_processes(&preferred);
    if preferred.is_empty() || tells_more {
        all
    } else {
        preferred
    }
}

/// Whether these visits are of two processes at least.
fn are_of_two_processes(seen: &[ProbedVisit]) -> bool {
    let processes: HashSet<(u32, u32)> = seen.iter().map(|seen| (seen.run, seen.build)).collect();
    processes.len() > 1
}

/// The share of these visits that found their core undisturbed, 0 to 1, of those that were probed; `None` if
/// none was.
pub(crate) fn undisturbed<'a>(seen: impl Iterator<Item = &'a ProbedVisit>) -> Option<f64> {
    let (mut calm, mut probed) = (0_u32, 0_u32);
    for visit in seen.filter(|visit| visit.state != CoreState::Unknown) {
        probed += 1;
        calm += u32::from(visit.state == CoreState::Undisturbed);
    }
    (probed > 0).then(|| f64::from(calm) / f64::from(probed))
}

/// What a machine's cores can do at their best: how long the probe takes then, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestProbe(f64);

impl BestProbe {
    /// Of all probes of all runs of a machine; `None` if there are none.
    pub fn of(probes: impl IntoIterator<Item = f64>) -> Option<BestProbe> {
        let mut probes: Vec<f64> = probes.into_iter().collect();
        if probes.is_empty() {
            return None;
        }
        let lucky = (probes.len() as f64 * LUCKY) as usize;
        let (_, best, _) = probes.select_nth_unstable_by(lucky, f64::total_cmp);
        Some(BestProbe(*best))
    }

    /// The state of a core that took `probe` nanoseconds.
    pub fn judge(self, probe: f64) -> CoreState {
        if probe > self.0 * DISTURBED {
            CoreState::Disturbed
        } else {
            CoreState::Undisturbed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_much_longer_than_the_best_is_disturbed() {
        let best = BestProbe::of([[10.0; 300].as_slice(), &[20.0; 100], &[1.0]].concat()).unwrap();
        assert_eq!(best, BestProbe(10.0));
        assert_eq!(best.judge(11.4), CoreState::Undisturbed);
        assert_eq!(best.judge(11.6), CoreState::Disturbed);
        assert_eq!(BestProbe::of(Vec::new()), None);
    }

    #[test]
    fn disturbed_visits_count_where_the_others_are_of_one_process_alone() {
        use CoreState::{Disturbed, Undisturbed};
        let counting = |visits: &[(u32, CoreState)]| -> Vec<f64> {
            let visit = |(turn, &(build, state)): (u32, &(u32, CoreState))| ProbedVisit {
                run: 0,
                build,
                turn,
                value: f64::from(turn),
                state,
            };
            let seen: Vec<ProbedVisit> = (0..).zip(visits).map(visit).collect();
            that_count(&seen).iter().map(|seen| seen.value).collect()
        };
        let (calm, slowed) =
            ([(7, Undisturbed), (8, Undisturbed)], [(7, Disturbed), (8, Disturbed)]);
        assert_eq!(counting(&[calm, slowed].concat()), [0.0, 1.0]);
        assert_eq!(counting(&[calm[0], slowed[1]]), [0.0, 1.0]);
        assert_eq!(counting(&slowed), [0.0, 1.0]);
        // There is no second process, so nothing is known by the disturbed one.
        assert_eq!(counting(&[calm[0], slowed[0]]), [0.0]);
    }
}
