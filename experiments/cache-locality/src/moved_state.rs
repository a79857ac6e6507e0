//! Experiments on a task's state that two cores touch in turn: both the same, or each
//! its own. In `move` it is of many sizes, in `moved-lines` the time is told by its
//! cache lines.
//!
//! A turn is a touch and the way to the other core. So what a state's move costs is
//! what a turn takes longer than where both states stay.

use std::sync::Arc;

use harness::{Base, Body, Cell, Experiment, Placement};
use measurement::Source;

use crate::listings::moved::state::{state, Line};
use crate::listings::moved::turn::Turn;
use crate::time_stamped::{by_time_stamps, has_time_stamps};
use crate::touch::{Access, Touch};

/// The bytes of a cache line.
const LINE: usize = 64;

/// How large a state is: a line, up to more than a core has to itself.
const STATES: [usize; 8] =
    [LINE, 1 << 10, SMALL, FITS, 64 << 10, 256 << 10, 1 << 20, 8 << 20];

/// A state of a page.
const SMALL: usize = 4 << 10;

/// One that fits into any first-level cache.
const FITS: usize = 16 << 10;

/// Those of quick runs; of states that are only read a page alone.
const QUICK: [usize; 3] = [LINE, SMALL, 64 << 10];

/// Who touches which state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arm {
    /// Each core its own.
    Stays,
    /// Both the same.
    Moves,
}

impl Arm {
    const BOTH: [Arm; 2] = [Arm::Stays, Arm::Moves];

    fn contender(self) -> &'static str {
        match self {
            Arm::Stays => "stays",
            Arm::Moves => "moves",
        }
    }

    /// The states, of which each core touches the one at its place.
    fn states(self, lines: usize) -> [Arc<Vec<Line>>; 2] {
        let first = Arc::new(state(lines));
        let other = match self {
            Arm::Stays => Arc::new(state(lines)),
            Arm::Moves => Arc::clone(&first),
        };
        [first, other]
    }
}

/// Experiment `move`.
pub(crate) fn of_a_state() -> Experiment {
    let settings = Touch::ALL
        .into_iter()
        .flat_map(|touch| STATES.map(|bytes| (touch, bytes)));
    let cells = settings.flat_map(|(touch, bytes)| {
        Arm::BOTH.map(|arm| {
            let cell = timed(arm, touch, bytes, Per::Touch);
            let cell = stated(cell, touch, bytes, "ours")
                .in_sweep()
                .group(&format!("{} {}", touch.access.name(), touch.name()));
            let is_quick =
                QUICK.contains(&bytes) && (touch.writes || bytes == SMALL);
            let is_typical = arm == Arm::Moves && bytes == SMALL;
            let cell = if is_typical { cell.twinned() } else { cell };
            if is_quick {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    let wrong = [LINE, SMALL]
        .into_iter()
        .flat_map(|bytes| Arm::BOTH.map(|arm| timed_one_by_one(arm, bytes)));
    Experiment::new("move", "time per touch", "stays").cells(cells).cells(wrong)
}

/// Experiment `moved-lines`.
pub(crate) fn of_lines() -> Experiment {
    let cells = Touch::ALL.into_iter().flat_map(|touch| {
        Arm::BOTH.map(|arm| {
            let cell = timed(arm, touch, FITS, Per::Line)
                .parameter("access", touch.access.name())
                .parameter("touch", touch.name())
                .placement(Placement::Neighbours)
                .in_sweep()
                .group("lines");
            if touch.writes {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("moved-lines", "time per line", "stays").cells(cells)
}

/// What a time is divided by.
#[derive(Clone, Copy)]
enum Per {
    Touch,
    Line,
}

/// Timed around many turns.
fn timed(arm: Arm, touch: Touch, bytes: usize, per: Per) -> Cell {
    let lines = bytes / LINE;
    // Enough to fill some hundred microseconds. Each state is touched an even number
    // of times, so that it is as it was.
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

/// The wrong arm: each touch by itself.
fn timed_one_by_one(arm: Arm, bytes: usize) -> Cell {
    let touch = Touch { access: Access::Independent, writes: true };
    let take = move || {
        let states = arm.states(bytes / LINE);
        let states = states.each_ref().map(|state| &state[..]);
        Ok(vec![by_time_stamps(touch, states)?])
    };
    let quantities = ["time per touch"];
    let cell = Cell::once(arm.contender(), Source::Harness, &quantities, take)
        .needs(has_time_stamps)
        .group("time stamps");
    stated(cell, touch, bytes, "time stamps")
}

fn stated(cell: Cell, touch: Touch, bytes: usize, arm: &str) -> Cell {
    cell.parameter("access", touch.access.name())
        .parameter("touch", touch.name())
        .parameter("state_bytes", bytes as i64)
        .parameter("arm", arm)
        .placement(Placement::Neighbours)
}
