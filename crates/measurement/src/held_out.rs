//! A run that is held out of its experiment's others, to see whether it confirms what they say.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::slice::from_ref;

use crate::{BestProbe, Evidence, Pools, Row, Run, Tried};

/// A run, and what the others of its experiment say on the same machine.
#[derive(Debug)]
pub struct HeldOut {
    /// What the others say.
    pub expected: Evidence,
    /// What the run says by itself: its estimates, since its intervals know of no other run.
    pub found: Evidence,
}

impl HeldOut {
    /// Holds a run out of the others, by which alone `best` and `pools` are to be known.
    ///
    /// # Panics
    ///
    /// If there are no others.
    pub fn of<R: Borrow<Run>>(
        run: &Run,
        others: &[R],
        best: Option<BestProbe>,
        pools: &Pools,
    ) -> HeldOut {
        let expected = Evidence::of_runs(others, best, pools);
        // An estimate needs no pool, which gives the width of intervals only.
        let found = Evidence::of_runs(from_ref(run), best, &Pools::default());
        HeldOut { expected, found }
    }

    /// The rows that both measured, as the others have them, each with what the run made of it: `None`
    /// where it hardly found its core undisturbed.
    pub fn rows(&self) -> Vec<(&Row, Option<Tried>)> {
        let found: HashMap<String, &Row> =
            self.found.rows.iter().map(|row| (row.name(), row)).collect();
        let tried = |expected: &'_ Row| {
            let found = found.get(&expected.name())?.measured()?;
            Some(Tried::of(expected.measured()?, found))
        };
        self.expected.rows.iter().filter_map(|row| Some((row, tried(row)?))).collect()
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
            r#"{{"run":"2026-11-30T{hour}:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":3,"workload":"a","build":"b","builds":[7,8],"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":2,"rounds":1}}"#
        );
        Run::parse(&format!("{header}\n{}\n", rows.join("\n"))).unwrap()
    }

    #[test]
    fn a_run_confirms_what_it_finds_as_the_others_did() {
        let others = [run(10, &[5.0, 7.0]), run(11, &[5.1, 7.0]), run(12, &[5.2, 7.0])];
        let inside = |levels: &[f64]| -> Vec<(String, bool)> {
            let held = HeldOut::of(&run(13, levels), &others, None, &Pools::default());
            let rows = held.rows().into_iter();
            rows.map(|(row, tried)| (row.contender.clone(), tried.unwrap().is_inside())).collect()
        };
        assert_eq!(inside(&[5.1, 9.0]), [("smol".to_owned(), true), ("rayon".to_owned(), false)]);
        // What only one of them measured is not held against anything.
        assert_eq!(inside(&[6.5]), [("smol".to_owned(), false)]);
    }
}
