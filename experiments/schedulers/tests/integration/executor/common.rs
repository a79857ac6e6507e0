//! Tests that apply to all our executors, with helper functions. The
//! including module defines an executor, its `spawn` and its sockets, and
//! functions that create executors of every kind and with one worker.

use std::future::{pending, poll_fn, Future};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::thread;
use std::time::Duration;

use futures_lite::future::{block_on, yield_now};
use futures_lite::{AsyncReadExt, AsyncWriteExt};

use super::{
    alone, executors, spawn, Executor, JoinError, JoinHandle, TcpListener,
    TcpStream,
};

pub(crate) const LOOPBACK: SocketAddr =
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Creates executors of each kind, and runs the future that `root` returns on
/// each.
pub(crate) fn on_each<F: Future<Output = ()> + Send + 'static>(
    root: impl Fn() -> F,
) {
    executors().for_each(|executor| executor.block_on(root()));
}

/// Awaits `future`. Drops `_held` afterwards, or when the task is dropped.
pub(crate) async fn holding<T>(
    _held: impl Send,
    future: impl Future<Output = T>,
) -> T {
    future.await
}

/// Spawns two tasks that can only finish if they run on two threads at the
/// same time.
pub(crate) async fn two_meet() {
    let met = Arc::new(AtomicUsize::new(0));
    let meet = || {
        let met = Arc::clone(&met);
        spawn(async move {
            met.fetch_add(1, Ordering::SeqCst);
            while met.load(Ordering::SeqCst) < 2 {
                thread::yield_now();
            }
        })
    };
    answers([meet(), meet()].into_iter()).await;
}

/// Drops an executor that has tasks in each possible state, and the task
/// `added`. Checks that all of them are dropped.
pub(crate) fn dropping_drops_all_tasks(
    executor: Executor,
    added: impl Future<Output = ()> + Send + 'static,
) {
    let alive = Arc::new(());
    let held = || Arc::clone(&alive);
    let (_never_sends, receiver) = async_channel::bounded::<()>(1);
    let waits = executor.spawn(holding(held(), async move {
        receiver.recv().await.unwrap();
    }));
    let restless = executor.spawn(holding(held(), async {
        loop {
            yield_now().await;
        }
    }));
    let listens = executor.spawn(holding(held(), async {
        let mut listener = TcpListener::bind(LOOPBACK).unwrap();
        listener.accept().await.unwrap();
    }));
    let added = executor.spawn(holding(held(), added));
    // Only the executor refers to this task.
    drop(executor.spawn(holding(held(), pending::<()>())));
    let inner = holding(held(), pending::<()>());
    let outer = executor.spawn(async { spawn(inner).await.unwrap() });
    thread::sleep(Duration::from_millis(10));
    assert_eq!(Arc::strong_count(&alive), 1 + 6);

    drop(executor);
    assert_eq!(Arc::strong_count(&alive), 1);
    for task in [waits, restless, listens, added, outer] {
        let ended = block_on(task);
        assert!(matches!(ended, Err(JoinError::ShutDown)), "{ended:?}");
    }
}

/// Drops an executor while another thread wakes its tasks. Each task owns a
/// clone of the returned `Arc`, so the reference count shows whether tasks
/// still exist.
pub(crate) fn dropped_while_others_wake(executor: Executor) -> Arc<()> {
    let alive = Arc::new(());
    let (sender, receiver) = async_channel::unbounded::<()>();
    for _ in 0..8 {
        let receiver = receiver.clone();
        drop(executor.spawn(holding(Arc::clone(&alive), async move {
            while receiver.recv().await.is_ok() {}
        })));
    }
    drop(receiver);
    let wakes =
        thread::spawn(move || while sender.send_blocking(()).is_ok() {});
    drop(executor);
    wakes.join().unwrap();
    alive
}

/// Awaits the tasks in turn and returns their results. All tasks are spawned
/// before the first one is awaited.
pub(crate) async fn answers<T>(
    tasks: impl Iterator<Item = JoinHandle<T>>,
) -> Vec<T> {
    let tasks: Vec<_> = tasks.collect();
    let mut answers = Vec::new();
    for task in tasks {
        answers.push(task.await.unwrap());
    }
    answers
}

