//! Sockets with nothing but the kernel's part: no task and no thread waits for them.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// What goes through each connection at the end.
const MESSAGE: [u8; 1] = [b'!'];

/// Connections of which both ends are in this process, since the kernel tells its
/// memory for both.
pub(super) struct OpenSockets {
    listener: TcpListener,
    connections: Vec<[TcpStream; 2]>,
}

impl OpenSockets {
    pub(super) fn none() -> io::Result<OpenSockets> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(OpenSockets { listener, connections: Vec::new() })
    }

    /// Opens so many more, an even number: two a connection.
    pub(super) fn add(&mut self, more: u64) -> io::Result<()> {
        let address = self.listener.local_addr()?;
        for _ in 0..more / 2 {
            let one = TcpStream::connect(address)?;
            let (other, _) = self.listener.accept()?;
            self.connections.push([one, other]);
        }
        Ok(())
    }

    /// How many ends there are.
    pub(super) fn count(&self) -> u64 {
        2 * self.connections.len() as u64
    }

    /// Closes them, and checks that each connection was one.
    pub(super) fn end(self) -> io::Result<()> {
        for [mut one, mut other] in self.connections {
            one.write_all(&MESSAGE)?;
            let mut got = [0; MESSAGE.len()];
            other.read_exact(&mut got)?;
            if got != MESSAGE {
                return Err(io::Error::other("something else has come"));
            }
        }
        Ok(())
    }
}
