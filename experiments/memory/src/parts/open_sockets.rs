//! Sockets that no task or thread waits on, so they use only kernel memory.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// The message that is finally sent through each connection to check it.
const MESSAGE: [u8; 1] = [b'!'];

/// Connections with both ends in this process, since the kernel reports
/// memory for both ends together.
pub(super) struct OpenSockets {
    listener: TcpListener,
    connections: Vec<[TcpStream; 2]>,
}

impl OpenSockets {
    pub(super) fn none() -> io::Result<OpenSockets> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        Ok(OpenSockets { listener, connections: Vec::new() })
    }

    /// Opens connections until there are `more` additional ends. `more` must
    /// be even, since each connection has two ends.
    pub(super) fn add(&mut self, more: u64) -> io::Result<()> {
        let address = self.listener.local_addr()?;
        for _ in 0..more / 2 {
            let one = TcpStream::connect(address)?;
            let (other, _) = self.listener.accept()?;
            self.connections.push([one, other]);
        }
        Ok(())
    }

    pub(super) fn count(&self) -> u64 {
        2 * self.connections.len() as u64
    }

    /// Checks that each connection works, and then closes all of them.
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
