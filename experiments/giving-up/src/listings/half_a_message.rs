//! A loop that reads messages from a connection and also receives ticks,
//! written in three ways.

use std::io;

use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::mpsc;
use tokio_util::codec::LengthDelimitedCodec;

/// Reads a message. Its first byte holds the number of bytes that follow.
async fn read_message(
    stream: &mut (impl AsyncRead + Unpin),
) -> io::Result<Vec<u8>> {
    let length = stream.read_u8().await?;
    let mut message = vec![0; length.into()];
    stream.read_exact(&mut message).await?;
    Ok(message)
}

// ANCHOR: wrong
/// Wrong: when a tick arrives, the future of a half-finished read is dropped,
/// together with the bytes that it has taken out of the stream.
pub async fn read_in_a_branch(
    mut stream: impl AsyncRead + Unpin,
    mut ticks: mpsc::Receiver<()>,
) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    loop {
        tokio::select! {
            message = read_message(&mut stream) => match message {
                Ok(message) => messages.push(message),
                Err(_) => return messages,
            },
            Some(()) = ticks.recv() => {}
        }
    }
}
// ANCHOR_END: wrong

// ANCHOR: pinned
/// Right: the future of a read is kept until it has finished, however many
/// ticks arrive.
pub async fn read_pinned(
    mut stream: impl AsyncRead + Unpin,
    mut ticks: mpsc::Receiver<()>,
) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    loop {
        let mut reading = std::pin::pin!(read_message(&mut stream));
        let message = loop {
            tokio::select! {
                message = &mut reading => break message,
                Some(()) = ticks.recv() => {}
            }
        };
        match message {
            Ok(message) => messages.push(message),
            Err(_) => return messages,
        }
    }
}
// ANCHOR_END: pinned

// ANCHOR: framed
/// Right: the half-read message is kept in `stream`, not in the future.
pub async fn read_framed(
    stream: impl AsyncRead + Unpin,
    mut ticks: mpsc::Receiver<()>,
) -> Vec<Vec<u8>> {
    let mut codec = LengthDelimitedCodec::builder();
    let mut stream = codec.length_field_length(1).new_read(stream);
    let mut messages = Vec::new();
    loop {
        tokio::select! {
            message = stream.next() => match message {
                Some(Ok(message)) => messages.push(message.to_vec()),
                _ => return messages,
            },
            Some(()) = ticks.recv() => {}
        }
    }
}
// ANCHOR_END: framed
