//! Computes two intervals for each figure: one for the next run, and one for this machine's mean.
//!
//! Within a run, measurements of one build scatter; two builds of the same source differ, because
//! the linker lays out code differently; and two runs differ, because half an hour later the host
//! has changed. So we compute a figure per build, then the mean over the builds of each run, then
//! the mean over the runs. A reader who measures wants to know where the mean of one more run
//! will be. A claim is about the mean of an unlimited number of runs.
//!
//! A machine has few runs of a row, so the variances between runs and between builds are pooled
//! over all rows of a kind, such as all times of an experiment. A row's own variance is averaged
//! with the pooled one ("moderated" variances, as in Smyth 2004).

use std::collections::BTreeMap;

use crate::statistics::{median, Interval};

/// The weight of the pooled variance relative to a row's own variance, in degrees of freedom. The
/// weight doesn't grow with the number of rows, since runs differ in ways that move many rows at
/// once.
const PRIOR: f64 = 4.0;

/// The relative standard deviation to assume for a single figure. With Student's factor, this
/// makes the interval so wide that it contains almost anything.
const ANYTHING: f64 = 1.0;

/// The minimum number of rows from which to pool variances.
const LEAST_ROWS: usize = 8;

/// The scale on which a row's figures are averaged and compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// A logarithmic scale, for times and ratios.
    Log,
    /// A linear scale, for differences and for counts that may be 0.
    Linear,
}

impl Scale {
    fn of(self, value: f64) -> f64 {
        match self {
            Scale::Log => value.ln(),
            Scale::Linear => value,
        }
    }

    /// Converts a value on this scale back to a figure. Rounds to six significant digits, because
    /// no run is more precise, and to keep pages small.
    fn back(self, value: f64) -> f64 {
        let value = match self {
            Scale::Log => value.exp(),
            Scale::Linear => value,
        };
        format!("{value:.5e}").parse().expect("a number was printed")
    }
}

/// One figure per build and run. The key is (run, build).
pub type Links = BTreeMap<(u32, u32), f64>;

/// A row's figures by build, with the variances between builds and between runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub(crate) scale: Scale,
    pub(crate) links: Links,
    /// For each run, the mean over its builds, on `scale`.
    runs: BTreeMap<u32, f64>,
    /// The mean over the runs, on `scale`.
    centre: f64,
    of_links: Variance,
    of_runs: Variance,
    /// The harmonic mean of the number of builds per run.
    links_a_run: f64,
}

/// The variances shared by all rows of one kind, on a logarithmic scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// The variance of a build's figure around the mean of its run.
    links: f64,
    /// The variance of a run's mean around the machine's mean, minus the part that the
    /// differences between builds explain.
    runs: f64,
}

impl Sample {
    /// Computes the means and variances from one figure per build.
    pub fn of(links: Links, scale: Scale) -> Sample {
        let mut by_run: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for ((run, _), value) in &links {
            by_run.entry(*run).or_default().push(scale.of(*value));
        }
        let means: Vec<f64> = by_run.values().map(|links| mean(links)).collect();
        let inverse: f64 = by_run.values().map(|links| 1.0 / links.len() as f64).sum();
        Sample {
            scale,
            links,
            centre: mean(&means),
            of_links: Variance::within(by_run.values()),
            of_runs: Variance::within([&means]),
            links_a_run: means.len() as f64 / inverse,
            runs: by_run.into_keys().zip(means).collect(),
        }
    }

    /// Combines the samples of two rows into a sample of their ratio (`Log`) or difference
    /// (`Linear`). In each run, uses the builds that both rows have or, if there are none, the
    /// means of the run. `None` if no run has both rows.
    pub fn of_both(left: &Sample, right: &Sample, scale: Scale) -> Option<Sample> {
        let of = |one: f64, other: f64| match scale {
            Scale::Log => one / other,
            Scale::Linear => one - other,
        };
        let pair = |(at, one): (&_, &f64)| Some((*at, of(*one, *right.links.get(at)?)));
        let mut both: Links = left.links.iter().filter_map(pair).collect();
        for run in left.runs.keys().filter(|run| right.runs.contains_key(run)) {
            let links = (*run, 0)..=(*run, u32::MAX);
            if both.range(links.clone()).next().is_none() {
                let [one, other] = [left, right].map(|sample| {
                    let links =
                        sample.links.range(links.clone()).map(|(_, value)| scale.of(*value));
                    scale.back(mean(&links.collect::<Vec<_>>()))
                });
                both.insert((*run, 0), of(one, other));
            }
        }
        (!both.is_empty()).then(|| Sample::of(both, scale))
    }

