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
    ///
    /// # Panics
    ///
    /// If there are no others.
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
    fn of(Interval { estimate, low, high }: Interval, found: f64) -> Tried {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of a cell, and of another one where a second level is given.
    fn run(hour: u32, levels: &[f64]) -> Run {
        let row = |(contender, level): (&str, &f64)| {
            let points: Vec<f64> = [1.0, 1.0, 1.0, 1.01, 1.01, 1.01].map(|of| of * level).into();
            let (low, estimate, high) = (points[0], (points[2] + points[3]) / 2.0, points[5]);
            format!(
                r#"{{"experiment":"hops","contender":"{contender}","parameters":{{}},"quantity":"time per hop","unit":"ns","estimate":{estimate:?},"low":{low:?},"high":{high:?},"points":{points:?},"source":"criterion"}}"#
            )
        };
        let rows: Vec<String> = ["smol", "rayon"].into_iter().zip(levels).map(row).collect();
        let header = format!(
            r#"{{"run":"2026-11-30T{hour}:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":4,"workload":"a","builds":[7,8],"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":2,"rounds":1}}"#
        );
        Run::parse(&format!("{header}\n{}\n", rows.join("\n"))).unwrap()
    }

    #[test]
    fn a_run_confirms_what_it_finds_as_the_others_did() {
        let others = [run(10, &[5.0, 7.0]), run(11, &[5.1, 7.0]), run(12, &[5.2, 7.0])];
        let inside = |levels: &[f64]| -> Vec<(String, bool)> {
            let held = HeldOut::of(&run(13, levels), &others, None);
            let rows = held.rows().into_iter();
            rows.map(|(row, tried)| (row.contender.clone(), tried.is_inside())).collect()
        };
        assert_eq!(inside(&[5.1, 9.0]), [("smol".to_owned(), true), ("rayon".to_owned(), false)]);
        // What only one of them measured is not held against anything.
        assert_eq!(inside(&[6.5]), [("smol".to_owned(), false)]);
    }

    #[test]
    fn the_distance_is_counted_in_halves_of_the_width() {
        let expected = Interval { estimate: 10.0, low: 9.0, high: 12.0 };
        let tried = |found| Tried::of(expected, found);
        assert_eq!([10.0, 9.5, 11.0].map(|found| tried(found).off), [0.0, 0.5, 0.5]);
        assert!(tried(12.0).is_inside() && !tried(12.1).is_inside() && !tried(8.9).is_inside());
        assert_eq!(tried(10.0).half_width, 0.15);
        // An interval without width holds its own figure only.
        let exact = Interval { estimate: 10.0, low: 10.0, high: 10.0 };
        assert!(Tried::of(exact, 10.0).is_inside() && !Tried::of(exact, 10.1).is_inside());
    }
}
