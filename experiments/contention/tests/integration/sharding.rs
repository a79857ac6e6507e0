//! Checks that a request for a key always gets an answer or an error, and
//! never waits forever.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

fn shard() -> Rc<RefCell<HashMap<u32, u64>>> {
    Rc::new(RefCell::new(HashMap::from([(0, 5), (1, 7)])))
}

mod tokio_shards {
    use std::future::Future;

    use contention::listings::sharding::tokio_shards::{own, Error, Map};
    use tokio::runtime::LocalRuntime;
    use tokio::sync::mpsc::{channel, Receiver};
    use tokio::task::{spawn_local, yield_now};

    use super::shard;

    fn run<Answer>(test: impl Future<Output = Answer>) -> Answer {
        LocalRuntime::new().unwrap().block_on(test)
    }

    /// Returns the map of core 0 and the inbox of core 1. The inbox has room
    /// for one message.
    fn map(
    ) -> (Map, Receiver<contention::listings::sharding::tokio_shards::Message>)
    {
        let ((own, _), (other, inbox)) = (channel(1), channel(1));
        (Map::new(0, shard(), vec![own, other]), inbox)
    }

    #[test]
    fn a_key_is_answered_by_its_owner() {
        run(async {
            let (map, inbox) = map();
            let others = shard();
            let owner = spawn_local(own(others.clone(), inbox));
            assert_eq!(map.add(0).await, Ok(Some(6)));
            assert_eq!(map.add(1).await, Ok(Some(8)));
            assert_eq!(map.get(1).await, Ok(Some(8)));
            assert_eq!(map.get(3).await, Ok(None));
            assert_eq!(others.borrow()[&1], 8);
            drop(map);
            owner.await.unwrap();
        });
    }

    #[test]
    fn a_full_inbox_is_an_error() {
        run(async {
            let (map, _inbox) = map();
            let map = std::rc::Rc::new(map);
            let first = map.clone();
            let waits = spawn_local(async move { first.get(1).await });
            yield_now().await;
            assert_eq!(map.get(1).await, Err(Error::Full));
            assert!(!waits.is_finished());
        });
    }

    #[test]
    fn an_owner_that_dies_is_an_error_before_and_after_it_was_asked() {
        run(async {
            let (map, mut inbox) = map();
            let dies = spawn_local(async move { drop(inbox.recv().await) });
            assert_eq!(map.get(1).await, Err(Error::Gone));
            dies.await.unwrap();
            assert_eq!(map.get(1).await, Err(Error::Gone));
            assert_eq!(map.get(0).await, Ok(Some(5)));
        });
    }
}

#[cfg(target_os = "linux")]
mod glommio_shards {
    use std::future::Future;
    use std::rc::Rc;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use contention::listings::sharding::glommio_shards::{
        connect, link, Error, Link, Map, Owner,
    };
    use glommio::timer::sleep;
    use glommio::{spawn_local, LocalExecutor};

    use super::shard;

    /// Runs `first` on the thread of core 0, and `second` on the thread of
    /// core 1. Fails if either waits forever.
    fn run<First, Second>(
        capacity: usize,
        first: impl FnOnce(Map, Owner) -> First + Send + 'static,
        second: impl FnOnce(Map, Owner) -> Second + Send + 'static,
    ) where
        First: Future<Output = ()> + 'static,
        Second: Future<Output = ()> + 'static,
    {
        if let Err(reason) = runtimes::glommio::UNBOUND.start() {
            return println!("cannot run here: {reason}");
        }
        let (one, other) = link(capacity);
        let (tell, told) = mpsc::channel();
        let says = tell.clone();
        let first = thread::spawn(move || {
            on_core(0, one, first);
            drop(says);
        });
        let second = thread::spawn(move || {
            on_core(1, other, second);
            drop(tell);
        });
        let end: Result<(), _> = told.recv_timeout(Duration::from_secs(10));
        assert_eq!(end, Err(mpsc::RecvTimeoutError::Disconnected), "it hangs");
        first.join().unwrap();
        second.join().unwrap();
    }

    fn on_core<End: Future<Output = ()> + 'static>(
        core: u32,
        link: Link,
        test: impl FnOnce(Map, Owner) -> End,
    ) {
        LocalExecutor::default().run(async move {
            let (map, owner) = connect(core, shard(), link).await;
            test(map, owner).await;
        });
    }

    #[test]
    fn a_key_is_answered_by_its_owner() {
        let asks = |map: Map, owner: Owner| async move {
            let owner = spawn_local(owner.serve());
            assert_eq!(map.add(0).await, Ok(Some(6)));
            assert_eq!(map.add(1).await, Ok(Some(8)));
            assert_eq!(map.get(1).await, Ok(Some(8)));
            assert_eq!(map.get(3).await, Ok(None));
            drop(map);
            owner.await;
        };
        let answers = |map: Map, owner: Owner| async move {
            drop(map);
            owner.serve().await;
        };
        run(4, asks, answers);
    }

    #[test]
    fn a_full_channel_is_an_error() {
        let asks = |map: Map, owner: Owner| async move {
            let map = Rc::new(map);
            // Fills the channel. Each of these tasks sends one request and
            // waits for the answer. The capacity is a power of two.
            let waits = |_| {
                let map = Rc::clone(&map);
                spawn_local(async move { map.get(1).await }).detach()
            };
            let waiting: Vec<_> = (0..2).map(waits).collect();
            sleep(Duration::from_millis(20)).await;
            assert_eq!(map.get(1).await, Err(Error::Full));
            drop((waiting, owner));
        };
        let sleeps = |map: Map, owner: Owner| async move {
            sleep(Duration::from_millis(200)).await;
            drop((map, owner));
        };
        run(2, asks, sleeps);
    }

    #[test]
    fn an_owner_that_dies_is_an_error_before_and_after_it_was_asked() {
        let asks = |map: Map, owner: Owner| async move {
            // Core 1 ends while this task is waiting for the answer.
            assert_eq!(map.get(1).await, Err(Error::Gone));
            assert_eq!(map.get(1).await, Err(Error::Gone));
            assert_eq!(map.get(0).await, Ok(Some(5)));
            drop(owner);
        };
        let dies = |map: Map, owner: Owner| async move {
            sleep(Duration::from_millis(50)).await;
            drop((map, owner));
        };
        run(4, asks, dies);
    }
}
