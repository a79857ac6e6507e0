//! A task's state that two cores touch in turn. Either both touch the same
//! state, or each touches its own.
//!
//! In each turn, one core touches a state and signals the other core. Moving
//! a state costs the extra time per turn, compared with states that stay.

use std::sync::Arc;

use harness::{Base, Body, Cell};

use crate::listings::moved::state::{state, Line};
use crate::listings::moved::turn::Turn;
use crate::touch::Touch;

pub(crate) const LINE: usize = 64;

/// The size in bytes of a state that fits into any first-level cache.
pub(crate) const FITS: usize = 16 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arm {
    /// Each core touches its own state, which stays in its cache.
    Stays,
    /// Both cores touch the same state, which moves between their caches.
    Moves,
}

impl Arm {
    pub(crate) const BOTH: [Arm; 2] = [Arm::Stays, Arm::Moves];

    pub(crate) fn contender(self) -> &'static str {
        match self {
            Arm::Stays => "stays",
            Arm::Moves => "moves",
        }
    }

    /// Creates the states: index 0 is for the first core, index 1 for the
    /// second.
    pub(crate) fn states(self, lines: usize) -> [Arc<Vec<Line>>; 2] {
        let first = Arc::new(state(lines));
        let other = match self {
            Arm::Stays => Arc::new(state(lines)),
            Arm::Moves => Arc::clone(&first),
        };
        [first, other]
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Per {
    Touch,
    Line,
}

pub(crate) fn timed(arm: Arm, touch: Touch, bytes: usize, per: Per) -> Cell {
    let lines = bytes / LINE;
    // Enough turns for some hundred microseconds. Each state is touched an
    // even number of times, so it ends as it began.
    let turns = ((4 << 20) / bytes as u64).clamp(4, 4_096);
    let body = Body::together(2, true, move || {
        let turn = Arc::new(Turn::default());
        let taken = Arc::clone(&turn);
        let states = arm.states(lines);
        let work = move |place: usize| {
            let state = &states[place];
            taken.take(0..turns, place as u64, || touch.of(state))
        };
        let finish = move |sum| {
            turn.reset();
            sum
        };
        (work, finish)
    });
    let cell = Cell::new(arm.contender(), touch.sum(lines, turns), body);
    let (cell, beyond) = match per {
        Per::Touch => (cell.per(turns), "time per move"),
        Per::Line => (cell.per(turns * lines as u64), "time per moved line"),
    };
    match arm {
        Arm::Stays => cell,
        Arm::Moves => cell.beyond(Base::Baseline, beyond),
    }
}
