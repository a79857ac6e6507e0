//! The plan of a run: how much it measures, and for how long.

use std::time::Duration;

use measurement::Profile;

/// How much a run measures: the number of processes and rounds, and the
/// lengths of samples and waits.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The profile, which also determines the benchmarks to run.
    pub profile: Profile,
    /// The number of child processes, which run one after the other.
    pub processes: usize,
    /// The number of rounds in each process. A round measures the members of
    /// each group in order and then in reverse, so that each is measured
    /// twice.
    pub rounds: usize,
    /// True if measurement windows, which take seconds, are measured twice
    /// per round: a second time when the round goes through the benchmarks in
    /// reverse.
    pub windows_back: bool,
    /// True if each process runs a different build of the program.
    pub relink: bool,
    /// How long to wait for a quiet machine before measuring anyway.
    pub patience: Duration,
    /// How long criterion warms up before each measurement.
    pub warm_up: Duration,
    /// The intended length of a sample. A measurement consists of ten
    /// samples.
    pub sample: Duration,
}

/// The minimum number of rounds in which a benchmark is measured. A row of
/// times has to have six points, and each round yields two.
const LEAST_ROUNDS: usize = 3;

/// The number of samples per criterion run: the minimum that criterion
/// allows.
pub(crate) const SAMPLES: u32 = 10;

impl Plan {
    /// Returns the plan for a profile. A quick run has a shorter warm-up.
    /// Both profiles use many processes with few rounds each: results differ
    /// little within a process, but may differ by a factor of two between
    /// builds of the program.
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
        }
    }

    pub(crate) fn all_rounds(&self) -> usize {
        self.processes * self.rounds
    }

    /// Returns in how many rounds to measure a benchmark whose operation
    /// takes this long: in all planned rounds, unless an operation is longer
    /// than a sample. Then the number is reduced so that the benchmark takes
    /// no longer than others. A point of a sweep is measured in a third of
    /// that number.
    pub(crate) fn rounds_for(
        &self,
        operation: Duration,
        is_in_sweep: bool,
    ) -> usize {
        let sample = self.sample.as_secs_f64();
        let share = sample / sample.max(operation.as_secs_f64());
        let affordable = (self.all_rounds() as f64 * share) as usize;
        let rounds = if is_in_sweep { affordable / 3 } else { affordable };
        rounds.max(LEAST_ROUNDS).min(self.all_rounds())
    }

    /// Returns the minimum length of a measurement if one operation takes
    /// `operation`.
    pub(crate) fn visit_of(&self, operation: Duration) -> Duration {
        self.warm_up + SAMPLES * self.sample.max(operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_operations_and_points_of_a_sweep_get_fewer_visits_but_never_under_six(
    ) {
        let (quick, full) = (Profile::Quick, Profile::Full);
        for (profile, micros, is_in_sweep, rounds) in [
            (quick, 1, false, 6),
            (quick, 5_000, false, 6),
            (quick, 8_000, false, 3),
            (quick, 1_000_000, false, 3),
            (quick, 1, true, 3),
            (full, 1, false, 10),
            (full, 8_000, false, 6),
            (full, 1_000_000, false, 3),
            (full, 1, true, 3),
            (full, 1_000_000, true, 3),
        ] {
            let operation = Duration::from_micros(micros);
            let found = Plan::new(profile).rounds_for(operation, is_in_sweep);
            assert_eq!(found, rounds, "{profile:?}, {operation:?}");
        }
    }
}
