//! Two tasks of Glommio take turns, and yield after each look whose turn it is. A
//! task that yields wakes itself, and goes to the end of its queue; the rings get
//! their turn when the queue has had its time.

use std::cell::Cell;
use std::rc::Rc;

use glommio::executor;

/// Takes `rounds` turns, and has another task take as many in between; returns
/// how many they were.
pub async fn round_trips(rounds: u64) -> u64 {
    let turns = Rc::new(Cell::new(0));
    let partner = glommio::spawn_local(take(Rc::clone(&turns), 1, rounds));
    take(Rc::clone(&turns), 0, rounds).await;
    partner.await;
    turns.get() / 2
}

async fn take(turns: Rc<Cell<u64>>, mine: u64, rounds: u64) {
    let mut taken = 0;
    while taken < rounds {
        if turns.get() % 2 == mine {
            turns.set(turns.get() + 1);
            taken += 1;
        }
        executor().yield_now().await;
    }
}
