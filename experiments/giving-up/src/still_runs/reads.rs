//! Gives up on a read that waits for a silent peer: drops the read, then its
//! socket. The measured time is until the peer sees the connection end. For
//! the connection to end, nothing may hold the socket any more: neither the
//! runtime nor a request in an io_uring.

use std::io::Read;
use std::net::TcpStream;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use futures_lite::future::or;
use runtimes::{LocalRuntime, Runtime};

use super::job::{Took, AFTER, JOB};
use super::threads::connected;

/// Gives up on a read when a timer expires, closes the socket, reports when
/// the timer expired, and continues to run.
macro_rules! give_up {
    ($told:expr, $read:expr, $stream:expr, $sleep:path) => {{
        let given_up = or(
            async {
                let _ = $read.await;
                None
            },
            async {
                let _ = $sleep(AFTER).await;
                Some(Instant::now())
            },
        )
        .await;
        drop($stream);
        let _ = $told.send(given_up);
        let _ = $sleep(JOB).await;
    }};
}

pub(super) fn on_tokio(runtime: Runtime) -> Took {
    given_up(|stream, told| {
        runtime.run(Box::pin(async move {
            let mut stream = tokio::net::TcpStream::from_std(stream).unwrap();
            let mut buffer = [0; 8];
            let read = tokio::io::AsyncReadExt::read(&mut stream, &mut buffer);
            give_up!(told, read, stream, tokio::time::sleep);
        }));
    })
}

pub(super) fn on_smol(runtime: Runtime) -> Took {
    given_up(|stream, told| {
        runtime.run(Box::pin(async move {
            let mut stream = smol::net::TcpStream::try_from(stream).unwrap();
            let mut buffer = [0; 8];
            let read = smol::io::AsyncReadExt::read(&mut stream, &mut buffer);
            give_up!(told, read, stream, smol::Timer::after);
        }));
    })
}

pub(super) fn on_glommio(runtime: LocalRuntime) -> Took {
    runtime.start()?;
    given_up(|stream, told| {
        runtime.run(Box::new(move || {
            Box::pin(async move {
                let stream = stream.into_raw_fd();
                // SAFETY: the descriptor belongs to a connection, and is
                // owned by nothing else.
                let mut stream =
                    unsafe { glommio::net::TcpStream::from_raw_fd(stream) };
                let mut buffer = [0; 8];
                let read =
                    smol::io::AsyncReadExt::read(&mut stream, &mut buffer);
                give_up!(told, read, stream, glommio::timer::sleep);
            })
        }));
    })
}

pub(super) fn on_monoio(runtime: LocalRuntime) -> Took {
    runtime.start()?;
    given_up(|stream, told| {
        runtime.run(Box::new(move || {
            Box::pin(async move {
                let mut stream =
                    monoio::net::TcpStream::from_std(stream).unwrap();
                let buffer = vec![0; 8];
                let read = monoio::io::AsyncReadRent::read(&mut stream, buffer);
                give_up!(told, read, stream, monoio::time::sleep);
            })
        }));
    })
}

pub(super) fn on_compio(runtime: LocalRuntime) -> Took {
    runtime.start()?;
    given_up(|stream, told| {
        runtime.run(Box::new(move || {
            Box::pin(async move {
                let mut stream =
                    compio::net::TcpStream::from_std(stream).unwrap();
                let buffer = vec![0; 8];
                let read = compio::io::AsyncRead::read(&mut stream, buffer);
                give_up!(told, read, stream, compio::time::sleep);
            })
        }));
    })
}

/// Runs a client that gives up on a read. Returns how long after that the
/// other end of the connection reads end of file.
fn given_up(run: impl FnOnce(TcpStream, Sender<Option<Instant>>)) -> Took {
    let (stream, mut peer) = connected()?;
    let as_words = |error: std::io::Error| error.to_string();
    stream.set_nonblocking(true).map_err(as_words)?;
    let longest = Some(Duration::from_secs(10));
    peer.set_read_timeout(longest).map_err(as_words)?;
    let watcher = thread::spawn(move || {
        let read = peer.read(&mut [0; 8]);
        (read, Instant::now())
    });
    let (told, given_up) = mpsc::channel();
    run(stream, told);
    let start = given_up.recv().map_err(|error| error.to_string())?;
    let start = start.ok_or("the silent peer was heard")?;
    match watcher.join().map_err(|_| "the peer panicked".to_owned())? {
        (Ok(0), end) => Ok(end.saturating_duration_since(start)),
        (read, _) => Err(format!("the peer saw {read:?}, and no end")),
    }
}
