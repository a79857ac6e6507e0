//! Two threads that exchange requests and answers over a loopback connection.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);

/// The client's end of the connection. When it is closed, the server's thread
/// ends.
pub(super) struct ThreadPair(TcpStream);

impl ThreadPair {
    pub(super) fn new(has_deadline: bool) -> ThreadPair {
        let any_port = (Ipv4Addr::LOCALHOST, 0);
        let listener = TcpListener::bind(any_port).expect("it has a port");
        let address = listener.local_addr().expect("it is bound");
        let stream = TcpStream::connect(address).expect("it listens");
        let (mut peer, _) = listener.accept().expect("it is connected");
        for end in [&stream, &peer] {
            end.set_nodelay(true).expect("it is TCP");
        }
        let limit = has_deadline.then_some(LIMIT);
        stream.set_read_timeout(limit).expect("it is not zero");
        thread::spawn(move || {
            let mut message = [0; 8];
            while peer.read_exact(&mut message).is_ok() {
                peer.write_all(&message).expect("the client reads");
            }
        });
        ThreadPair(stream)
    }

    /// Sends `requests` requests, and returns the sum of the answers.
    pub(super) fn ask(&mut self, requests: u64) -> u64 {
        let answer = |id: u64| {
            let mut message = id.to_le_bytes();
            self.0.write_all(&message).expect("the server reads");
            self.0.read_exact(&mut message).expect("it answers");
            u64::from_le_bytes(message)
        };
        (0..requests).map(answer).sum()
    }
}
