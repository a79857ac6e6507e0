//! Holds out one run of an experiment, to test whether it confirms the other runs.

use std::collections::HashMap;
use std::slice::from_ref;

use crate::{Evidence, EvidenceRow, Interval, Pools, Run};

/// A run that is held out, and the evidence of the other runs of the same experiment on the same
/// machine.
#[derive(Debug)]
pub struct HeldOut {
    /// The evidence of the other runs.
    pub expected: Evidence,
    /// The held-out run's own evidence. Has estimates but no intervals of the mean, since a
    /// single run doesn't show how much runs differ.
    pub found: Evidence,
}

/// A figure of the held-out run, compared with the interval of the other runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Half the width of the interval, as a share of the estimate.
    pub half_width: f64,
    /// The distance of the new figure from the estimate, as a multiple of half the interval's
    /// width. A value of at most 1 means that the figure is inside the interval.
    pub off: f64,
}

impl HeldOut {
    /// Prepares the comparison of `run` with the evidence of `others`. If there is only one other
    /// run, the run-to-run variance is taken from `lent`, as in [`Evidence::of_runs`].
    pub fn of<'a>(
        run: &Run,
        others: impl IntoIterator<Item = &'a Run>,
        lent: Option<&Pools>,
    ) -> HeldOut {
        let expected = Evidence::of_runs(others, lent);
        HeldOut { expected, found: Evidence::of_runs(from_ref(run), None) }
    }

    /// Returns the rows that both the held-out run and the other runs measured, each with its
    /// comparison.
    pub fn rows(&self) -> Vec<(&EvidenceRow, Tried)> {
        let found = self.found.rows.iter();
        let next = |row: &EvidenceRow| Some(row.measured()?.estimate.next);
        let found: HashMap<String, f64> =
            found.filter_map(|row| Some((row.name(), next(row)?.estimate))).collect();
        let tried = |row| Some(Tried::of(next(row)?, *found.get(&row.name())?));
        self.expected.rows.iter().filter_map(|row| Some((row, tried(row)?))).collect()
    }
}

impl Tried {
    /// Compares a new figure, `found`, with an interval.
    pub fn of(Interval { estimate, low, high }: Interval, found: f64) -> Tried {
        // An interval of zero width contains only its own figure.
        let share = |part: f64, of: f64| if part == 0.0 { 0.0 } else { part.abs() / of.abs() };
        let end = if found < estimate { low } else { high };
        Tried {
            half_width: share((high - low) / 2.0, estimate),
            off: share(found - estimate, end - estimate),
        }
    }

    /// Returns whether the new figure is inside the interval.
    pub fn is_inside(self) -> bool {
        self.off <= 1.0
    }
}
