//! The ways to touch a task's memory: parameter values and functions.

use crate::listings::moved::state::{
    dependent, independent, read, write, Line,
};

/// The dependence between loads: each waits for the one before, or none does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Dependent,
    Independent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) access: Access,
    pub(crate) writes: bool,
}

impl Access {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Access::Dependent => "dependent",
            Access::Independent => "independent",
        }
    }
}

impl Touch {
    pub(crate) const ALL: [Touch; 4] = [
        Touch { access: Access::Dependent, writes: false },
        Touch { access: Access::Dependent, writes: true },
        Touch { access: Access::Independent, writes: false },
        Touch { access: Access::Independent, writes: true },
    ];

    pub(crate) fn name(self) -> &'static str {
        if self.writes {
            "written"
        } else {
            "read"
        }
    }

    /// Touches every line of `state`, and returns the number of lines that
    /// held a one. If the touch writes, it flips ones and zeros.
    pub(crate) fn of(self, state: &[Line]) -> u64 {
        match (self.access, self.writes) {
            (Access::Dependent, false) => dependent(state, read),
            (Access::Dependent, true) => dependent(state, write),
            (Access::Independent, false) => independent(state, read),
            (Access::Independent, true) => independent(state, write),
        }
    }

    /// Returns the expected sum of the results of `touches` touches of states
    /// with `lines` lines. Half of the touches find a state as it was
    /// created.
    pub(crate) fn sum(self, lines: usize, touches: u64) -> u64 {
        let all = lines as u64 * touches;
        if self.writes {
            all / 2
        } else {
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listings::moved::state::state;

    #[test]
    fn every_touch_is_of_every_line_once() {
        for lines in [1, 2, 64, 4_096] {
            for access in [Access::Dependent, Access::Independent] {
                let one = state(lines);
                let reads = Touch { access, writes: false };
                let writes = Touch { access, writes: true };
                let in_turn = [reads, writes, reads, writes, reads];
                let all = lines as u64;
                let sums = in_turn.map(|touch| touch.of(&one));
                assert_eq!(sums, [all, all, 0, 0, all], "{lines} {access:?}");
            }
        }
    }
}
