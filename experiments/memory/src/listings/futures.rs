//! Futures that hold 1,024 bytes, or seem not to.

use std::future::{poll_fn, Future};
use std::hint::black_box;
use std::task::Poll;

/// How many bytes there are.
pub const STATE: usize = 1024;

/// As many bytes, and not to be copied.
pub struct State([u8; STATE]);

impl State {
    /// All of them one.
    pub fn new() -> State {
        let mut state = State([0; STATE]);
        black_box(&mut state).0.fill(1);
        state
    }

    /// Adds them up.
    pub fn sum(&self) -> u64 {
        black_box(self).0.iter().map(|&byte| u64::from(byte)).sum()
    }
}

impl Default for State {
    fn default() -> Self {
        State::new()
    }
}

/// Waits for a moment.
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

/// Holds it while it waits.
pub async fn held() -> u64 {
    let state = State::new();
    pause().await;
    state.sum()
}

/// Is done with it before it waits, at the end of a block.
pub async fn done_in_a_block() -> u64 {
    let sum = {
        let state = State::new();
        state.sum()
    };
    pause().await;
    sum
}

/// Is done with it before it waits, by `drop`.
#[expect(clippy::drop_non_drop, reason = "what is meant is its memory")]
pub async fn dropped_before() -> u64 {
    let state = State::new();
    let sum = state.sum();
    drop(state);
    pause().await;
    sum
}

/// Gets it as an argument, and holds it while it waits.
pub async fn argument(state: State) -> u64 {
    pause().await;
    state.sum()
}

/// Awaits what holds it, three calls deep.
pub async fn three_deep() -> u64 {
    async fn one_deep() -> u64 {
        held().await
    }
    async fn two_deep() -> u64 {
        one_deep().await
    }
    two_deep().await
}

/// Awaits two that hold it, one after the other.
pub async fn one_after_the_other() -> u64 {
    held().await + held().await
}

/// Awaits two that hold it at the same time.
pub async fn joined() -> u64 {
    let (one, other) = tokio::join!(held(), held());
    one + other
}

/// Awaits eight at the same time.
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

/// Awaits one that holds it elsewhere, in an allocation of its own.
pub async fn boxed() -> u64 {
    Box::pin(held()).await
}

/// How many bytes a future is, before it has run.
pub fn size<F: Future>(future: &F) -> usize {
    size_of_val(future)
}
