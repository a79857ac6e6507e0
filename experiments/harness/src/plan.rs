use std::time::Duration;

use measurement::Profile;

/// How much a run measures.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The profile, which also decides which cells are measured.
    pub profile: Profile,
    /// Child processes, one after the other.
    pub processes: usize,
    /// Rounds in each process.
    pub rounds: usize,
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

impl Plan {
    /// The plan of a profile. Quick warms up for less. It has few rounds in each
    /// process, not few processes: see the experiment `coverage`.
    pub fn new(profile: Profile) -> Plan {
        let (processes, rounds, warm_up_ms) = match profile {
            Profile::Quick => (6, 2, 10),
            Profile::Full => (8, 10, 30),
        };
        let warm_up = Duration::from_millis(warm_up_ms);
        let sample = Duration::from_millis(5);
        Plan { profile, processes, rounds, warm_up, sample, precision: None }
    }

    /// In how many rounds of each process a cell is visited whose operation takes
    /// this long: in all of them, unless one operation is longer than a sample.
    /// Then in fewer, but at least six visits in all, and three a process in
    /// full unless they would take seconds each.
    pub(crate) fn rounds_for(&self, operation: Duration) -> usize {
        let brief = operation < Duration::from_millis(100);
        let least = match self.profile {
            Profile::Full if brief => 3,
            _ => 6usize.div_ceil(self.processes),
        };
        self.affordable(operation).clamp(least.min(self.rounds), self.rounds)
    }

    /// The same for one point of a sweep: a third of the rounds, but at least six
    /// visits in all.
    pub(crate) fn rounds_in_sweep(&self, operation: Duration) -> usize {
        let least = 6usize.div_ceil(self.processes).min(self.rounds);
        (self.affordable(operation) / 3).clamp(least, self.rounds)
    }

    /// In how many rounds a cell can be visited that may take as long as one
    /// whose operations fill samples, were it visited in all of them.
    fn affordable(&self, operation: Duration) -> usize {
        let sample = self.sample.as_secs_f64().max(operation.as_secs_f64());
        let share = self.sample.as_secs_f64() / sample;
        (self.rounds as f64 * share) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_operations_get_fewer_visits_but_never_under_six() {
        let quick = Plan::new(Profile::Quick);
        assert_eq!(quick.rounds_for(Duration::from_micros(1)), 2);
        assert_eq!(quick.rounds_for(Duration::from_millis(5)), 2);
        assert_eq!(quick.rounds_for(Duration::from_millis(8)), 1);
        assert_eq!(quick.rounds_for(Duration::from_secs(1)), 1);
        let full = Plan::new(Profile::Full);
        assert_eq!(full.rounds_for(Duration::from_millis(60)), 3);
        assert_eq!(full.rounds_for(Duration::from_secs(1)), 1);
    }

    #[test]
    fn a_point_of_a_sweep_gets_a_third_of_the_visits() {
        let (quick, full) =
            (Plan::new(Profile::Quick), Plan::new(Profile::Full));
        let (brief, long) = (Duration::from_micros(1), Duration::from_secs(1));
        assert_eq!(quick.rounds_in_sweep(brief), 1);
        assert_eq!(full.rounds_in_sweep(brief), 3);
        assert_eq!(full.rounds_in_sweep(long), 1);
    }
}