    /// Returns the mean over the runs, converted back from the scale to a figure.
    pub fn centre(&self) -> f64 {
        self.scale.back(self.centre)
    }

    /// Returns whether there is only one figure, so that no variance can be computed.
    pub fn is_alone(&self) -> bool {
        self.of_links.freedom + self.of_runs.freedom == 0.0
    }

    /// Returns the estimate with an interval for the next run, and with an interval for this
    /// machine's mean. The second is `None` for a single run without a pool, because differences
    /// between builds don't show how much runs differ.
    ///
    /// `size` converts the pool's relative deviations to the scale of this sample: usually 1 on a
    /// logarithmic scale, the figure's size on a linear scale, and the size of the larger term
    /// for a difference. A single figure without a pool gets a very wide interval.
    pub fn intervals(&self, pool: Option<&Pool>, size: f64) -> (Interval, Option<Interval>) {
        let Sample { of_links, of_runs, links_a_run, .. } = self;
        let knows_runs = pool.is_some() || of_runs.freedom > 0.0;
        // The pool's variances are relative, because they are variances of logarithms.
        let unit = size * size;
        // How well the links alone say where the mean of a run lies.
        let of_mean = Variance { value: of_links.value / links_a_run, ..*of_links };
        let Variance { value, freedom } = match pool {
            Some(pool) => {
                let of_link = of_links.weighed_with(pool.links * unit).value;
                of_runs.weighed_with(of_link / links_a_run + pool.runs * unit)
            }
            None if self.is_alone() => Variance { value: ANYTHING * unit, freedom: 1.0 },
            // Two runs may agree by chance. Their mean is known no better than their links allow.
            None if of_runs.half_width() >= of_mean.half_width() => *of_runs,
            None => of_mean,
        };
        let around = |value: f64| {
            let half = Variance { value, freedom }.half_width();
            let [low, estimate, high] =
                [-half, 0.0, half].map(|off| self.scale.back(self.centre + off));
            Interval { estimate, low, high }
        };
        let runs = self.runs.len() as f64;
        let mean = knows_runs.then(|| around(value / runs));
        (around(value * (1.0 + 1.0 / runs)), mean)
    }
}

impl Pool {
    /// Pools the variances of a machine's rows of one kind. Returns `None` if there are too few
    /// rows, or if no row was measured in two runs.
    ///
    /// Takes the median over the rows. Most rows of a kind scatter alike; the few that scatter
    /// wildly don't change the median, and their own variance widens their intervals.
    pub fn of(samples: &[Sample]) -> Option<Pool> {
        if samples.len() < LEAST_ROWS {
            return None;
        }
        let links = samples.iter().filter_map(|sample| sample.of_links.typical());
        let links: Vec<f64> = links.collect();
        let links = if links.is_empty() { 0.0 } else { median(&links) };
        let beyond = samples
            .iter()
            .filter_map(|sample| Some(sample.of_runs.typical()? - links / sample.links_a_run));
        let beyond: Vec<f64> = beyond.collect();
        (!beyond.is_empty()).then(|| Pool { links, runs: median(&beyond).max(0.0) })
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Variance {
    value: f64,
    freedom: f64,
}

impl Variance {
    /// Returns the variance of values around the mean of their own group; 0 if each group has
    /// only one value.
    fn within<'a>(groups: impl IntoIterator<Item = &'a Vec<f64>>) -> Variance {
        let (mut squares, mut freedom) = (0.0, 0.0);
        for group in groups {
            let mean = mean(group);
            squares += group.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            freedom += group.len() as f64 - 1.0;
        }
        Variance { value: if freedom > 0.0 { squares / freedom } else { 0.0 }, freedom }
    }

    /// Returns half the width of the 95 % interval.
    fn half_width(self) -> f64 {
        student(self.freedom) * self.value.sqrt()
    }

    fn weighed_with(self, prior: f64) -> Variance {
        let freedom = PRIOR + self.freedom;
        Variance { value: (PRIOR * prior + self.freedom * self.value) / freedom, freedom }
    }

    /// Returns the median of the distribution of a variance estimate, as a multiple of the true
    /// variance (Wilson and Hilferty 1931). `None` without degrees of freedom.
    fn typical(self) -> Option<f64> {
        let median = (1.0 - 2.0 / (9.0 * self.freedom)).powi(3);
        (self.freedom > 0.0).then(|| self.value / median)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the 97.5 % quantile of Student's t-distribution: exact for 1 and 2 degrees of freedom,
/// otherwise approximated by Cornish and Fisher (1937), within 1.5 % for 3 degrees and 0.5 % from
/// 4 on. This saves a dependency.
pub fn student(freedom: f64) -> f64 {
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
