// ANCHOR: all
//! A map in shards, one per core, on Tokio: a core touches its own shard
//! without a lock, and asks the owner of any other shard by message.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};

/// The keys and values that one core owns.
pub type Shard = Rc<RefCell<HashMap<u32, u64>>>;

/// A request from another core, together with the channel for the answer.
#[derive(Debug)]
pub struct Message {
    request: Request,
    answer: oneshot::Sender<Option<u64>>,
}

#[derive(Debug, Clone, Copy)]
enum Request {
    Get(u32),
    Add(u32),
}

/// The reasons why a request gets no answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Error {
    /// The inbox of the key's owner is full.
    Full,
    /// The key's owner has ended.
    Gone,
}

/// A handle to all shards of the map, used by the tasks of one core.
#[derive(Debug)]
pub struct Map {
    core: usize,
    own: Shard,
    owners: Vec<mpsc::Sender<Message>>,
}

impl Map {
    /// Creates the map for the tasks of core `core`. That core owns the shard
    /// `own`; `owners` holds the inbox of each core.
    pub fn new(
        core: usize,
        own: Shard,
        owners: Vec<mpsc::Sender<Message>>,
    ) -> Map {
        Map { core, own, owners }
    }

    /// Returns the value of `key`, or `None` if the map doesn't contain it.
    pub async fn get(&self, key: u32) -> Result<Option<u64>, Error> {
        self.ask(key, Request::Get(key)).await
    }

    /// Adds one to the value of `key`, and returns the new value.
    pub async fn add(&self, key: u32) -> Result<Option<u64>, Error> {
        self.ask(key, Request::Add(key)).await
    }

    // ANCHOR: ask
    async fn ask(
        &self,
        key: u32,
        request: Request,
    ) -> Result<Option<u64>, Error> {
        let owner = key as usize % self.owners.len();
        if owner == self.core {
            return Ok(answer(&self.own, request));
        }
        let (answer, answered) = oneshot::channel();
        let message = Message { request, answer };
        self.owners[owner].try_send(message).map_err(|error| match error {
            TrySendError::Full(_) => Error::Full,
            TrySendError::Closed(_) => Error::Gone,
        })?;
        answered.await.map_err(|_| Error::Gone)
    }
}

/// Answers the other cores' requests until all of those cores have dropped
/// the map.
pub async fn own(shard: Shard, mut inbox: mpsc::Receiver<Message>) {
    while let Some(message) = inbox.recv().await {
        // Sending fails if the task that asked has been dropped.
        let _ = message.answer.send(answer(&shard, message.request));
    }
}
// ANCHOR_END: ask

fn answer(shard: &Shard, request: Request) -> Option<u64> {
    let mut shard = shard.borrow_mut();
    match request {
        Request::Get(key) => shard.get(&key).copied(),
        Request::Add(key) => {
            let value = shard.entry(key).or_default();
            *value += 1;
            Some(*value)
        }
    }
}
// ANCHOR_END: all
