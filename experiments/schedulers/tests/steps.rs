//! Each step's answers: of tasks, of tasks woken by other threads, and of
//! sockets where it has them.

use std::future::{poll_fn, Future};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use async_task::Task;
use futures_lite::future::yield_now;
use schedulers::steps::{parking, queue, reactor, stealing};

const LOOPBACK: SocketAddr =
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// What all steps can do.
trait Step: Clone + Send + Sync + 'static {
    fn start() -> Self;

    fn spawn<F>(&self, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;

    fn block_on<F>(&self, future: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static;
}

macro_rules! step {
    ($executor:ty, $start:expr) => {
        impl Step for $executor {
            fn start() -> Self {
                $start
            }

            fn spawn<F>(&self, future: F) -> Task<F::Output>
            where
                F: Future + Send + 'static,
                F::Output: Send + 'static,
            {
                self.spawn(future)
            }

            fn block_on<F>(&self, future: F) -> F::Output
            where
                F: Future + Send + 'static,
                F::Output: Send + 'static,
            {
                self.block_on(future)
            }
        }
    };
}

step!(queue::Executor, queue::Executor::new());
step!(parking::Executor, parking::Executor::new());
step!(reactor::Executor, reactor::Executor::new().unwrap());

/// The last step, with so many workers.
#[derive(Clone)]
struct Stealing<const WORKERS: usize>;

impl<const WORKERS: usize> Step for Stealing<WORKERS> {
    fn start() -> Self {
        Stealing
    }

    fn spawn<F>(&self, future: F) -> Task<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        stealing::spawn(future)
    }

    fn block_on<F>(&self, future: F) -> F::Output
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        stealing::block_on(WORKERS, future).unwrap()
    }
}

