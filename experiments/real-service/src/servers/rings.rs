//! Servers on one single-threaded runtime per core, without hyper. Orders are
//! stored in the server's map, because most of these runtimes have no
//! PostgreSQL client that we could measure. Tokio is included for comparison.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use compio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use compio::BufResult;
use futures_lite::{AsyncReadExt as _, AsyncWriteExt as _};
use monoio::buf::IoBufMut as _;
use monoio::io::{AsyncReadRent as _, AsyncWriteRentExt as _};
use runtimes::LocalRuntime;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::exchange;
use crate::listener::{listen, on_each_core, Ready};
use crate::path;
use crate::store::Map;

/// The size of a read buffer and of the initial buffer for answers, in bytes.
const READ: usize = 16 * 1024;
const ANSWER: usize = 4 * 1024;

/// Serves on one runtime per core until one of them fails. All runtimes share
/// one map.
pub(super) fn serve(
    runtime: LocalRuntime,
    address: SocketAddr,
    map: &Arc<Map>,
    ready: &Ready,
) -> Result<(), String> {
    on_each_core(|| {
        runtime.start()?;
        let (says, ended) = std::sync::mpsc::channel();
        let (map, ready) = (Arc::clone(map), ready.clone());
        runtime.run(Box::new(move || {
            Box::pin(async move {
                let served = match runtime.name() {
                    "glommio" => on_glommio(address, map, &ready).await,
                    "compio" => on_compio(address, map, &ready).await,
                    "tokio LocalSet" => on_tokio(address, map, &ready).await,
                    _ => on_monoio(address, map, &ready).await,
                };
                drop(says.send(served));
            })
        }));
        ended.recv().unwrap_or_else(|_| Err("it has ended".to_owned()))
    })
}

/// Answers all complete requests in the received bytes, and stores their
/// orders in the map.
fn answer(received: &[u8], answers: &mut Vec<u8>, map: &Map) -> Option<usize> {
    exchange::answer(received, answers, |path, body| {
        path::answer(path, body, |order, _| map.place(order))
    })
}

fn in_words(error: impl std::fmt::Display) -> String {
    format!("it cannot listen or accept: {error}")
}

async fn on_tokio(
    address: SocketAddr,
    map: Arc<Map>,
    ready: &Ready,
) -> Result<(), String> {
    let listener = listen(address)?;
    listener.set_nonblocking(true).map_err(in_words)?;
    let listener =
        tokio::net::TcpListener::from_std(listener).map_err(in_words)?;
    ready.say();
    loop {
        let (mut stream, _) = listener.accept().await.map_err(in_words)?;
        let map = Arc::clone(&map);
        tokio::task::spawn_local(async move {
            stream.set_nodelay(true)?;
            let mut received = Vec::with_capacity(READ);
            let mut answers = Vec::with_capacity(ANSWER);
            loop {
                if stream.read_buf(&mut received).await? == 0 {
                    return io::Result::Ok(());
                }
                let taken = answer(&received, &mut answers, &map);
                stream.write_all(&answers).await?;
                answers.clear();
                let Some(taken) = taken else { return Ok(()) };
                received.drain(..taken);
            }
        });
    }
}

async fn on_monoio(
    address: SocketAddr,
    map: Arc<Map>,
    ready: &Ready,
) -> Result<(), String> {
    let listener = listen(address)?;
    listener.set_nonblocking(true).map_err(in_words)?;
    let listener =
        monoio::net::TcpListener::from_std(listener).map_err(in_words)?;
    ready.say();
    loop {
        let (mut stream, _) = listener.accept().await.map_err(in_words)?;
        let map = Arc::clone(&map);
        monoio::spawn(async move {
            stream.set_nodelay(true)?;
            let mut received: Vec<u8> = Vec::with_capacity(READ);
            let mut answers = Vec::with_capacity(ANSWER);
            loop {
                let end = received.len();
                // Makes room for the kernel to read into.
                received.reserve(1024);
                let (read, filled) =
                    stream.read(received.slice_mut(end..)).await;
                if read? == 0 {
                    return io::Result::Ok(());
                }
                received = filled.into_inner();
                let taken = answer(&received, &mut answers, &map);
                let (written, sent) = stream.write_all(answers).await;
                written?;
                answers = sent;
                answers.clear();
                let Some(taken) = taken else { return Ok(()) };
                received.drain(..taken);
            }
        });
    }
}

async fn on_glommio(
    address: SocketAddr,
    map: Arc<Map>,
    ready: &Ready,
) -> Result<(), String> {
    // Several of Glommio's executors can listen on the same port.
    let listener =
        glommio::net::TcpListener::bind(address).map_err(in_words)?;
    ready.say();
    loop {
        let mut stream = listener.accept().await.map_err(in_words)?;
        let map = Arc::clone(&map);
        let conversing = glommio::spawn_local(async move {
            stream.set_nodelay(true)?;
            let mut received = vec![0; 2 * READ];
            let mut filled = 0;
            let mut answers = Vec::with_capacity(ANSWER);
            loop {
                match stream.read(&mut received[filled..]).await? {
                    0 => return io::Result::Ok(()),
                    read => filled += read,
                }
                let taken = answer(&received[..filled], &mut answers, &map);
                stream.write_all(&answers).await?;
                answers.clear();
                let Some(taken) = taken else { return Ok(()) };
                received.copy_within(taken..filled, 0);
                filled -= taken;
            }
        });
        drop(conversing.detach());
    }
}

async fn on_compio(
    address: SocketAddr,
    map: Arc<Map>,
    ready: &Ready,
) -> Result<(), String> {
    let listener = compio::net::TcpListener::from_std(listen(address)?)
        .map_err(in_words)?;
    ready.say();
    loop {
        let (mut stream, _) = listener.accept().await.map_err(in_words)?;
        let map = Arc::clone(&map);
        let conversing = compio::runtime::spawn(async move {
            stream.set_nodelay(true)?;
            let mut received = Vec::with_capacity(READ);
            let mut answers = Vec::with_capacity(ANSWER);
            loop {
                let BufResult(read, filled) = stream.append(received).await;
                if read? == 0 {
                    return io::Result::Ok(());
                }
                received = filled;
                let taken = answer(&received, &mut answers, &map);
                let BufResult(written, sent) = stream.write_all(answers).await;
                written?;
                answers = sent;
                answers.clear();
                let Some(taken) = taken else { return Ok(()) };
                received.drain(..taken);
            }
        });
        conversing.detach();
    }
}
