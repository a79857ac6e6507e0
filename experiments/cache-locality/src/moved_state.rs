//! Experiments on a task's state that two cores touch in turn: `move`, of a state
//! that both touch beside one of each core's own, and `moved-lines`, what a line of
//! it adds.

use std::sync::Arc;

use harness::{Base, Body, Cell, Experiment, Placement};
use measurement::statistics::median;
use measurement::Source;

use crate::listings::moved::state::{state, Line};
use crate::listings::moved::turn::Turn;
use crate::time_stamped::{by_time_stamps, has_time_stamps};
use crate::touch::{Access, Touch};
use crate::two_cores::time_of_a_turn;

/// The bytes of a cache line.
const LINE: usize = 64;

/// How large a state is: a line, up to more than a core has to itself.
const STATES: [usize; 8] =
    [LINE, 1 << 10, SMALL, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 8 << 20];

/// A state of a page.
const SMALL: usize = 4 << 10;

/// Those of quick runs.
const QUICK: [usize; 3] = [LINE, SMALL, 64 << 10];

/// How large the state is of which a line's share is told, in lines: all of them fit
/// into every first-level cache.
const LINES: [usize; 5] = [1, 16, 64, 128, 256];

/// Turns around which the clock is read there, and how often.
const TURNS: u32 = 256;
const TRIES: usize = 5;

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

/// Experiment `move`. A turn is a touch and the way to the other core, so what a
/// state's move costs is what a turn takes longer than where both stay.
pub(crate) fn of_a_state() -> Experiment {
    let mut cells = Vec::new();
    for access in Access::BOTH {
        for writes in [false, true] {
            let touch = Touch { access, writes };
            cells.extend(STATES.into_iter().flat_map(|bytes| {
                Arm::BOTH.map(|arm| timed_around_all(arm, touch, bytes))
            }));
        }
    }
    let wrong = [LINE, SMALL]
        .into_iter()
        .flat_map(|bytes| Arm::BOTH.map(|arm| timed_one_by_one(arm, bytes)));
    Experiment::new("move", "time per touch", "stays").cells(cells).cells(wrong)
}

fn timed_around_all(arm: Arm, touch: Touch, bytes: usize) -> Cell {
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
    let cell = Cell::new(arm.contender(), touch.sum(lines, turns), body)
        .per(turns)
        .in_sweep();
    let cell = stated(cell, touch, bytes, "ours").group(&format!(
        "{} {}",
        touch.access.name(),
        touch.name()
    ));
    let cell = match arm {
        Arm::Stays => cell,
        Arm::Moves => cell.beyond(Base::Baseline, "time per move"),
    };
    let cell = if QUICK.contains(&bytes) { cell } else { cell.full_only() };
    if arm == Arm::Moves && bytes == SMALL {
        cell.twinned()
    } else {
        cell
    }
}

/// The wrong arm.
fn timed_one_by_one(arm: Arm, bytes: usize) -> Cell {
    let touch = Touch { access: Access::Independent, writes: true };
    let take = move || {
        let states = arm.states(bytes / LINE);
        Ok(vec![by_time_stamps(touch, states.each_ref().map(|s| &s[..]))?])
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

/// Experiment `moved-lines`: the slope of what moves cost over how many lines moved.
/// Of lines that are only read each core keeps a copy, so there is no such slope.
pub(crate) fn of_lines() -> Experiment {
    let cells = Access::BOTH.map(|access| {
        let touch = Touch { access, writes: true };
        let take = move || {
            let point =
                |lines| Ok((lines as f64, beyond_staying(touch, lines)?));
            LINES.into_iter().map(point).collect()
        };
        Cell::fitted("moves", Source::Harness, "time per line", take)
            .parameter("access", access.name())
            .parameter("touch", touch.name())
            .placement(Placement::Neighbours)
            .group("lines")
    });
    Experiment::new("moved-lines", "time per line", "moves").cells(cells)
}

/// By how much a turn takes longer where the state moves, in nanoseconds: the median
/// of several tries, each beside one where it stays.
fn beyond_staying(touch: Touch, lines: usize) -> Result<f64, String> {
    let states = Arm::BOTH.map(|arm| arm.states(lines));
    let tries = (0..TRIES).map(|_| {
        let [stays, moves] = &states;
        let time = |states: &[Arc<Vec<Line>>; 2]| {
            let touch_at = |place: usize| touch.of(&states[place]);
            let (time, sum) = time_of_a_turn(TURNS, touch_at)?;
            if sum == touch.sum(lines, 2 * u64::from(TURNS)) {
                Ok(time.as_secs_f64() * 1e9)
            } else {
                Err(format!("touches returned {sum}"))
            }
        };
        let (stays, moves) = (time(stays)?, time(moves)?);
        Ok(moves - stays)
    });
    Ok(median(&tries.collect::<Result<Vec<_>, String>>()?))
}