/// Opens `connections` connections to an echo server on the current executor.
/// Sends `messages` messages on each, and checks that they come back.
pub(crate) async fn echoes(connections: usize, messages: usize) {
    let mut listener = TcpListener::bind(LOOPBACK).unwrap();
    let address = listener.local_addr().unwrap();
    let server = spawn(async move {
        for _ in 0..connections {
            let (mut stream, _) = listener.accept().await.unwrap();
            drop(spawn(async move {
                let mut buffer = [0; 64];
                loop {
                    let n = stream.read(&mut buffer).await.unwrap();
                    if n == 0 {
                        return;
                    }
                    stream.write_all(&buffer[..n]).await.unwrap();
                }
            }));
        }
    });
    let connect = |id| {
        spawn(async move {
            let stream = TcpStream::connect(address).await.unwrap();
            stream.set_nodelay(true).unwrap();
            exchange(stream, id, 0..1).await
        })
    };
    // mio, like std, uses a backlog of 128 connections, so connections are
    // opened in batches. A connection that has received an answer has been
    // accepted.
    let mut open = Vec::new();
    while open.len() < connections {
        let next = open.len()..connections.min(open.len() + 100);
        open.extend(answers(next.map(connect)).await);
    }
    let go_on = |(id, stream)| spawn(exchange(stream, id, 1..messages));
    answers(open.into_iter().enumerate().map(go_on)).await;
    server.await.unwrap();
}

/// Sends messages over `stream`, and checks that each comes back.
async fn exchange(
    mut stream: TcpStream,
    id: usize,
    messages: Range<usize>,
) -> TcpStream {
    for message in messages {
        let sent = (id * 1000 + message).to_le_bytes();
        stream.write_all(&sent).await.unwrap();
        let mut got = [0; size_of::<usize>()];
        stream.read_exact(&mut got).await.unwrap();
        assert_eq!(got, sent);
    }
    stream
}

#[test]
fn tasks_return_their_answers() {
    on_each(|| async {
        let squares = (0..5_000u64).map(|id| id * id);
        let tasks = squares.clone().map(|square| spawn(async move { square }));
        assert!(answers(tasks).await.into_iter().eq(squares));
    });
}

#[test]
fn tasks_may_be_spawned_from_other_threads_and_by_tasks() {
    for executor in executors() {
        let executor = &executor;
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(move || {
                    for id in 0..100u64 {
                        let answer = executor.block_on(async move {
                            let inner = spawn(async move { id + 1 });
                            inner.await.unwrap() + 1
                        });
                        assert_eq!(answer, id + 2);
                    }
                });
            }
        });
    }
}

#[test]
fn numbers_go_round_a_ring_of_channels() {
    on_each(|| async {
        let (first, mut before) = async_channel::bounded(1);
        for _ in 0..50 {
            let (sender, receiver) = async_channel::bounded(1);
            let from = std::mem::replace(&mut before, receiver);
            drop(spawn(async move {
                while let Ok(number) = from.recv().await {
                    sender.send(number + 1).await.unwrap();
                }
            }));
        }
        for lap in 0..50 {
            first.send(lap).await.unwrap();
            assert_eq!(before.recv().await.unwrap(), lap + 50);
        }
    });
}

#[test]
fn wakers_on_other_threads_lose_no_task() {
    on_each(|| async {
        let (wakers, to_wake) = mpsc::channel::<(Waker, Arc<AtomicBool>)>();
        let others = thread::spawn(move || {
            for (waker, woken) in to_wake {
                woken.store(true, Ordering::SeqCst);
                waker.wake();
            }
        });
        let task = move |_| {
            let (wakers, mut sent) = (wakers.clone(), false);
            let woken = Arc::new(AtomicBool::new(false));
            spawn(poll_fn(move |cx| {
                if woken.load(Ordering::SeqCst) {
                    return Poll::Ready(());
                }
                if !sent {
                    let waker = cx.waker().clone();
                    wakers.send((waker, Arc::clone(&woken))).unwrap();
                    sent = true;
                }
                Poll::Pending
            }))
        };
        answers((0..500).map(task)).await;
        others.join().unwrap();
    });
}

