//! A connection's task, which handles messages on any runtime.

use std::sync::Arc;

use super::move_counts::{AllMoveCounts, MoveCounts, PollPlace};
use super::touched_state::{StateShape, TouchedState};

/// The task of a connection, without its input and output.
pub(super) struct ConnectionTask {
    counts: Arc<MoveCounts>,
    state: TouchedState,
    /// Where the task handled its last message.
    last: PollPlace,
}

impl ConnectionTask {
    /// Creates the task of a new connection, with the calling thread as its
    /// place.
    pub(super) fn new(
        counts: &AllMoveCounts,
        state: StateShape,
    ) -> ConnectionTask {
        let state = TouchedState::new(state);
        let last = PollPlace::here();
        ConnectionTask { counts: counts.add(), state, last }
    }

    /// Handles a message, which is also the answer: counts it, and touches
    /// the state. If the state is not as the task left it, the answer is
    /// wrong, and the client notices.
    pub(super) fn handle(&mut self, message: &mut [u8]) {
        let here = PollPlace::here();
        self.counts.count(message.len(), self.last, here);
        self.last = here;
        if !self.state.touch() {
            message.iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}
