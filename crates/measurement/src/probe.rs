//! The probe of a core: a piece of work around each visit, compared with the machine's best time
//! for it.

/// A core is slowed if it takes more than this many times its best time for the probe. In a run
/// with hardly a neighbour, 95 of 100 probes stayed below 1.13; in a run with one, half took 1.2 to
/// 1.8.
const SLOWED: f64 = 1.15;

/// The share of a machine's probes that may have been faster than its best time: one lucky probe in
/// a hundred doesn't show what the core can do.
const LUCKY: f64 = 0.01;

/// The best time of a machine's cores for the probe, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestProbe(f64);

impl BestProbe {
    /// Finds the best time among all probes of a machine's runs; `None` if there are none.
    pub fn of(probes: impl IntoIterator<Item = f64>) -> Option<BestProbe> {
        let mut probes: Vec<f64> = probes.into_iter().collect();
        if probes.is_empty() {
            return None;
        }
        let lucky = (probes.len() as f64 * LUCKY) as usize;
        let (_, best, _) = probes.select_nth_unstable_by(lucky, f64::total_cmp);
        Some(BestProbe(*best))
    }

    /// Returns whether a core that took `probe` nanoseconds was slowed: because of a program on its
    /// other hardware thread, or by a slower clock.
    pub fn is_slowed(self, probe: f64) -> bool {
        probe > self.0 * SLOWED
    }

    /// Returns the share of these probes that were slowed, 0 to 1; `None` if there are none.
    pub fn slowed(self, probes: &[f64]) -> Option<f64> {
        let slowed = probes.iter().filter(|probe| self.is_slowed(**probe)).count() as f64;
        (!probes.is_empty()).then(|| slowed / probes.len() as f64)
    }
}
