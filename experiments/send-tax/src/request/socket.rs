//! Serves the client's connection on each runtime.

use std::future::Future;
use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use super::client;
use super::conversation::Conversation;
#[cfg(target_os = "linux")]
use crate::listings::socket::glommio;
use crate::listings::socket::{compio, monoio, tokio};

/// How long a conversation took by the client's clock, and the number of
/// correct replies.
type Outcome = (Duration, u64);

async fn converse<Serving>(
    conversation: Arc<Conversation>,
    non_blocking: bool,
    serve: impl FnOnce(TcpStream) -> Serving,
) -> io::Result<Outcome>
where
    Serving: Future<Output = io::Result<()>>,
{
    let client::Begun { connection, outcome } = client::begin(conversation)?;
    // Runtimes that wait for readiness (epoll) require a non-blocking socket;
    // on such a socket, io_uring wouldn't wait at all.
    connection.set_nonblocking(non_blocking)?;
    serve(connection).await?;
    outcome.recv().map_err(io::Error::other)
}

pub(super) async fn on_tokio(
    conversation: Arc<Conversation>,
    answer: impl FnMut(&str) -> String,
) -> io::Result<Outcome> {
    let serve = |connection| async {
        let connection = ::tokio::net::TcpStream::from_std(connection)?;
        tokio::serve(connection, answer).await
    };
    converse(conversation, true, serve).await
}

pub(super) async fn on_monoio_epoll(
    conversation: Arc<Conversation>,
    answer: impl FnMut(&str) -> String,
) -> io::Result<Outcome> {
    let serve = |connection| async {
        let connection = ::monoio::net::TcpStream::from_std(connection)?;
        monoio::serve(connection, answer).await
    };
    converse(conversation, true, serve).await
}

pub(super) async fn on_monoio_io_uring(
    conversation: Arc<Conversation>,
    answer: impl FnMut(&str) -> String,
) -> io::Result<Outcome> {
    let serve = |connection| async {
        let connection = ::monoio::net::TcpStream::from_std(connection)?;
        monoio::serve(connection, answer).await
    };
    converse(conversation, false, serve).await
}

#[cfg(target_os = "linux")]
pub(super) async fn on_glommio(
    conversation: Arc<Conversation>,
    answer: impl FnMut(&str) -> String,
) -> io::Result<Outcome> {
    let serve = |connection| async {
        let connection = socket2::Socket::from(connection);
        glommio::serve(connection.into(), answer).await
    };
    converse(conversation, false, serve).await
}

pub(super) async fn on_compio(
    conversation: Arc<Conversation>,
    answer: impl FnMut(&str) -> String,
) -> io::Result<Outcome> {
    let serve = |connection| async {
        let connection = ::compio::net::TcpStream::from_std(connection)?;
        compio::serve(connection, answer).await
    };
    converse(conversation, false, serve).await
}
