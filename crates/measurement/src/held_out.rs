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
