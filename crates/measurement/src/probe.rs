//! What the probe of a core says: a piece of work around each visit, of which the time is known at the
//! machine's best.

/// A core that takes more than so many times as long for the probe as at its best is slowed. In a run
/// with hardly a neighbour, 95 in 100 probes stayed below 1.13; with one, half took 1.2 to 1.8.
const SLOWED: f64 = 1.15;

/// Which share of a machine's probes may have been faster than what counts as its best: one lucky
/// probe in a hundred is not what the core can do.
const LUCKY: f64 = 0.01;

/// What a machine's cores can do at their best: how long the probe takes then, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestProbe(f64);

impl BestProbe {
    /// Of all probes of a machine's runs; `None` if there are none.
    pub fn of(probes: impl IntoIterator<Item = f64>) -> Option<BestProbe> {
        let mut probes: Vec<f64> = probes.into_iter().collect();
        if probes.is_empty() {
            return None;
        }
        let lucky = (probes.len() as f64 * LUCKY) as usize;
        let (_, best, _) = probes.select_nth_unstable_by(lucky, f64::total_cmp);
        Some(BestProbe(*best))
    }

    /// Whether a core that took `probe` nanoseconds was slowed: somebody computed on its other hardware
    /// thread, or its clock was slower.
    pub fn is_slowed(self, probe: f64) -> bool {
        probe > self.0 * SLOWED
    }

    /// Of which share of these probes that is so, 0 to 1; `None` of none.
    pub fn slowed(self, probes: &[f64]) -> Option<f64> {
        let slowed = probes.iter().filter(|probe| self.is_slowed(**probe)).count() as f64;
        (!probes.is_empty()).then(|| slowed / probes.len() as f64)
    }
}
