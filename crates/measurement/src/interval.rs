//! The two intervals of a figure: that of the next run, and that of this machine's mean.
//!
//! Within a run, visits of one link scatter; two links of the same source differ, because the linker lays
//! code out anew; and two runs differ, because half an hour later the host is another one. So a figure is
//! taken from each link, the links of a run are averaged, and runs are averaged. Where the same average of one
//! more run is to be expected is one question, which a reader who measures asks; where the average of ever
//! more runs would come to lie is another, which a claim asks.
//!
//! A machine has few runs of a row, so how much runs and links differ is pooled over its rows of a kind, and
//! a row's own scatter is weighed against that (as in Smyth 2004, "moderated" variances).

use std::collections::BTreeMap;

use crate::statistics::{median, Interval};

/// As how many degrees of freedom what is pooled over the rows of a kind counts next to a row's own. More
/// rows do not make it more: what makes runs differ moves many rows at once.
const PRIOR: f64 = 4.0;

/// The scatter, as a share, of what one figure alone stands for: with Student's factor, anything.
const ANYTHING: f64 = 1.0;

/// From how many rows something is pooled: fewer are not a kind.
const LEAST_ROWS: usize = 8;

/// On which scale figures scatter alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// In logarithms: times, and ratios.
    Log,
    /// As they are: differences, and counts that may be 0.
    Linear,
}

impl Scale {
    fn of(self, value: f64) -> f64 {
        match self {
            Scale::Log => value.ln(),
            Scale::Linear => value,
        }
    }

    /// Back to a figure, with six significant digits: no run tells more, and pages stay light.
    fn back(self, value: f64) -> f64 {
        let value = match self {
            Scale::Log => value.exp(),
            Scale::Linear => value,
        };
        format!("{value:.5e}").parse().expect("a number was printed")
    }
}

/// The figure of each link of each run, by the numbers of both.
pub type Links = BTreeMap<(u32, u32), f64>;

/// Links, and how they scatter on a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    pub(crate) scale: Scale,
    pub(crate) links: Links,
    /// The mean of each run's links.
    runs: BTreeMap<u32, f64>,
    /// The mean of these.
    centre: f64,
    of_links: Variance,
    of_runs: Variance,
    /// How many links a run has, on the (harmonic) average.
    links_a_run: f64,
}

/// How much the rows of a kind scatter: variances, on the scale of logarithms.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Of a link's figure around its run's.
    links: f64,
    /// Of a run's figure around the machine's, beyond what its links explain.
    runs: f64,
}

impl Sample {
    /// Of these links.
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

    /// What links make of two rows, as a ratio or as a difference: in each run those that both have, else the
    /// figures of the run. `None` where no run has both.
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

    /// The mean of the runs.
    pub fn centre(&self) -> f64 {
        self.scale.back(self.centre)
    }

    /// Whether it is one figure, which tells nothing of how figures differ.
    pub fn is_alone(&self) -> bool {
        self.of_links.freedom + self.of_runs.freedom == 0.0
    }

    /// The estimate with the interval of the next run, and with that of this machine's mean; `None` of one run
    /// without a pool, since its links tell nothing of how runs differ.
    ///
    /// The pool's scatter is a share of its rows' figures; `size` says of what it is one here: of logarithms how
    /// many times as much, of a difference how large what it is of. Of one figure alone, next to nothing is known.
    pub fn intervals(&self, pool: Option<&Pool>, size: f64) -> (Interval, Option<Interval>) {
        let Sample { of_links, of_runs, links_a_run, .. } = self;
        let knows_runs = pool.is_some() || of_runs.freedom > 0.0;
        // The pool's variances are of logarithms, which is as a share.
        let unit = size * size;
        let Variance { value, freedom } = match pool {
            Some(pool) => {
                let of_link = of_links.weighed_with(pool.links * unit).value;
                of_runs.weighed_with(of_link / links_a_run + pool.runs * unit)
            }
            None if knows_runs => *of_runs,
            None if self.is_alone() => Variance { value: ANYTHING * unit, freedom: 1.0 },
            None => {
                Variance { value: of_links.value / links_a_run, freedom: of_links.freedom.max(1.0) }
            }
        };
        let around = |variance: f64, freedom: f64| {
            let half = student(freedom) * variance.sqrt();
            let [low, estimate, high] =
                [-half, 0.0, half].map(|off| self.scale.back(self.centre + off));
            Interval { estimate, low, high }
        };
        let runs = self.runs.len() as f64;
        let mean = knows_runs.then(|| around(value / runs, freedom));
        (around(value * (1.0 + 1.0 / runs), freedom), mean)
    }
}

impl Pool {
    /// What the samples of a kind on one machine say together; `None` of fewer rows than make a kind, or where
    /// none has two runs.
    ///
    /// Most rows of a kind scatter alike and a few wildly; the median over rows is not moved by these,
    /// whose own scatter tells of them.
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

/// A variance that was estimated with so many degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Variance {
    value: f64,
    freedom: f64,
}

impl Variance {
    /// Of what groups hold, each around its mean; 0 where each holds one.
    fn within<'a>(groups: impl IntoIterator<Item = &'a Vec<f64>>) -> Variance {
        let (mut squares, mut freedom) = (0.0, 0.0);
        for group in groups {
            let mean = mean(group);
            squares += group.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            freedom += group.len() as f64 - 1.0;
        }
        Variance { value: if freedom > 0.0 { squares / freedom } else { 0.0 }, freedom }
    }

    fn weighed_with(self, prior: f64) -> Variance {
        let freedom = PRIOR + self.freedom;
        Variance { value: (PRIOR * prior + self.freedom * self.value) / freedom, freedom }
    }

    /// It by the median of such estimates, as a multiple of the true one (Wilson and Hilferty 1931); `None` of no
    /// degrees of freedom.
    fn typical(self) -> Option<f64> {
        let median = (1.0 - 2.0 / (9.0 * self.freedom)).powi(3);
        (self.freedom > 0.0).then(|| self.value / median)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The 97.5 % quantile of Student's t: exact for 1 and 2 degrees of freedom, else by Cornish and Fisher
/// (1937), within 1.5 % for 3 and 0.5 % from 4 on, which saves a dependency.
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
