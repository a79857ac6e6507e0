//! Workers on Glommio, each with its own executor and its own shard of the
//! map.

use std::cell::RefCell;
use std::rc::Rc;

use glommio::{spawn_local, yield_if_needed, LocalExecutorBuilder, Placement};
use runtimes::no_ring;

use super::connection::{ask, Done, Load, Map};
use super::requests::keys_of;
use super::visit::{Served, Worker};
use crate::listings::sharding::glommio_shards::{
    self, connect, link, Link, Shard,
};

pub(super) fn shards(load: &Load) -> Vec<Worker> {
    let (first, second) = link(load.in_flight);
    let worker = |(core, link)| -> Worker {
        let load = load.clone();
        Box::new(move || {
            // The executor is unbound, since this thread is already pinned to
            // its core.
            let builder = LocalExecutorBuilder::new(Placement::Unbound);
            let executor = builder.make().map_err(no_ring)?;
            Ok(Box::new(move || executor.run(serve(core, link, load))))
        })
    };
    [first, second].into_iter().enumerate().map(worker).collect()
}

async fn serve(core: usize, link: Link, load: Load) -> Result<Served, String> {
    let shard = Shard::default();
    shard.borrow_mut().extend(keys_of(core));
    let (map, owner) = connect(core as u32, Rc::clone(&shard), link).await;
    let owner = spawn_local(owner.serve());
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
        connection.await?;
    }
    drop(map);
    // Waits until the other core's connections have also ended.
    owner.await;
    let (done, sum) = (done.borrow().clone(), shard.borrow().values().sum());
    Ok(Served { done, sum })
}

impl Map for glommio_shards::Map {
    type Error = glommio_shards::Error;

    async fn get(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        self.get(key).await
    }

    async fn add(&self, key: u32) -> Result<Option<u64>, Self::Error> {
        self.add(key).await
    }

    async fn give_way(&self) {
        yield_if_needed().await;
    }
}
