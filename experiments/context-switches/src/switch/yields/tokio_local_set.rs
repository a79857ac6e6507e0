//! Two tasks of a Tokio `LocalSet` take turns, and yield after each look whose
//! turn it is. Tokio's `yield_now` puts the task aside until no other is ready to
//! run and the driver has been asked for events: a turn has an `epoll_wait` in it.

use std::cell::Cell;
use std::rc::Rc;

use tokio::task;

/// Takes `rounds` turns, and has another task take as many in between; returns
/// how many they were.
pub async fn round_trips(rounds: u64) -> u64 {
    let turns = Rc::new(Cell::new(0));
    let partner = task::spawn_local(take(Rc::clone(&turns), 1, rounds));
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
        task::yield_now().await;
    }
}