/// A test of each step.
macro_rules! of_each_step {
    ($($check:ident)*) => {
        mod of_queue {
            $(#[test] fn $check() { super::$check::<super::queue::Executor>() })*
        }
        mod of_parking {
            $(#[test] fn $check() { super::$check::<super::parking::Executor>() })*
        }
        mod of_reactor {
            $(#[test] fn $check() { super::$check::<super::reactor::Executor>() })*
        }
        mod of_stealing {
            $(#[test] fn $check() {
                super::$check::<super::Stealing<1>>();
                super::$check::<super::Stealing<2>>();
                super::$check::<super::Stealing<7>>();
            })*
        }
    };
}

of_each_step! {
    tasks_return_their_answers
    tasks_are_woken_by_other_threads
    bytes_go_round_a_ring_of_channels
    it_can_be_used_again
}

fn tasks_return_their_answers<S: Step>() {
    let step = S::start();
    let inner = step.clone();
    let sum = step.block_on(async move {
        let tasks: Vec<_> = (0..1000u64)
            .map(|id| {
                inner.spawn(async move {
                    yield_now().await;
                    id
                })
            })
            .collect();
        let mut sum = 0;
        for task in tasks {
            sum += task.await;
        }
        sum
    });
    assert_eq!(sum, (0..1000).sum());
}

fn tasks_are_woken_by_other_threads<S: Step>() {
    let step = S::start();
    let inner = step.clone();
    step.block_on(async move {
        let sleeps: Vec<_> = (0..20)
            .map(|id| inner.spawn(sleep(Duration::from_millis(id % 5))))
            .collect();
        for sleep in sleeps {
            sleep.await;
        }
    });
}

/// Waits for a thread that sleeps.
async fn sleep(duration: Duration) {
    let over = Arc::new(AtomicBool::new(false));
    let mut started = false;
    poll_fn(|cx| {
        if !started {
            started = true;
            let (waker, over) = (cx.waker().clone(), Arc::clone(&over));
            thread::spawn(move || {
                thread::sleep(duration);
                over.store(true, Ordering::SeqCst);
                waker.wake();
            });
        }
        if over.load(Ordering::SeqCst) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

fn bytes_go_round_a_ring_of_channels<S: Step>() {
    let step = S::start();
    let inner = step.clone();
    step.block_on(async move {
        let (first, mut before) = async_channel::bounded(1);
        for _ in 0..20 {
            let (sender, receiver) = async_channel::bounded(1);
            let from = std::mem::replace(&mut before, receiver);
            inner
                .spawn(async move {
                    while let Ok(number) = from.recv().await {
                        sender.send(number + 1).await.unwrap();
                    }
                })
                .detach();
        }
        for lap in 0..50 {
            first.send(lap).await.unwrap();
            assert_eq!(before.recv().await.unwrap(), lap + 20);
        }
    });
}

fn it_can_be_used_again<S: Step>() {
    let step = S::start();
    for round in 0..20 {
        assert_eq!(step.block_on(async move { round }), round);
    }
}

#[test]
fn workers_steal() {
    stealing::block_on(2, async {
        // The two tasks run on two workers or never end.
        let met = Arc::new(AtomicUsize::new(0));
        let meet = || {
            let met = Arc::clone(&met);
            stealing::spawn(async move {
                met.fetch_add(1, Ordering::SeqCst);
                while met.load(Ordering::SeqCst) < 2 {
                    thread::yield_now();
                }
            })
        };
        let (one, other) = (meet(), meet());
        one.await;
        other.await;
    })
    .unwrap();
}

const CONNECTIONS: usize = 100;

#[test]
fn the_reactor_tells_of_sockets() {
    let executor = reactor::Executor::new().unwrap();
    let inner = executor.clone();
    executor.block_on(async move {
        let mut listener = inner.listen(LOOPBACK).unwrap();
        let address = listener.local_addr().unwrap();
        let spawner = inner.clone();
        let server = inner.spawn(async move {
            for _ in 0..CONNECTIONS {
                let mut stream = listener.accept().await.unwrap();
                let serve = spawner.spawn(async move {
                    let mut buffer = [0; 64];
                    loop {
                        match stream.read(&mut buffer).await.unwrap() {
                            0 => return,
                            n => stream.write_all(&buffer[..n]).await.unwrap(),
                        }
                    }
                });
                serve.detach();
            }
        });
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|id| {
                let connector = inner.clone();
                inner.spawn(async move {
                    let mut stream = connector.connect(address).await.unwrap();
                    let mut byte = [0];
                    for _ in 0..10 {
                        stream.write_all(&[id as u8]).await.unwrap();
                        assert_eq!(stream.read(&mut byte).await.unwrap(), 1);
                        assert_eq!(byte, [id as u8]);
                    }
                })
            })
            .collect();
        server.await;
        for client in clients {
            client.await;
        }
    });
}

#[test]
fn each_worker_tells_of_sockets() {
    for workers in [1, 2, 7] {
        stealing::block_on(workers, async {
            let mut listener = stealing::TcpListener::bind(LOOPBACK).unwrap();
            let address = listener.local_addr().unwrap();
            let server = stealing::spawn(async move {
                for _ in 0..CONNECTIONS {
                    let mut stream = listener.accept().await.unwrap();
                    let serve = stealing::spawn(async move {
                        let mut buffer = [0; 64];
                        loop {
                            match stream.read(&mut buffer).await.unwrap() {
                                0 => return,
                                n => {
                                    let got = &buffer[..n];
                                    stream.write_all(got).await.unwrap();
                                }
                            }
                        }
                    });
                    serve.detach();
                }
            });
            let clients: Vec<_> = (0..CONNECTIONS)
                .map(|id| {
                    stealing::spawn(async move {
                        let mut stream = stealing::TcpStream::connect(address)
                            .await
                            .unwrap();
                        let mut byte = [0];
                        for _ in 0..10 {
                            stream.write_all(&[id as u8]).await.unwrap();
                            let n = stream.read(&mut byte).await.unwrap();
                            assert_eq!((n, byte), (1, [id as u8]));
                        }
                    })
                })
                .collect();
            server.await;
            for client in clients {
                client.await;
            }
        })
        .unwrap();
    }
}
