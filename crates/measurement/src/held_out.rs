//! A run that is held out of its experiment's others, to see whether it confirms what they say.

use std::collections::HashMap;
use std::slice::from_ref;

use crate::{Evidence, Interval, Pools, Row, Run};

/// A run, and what the others of its experiment say on the same machine.
#[derive(Debug)]
pub struct HeldOut {
    /// What the others say.
    pub expected: Evidence,
    /// What the run says by itself: its estimates, since it alone knows nothing of how runs differ.
    pub found: Evidence,
}

/// A figure of a run, held against the interval of the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tried {
    /// Half the interval's width, as a share of its estimate.
    pub half_width: f64,
    /// How many times half the width the new figure lies from the earlier one; up to 1 it lies inside.
    pub off: f64,
}

impl HeldOut {
    /// Holds a run out of the others; `lent` as in [`Evidence::of_runs`].
    pub fn of<'a>(
        run: &Run,
        others: impl IntoIterator<Item = &'a Run>,
        lent: Option<&Pools>,
    ) -> HeldOut {
        let expected = Evidence::of_runs(others, lent);
        HeldOut { expected, found: Evidence::of_runs(from_ref(run), None) }
    }

    /// The rows that both measured, as the others have them, each with what the run made of it.
    pub fn rows(&self) -> Vec<(&Row, Tried)> {
        let found = self.found.rows.iter();
        let found: HashMap<String, f64> =
            found.filter_map(|row| Some((row.name(), row.measured()?.estimate))).collect();
        let tried =
            |row: &Row| Some(Tried::of(row.measured()?.interval(), *found.get(&row.name())?));
        self.expected.rows.iter().filter_map(|row| Some((row, tried(row)?))).collect()
    }
}

impl Tried {
    /// How far a new figure lies from what was expected.
    pub fn of(Interval { estimate, low, high }: Interval, found: f64) -> Tried {
        // An interval without width holds its own figure.
        let share = |part: f64, of: f64| if part == 0.0 { 0.0 } else { part.abs() / of.abs() };
        let end = if found < estimate { low } else { high };
        Tried {
            half_width: share((high - low) / 2.0, estimate),
            off: share(found - estimate, end - estimate),
        }
    }

    /// Whether the new figure lies inside.
    pub fn is_inside(self) -> bool {
        self.off <= 1.0
    }
}
