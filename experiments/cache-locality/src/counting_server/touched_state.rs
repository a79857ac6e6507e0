//! A task's memory, which each message reads and writes. Experiment `move`
//! measures what it costs to move such memory to another core.

use crate::listings::moved::state::{state, Line};
use crate::touch::{Access, Touch};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StateShape {
    /// The size in bytes, a power of two and at least one cache line; or 0
    /// for no memory.
    pub(crate) bytes: usize,
    pub(crate) access: Access,
}

impl StateShape {
    pub(crate) const NONE: StateShape =
        StateShape { bytes: 0, access: Access::Independent };
}

pub(super) struct TouchedState {
    lines: Vec<Line>,
    touch: Touch,
    /// The number of cache lines that should contain a one at the next touch.
    ones: u64,
}

impl TouchedState {
    pub(super) fn new(shape: StateShape) -> TouchedState {
        let lines = state(shape.bytes / size_of::<Line>());
        let touch = Touch { access: shape.access, writes: true };
        TouchedState { ones: lines.len() as u64, lines, touch }
    }

    /// Reads and writes each line once. Returns whether all lines were
    /// unchanged since the previous touch.
    pub(super) fn touch(&mut self) -> bool {
        let found = self.touch.of(&self.lines);
        let is_as_left = found == self.ones;
        self.ones = self.lines.len() as u64 - found;
        is_as_left
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listings::moved::state::write;

    #[test]
    fn a_state_that_somebody_else_has_written_is_found() {
        for access in [Access::Independent, Access::Dependent] {
            for bytes in [0, 64, 64 * 128] {
                let mut state = TouchedState::new(StateShape { bytes, access });
                assert!((0..3).all(|_| state.touch()), "{bytes} {access:?}");
                let Some(line) = state.lines.last() else { continue };
                write(line);
                assert!(!state.touch(), "{bytes} {access:?}");
            }
        }
    }
}
