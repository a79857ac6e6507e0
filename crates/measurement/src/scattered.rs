//! Figures that hardly any visit comes near.

use crate::statistics::median;
use crate::Interval;

/// How far from the estimate a visit may lie to be near it, as a factor.
const NEAR: f64 = 1.2;

/// Which share of the visits has to be near an estimate that is printed.
const NEAR_SHARE: f64 = 0.15;

/// From how many visits that is asked: fewer can lie anywhere.
const LEAST_VISITS: usize = 12;

/// What stands in the place of an estimate that hardly any visit comes near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scattered {
    /// Visits fall into two modes, the larger first.
    Modes([Mode; 2]),
    /// Visits lie anywhere between these, nine of ten of them.
    Range {
        /// The 5th percentile of the visits.
        low: f64,
        /// Their 95th.
        high: f64,
    },
}

/// A part of the visits that behave alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// The share of the visits, 0 to 1.
    pub share: f64,
    /// The median of these visits, and the least and the largest of them.
    pub interval: Interval,
}

impl Scattered {
    /// `None` where visits come near the estimate, are few, or not all above 0.
    pub fn of(visits: &[f64], estimate: f64) -> Option<Scattered> {
        let near = (estimate / NEAR)..=(estimate * NEAR);
        let are_near = visits.iter().filter(|visit| near.contains(visit)).count() as f64;
        let all = visits.len();
        if all < LEAST_VISITS || are_near >= NEAR_SHARE * all as f64 {
            return None;
        }
        let mut sorted = visits.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[(share * (all - 1) as f64).round() as usize];
        let range = || Scattered::Range { low: at(0.05), high: at(0.95) };
        (sorted[0] > 0.0).then(|| modes(&sorted).map_or_else(range, Scattered::Modes))
    }
}

/// How far apart the medians of two modes lie at least.
const MODES_GAP: f64 = 1.3;

/// What share of the visits the smaller mode has at least.
const MODE_SHARE: f64 = 0.08;

/// How many visits each mode has at least, strays left out: of two or three nobody can tell that
/// they belong together.
const MODE_VISITS: usize = 4;

/// What share of the visits may lie in the middle between two modes.
const STRAYS: f64 = 0.05;

/// Two modes, the larger first, if sorted visits fall into two: split where the spread within both
/// parts is least (Otsu 1979, in logarithms), with medians at least 30 % apart and next to nothing in
/// the middle two fifths between them. One outlier is no mode, and a few strays do not hide one.
fn modes(sorted: &[f64]) -> Option<[Mode; 2]> {
    let least = ((sorted.len() as f64 * MODE_SHARE).ceil() as usize).max(MODE_VISITS);
    if sorted.len() < 3 * least {
        return None;
    }
    let logs: Vec<f64> = sorted.iter().map(|visit| visit.ln()).collect();
    // Where the spread within both parts is least, that between their means is largest, which takes one
    // pass.
    let all: f64 = logs.iter().sum();
    let sums = logs.iter().scan(0.0, |sum, log| {
        *sum += log;
        Some(*sum)
    });
    let between = |(at, below): &(usize, f64)| {
        let (lower, upper) = (*at as f64, (logs.len() - at) as f64);
        lower * upper * (below / lower - (all - below) / upper).powi(2)
    };
    let splits = (1..).zip(sums).take(logs.len() - least).skip(least - 1);
    let (split, _) = splits.max_by(|one, other| between(one).total_cmp(&between(other)))?;
    let [lower, upper] = [&logs[..split], &logs[split..]];
    let [low, high] = [median(lower), median(upper)];
    let gap = high - low;
    // Visits of either part that lie in the middle, or beyond it on the other part's side.
    let astray = [
        lower.iter().filter(|log| **log > low + 0.3 * gap).count(),
        upper.iter().filter(|log| **log < high - 0.3 * gap).count(),
    ];
    let certain = (lower.len() - astray[0]).min(upper.len() - astray[1]);
    let strays = (astray[0] + astray[1]) as f64;
    if certain < MODE_VISITS || gap < MODES_GAP.ln() || strays > STRAYS * logs.len() as f64 {
        return None;
    }
    let mut modes = [&sorted[..split], &sorted[split..]].map(|part| Mode {
        share: part.len() as f64 / sorted.len() as f64,
        interval: Interval { estimate: median(part), low: part[0], high: part[part.len() - 1] },
    });
    if modes[1].share > modes[0].share {
        modes.swap(0, 1);
    }
    Some(modes)
}