#[test]
fn no_task_is_polled_twice_at_once() {
    on_each(|| async {
        let task = |_| {
            let polled = AtomicBool::new(false);
            let mut polls = 0;
            spawn(poll_fn(move |cx| {
                assert!(!polled.swap(true, Ordering::SeqCst));
                // Wakes the task while it is being polled, from this thread
                // and from another.
                let waker = cx.waker().clone();
                let elsewhere = thread::spawn(move || waker.wake());
                cx.waker().wake_by_ref();
                if polls % 2 == 0 {
                    elsewhere.join().unwrap();
                }
                polls += 1;
                polled.store(false, Ordering::SeqCst);
                if polls == 4 {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            }))
        };
        answers((0..50).map(task)).await;
    });
}

#[test]
fn a_task_that_wakes_itself_goes_behind_the_others() {
    for executor in alone() {
        let order = executor.block_on(async {
            let (sender, receiver) = async_channel::unbounded();
            for name in ["first", "second", "third"] {
                let sender = sender.clone();
                drop(spawn(async move {
                    for _ in 0..2 {
                        sender.send(name).await.unwrap();
                        yield_now().await;
                    }
                }));
            }
            drop(sender);
            let mut order = Vec::new();
            while let Ok(name) = receiver.recv().await {
                order.push(name);
            }
            order
        });
        let twice = ["first", "second", "third", "first", "second", "third"];
        assert_eq!(order, twice);
    }
}

#[test]
fn a_panic_stays_in_its_task() {
    for executor in executors() {
        let failed = executor.block_on(async {
            let failed = spawn(async { panic!("on purpose") });
            failed.await.map(|()| 0)
        });
        match failed {
            Err(JoinError::Panicked(payload)) => {
                assert_eq!(payload.downcast_ref(), Some(&"on purpose"));
            }
            other => panic!("{other:?}"),
        }
        let through = catch_unwind(AssertUnwindSafe(|| {
            executor.block_on(async { panic!("and through block_on") })
        }));
        let payload = through.expect_err("it goes on in the caller");
        let payload = payload.downcast_ref();
        assert_eq!(payload, Some(&"and through block_on"));
        assert_eq!(executor.block_on(async { 1 }), 1, "the threads live");
    }
}

#[test]
fn a_result_outlives_the_executor() {
    for executor in executors() {
        let (sender, receiver) = mpsc::channel::<()>();
        let task = executor.spawn(holding(sender, async { 7 }));
        // The channel closes when the task's future, which owns the sender,
        // is dropped.
        receiver.recv().unwrap_err();
        drop(executor);
        assert_eq!(block_on(task).unwrap(), 7);
    }
}

#[test]
fn large_messages_arrive_whole() {
    on_each(|| async {
        let mut listener = TcpListener::bind(LOOPBACK).unwrap();
        let address = listener.local_addr().unwrap();
        let received = spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).await.unwrap();
            bytes
        });
        let sent: Vec<u8> = (0..1 << 20).map(|i: u32| i as u8).collect();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&sent).await.unwrap();
        stream.close().await.unwrap();
        assert!(received.await.unwrap() == sent);
    });
}

#[test]
fn a_refused_connection_says_so() {
    on_each(|| async {
        let closed = TcpListener::bind(LOOPBACK).unwrap();
        let address = closed.local_addr().unwrap();
        drop(closed);
        let refused = TcpStream::connect(address).await.err().unwrap();
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    });
}

#[test]
fn outside_of_an_executor_the_reason_is_told() {
    let mut listener = TcpListener::bind(LOOPBACK).unwrap();
    let told = block_on(listener.accept()).err().unwrap().to_string();
    assert!(told.contains("no reactor"), "{told}");

    let outside = catch_unwind(|| drop(spawn(async {})));
    let payload = outside.unwrap_err();
    let told = payload.downcast_ref::<&str>().copied().map(str::to_owned);
    let told = told.or_else(|| payload.downcast_ref::<String>().cloned());
    assert!(told.unwrap().contains("Executor::spawn"));
}
