//! Detects estimates that are far from nearly all of the single measurements.

/// A measurement is near the estimate if neither is more than this many times the other.
const NEAR: f64 = 1.2;

/// The minimum share of measurements near the estimate for the estimate to be shown.
const NEAR_SHARE: f64 = 0.15;

/// The minimum number of measurements for this check, since a few may be far from the estimate by
/// chance.
const LEAST_VISITS: usize = 12;

/// The range that contains nine out of ten measurements. Shown instead of an estimate that hardly
/// any measurement comes near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scattered {
    /// The 5th percentile of the measurements.
    pub low: f64,
    /// The 95th percentile of the measurements.
    pub high: f64,
}

impl Scattered {
    /// Returns `None` if enough measurements are near the estimate, if there are too few
    /// measurements, or if some measurement isn't above 0.
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
