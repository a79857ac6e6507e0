//! Two tasks of compio take turns, and yield after each look whose turn it is.
//! compio has no `yield_now`, so here is one: a task that yields wakes itself, and
//! goes to the end of the queue; the driver gets its turn after 61 tasks.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use compio::runtime;

/// Takes `rounds` turns, and has another task take as many in between; returns
/// how many they were.
pub async fn round_trips(rounds: u64) -> u64 {
    let turns = Rc::new(Cell::new(0));
    let partner = runtime::spawn(take(Rc::clone(&turns), 1, rounds));
    take(Rc::clone(&turns), 0, rounds).await;
    partner.await.expect("the partner takes its turns");
    turns.get() / 2
}

async fn take(turns: Rc<Cell<u64>>, mine: u64, rounds: u64) {
    let mut taken = 0;
    while taken < rounds {
        if turns.get() % 2 == mine {
            turns.set(turns.get() + 1);
            taken += 1;
        }
        yield_now().await;
    }
}

/// Wakes its own task, and lets those that are ready go first.
async fn yield_now() {
    let mut gave_way = false;
    poll_fn(|context| match std::mem::replace(&mut gave_way, true) {
        true => Poll::Ready(()),
        false => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}
