//! Workers on Tokio, each with its own current_thread runtime.

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use dashmap::DashMap;
use runtimes::not_built;
use tokio::runtime::{Builder, LocalOptions};
use tokio::sync::mpsc;
use tokio::task::{coop::consume_budget, spawn_local};

use super::connection::{ask, Done, Load, Map};
use super::requests::{all_keys, keys_of, CORES};
use super::visit::{Served, Worker};
use crate::listings::sharding::tokio_shards::{self, own, Shard};

/// How other threads wake a worker that sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Driver {
    /// With an I/O driver. An idle worker waits in `epoll_wait`, for sockets
    /// and for an event that wakes it.
    Io,
    /// Without an I/O driver. An idle worker waits on a futex, and can't use
    /// sockets.
    None,
}

pub(super) fn shards(load: &Load, driver: Driver) -> Vec<Worker> {
    let room = load.in_flight * CORES;
    let inbox = |_| mpsc::channel(room);
    let (owners, inboxes): (Vec<_>, Vec<_>) = (0..CORES).map(inbox).unzip();
    let worker = |(core, inbox)| {
        let (load, owners) = (load.clone(), owners.clone());
        on_a_runtime(driver, move || async move {
            let shard = Shard::default();
            shard.borrow_mut().extend(keys_of(core));
            let owner = spawn_local(own(Rc::clone(&shard), inbox));
            let map = tokio_shards::Map::new(core, Rc::clone(&shard), owners);
            let done = serve(core, map, load).await?;
            // Waits until the connections of the other cores have also ended.
            owner.await.map_err(|error| error.to_string())?;
            let sum = shard.borrow().values().sum();
            Ok(Served { done, sum })
        })
    };
    inboxes.into_iter().enumerate().map(worker).collect()
}

pub(super) fn mutex(load: &Load) -> Vec<Worker> {
    let map = Mutex::new(all_keys().collect::<HashMap<_, _>>());
    shared(load, map, |map| {
        let map = map.into_inner().expect("no one panics with it");
        map.values().sum()
    })
}

pub(super) fn dash_map(load: &Load) -> Vec<Worker> {
    let map: DashMap<u32, u64> = all_keys().collect();
    shared(load, map, |map| map.iter().map(|value| *value).sum())
}

fn shared<M>(load: &Load, map: M, sum: fn(M) -> u64) -> Vec<Worker>
where
    M: Send + Sync + 'static,
    Arc<M>: Map,
{
    let map = Arc::new(map);
    let worker = |core| {
        let (load, map) = (load.clone(), Arc::clone(&map));
        on_a_runtime(Driver::Io, move || async move {
            let done = serve(core, Arc::clone(&map), load).await?;
            // The last worker to end adds up the values, because only that
            // worker can take the map out of its `Arc`.
            Ok(Served { done, sum: Arc::into_inner(map).map_or(0, sum) })
        })
    };
    (0..CORES).map(worker).collect()
}

fn on_a_runtime<Serving>(
    driver: Driver,
    serve: impl FnOnce() -> Serving + Send + 'static,
) -> Worker
where
    Serving: Future<Output = Result<Served, String>> + 'static,
{
    Box::new(move || {
        let mut builder = Builder::new_current_thread();
        if driver == Driver::Io {
            builder.enable_io();
        }
        let runtime = builder.build_local(LocalOptions::default());
        let runtime = runtime.map_err(not_built)?;
        Ok(Box::new(move || runtime.block_on(serve())))
    })
}

/// Serves the connections of core `core` until the measurement ends.
async fn serve(
    core: usize,
    map: impl Map + 'static,
    load: Load,
) -> Result<Done, String> {
    let (map, requests) = (Rc::new(map), load.mix.requests(core));
    let done = Rc::new(RefCell::new(Done::nothing()));
    let connection = |number: usize| {
        let first = number * requests.len() / load.in_flight;
        let (map, requests) = (Rc::clone(&map), Rc::clone(&requests));
        let asks = ask(map, requests, first, load.clone(), Rc::clone(&done));
        spawn_local(asks)
    };
    let connections: Vec<_> = (0..load.in_flight).map(connection).collect();
    for connection in connections {
        connection.await.map_err(|error| error.to_string())??;
    }
    let done = done.borrow().clone();
    Ok(done)
}

impl Map for tokio_shards::Map {
    type Error = tokio_shards::Error;

    async fn get(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        self.get(key).await
    }

    async fn add(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        self.add(key).await
    }

    async fn give_way(&self) {
        consume_budget().await;
    }
}

impl Map for Arc<Mutex<HashMap<u32, u64>>> {
    type Error = &'static str;

    async fn get(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        let map = self.lock().map_err(|_| "someone panicked with it")?;
        Ok(map.get(&key).copied())
    }

    async fn add(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        let mut map = self.lock().map_err(|_| "someone panicked with it")?;
        let value = map.entry(key).or_default();
        *value += 1;
        Ok(Some(*value))
    }

    async fn give_way(&self) {
        consume_budget().await;
    }
}

impl Map for Arc<DashMap<u32, u64>> {
    type Error = std::convert::Infallible;

    async fn get(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        Ok(DashMap::get(self, &key).map(|value| *value))
    }

    async fn add(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        let mut value = self.entry(key).or_default();
        *value += 1;
        Ok(Some(*value))
    }

    async fn give_way(&self) {
        consume_budget().await;
    }
}
