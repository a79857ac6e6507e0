//! The prediction interval of a figure: that of the next run.
//!
//! Within a run, visits of one build scatter; two builds of the same source differ, because the linker
//! lays code out anew; and two runs differ, because half an hour later the host is another one. A
//! bootstrap over the visits of one run knows the first of the three only. So a figure is taken from
//! each build, the builds of a run are averaged, and runs are averaged; and the interval is that in
//! which the same average of one more run is to be expected.
//!
//! A machine has few runs of a row, so how much runs and builds differ is pooled over the rows of a kind
//! (an experiment at a placement), and a row's own scatter is weighed against that (as in Smyth 2004,
//! "moderated" variances).

use std::collections::BTreeMap;

use crate::probed_visit::{that_count, ProbedVisit};
use crate::statistics::{median, Interval};

/// As how many degrees of freedom what is pooled over the rows of a kind counts beside a row's own. More
/// rows do not make it more: what makes runs differ moves many rows at once.
const PRIOR: f64 = 4.0;

/// From how many rows something is pooled: fewer are not a kind.
const LEAST_ROWS: usize = 8;

/// On which scale figures scatter alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScatterScale {
    /// In logarithms: times, and ratios.
    Log,
    /// As they are: differences, and counts that may be 0.
    Linear,
}

/// The figure of each build of each run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    scale: ScatterScale,
    /// A run's builds, on the scale.
    runs: Vec<Vec<f64>>,
}

/// How much the rows of a kind scatter: variances, on the scale of logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Pool {
    /// Of a build's figure around its run's.
    pub(crate) builds: f64,
    /// Of a run's figure around the machine's, beyond what its builds explain. `None` if no machine
    /// has two runs.
    pub(crate) runs: Option<f64>,
}

impl Sample {
    /// Takes the median of the visits of each build of each run.
    ///
    /// Visits that do not [count](that_count) are left out, and with them builds and runs that have no
    /// others.
    pub(crate) fn of(seen: &[ProbedVisit], scale: ScatterScale) -> Sample {
        let mut runs: BTreeMap<u32, BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
        for visit in that_count(seen) {
            let builds = runs.entry(visit.run).or_default();
            builds.entry(visit.build).or_default().push(visit.value);
        }
        let figure = |visits: &Vec<f64>| match scale {
            ScatterScale::Log => median(visits).ln(),
            ScatterScale::Linear => median(visits),
        };
        let runs = runs.values().map(|builds| builds.values().map(figure).collect());
        Sample { scale, runs: runs.collect() }
    }

    /// The figure of each run, on the scale.
    fn of_runs(&self) -> Vec<f64> {
        self.runs.iter().map(|builds| mean(builds)).collect()
    }

    /// The variance of builds around their run, and its degrees of freedom.
    fn builds(&self) -> (f64, f64) {
        let squares: f64 = self.runs.iter().map(|builds| squares(builds)).sum();
        let freedom: usize = self.runs.iter().map(|builds| builds.len() - 1).sum();
        (if freedom > 0 { squares / freedom as f64 } else { 0.0 }, freedom as f64)
    }

    /// The variance of runs around their mean, and its degrees of freedom.
    fn between(&self) -> (f64, f64) {
        let runs = self.of_runs();
        let freedom = (runs.len() - 1) as f64;
        (if freedom > 0.0 { squares(&runs) / freedom } else { 0.0 }, freedom)
    }

    /// How many builds a run has, on the (harmonic) average.
    fn builds_a_run(&self) -> f64 {
        let inverse: f64 = self.runs.iter().map(|builds| 1.0 / builds.len() as f64).sum();
        self.runs.len() as f64 / inverse
    }

    /// The estimate, and the interval in which that of the next run is to be expected. Without a pool only
    /// the row's own scatter is known: that of its runs, or of the builds of the only one.
    ///
    /// `magnified` says how many times as much as in the rows of the pool the same scatter moves this
    /// figure, as a share of it.
    pub(crate) fn interval(&self, pool: Option<&Pool>, magnified: f64) -> Interval {
        let centre = mean(&self.of_runs());
        // The pool's variances are of logarithms, which is as a share.
        let unit = match self.scale {
            ScatterScale::Log => magnified * magnified,
            ScatterScale::Linear => (magnified * centre).powi(2),
        };
        let (of_builds, builds_freedom) = self.builds();
        let (of_runs, runs_freedom) = self.between();
        let (variance, freedom) = match pool {
            Some(pool) => {
                let of_build = weigh(pool.builds * unit, of_builds, builds_freedom);
                let of_run = of_build / self.builds_a_run() + pool.runs.unwrap_or(0.0) * unit;
                (weigh(of_run, of_runs, runs_freedom), PRIOR)
            }
            None if runs_freedom > 0.0 => (of_runs, runs_freedom),
            None => (of_builds / self.builds_a_run(), builds_freedom.max(1.0)),
        };
        let runs = self.runs.len() as f64;
        let half = student(freedom) * (variance * (1.0 + 1.0 / runs)).sqrt();
        let back = |value: f64| {
            six_digits(match self.scale {
                ScatterScale::Log => value.exp(),
                ScatterScale::Linear => value,
            })
        };
        Interval { estimate: back(centre), low: back(centre - half), high: back(centre + half) }
    }
}

