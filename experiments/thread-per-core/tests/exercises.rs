//! The chapter's exercises. Pick one, replace its `todo!()` in the module
//! `yours`, and run it:
//!
//! ```sh
//! cargo test -p thread-per-core --test exercises -- --ignored dealt_in_turn
//! ```
//!
//! The tests check the answer, and that the solution keeps the rule of the
//! exercise. The module `worked` has a solution for each exercise.

use std::cell::Cell;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::rc::Rc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// Write your solutions here.
mod yours {
    use super::*;

    /// *Counted without atomics.* Serve `connections` connections, each in a
    /// local task that echoes until its client closes. Add up in `echoed` how
    /// many bytes were written back. Return when all clients have closed.
    pub(super) async fn counted_without_atomics(
        listener: tokio::net::TcpListener,
        connections: usize,
        echoed: Rc<Cell<u64>>,
    ) -> io::Result<()> {
        let _ = (listener, connections, echoed);
        todo!()
    }

    /// *Dealt in turn.* The kernel distributes connections by a hash, and not
    /// evenly. Accept `connections` connections and pass them to the workers
    /// in turn, so that the workers' numbers of connections differ by at most
    /// one.
    pub(super) fn dealt_in_turn(
        listener: &TcpListener,
        connections: usize,
        workers: &[Sender<TcpStream>],
    ) -> io::Result<()> {
        let _ = (listener, connections, workers);
        todo!()
    }
}

mod worked {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::task::spawn_local;

    use super::*;

    pub(super) async fn counted_without_atomics(
        listener: tokio::net::TcpListener,
        connections: usize,
        echoed: Rc<Cell<u64>>,
    ) -> io::Result<()> {
        let mut serving = Vec::new();
        for _ in 0..connections {
            let (mut connection, _) = listener.accept().await?;
            let echoed = Rc::clone(&echoed);
            serving.push(spawn_local(async move {
                let mut buffer = vec![0; 1024];
                loop {
                    let read = connection.read(&mut buffer).await?;
                    if read == 0 {
                        return Ok::<(), io::Error>(());
                    }
                    connection.write_all(&buffer[..read]).await?;
                    // No other task runs between `get` and `set`, so no other
                    // task's bytes are lost.
                    echoed.set(echoed.get() + read as u64);
                }
            }));
        }
        for connection in serving {
            connection.await.expect("it does not panic")?;
        }
        Ok(())
    }

    pub(super) fn dealt_in_turn(
        listener: &TcpListener,
        connections: usize,
        workers: &[Sender<TcpStream>],
    ) -> io::Result<()> {
        for worker in workers.iter().cycle().take(connections) {
            let (connection, _) = listener.accept()?;
            worker.send(connection).map_err(io::Error::other)?;
        }
        Ok(())
    }
}

type Deal = fn(&TcpListener, usize, &[Sender<TcpStream>]) -> io::Result<()>;

const CLIENTS: usize = 7;
const MESSAGES: usize = 20;

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a port of this computer is free")
}

/// Starts a thread with clients that each send messages and check the
/// answers.
fn ask(listener: &TcpListener) -> thread::JoinHandle<()> {
    let address = listener.local_addr().expect("it listens");
    let client = move |client: usize| {
        let mut stream = TcpStream::connect(address).expect("it listens");
        for message in 0..MESSAGES {
            let sent = [(client * MESSAGES + message) as u8; 64];
            stream.write_all(&sent).expect("the server reads");
            let mut answer = [0; 64];
            stream.read_exact(&mut answer).expect("the server answers");
            assert_eq!(answer, sent);
        }
    };
    thread::spawn(move || {
        let clients = (0..CLIENTS).map(|id| thread::spawn(move || client(id)));
        for client in clients.collect::<Vec<_>>() {
            client.join().expect("a client gets its answers");
        }
    })
}

fn check_counted<Served>(
    serve: impl FnOnce(tokio::net::TcpListener, usize, Rc<Cell<u64>>) -> Served,
) where
    Served: std::future::Future<Output = io::Result<()>>,
{
    let listener = listener();
    let clients = ask(&listener);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let echoed = Rc::new(Cell::new(0));
    LocalSet::new().block_on(&runtime, async {
        listener.set_nonblocking(true).unwrap();
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        serve(listener, CLIENTS, Rc::clone(&echoed)).await.unwrap();
    });
    clients.join().unwrap();
    assert_eq!(echoed.get(), (CLIENTS * MESSAGES * 64) as u64);
}

fn check_dealt(deal: Deal) {
    const WORKERS: usize = 3;
    let listener = listener();
    let address = listener.local_addr().unwrap();
    let held = thread::spawn(move || {
        let connect = |_| TcpStream::connect(address).expect("it listens");
        (0..CLIENTS).map(connect).collect::<Vec<_>>()
    });
    let (senders, receivers): (Vec<_>, Vec<_>) =
        (0..WORKERS).map(|_| mpsc::channel()).unzip();
    deal(&listener, CLIENTS, &senders).unwrap();
    drop(senders);
    let counts: Vec<usize> =
        receivers.iter().map(|worker| worker.iter().count()).collect();
    assert_eq!(counts.iter().sum::<usize>(), CLIENTS, "{counts:?}");
    let (least, most) = (counts.iter().min(), counts.iter().max());
    assert!(most.unwrap() - least.unwrap() <= 1, "{counts:?}");
    assert_eq!(held.join().unwrap().len(), CLIENTS);
}

#[test]
fn the_worked_solutions_keep_their_rules() {
    check_counted(worked::counted_without_atomics);
    check_dealt(worked::dealt_in_turn);
}

#[test]
#[should_panic(expected = "[7, 0, 0]")]
fn all_to_the_first_worker_is_not_in_turn() {
    check_dealt(|listener, connections, workers| {
        worked::dealt_in_turn(listener, connections, &workers[..1])
    });
}

#[test]
#[ignore = "an exercise"]
fn counted_without_atomics() {
    check_counted(yours::counted_without_atomics);
}

#[test]
#[ignore = "an exercise"]
fn dealt_in_turn() {
    check_dealt(yours::dealt_in_turn);
}
