//! What both policies promise: answers, no task lost or polled twice at once,
//! panics that stay in their task, a clean end, sockets by the thousand.

use std::future::{pending, poll_fn, Future};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use futures_lite::future::{block_on, yield_now};
use futures_lite::{AsyncReadExt, AsyncWriteExt};
use schedulers::{
    spawn, spawn_on, Executor, JoinError, JoinHandle, Policy, TcpListener,
    TcpStream,
};

mod common;

use common::{answers, echoes, LOOPBACK};

/// Each policy, with one worker and with more than most machines have cores for.
fn executors() -> impl Iterator<Item = (Policy, usize, Executor)> {
    Policy::ALL.into_iter().flat_map(|policy| {
        [1, 2, 7].map(|workers| {
            (policy, workers, Executor::new(policy, workers).unwrap())
        })
    })
}

/// Runs a root task on each executor.
fn on_each<F: Future<Output = ()> + Send + 'static>(root: impl Fn() -> F) {
    for (policy, workers, executor) in executors() {
        eprintln!("{policy:?} with {workers} workers");
        executor.block_on(root());
    }
}

#[test]
fn tasks_return_their_answers() {
    on_each(|| async {
        let squares = (0..10_000u64).map(|id| id * id);
        let tasks = squares.clone().map(|square| spawn(async move { square }));
        assert!(answers(tasks).await.into_iter().eq(squares));
    });
}

#[test]
fn tasks_may_be_spawned_from_other_threads_and_by_tasks() {
    for (_, _, executor) in executors() {
        let executor = &executor;
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(move || {
                    for id in 0..200u64 {
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
fn bytes_go_round_a_ring_of_channels() {
    on_each(|| async {
        let (first, mut before) = async_channel::bounded(1);
        for _ in 0..100 {
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
            assert_eq!(before.recv().await.unwrap(), lap + 100);
        }
    });
}

#[test]
fn a_thousand_wakers_on_other_threads_lose_no_task() {
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
        answers((0..1000).map(task)).await;
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
                // While it is polled, it is woken: here and elsewhere.
                let waker = cx.waker().clone();
                let elsewhere = thread::spawn(move || waker.wake());
                cx.waker().wake_by_ref();
                if polls % 2 == 0 {
                    elsewhere.join().unwrap();
                }
                polls += 1;
                polled.store(false, Ordering::SeqCst);
                if polls == 10 {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            }))
        };
        answers((0..100).map(task)).await;
    });
}

#[test]
fn a_task_that_wakes_itself_goes_behind_the_others() {
    for policy in Policy::ALL {
        let executor = Executor::new(policy, 1).unwrap();
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
        assert_eq!(order, twice, "{policy:?}");
    }
}

#[test]
fn tasks_that_never_rest_keep_neither_sockets_nor_other_threads_waiting() {
    for policy in Policy::ALL {
        let executor = Executor::new(policy, 1).unwrap();
        let done = Arc::new(AtomicBool::new(false));
        let restless = Arc::clone(&done);
        let restless = executor.spawn(async move {
            while !restless.load(Ordering::SeqCst) {
                yield_now().await;
            }
        });
        executor.block_on(echoes(1, 10));
        done.store(true, Ordering::SeqCst);
        block_on(restless).unwrap();
    }
}

/// The name of the worker.
fn here() -> String {
    thread::current().name().unwrap().to_owned()
}

#[test]
fn a_task_stays_on_the_worker_that_pinned_queues_gave_it() {
    let executor = Executor::new(Policy::Pinned, 3).unwrap();
    executor.block_on(async {
        let task = |id: usize| {
            spawn_on(id % 3, async move {
                for _ in 0..100 {
                    assert_eq!(here(), format!("worker {}", id % 3));
                    yield_now().await;
                }
            })
        };
        answers((0..30).map(task)).await;
    });
}

#[test]
fn pinned_queues_deal_tasks_out_in_turn() {
    let executor = Executor::new(Policy::Pinned, 3).unwrap();
    let tasks = (0..6).map(|_| executor.spawn(async { here() }));
    let ran = block_on(answers(tasks));
    assert_eq!(
        ran,
        [0, 1, 2, 0, 1, 2].map(|worker| format!("worker {worker}"))
    );
}

