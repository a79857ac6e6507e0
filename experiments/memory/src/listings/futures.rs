//! Futures that hold a state of 1,024 bytes, or seem not to hold it.

use std::future::{poll_fn, Future};
use std::hint::black_box;
use std::task::Poll;

/// The size of the state, in bytes.
pub const STATE: usize = 1024;

/// A state of [`STATE`] bytes, which can't be copied implicitly.
pub struct State([u8; STATE]);

impl State {
    /// Creates a state in which every byte is 1.
    pub fn new() -> State {
        let mut state = State([0; STATE]);
        black_box(&mut state).0.fill(1);
        state
    }

    /// Returns the sum of the bytes.
    pub fn sum(&self) -> u64 {
        black_box(self).0.iter().map(|&byte| u64::from(byte)).sum()
    }
}

impl Default for State {
    fn default() -> Self {
        State::new()
    }
}

/// Yields once.
pub async fn pause() {
    let mut has_waited = false;
    poll_fn(|context| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// Holds the state across an await.
pub async fn held() -> u64 {
    let state = State::new();
    pause().await;
    state.sum()
}

/// Uses the state only before the await, in a block that ends there.
pub async fn done_in_a_block() -> u64 {
    let sum = {
        let state = State::new();
        state.sum()
    };
    pause().await;
    sum
}

/// Drops the state before the await, by an explicit `drop`.
#[expect(clippy::drop_non_drop, reason = "what is meant is its memory")]
pub async fn dropped_before() -> u64 {
    let state = State::new();
    let sum = state.sum();
    drop(state);
    pause().await;
    sum
}

/// Takes the state as an argument, and holds it across an await.
pub async fn argument(state: State) -> u64 {
    pause().await;
    state.sum()
}

/// Awaits a future that holds the state, three calls deep.
pub async fn three_deep() -> u64 {
    async fn one_deep() -> u64 {
        held().await
    }
    async fn two_deep() -> u64 {
        one_deep().await
    }
    two_deep().await
}

/// Awaits two futures, one after the other. Each of them holds state.
pub async fn one_after_the_other() -> u64 {
    held().await + held().await
}

/// Awaits two futures concurrently. Each of them holds state.
pub async fn joined() -> u64 {
    let (one, other) = tokio::join!(held(), held());
    one + other
}

/// Awaits eight futures concurrently. Each of them holds state.
pub async fn eight_joined() -> u64 {
    let (a, b, c, d, e, f, g, h) = tokio::join!(
        held(),
        held(),
        held(),
        held(),
        held(),
        held(),
        held(),
        held(),
    );
    a + b + c + d + e + f + g + h
}

/// Awaits a future that holds the state, in a separate allocation.
pub async fn boxed() -> u64 {
    Box::pin(held()).await
}

/// Returns the size of a future in bytes, before the future has run.
pub fn size<F: Future>(future: &F) -> usize {
    size_of_val(future)
}
