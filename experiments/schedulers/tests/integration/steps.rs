//! Tests that each step of the executor runs tasks and wakes them from other
//! threads. If a step has sockets, tests these too.

use std::future::{poll_fn, Future};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use async_task::Task;
use futures_lite::future::yield_now;
use schedulers::steps::{parking, queue, reactor, stealing};

use crate::many_files::ManyFiles;

const LOOPBACK: SocketAddr =
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

const CONNECTIONS: usize = 100;

/// The executor of the last step, with a given number of workers. It has the
/// same methods as the other steps.
#[derive(Clone)]
struct Stealing(usize);

impl Stealing {
    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Task<T> {
        stealing::spawn(future)
    }

    fn block_on<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> T {
        stealing::block_on(self.0, future).unwrap()
    }

    fn listen(&self, at: SocketAddr) -> io::Result<stealing::TcpListener> {
        stealing::TcpListener::bind(at)
    }

    async fn connect(&self, to: SocketAddr) -> io::Result<stealing::TcpStream> {
        stealing::TcpStream::connect(to).await
    }
}

macro_rules! of_tasks {
    ($($name:ident $step:expr;)*) => {$(
        mod $name {
            use super::*;

            #[test]
            fn tasks_return_their_answers() {
                let step = $step;
                let inner = step.clone();
                let sum = step.block_on(async move {
                    let task = |id| {
                        inner.spawn(async move {
                            yield_now().await;
                            id
                        })
                    };
                    let tasks: Vec<_> = (0..1000u64).map(task).collect();
                    let mut sum = 0;
                    for task in tasks {
                        sum += task.await;
                    }
                    sum
                });
                assert_eq!(sum, (0..1000).sum::<u64>());
            }

            #[test]
            fn tasks_are_woken_by_other_threads() {
                let step = $step;
                let inner = step.clone();
                step.block_on(async move {
                    let sleep = |id: u64| sleep(Duration::from_millis(id % 5));
                    let sleeps: Vec<_> =
                        (0..20).map(|id| inner.spawn(sleep(id))).collect();
                    for sleep in sleeps {
                        sleep.await;
                    }
                });
            }

            #[test]
            fn bytes_go_round_a_ring_of_channels() {
                let step = $step;
                let inner = step.clone();
                step.block_on(async move {
                    let (first, mut before) = async_channel::bounded(1);
                    for _ in 0..20 {
                        let (sender, receiver) = async_channel::bounded(1);
                        let from = std::mem::replace(&mut before, receiver);
                        let pass = inner.spawn(async move {
                            while let Ok(number) = from.recv().await {
                                sender.send(number + 1).await.unwrap();
                            }
                        });
                        pass.detach();
                    }
                    for lap in 0..50 {
                        first.send(lap).await.unwrap();
                        assert_eq!(before.recv().await.unwrap(), lap + 20);
                    }
                });
            }

            #[test]
            fn it_can_be_used_again() {
                let step = $step;
                for round in 0..20 {
                    assert_eq!(step.block_on(async move { round }), round);
                }
            }
        }
    )*};
}

of_tasks! {
    of_queue queue::Executor::new();
    of_parking parking::Executor::new();
    of_reactor reactor::Executor::new().unwrap();
    of_stealing_alone Stealing(1);
    of_stealing_in_two Stealing(2);
    of_stealing_in_seven Stealing(7);
}

/// Sleeps on a separate thread, which then wakes the task.
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

#[test]
fn workers_steal() {
    stealing::block_on(2, async {
        // These two tasks can only finish if they run on two workers at the
        // same time.
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

macro_rules! of_sockets {
    ($($name:ident $step:expr;)*) => {$(
        #[test]
        fn $name() {
            // Each connection needs two files, one per end.
            let room = ManyFiles::room(2 * CONNECTIONS);
            let Some(_files) = room else { return };
            let step = $step;
            let inner = step.clone();
            step.block_on(async move {
                let mut listener = inner.listen(LOOPBACK).unwrap();
                let address = listener.local_addr().unwrap();
                let spawner = inner.clone();
                let server = inner.spawn(async move {
                    for _ in 0..CONNECTIONS {
                        let mut stream = listener.accept().await.unwrap();
                        let serve = spawner.spawn(async move {
                            let mut buffer = [0; 64];
                            loop {
                                let n = stream.read(&mut buffer).await.unwrap();
                                if n == 0 {
                                    return;
                                }
                                stream.write_all(&buffer[..n]).await.unwrap();
                            }
                        });
                        serve.detach();
                    }
                });
                let client = |id: usize| {
                    let connector = inner.clone();
                    inner.spawn(async move {
                        let mut stream =
                            connector.connect(address).await.unwrap();
                        let mut byte = [0];
                        for _ in 0..10 {
                            stream.write_all(&[id as u8]).await.unwrap();
                            let n = stream.read(&mut byte).await.unwrap();
                            assert_eq!((n, byte), (1, [id as u8]));
                        }
                    })
                };
                let clients: Vec<_> = (0..CONNECTIONS).map(client).collect();
                server.await;
                for client in clients {
                    client.await;
                }
            });
        }
    )*};
}

of_sockets! {
    the_reactor_tells_of_sockets reactor::Executor::new().unwrap();
    one_worker_tells_of_sockets Stealing(1);
    each_of_two_workers_tells_of_sockets Stealing(2);
    each_of_seven_workers_tells_of_sockets Stealing(7);
}
