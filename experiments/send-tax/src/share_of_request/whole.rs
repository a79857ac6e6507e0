//! A request from its first byte to its last, without the network: the server
//! decrypts a record, hashes and parses its body, calls the service, logs a
//! line, and encrypts the reply.

use std::io::{self, Read, Write};
use std::time::{Duration, Instant};

use crate::listings::share_of_request::tls::Connection;
use crate::listings::share_of_request::{hash, json, log_line};

/// The state that a TLS server keeps from one request to the next.
pub(super) struct TlsServer {
    connection: Connection,
    /// The encrypted requests on their way to the server, and the encrypted
    /// replies. Each is one TLS record.
    requests: Vec<Vec<u8>>,
    replies: Vec<Vec<u8>>,
    log: Vec<u8>,
}

impl TlsServer {
    /// Creates a server with buffers for `requests` requests.
    pub(super) fn new(connection: Connection, requests: usize) -> TlsServer {
        let room = || vec![Vec::with_capacity(2_048); requests];
        let (requests, replies) = (room(), room());
        TlsServer { connection, requests, replies, log: Vec::new() }
    }

    /// Serves `body` once per request buffer. The client's encryption is not
    /// timed. Returns the elapsed time, and the number of replies that the
    /// client could decrypt and found correct.
    pub(super) fn serve(
        &mut self,
        body: &[u8],
        mut answer: impl FnMut(&json::Order) -> String,
        is_right: impl Fn(usize, &str) -> bool,
    ) -> io::Result<(Duration, u64)> {
        let Connection { client, server, .. } = &mut self.connection;
        for request in &mut self.requests {
            request.clear();
            client.writer().write_all(body)?;
            client.write_tls(request)?;
        }
        self.log.clear();
        let mut received = vec![0; body.len()];
        let start = Instant::now();
        for (request, reply) in self.requests.iter().zip(&mut self.replies) {
            reply.clear();
            server.read_tls(&mut request.as_slice())?;
            server.process_new_packets().map_err(io::Error::other)?;
            server.reader().read_exact(&mut received)?;
            let hash = hash::hash(&received);
            let order = json::parse(&received)?;
            let text = answer(&order);
            log_line::log(&mut self.log, order.visitor, "order", text.len())?;
            let text = [&hash[..], text.as_bytes()].concat();
            server.writer().write_all(&text)?;
            server.write_tls(reply)?;
        }
        let elapsed = start.elapsed();
        let expected = hash::hash(body);
        let mut right = 0;
        for (place, reply) in self.replies.iter().enumerate() {
            client.read_tls(&mut reply.as_slice())?;
            let state = client.process_new_packets();
            let bytes =
                state.map_err(io::Error::other)?.plaintext_bytes_to_read();
            let mut text = vec![0; bytes];
            client.reader().read_exact(&mut text)?;
            let (hash, text) = text.split_at(expected.len().min(bytes));
            let text = String::from_utf8_lossy(text);
            right += u64::from(hash == expected && is_right(place, &text));
        }
        Ok((elapsed, right))
    }
}
