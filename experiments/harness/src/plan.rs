//! The plan of a run: how much it measures, and how long that may take.

use std::time::Duration;

use measurement::Profile;

/// How much a run measures.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The profile, which also decides which cells are measured.
    pub profile: Profile,
    /// Child processes, one after the other.
    pub processes: usize,
    /// Rounds in each process. In a round each group is visited there and back:
    /// every cell twice.
    pub rounds: usize,
    /// Whether windows, which take seconds, are visited on the way back, too.
    pub windows_back: bool,
    /// Whether each process runs another link of the program.
    pub relink: bool,
    /// How long to wait for others to be done with the machine, before it is
    /// measured all the same.
    pub patience: Duration,
    /// Criterion's warm-up in each visit.
    pub warm_up: Duration,
    /// How long one sample should take; a visit has ten.
    pub sample: Duration,
    /// Whether processes are added until the intervals are narrow.
    pub precision: Option<Precision>,
}

/// How narrow intervals should be, and how long that may take.
#[derive(Debug, Clone, Copy)]
pub struct Precision {
    /// Half an interval's width, as a share of its estimate.
    pub share: f64,
    /// The time that the visits may take, all in all.
    pub budget: Duration,
}

/// In how many rounds a cell is visited at least: a criterion row has six points,
/// two of each round.
const LEAST_ROUNDS: usize = 3;

impl Plan {
    /// The plan of a profile. Quick warms up for less. Both have many processes of
    /// few rounds: what differs between two visits of one process is little, what
    /// differs between two links of a program may be a factor.
    pub fn new(profile: Profile) -> Plan {
        let (processes, rounds, warm_up_ms) = match profile {
            Profile::Quick => (6, 1, 10),
            Profile::Full => (5, 2, 30),
        };
        Plan {
            profile,
            processes,
            rounds,
            windows_back: profile == Profile::Full,
            relink: true,
            patience: Duration::from_secs(60),
            warm_up: Duration::from_millis(warm_up_ms),
            sample: Duration::from_millis(5),
            precision: None,
        }
    }

    /// In how many of the planned rounds a cell is visited whose operation takes
    /// this long: in all of them, unless one operation is longer than a sample;
    /// then in fewer.
    pub(crate) fn rounds_for(&self, operation: Duration) -> usize {
        self.affordable(operation).max(LEAST_ROUNDS).min(self.all_rounds())
    }

    /// The same for one point of a sweep: a third of the rounds.
    pub(crate) fn rounds_in_sweep(&self, operation: Duration) -> usize {
        let third = self.affordable(operation) / 3;
        third.max(LEAST_ROUNDS).min(self.all_rounds())
    }

    /// The rounds of all processes.
    fn all_rounds(&self) -> usize {
        self.processes * self.rounds
    }

    /// In how many rounds a cell can be visited that may take as long as one
    /// whose operations fill samples, were it visited in all of them.
    fn affordable(&self, operation: Duration) -> usize {
        let sample = self.sample.as_secs_f64().max(operation.as_secs_f64());
        let share = self.sample.as_secs_f64() / sample;
        (self.all_rounds() as f64 * share) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_operations_get_fewer_visits_but_never_under_six() {
        let quick = Plan::new(Profile::Quick);
        assert_eq!(quick.rounds_for(Duration::from_micros(1)), 6);
        assert_eq!(quick.rounds_for(Duration::from_millis(5)), 6);
        assert_eq!(quick.rounds_for(Duration::from_millis(8)), 3);
        assert_eq!(quick.rounds_for(Duration::from_secs(1)), 3);
        let full = Plan::new(Profile::Full);
        assert_eq!(full.rounds_for(Duration::from_millis(8)), 6);
        assert_eq!(full.rounds_for(Duration::from_secs(1)), 3);
    }

    #[test]
    fn a_point_of_a_sweep_gets_a_third_of_the_visits() {
        let (brief, long) = (Duration::from_micros(1), Duration::from_secs(1));
        for profile in [Profile::Quick, Profile::Full] {
            let plan = Plan::new(profile);
            assert_eq!(plan.rounds_in_sweep(brief), 3);
            assert_eq!(plan.rounds_in_sweep(long), 3);
        }
    }
}
