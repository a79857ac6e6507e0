//! Experiment `move`: what it costs to move a task's state from one core to
//! another, for several sizes.

use harness::{Cell, Experiment, Placement};
use measurement::Source;

use crate::moved_state::{timed, Arm, Per, FITS, LINE};
use crate::time_stamped::{by_time_stamps, has_time_stamps};
use crate::touch::{Access, Touch};

/// The sizes of states in bytes, from a cache line to more than the
/// first-level cache holds.
const STATES: [usize; 5] = [LINE, 1 << 10, SMALL, FITS, LARGE];

/// The size of a state of one page, in bytes.
const SMALL: usize = 4 << 10;
const LARGE: usize = 64 << 10;

const QUICK: [usize; 3] = [LINE, SMALL, LARGE];

/// Measures each size with dependent and with independent loads that write.
/// Also measures a page that is only read, and two sizes in a wrong way.
pub(crate) fn experiment() -> Experiment {
    let written = [Access::Dependent, Access::Independent]
        .map(|access| Touch { access, writes: true })
        .into_iter()
        .flat_map(|touch| STATES.map(|bytes| (touch, bytes)));
    let read = Touch { access: Access::Dependent, writes: false };
    let cells = written.chain([(read, SMALL)]).flat_map(|(touch, bytes)| {
        Arm::BOTH.map(|arm| {
            let cell = timed(arm, touch, bytes, Per::Touch);
            let cell = stated(cell, touch, bytes, "ours")
                .in_sweep()
                .group(&format!("{} {}", touch.access.name(), touch.name()));
            let is_typical = arm == Arm::Moves && bytes == SMALL;
            let cell = if is_typical { cell.twinned() } else { cell };
            if QUICK.contains(&bytes) {
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

/// Creates a measurement that times each touch separately, which is a wrong
/// way to measure.
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
