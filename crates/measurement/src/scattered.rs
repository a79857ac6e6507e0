//! Figures that hardly any visit comes near.

/// How far from the estimate a visit may lie to be near it, as a factor.
const NEAR: f64 = 1.2;

/// Which share of the visits has to be near an estimate that is printed.
const NEAR_SHARE: f64 = 0.15;

/// From how many visits that is asked: fewer can lie anywhere.
const LEAST_VISITS: usize = 12;

/// The range of nine visits in ten, which stands in the place of an estimate that hardly any visit comes near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scattered {
    /// The 5th percentile of the visits.
    pub low: f64,
    /// Their 95th.
    pub high: f64,
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
        (sorted[0] > 0.0).then(|| Scattered { low: at(0.05), high: at(0.95) })
    }
}
