//! A connection from the load generator to a server. It sends requests and
//! checks the answers.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

use mio::net::TcpStream;

use super::clock::Clock;
use super::http;
use super::pattern::Pattern;

/// The requests that are sent on all connections of a load, and how many may
/// be in flight on each.
#[derive(Debug)]
pub(super) struct Protocol {
    pub(super) requests: Requests,
    pub(super) pipeline: usize,
}

/// The requests of a load, which determine the expected answers.
#[derive(Debug)]
pub(super) enum Requests {
    /// Messages with varying bytes, each of which the server has to send
    /// back.
    Echo { pattern: Pattern, message_bytes: usize },
    /// An HTTP request that is sent repeatedly and has only one right answer.
    Http(http::Request),
}

impl Requests {
    fn bytes(&self) -> u64 {
        match self {
            Requests::Echo { message_bytes, .. } => *message_bytes as u64,
            Requests::Http(request) => request.bytes() as u64,
        }
    }

    /// Returns up to `bytes` bytes of the stream that connection number
    /// `connection` sends, starting at `offset`. Never returns more than
    /// [`CHUNK`](super::pattern::CHUNK) bytes.
    fn at(&self, connection: usize, offset: u64, bytes: usize) -> &[u8] {
        match self {
            Requests::Echo { pattern, .. } => {
                pattern.at(connection, offset, bytes)
            }
            Requests::Http(request) => request.at(offset, bytes),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// The time at which the request was sent or, in an open loop, was due,
    /// in nanoseconds since the start of the load.
    pub(super) made: u64,
    /// The time at which the last byte of the answer arrived, in nanoseconds
    /// since the start of the load.
    pub(super) at: u64,
    pub(super) is_right: bool,
}

/// A connection to the server. It sends one endless stream of bytes, divided
/// into requests of the same length. Its only state is its position in that
/// stream and in the answers.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    /// The connection's index among all connections of the load.
    number: usize,
    /// The times at which unanswered requests were made, oldest first. The
    /// first requests, up to the number that the pipeline allows, are in
    /// flight; the others wait to be sent.
    requests: VecDeque<u64>,
    sent: u64,
    answered: u64,
    received: u64,
    /// True if the part of the echoed message that has arrived contains a
    /// wrong byte.
    is_wrong: bool,
    answers: http::Answers,
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
            answered: 0,
            received: 0,
            is_wrong: false,
            answers: http::Answers::default(),
        }
    }

    /// Adds a request that was made at `made`. [`Connection::send`] will send
    /// it.
    pub(super) fn request(&mut self, made: u64) {
        self.requests.push_back(made);
    }

    pub(super) fn unanswered(&self) -> impl Iterator<Item = u64> + '_ {
        self.requests.iter().copied()
    }

    /// Sends as many of the requests that may be in flight as the socket
    /// accepts. Returns whether all of them have been sent.
    ///
    /// # Errors
    ///
    /// If the connection is broken.
    pub(super) fn send(&mut self, protocol: &Protocol) -> io::Result<bool> {
        let requests = &protocol.requests;
        let under_way = self.requests.len().min(protocol.pipeline) as u64;
        let until = (self.answered + under_way) * requests.bytes();
        while self.sent < until {
            let left = usize::try_from(until - self.sent).unwrap_or(usize::MAX);
            let bytes = requests.at(self.number, self.sent, left);
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

    /// Reads the available bytes, and calls `answered` for each complete
    /// answer.
    ///
    /// `is_closing` says that the server has closed its side, though earlier
    /// bytes can still be read.
    ///
    /// # Errors
    ///
    /// If the connection is broken or closed, or the server sends unrequested
    /// bytes.
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
            let bytes = &buffer[..read];
            let answered = |made, is_right| {
                answered(Answer { made, at, is_right });
            };
            match &protocol.requests {
                Requests::Echo { pattern, message_bytes } => {
                    self.take_echo(pattern, *message_bytes, bytes, answered)?;
                }
                Requests::Http(_) => self.take_http(bytes, answered)?,
            }
            // A read that doesn't fill the buffer has emptied the socket, and
            // epoll reports when more has arrived (epoll(7), "Do I need to
            // continuously read"). So not reading again saves a system call
            // per answer. But if the server has closed its side, epoll has
            // already reported that, and the end must be read.
            if read < buffer.len() && !is_closing {
                return Ok(());
            }
        }
    }

    /// Compares received bytes with the bytes that were sent, one message
    /// after the other.
    fn take_echo(
        &mut self,
        pattern: &Pattern,
        message_bytes: usize,
        mut bytes: &[u8],
        mut answered: impl FnMut(u64, bool),
    ) -> io::Result<()> {
        if bytes.len() as u64 > self.sent - self.received {
            return Err(io::Error::other(
                "the server sent more than it was sent",
            ));
        }
        let message = message_bytes as u64;
        while !bytes.is_empty() {
            let left = message - self.received % message;
            let expected =
                bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let expected = pattern.at(self.number, self.received, expected);
            let (piece, rest) = bytes.split_at(expected.len());
            self.is_wrong |= piece != expected;
            self.received += piece.len() as u64;
            if self.received.is_multiple_of(message) {
                let made = self
                    .requests
                    .pop_front()
                    .expect("what comes back was sent");
                self.answered += 1;
                answered(made, !std::mem::take(&mut self.is_wrong));
            }
            bytes = rest;
        }
        Ok(())
    }

    fn take_http(
        &mut self,
        bytes: &[u8],
        mut answered: impl FnMut(u64, bool),
    ) -> io::Result<()> {
        let mut nobody_asked = false;
        self.answers.take(bytes, |is_right| {
            match self.requests.pop_front() {
                Some(made) => {
                    self.answered += 1;
                    answered(made, is_right);
                }
                None => nobody_asked = true,
            }
        })?;
        if nobody_asked {
            return Err(io::Error::other(
                "the server sent an answer that nobody asked for",
            ));
        }
        Ok(())
    }
}
