//! The state of a connection's task, which is the same on every runtime.

use std::sync::Arc;

use super::move_counts::{AllMoveCounts, MoveCounts, PollPlace};
use super::touched_state::{StateShape, TouchedState};

/// The state of a connection's task, excluding the connection itself.
pub(super) struct ConnectionTask {
    counts: Arc<MoveCounts>,
    state: TouchedState,
    /// The thread and the core on which the task handled its last message.
    last: PollPlace,
}

impl ConnectionTask {
    /// Creates the state of a new connection's task. The task counts as last
    /// run on the calling thread and core.
    pub(super) fn new(
        counts: &AllMoveCounts,
        state: StateShape,
    ) -> ConnectionTask {
        let state = TouchedState::new(state);
        let last = PollPlace::here();
        ConnectionTask { counts: counts.add(), state, last }
    }

    /// Counts a message and touches the task's memory. The message is also
    /// the answer: if the memory isn't as the task left it, makes the answer
    /// wrong, so that the client notices.
    pub(super) fn handle(&mut self, message: &mut [u8]) {
        let here = PollPlace::here();
        self.counts.count(message.len(), self.last, here);
        self.last = here;
        if !self.state.touch() {
            message.iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}