impl Pool {
    /// What the samples of a kind say together.
    ///
    /// Most rows of a kind scatter alike and a few wildly; the median over rows is not moved by these,
    /// whose own scatter tells of them.
    ///
    /// `None` of fewer rows than make a kind.
    pub(crate) fn of<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> Option<Pool> {
        let samples = samples.filter(|sample| sample.scale == ScatterScale::Log);
        if samples.clone().count() < LEAST_ROWS {
            return None;
        }
        let builds = samples.clone().map(Sample::builds).filter(|(_, freedom)| *freedom > 0.0);
        let builds: Vec<f64> = builds.map(|(own, freedom)| own / typical(freedom)).collect();
        let builds = if builds.is_empty() { 0.0 } else { median(&builds) };
        let beyond = samples.filter(|sample| sample.runs.len() > 1).map(|sample| {
            let (own, freedom) = sample.between();
            own / typical(freedom) - builds / sample.builds_a_run()
        });
        let beyond: Vec<f64> = beyond.collect();
        let runs = (!beyond.is_empty()).then(|| median(&beyond).max(0.0));
        Some(Pool { builds, runs })
    }
}

/// Rounds to six significant digits: no run tells more, and pages stay light.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number was printed")
}

/// A prior variance and one's own, each by its degrees of freedom.
fn weigh(prior: f64, own: f64, freedom: f64) -> f64 {
    (PRIOR * prior + freedom * own) / (PRIOR + freedom)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// The median of a variance that is estimated with so many degrees of freedom, as a multiple of the
/// true one (Wilson and Hilferty 1931).
fn typical(freedom: f64) -> f64 {
    (1.0 - 2.0 / (9.0 * freedom)).powi(3)
}

/// The 97.5 % quantile of Student's t: exact for 1 and 2 degrees of freedom, else by Cornish and Fisher
/// (1937), within 1.5 % for 3 and 0.5 % from 4 on.
///
/// `distrs` and `statrs` have it exactly, at the cost of a dependency. With the [`PRIOR`]'s degrees of freedom
/// their intervals are wider by a quarter of a per cent, which changes figures on every page and no
/// conclusion: that waits until all data are measured anew.
fn student(freedom: f64) -> f64 {
    if freedom <= 1.0 {
        return 12.706;
    }
    if freedom <= 2.0 {
        return 4.303;
    }
    const Z: f64 = 1.959_964;
    let z2 = Z * Z;
    let first = Z * (z2 + 1.0) / 4.0;
    let second = Z * (5.0 * z2 * z2 + 16.0 * z2 + 3.0) / 96.0;
    let third = Z * (3.0 * z2.powi(3) + 19.0 * z2 * z2 + 17.0 * z2 - 15.0) / 384.0;
    Z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probed_visit::CoreState;

    /// A machine's runs of a row: so many runs of so many builds of so many visits.
    fn drawn(
        rng: &mut fastrand::Rng,
        shape: [u32; 2],
        of_runs: &[f64],
        [of_build, of_visit]: [f64; 2],
    ) -> Vec<ProbedVisit> {
        let [builds, visits] = shape;
        let mut seen = Vec::new();
        for (run, &run_level) in (0..).zip(of_runs) {
            for build in 0..builds {
                let build_level = run_level + of_build * normal(rng);
                for turn in 0..visits {
                    let value = (5.0 + build_level + of_visit * normal(rng)).exp();
                    let turn = build * visits + turn;
                    seen.push(ProbedVisit {
                        run,
                        build,
                        turn,
                        value,
                        state: CoreState::Undisturbed,
                    });
                }
            }
        }
        seen
    }

    /// Sums of twelve uniform numbers: normal to within a hair.
    fn normal(rng: &mut fastrand::Rng) -> f64 {
        (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
    }

    /// The share of rows whose next run lies inside the interval of the earlier ones, if what makes runs
    /// differ moves each row by itself, or all at once.
    fn confirmed(runs: u32, [of_run, of_build, of_visit]: [f64; 3], at_once: bool) -> f64 {
        let mut rng = fastrand::Rng::with_seed(14);
        let (mut inside, mut rows) = (0, 0);
        for _ in 0..100 {
            let levels = |rng: &mut fastrand::Rng| -> Vec<f64> {
                (0..=runs).map(|_| of_run * normal(rng)).collect()
            };
            let common = levels(&mut rng);
            let drawn: Vec<Vec<ProbedVisit>> = (0..20)
                .map(|_| {
                    let levels = if at_once { common.clone() } else { levels(&mut rng) };
                    drawn(&mut rng, [3, 4], &levels, [of_build, of_visit])
                })
                .collect();
            let earlier = |seen: &Vec<ProbedVisit>| {
                let earlier = seen.iter().copied().filter(|seen| seen.run < runs);
                Sample::of(&earlier.collect::<Vec<_>>(), ScatterScale::Log)
            };
            let samples: Vec<Sample> = drawn.iter().map(earlier).collect();
            // What a single run cannot tell is taken from a machine with several.
            let others: Vec<Sample> =
                drawn.iter().map(|seen| Sample::of(seen, ScatterScale::Log)).collect();
            let pool = Pool::of(others.iter());
            for (sample, seen) in samples.iter().zip(&drawn) {
                let last: Vec<ProbedVisit> =
                    seen.iter().copied().filter(|s| s.run == runs).collect();
                let last = Sample::of(&last, ScatterScale::Log).interval(None, 1.0).estimate;
                let interval = sample.interval(pool.as_ref(), 1.0);
                rows += 1;
                inside += usize::from(interval.low <= last && last <= interval.high);
            }
        }
        inside as f64 / rows as f64
    }

    #[test]
    fn the_next_run_lies_inside() {
        for runs in [1, 2, 4] {
            for spread in [[0.03, 0.0, 0.02], [0.0, 0.1, 0.02], [0.05, 0.05, 0.05]] {
                let share = confirmed(runs, spread, false);
                assert!(share > 0.93, "{runs} runs, {spread:?}: {share}");
            }
        }
    }

    #[test]
    fn what_moves_all_rows_at_once_is_known_from_few_runs_only() {
        for (runs, least) in [(2, 0.82), (4, 0.90)] {
            let share = confirmed(runs, [0.05, 0.02, 0.02], true);
            assert!(share > least, "{runs} runs: {share}");
        }
    }

    #[test]
    fn without_a_pool_a_row_has_its_own_scatter_and_little_freedom() {
        let visit =
            |build, value| ProbedVisit { run: 0, build, turn: 0, value, state: CoreState::Unknown };
        let seen = [visit(0, 10.0), visit(1, 10.2), visit(2, 9.9)];
        let interval = Sample::of(&seen, ScatterScale::Linear).interval(None, 1.0);
        assert!((interval.estimate - 10.033).abs() < 0.001, "{interval:?}");
        // Of 2 degrees of freedom: 4.303 times the root of 2/3 of the variance.
        assert!((interval.high - 10.57).abs() < 0.01, "{interval:?}");
    }

    #[test]
    fn builds_that_differ_widen_the_interval_of_one_run() {
        let visit =
            |build, value| ProbedVisit { run: 0, build, turn: 0, value, state: CoreState::Unknown };
        let width = |values: [f64; 2]| {
            let seen = [visit(0, values[0]), visit(1, values[1])];
            let interval = Sample::of(&seen, ScatterScale::Log).interval(None, 1.0);
            interval.high / interval.low
        };
        assert_eq!(width([5.0, 5.0]), 1.0);
        assert!(width([5.0, 8.0]) > 1.6);
    }

    #[test]
    fn what_found_the_core_disturbed_does_not_count_beside_what_did_not() {
        let visit = |build, value, state| ProbedVisit { run: 0, build, turn: 0, value, state };
        let seen = [
            visit(0, 9.0, CoreState::Undisturbed),
            visit(1, 11.0, CoreState::Undisturbed),
            visit(1, 19.0, CoreState::Disturbed),
            visit(2, 20.0, CoreState::Disturbed),
        ];
        let estimate = |seen: &[ProbedVisit]| {
            Sample::of(seen, ScatterScale::Linear).interval(None, 1.0).estimate
        };
        assert_eq!(estimate(&seen), 10.0);
        // Of one process alone nobody knows how much it scatters.
        assert_eq!(estimate(&seen[1..]), 17.5);
    }

    #[test]
    fn quantiles_of_student() {
        for (freedom, quantile) in
            [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (7.0, 2.365), (30.0, 2.042)]
        {
            assert!((student(freedom) / quantile - 1.0).abs() < 0.005, "{}", student(freedom));
        }
    }
}