#[test]
fn a_worker_without_tasks_steals() {
    let executor = Executor::new(Policy::Stealing, 2).unwrap();
    executor.block_on(async {
        // The two tasks run on two workers or never end.
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
    });
}

#[test]
fn a_panic_stays_in_its_task() {
    for (_, _, executor) in executors() {
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
        assert_eq!(executor.block_on(async { 1 }), 1, "the workers live");
    }
}

/// What `future` becomes, holding something as long as it is there.
async fn holding<T>(_held: impl Send, future: impl Future<Output = T>) -> T {
    future.await
}

#[test]
fn dropping_the_executor_drops_all_tasks() {
    for (_, _, executor) in executors() {
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
        // Nobody knows of this one.
        drop(executor.spawn(holding(held(), pending::<()>())));
        let inner = holding(held(), pending::<()>());
        let outer = executor.spawn(async { spawn(inner).await.unwrap() });
        thread::sleep(Duration::from_millis(10));
        assert_eq!(Arc::strong_count(&alive), 1 + 5);

        drop(executor);
        assert_eq!(Arc::strong_count(&alive), 1);
        for task in [waits, restless, listens, outer] {
            let ended = block_on(task);
            assert!(matches!(ended, Err(JoinError::ShutDown)), "{ended:?}");
        }
    }
}

#[test]
fn dropping_the_executor_while_others_wake_drops_all_tasks() {
    for round in 0..200 {
        let policy = Policy::ALL[round % 2];
        let executor = Executor::new(policy, 2).unwrap();
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
        // A task that was woken meanwhile is dropped by a thread of its own.
        let end = Instant::now() + Duration::from_secs(10);
        while Arc::strong_count(&alive) > 1 {
            assert!(Instant::now() < end, "{policy:?}");
            thread::yield_now();
        }
    }
}

#[test]
fn a_result_outlives_the_executor() {
    for (_, _, executor) in executors() {
        let (sender, receiver) = mpsc::channel::<()>();
        let task = executor.spawn(holding(sender, async { 7 }));
        // It is dropped with the task's future.
        receiver.recv().unwrap_err();
        drop(executor);
        assert_eq!(block_on(task).unwrap(), 7);
    }
}

#[test]
fn without_workers_or_outside_of_them_the_reason_is_told() {
    let refused = Executor::new(Policy::Pinned, 0).err().unwrap();
    assert!(refused.to_string().contains("not 0"), "{refused}");

    let mut listener = TcpListener::bind(LOOPBACK).unwrap();
    let accepted = block_on(listener.accept());
    let refused = accepted.err().unwrap();
    assert!(refused.to_string().contains("no reactor"), "{refused}");

    let outside = catch_unwind(|| drop(spawn(async {})));
    let payload = outside.unwrap_err();
    let told = payload.downcast_ref::<&str>().copied().map(str::to_owned);
    let told = told.or_else(|| payload.downcast_ref::<String>().cloned());
    assert!(told.unwrap().contains("Executor::spawn"));
}

#[test]
fn a_thousand_sockets_echo() {
    // Two ends for each connection.
    on_each(|| echoes(500, 10));
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
        let sent: Vec<u8> = (0..4 << 20).map(|i: u32| i as u8).collect();
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&sent).await.unwrap();
        stream.close().await.unwrap();
        assert!(received.await.unwrap() == sent);
    });
}

#[cfg(unix)]
#[test]
fn pairs_of_sockets_speak_both_ways() {
    on_each(|| async {
        let (mut one, mut other) = schedulers::UnixStream::pair().unwrap();
        let answers = spawn(async move {
            let mut byte = [0];
            while other.read(&mut byte).await.unwrap() == 1 {
                other.write_all(&[byte[0] + 1]).await.unwrap();
            }
        });
        for sent in 0..100 {
            let mut got = [0];
            one.write_all(&[sent]).await.unwrap();
            one.read_exact(&mut got).await.unwrap();
            assert_eq!(got, [sent + 1]);
        }
        drop(one);
        answers.await.unwrap();
    });
}

#[test]
fn a_refused_connection_says_so() {
    on_each(|| async {
        let closed = TcpListener::bind(LOOPBACK).unwrap();
        let address = closed.local_addr().unwrap();
        drop(closed);
        let refused = TcpStream::connect(address).await.err().unwrap();
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    });
}
