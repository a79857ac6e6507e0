//! A connection: the requests on it, and its two streams of bytes.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

use mio::net::TcpStream;

use super::clock::Clock;
use super::pattern::Pattern;

/// What all connections of a load have in common.
#[derive(Debug)]
pub(super) struct Protocol {
    pub(super) pattern: Pattern,
    pub(super) message_bytes: usize,
    pub(super) pipeline: usize,
}

/// A request that was answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// When the request was made, or due.
    pub(super) made: u64,
    /// When the last byte of its answer had come.
    pub(super) at: u64,
    /// Whether all bytes were those that had been sent.
    pub(super) is_right: bool,
}

/// A connection: since the protocol is an echo, it sends one stream of bytes and
/// gets the same back, and where it stands in both is all that it has to know.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    /// Its place among all connections.
    number: usize,
    /// When each request that has no answer was made, the oldest first. At most as
    /// many as the pipeline holds are under way, the rest wait.
    requests: VecDeque<u64>,
    /// Bytes, of all messages.
    sent: u64,
    /// Bytes as well.
    received: u64,
    /// Whether the answer that is coming in had a wrong byte.
    is_wrong: bool,
}

impl Connection {
    pub(super) fn new(
        number: usize,
        stream: TcpStream,
        pipeline: usize,
    ) -> Connection {
        let requests = VecDeque::with_capacity(pipeline);
        Connection {
            stream,
            number,
            requests,
            sent: 0,
            received: 0,
            is_wrong: false,
        }
    }

    /// Makes a request, which is sent by [`Connection::send`].
    pub(super) fn request(&mut self, made: u64) {
        self.requests.push_back(made);
    }

    /// When the requests that have no answer were made.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = u64> + '_ {
        self.requests.iter().copied()
    }

    /// Sends what may be under way, as far as the socket takes it. Whether nothing is
    /// left that waits.
    ///
    /// # Errors
    ///
    /// If the connection is broken.
    pub(super) fn send(&mut self, protocol: &Protocol) -> io::Result<bool> {
        let message = protocol.message_bytes as u64;
        let under_way = self.requests.len().min(protocol.pipeline) as u64;
        let until = (self.received / message + under_way) * message;
        while self.sent < until {
            let left = usize::try_from(until - self.sent).unwrap_or(usize::MAX);
            let bytes = protocol.pattern.at(self.number, self.sent, left);
            match self.stream.write(bytes) {
                Ok(written) => self.sent += written as u64,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Ok(false)
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.requests.len() <= protocol.pipeline)
    }

    /// Receives what has come in, and tells each answer.
    ///
    /// `is_closing`: the server has closed its side; what it sent before can be read.
    ///
    /// # Errors
    ///
    /// If the connection is broken or closed, or the server sends what nobody asked for.
    pub(super) fn receive(
        &mut self,
        protocol: &Protocol,
        clock: Clock,
        buffer: &mut [u8],
        is_closing: bool,
        mut answered: impl FnMut(Answer),
    ) -> io::Result<()> {
        loop {
            let read = match self.stream.read(buffer) {
                Ok(0) => {
                    return Err(io::Error::other(
                        "the server closed the connection",
                    ))
                }
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    return Ok(())
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {
                    continue
                }
                Err(error) => return Err(error),
            };
            let at = clock.now();
            if read as u64 > self.sent - self.received {
                return Err(io::Error::other(
                    "the server sent more than it was sent",
                ));
            }
            self.take(protocol, &buffer[..read], |made, is_right| {
                answered(Answer { made, at, is_right });
            });
            // The socket is empty then: epoll tells when more has come (epoll(7), "Do I
            // need to continuously read"), which spares a system call an answer. But it
            // has already told of an end that is behind these bytes.
            if read < buffer.len() && !is_closing {
                return Ok(());
            }
        }
    }

    /// Compares bytes with those that were sent, message by message.
    fn take(
        &mut self,
        protocol: &Protocol,
        mut bytes: &[u8],
        mut answered: impl FnMut(u64, bool),
    ) {
        let message = protocol.message_bytes as u64;
        while !bytes.is_empty() {
            let left = message - self.received % message;
            let expected =
                bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let expected =
                protocol.pattern.at(self.number, self.received, expected);
            let (piece, rest) = bytes.split_at(expected.len());
            self.is_wrong |= piece != expected;
            self.received += piece.len() as u64;
            if self.received.is_multiple_of(message) {
                let made = self
                    .requests
                    .pop_front()
                    .expect("what comes back was sent");
                answered(made, !std::mem::take(&mut self.is_wrong));
            }
            bytes = rest;
        }
    }
}
