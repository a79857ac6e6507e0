//! Experiment `moved-lines`: how long it takes to move a task's state to
//! another core, per cache line.

use harness::{Experiment, Placement};

use crate::moved_state::{timed, Arm, Per, FITS};
use crate::touch::Touch;

pub(crate) fn experiment() -> Experiment {
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
