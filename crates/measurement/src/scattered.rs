//! Figures that hardly any visit comes near.

/// The factor within which a visit is near the estimate.
const NEAR: f64 = 1.2;

/// The share of visits that must be near an estimate for it to be printed.
const NEAR_SHARE: f64 = 0.15;

/// The minimum number of visits for this check: fewer can be anywhere.
const LEAST_VISITS: usize = 12;

/// The range of nine visits in ten, which replaces an estimate that hardly any visit comes near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scattered {
    /// The 5th percentile of the visits.
    pub low: f64,
    /// The 95th percentile of the visits.
    pub high: f64,
}

impl Scattered {
    /// Returns `None` if enough visits are near the estimate, there are few, or not all are above
    /// 0.
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
