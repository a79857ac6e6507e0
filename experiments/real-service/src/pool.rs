//! A pool of database clients that block their thread.

use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::listings::order::{Order, Sold};

/// A database client that blocks its thread.
pub(crate) trait Client: Send {
    /// Reads the product's row and inserts the order's row. Returns `None` if
    /// there is no such product.
    ///
    /// # Errors
    ///
    /// If the client can't be used any more, with the reason.
    fn place(
        &mut self,
        order: &Order,
        is_slow: bool,
    ) -> Result<Option<Sold>, String>;
}

type Connect = dyn Fn() -> Result<Box<dyn Client>, String> + Send + Sync;

/// A pool of clients, each lent to one thread at a time. If none is idle,
/// another one is created, up to a maximum.
pub(crate) struct Pool {
    connect: Box<Connect>,
    state: Mutex<State>,
    freed: Condvar,
    /// The maximum time that a thread waits for an idle client.
    patience: Duration,
}

struct State {
    idle: Vec<Box<dyn Client>>,
    /// The number of clients that may still be created.
    left: usize,
}

impl Pool {
    pub(crate) fn new(
        size: usize,
        patience: Duration,
        connect: Box<Connect>,
    ) -> Pool {
        let state = State { idle: Vec::new(), left: size };
        let (state, freed) = (Mutex::new(state), Condvar::new());
        Pool { connect, state, freed, patience }
    }

    /// Places an order through a client from the pool. A client that fails is
    /// dropped.
    ///
    /// # Errors
    ///
    /// If no client is free for too long, none can be created, or the client
    /// fails, with the reason.
    pub(crate) fn place(
        &self,
        order: &Order,
        is_slow: bool,
    ) -> Result<Option<Sold>, String> {
        let lent = match self.take()? {
            Some(client) => Ok(client),
            None => (self.connect)(),
        };
        let (placed, client) = match lent {
            Ok(mut client) => {
                let placed = client.place(order, is_slow);
                let client = placed.is_ok().then_some(client);
                (placed, client)
            }
            Err(reason) => (Err(reason), None),
        };
        let mut state = self.state();
        match client {
            Some(client) => state.idle.push(client),
            None => state.left += 1,
        }
        drop(state);
        self.freed.notify_one();
        placed
    }

    /// Waits until a client is idle or another one may be created. Returns
    /// the idle client, or `None` if the caller may create one.
    fn take(&self) -> Result<Option<Box<dyn Client>>, String> {
        let until = Instant::now() + self.patience;
        let mut state = self.state();
        loop {
            if let Some(client) = state.idle.pop() {
                return Ok(Some(client));
            }
            if state.left > 0 {
                state.left -= 1;
                return Ok(None);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err("no client was free".to_owned());
            }
            let woken = self.freed.wait_timeout(state, left);
            (state, _) = woken.unwrap_or_else(|broken| broken.into_inner());
        }
    }

    /// Locks the pool's state, even if a thread panicked while holding the
    /// lock: the state is never half-changed.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}
