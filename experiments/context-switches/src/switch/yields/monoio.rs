//! Two tasks of Monoio take turns. Monoio has no `yield_now`, and the usual one
//! would not do: a task that has woken itself runs before all others. So each
//! wakes the other, and waits to be woken. With one task in the queue, the driver
//! gets its turn after three.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Takes `rounds` turns, and has another task take as many in between; returns
/// how many they were.
pub async fn round_trips(rounds: u64) -> u64 {
    let table = Rc::new(Table::default());
    let partner = monoio::spawn(take(Rc::clone(&table), 1, rounds));
    take(Rc::clone(&table), 0, rounds).await;
    partner.await;
    table.turns.get() / 2
}

#[derive(Default)]
struct Table {
    turns: Cell<u64>,
    waits: RefCell<Option<Waker>>,
}

async fn take(table: Rc<Table>, mine: u64, rounds: u64) {
    let mut taken = 0;
    while taken < rounds {
        if table.turns.get() % 2 == mine {
            table.turns.set(table.turns.get() + 1);
            taken += 1;
        }
        table.yield_now().await;
    }
    table.wake(None);
}

impl Table {
    /// Wakes the other task, and waits until that does the same.
    async fn yield_now(&self) {
        let mut gave_way = false;
        poll_fn(|context| match std::mem::replace(&mut gave_way, true) {
            true => Poll::Ready(()),
            false => {
                self.wake(Some(context.waker().clone()));
                Poll::Pending
            }
        })
        .await;
    }

    fn wake(&self, then: Option<Waker>) {
        if let Some(other) = self.waits.replace(then) {
            other.wake();
        }
    }
}
