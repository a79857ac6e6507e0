//! What the tests of an executor ask of it, by the names under which their file has
//! what it tests: its `spawn`, and its sockets.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;

use futures_lite::{AsyncReadExt, AsyncWriteExt};

use super::{spawn, JoinHandle, TcpListener, TcpStream};

pub(crate) const LOOPBACK: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// The answers of tasks, all of which are spawned before one is waited for.
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

/// So many connections to a server in this executor, each of which sends so
/// many messages and gets them back.
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
    // No more than 128 may wait to be accepted, in mio as in std. One that got
    // an answer was.
    let mut open = Vec::new();
    while open.len() < connections {
        let next = open.len()..connections.min(open.len() + 100);
        open.extend(answers(next.map(connect)).await);
    }
    let go_on = |(id, stream)| spawn(exchange(stream, id, 1..messages));
    answers(open.into_iter().enumerate().map(go_on)).await;
    server.await.unwrap();
}

/// Sends messages, and gets each back.
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
