//! Two threads or tasks take turns, and yield in between. Each runtime has a
//! module, which explains what yielding does there.

/// Two threads take turns, and each calls `yield_now` while it is the other's
/// turn.
pub mod std_thread {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::Arc;
    use std::thread;

    /// Stored in place of a turn's number, to tell the partner to stop.
    const OVER: u64 = u64::MAX;

    /// The thread that takes the even turns. Its partner, another thread,
    /// takes the odd ones.
    pub struct Pair {
        turns: Arc<AtomicU64>,
    }

    impl Pair {
        /// Starts the partner thread, which first calls `first`.
        pub fn start(first: impl FnOnce() + Send + 'static) -> Pair {
            let turns = Arc::new(AtomicU64::new(0));
            let pair = Pair { turns: Arc::clone(&turns) };
            thread::spawn(move || {
                first();
                loop {
                    match turns.load(Ordering::Acquire) {
                        OVER => return,
                        turn if turn % 2 == 1 => {
                            turns.store(turn + 1, Ordering::Release);
                        }
                        _ => thread::yield_now(),
                    }
                }
            });
            pair
        }

        /// Takes `rounds` turns, and waits for the partner's turn after each
        /// of its own. Returns how many turns each of the two threads took.
        pub fn round_trips(&self, rounds: u64) -> u64 {
            let before = self.turns.load(Ordering::Acquire);
            for round in 0..rounds {
                let next = before + 2 * round + 1;
                self.turns.store(next, Ordering::Release);
                while self.turns.load(Ordering::Acquire) == next {
                    thread::yield_now();
                }
            }
            (self.turns.load(Ordering::Acquire) - before) / 2
        }
    }

    impl Drop for Pair {
        fn drop(&mut self) {
            self.turns.store(OVER, Ordering::Release);
        }
    }
}

/// Defines `round_trips` for two tasks that may run on two threads. The
/// arguments are how to spawn the tasks, how to handle a task's result, and
/// how the tasks yield.
macro_rules! shared_turns {
    ($spawn:path, [$($joined:tt)*], $yield_now:expr) => {
        use std::sync::atomic::{AtomicU64, Ordering};
        use std::sync::Arc;

        /// Takes `rounds` turns, alternating with another task. Returns how
        /// many turns each of the two tasks has taken.
        pub async fn round_trips(rounds: u64) -> u64 {
            let turns = Arc::new(AtomicU64::new(0));
            let partner = $spawn(take(Arc::clone(&turns), 1, rounds));
            take(Arc::clone(&turns), 0, rounds).await;
            partner.await $($joined)*;
            turns.load(Ordering::Acquire) / 2
        }

        async fn take(turns: Arc<AtomicU64>, mine: u64, rounds: u64) {
            let mut taken = 0;
            while taken < rounds {
                let turn = turns.load(Ordering::Acquire);
                if turn % 2 == mine {
                    turns.store(turn + 1, Ordering::Release);
                    taken += 1;
                }
                $yield_now.await;
            }
        }
    };
}

/// Defines `round_trips` for two tasks on one thread. The arguments are how
/// to spawn the tasks, how to handle a task's result, and how the tasks
/// yield.
macro_rules! local_turns {
    ($spawn:path, [$($joined:tt)*], $yield_now:expr) => {
        use std::cell::Cell;
        use std::rc::Rc;

        /// Takes `rounds` turns, alternating with another task. Returns how
        /// many turns each of the two tasks has taken.
        pub async fn round_trips(rounds: u64) -> u64 {
            let turns = Rc::new(Cell::new(0));
            let partner = $spawn(take(Rc::clone(&turns), 1, rounds));
            take(Rc::clone(&turns), 0, rounds).await;
            partner.await $($joined)*;
            turns.get() / 2
        }

        async fn take(turns: Rc<Cell<u64>>, mine: u64, rounds: u64) {
            let mut taken = 0;
            while taken < rounds {
                if turns.get() % 2 == mine {
                    turns.set(turns.get() + 1);
                    taken += 1;
                }
                $yield_now.await;
            }
        }
    };
}

/// Two Tokio tasks take turns, and yield each time it is the other's turn.
/// Tokio's `yield_now` sets the task aside until no other task is ready and the
/// driver has been polled: a turn includes an `epoll_wait`.
pub mod tokio {
    use tokio::task::{spawn, yield_now};

    shared_turns!(spawn, [.expect("the partner takes its turns")], yield_now());
}

/// Two Tokio tasks take turns, and wake themselves each time it is the other's
/// turn. A task that wakes itself goes to the end of the queue, as with smol's
/// `yield_now`; the driver is polled after 61 tasks, rather than in each turn.
pub mod tokio_wakes_itself {
    use futures_lite::future::yield_now;
    use tokio::task::spawn;

    shared_turns!(spawn, [.expect("the partner takes its turns")], yield_now());
}

/// Two tasks of a Tokio `LocalSet` take turns, and yield each time it is the
/// other's turn. Tokio's `yield_now` sets the task aside until no other task is
/// ready and the driver has been polled: a turn includes an `epoll_wait`.
pub mod tokio_local_set {
    use tokio::task::{spawn_local, yield_now};

    local_turns!(spawn_local, [.expect("the partner takes its turns")], yield_now());
}

/// Two smol tasks take turns, and yield each time it is the other's turn. A
/// yielding task wakes itself, and goes to the end of the executor's queue; the
/// reactor is polled after some two hundred tasks.
pub mod smol {
    use smol::future::yield_now;
    use smol::spawn;

    shared_turns!(spawn, [], yield_now());
}

/// Two Glommio tasks take turns, and yield each time it is the other's turn.
/// A yielding task wakes itself and goes to the end of its queue. The
/// io_uring rings are polled when the queue's time slice is used up.
#[cfg(target_os = "linux")]
pub mod glommio {
    use glommio::{executor, spawn_local};

    local_turns!(spawn_local, [], executor().yield_now());
}

/// Two Monoio tasks take turns. Monoio has no `yield_now`, and the usual one
/// would not work: a task that has woken itself runs before all others. So
/// each task wakes the other, and waits to be woken. With one task in the
/// queue, the driver is polled after three tasks.
pub mod monoio {
    use std::cell::{Cell, RefCell};
    use std::future::poll_fn;
    use std::rc::Rc;
    use std::task::{Poll, Waker};

    /// Takes `rounds` turns, alternating with another task. Returns how many
    /// turns each of the two tasks has taken.
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
        /// Wakes the other task, and waits until that task wakes this one.
        async fn yield_now(&self) {
            let mut gave_way = false;
            poll_fn(|context| {
                if std::mem::replace(&mut gave_way, true) {
                    Poll::Ready(())
                } else {
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
}

/// Two compio tasks take turns, and yield each time it is the other's turn.
/// compio has no `yield_now`, so this module has one: a yielding task wakes
/// itself, and goes to the end of the queue; the driver is polled after 61
/// tasks.
pub mod compio {
    use std::future::poll_fn;
    use std::task::Poll;

    use compio::runtime::spawn;

    local_turns!(spawn, [.expect("the partner takes its turns")], yield_now());

    /// Wakes the current task, and lets other ready tasks run first.
    async fn yield_now() {
        let mut gave_way = false;
        poll_fn(|context| {
            if std::mem::replace(&mut gave_way, true) {
                Poll::Ready(())
            } else {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        })
        .await;
    }
}
