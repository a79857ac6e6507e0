//! A TLS 1.3 connection that uses rustls, with both ends in memory.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{
    ClientConfig, ClientConnection, ConnectionCommon, ServerConfig,
    ServerConnection,
};

/// Both ends of a TLS connection, and the bytes on their way between them.
pub struct Connection {
    /// The client's end, which sends requests.
    pub client: ClientConnection,
    /// The server's end, which answers the requests.
    pub server: ServerConnection,
    wire: Vec<u8>,
}

impl Connection {
    /// Performs the handshake: both ends derive keys, and the client checks
    /// the server's certificate.
    pub fn open(
        client: &Arc<ClientConfig>,
        server: &Arc<ServerConfig>,
    ) -> io::Result<Connection> {
        let name = ServerName::try_from("localhost").expect("it is a name");
        let client = ClientConnection::new(Arc::clone(client), name);
        let server = ServerConnection::new(Arc::clone(server));
        let mut both = Connection {
            client: client.map_err(io::Error::other)?,
            server: server.map_err(io::Error::other)?,
            wire: Vec::new(),
        };
        while both.client.is_handshaking() || both.server.is_handshaking() {
            carry(&mut both.client, &mut both.server, &mut both.wire)?;
            carry(&mut both.server, &mut both.client, &mut both.wire)?;
        }
        Ok(both)
    }

    /// Has the client encrypt `message`, and the server decrypt it into
    /// `received`.
    pub fn send(
        &mut self,
        message: &[u8],
        received: &mut [u8],
    ) -> io::Result<()> {
        self.client.writer().write_all(message)?;
        carry(&mut self.client, &mut self.server, &mut self.wire)?;
        self.server.reader().read_exact(received)
    }
}

/// Carries the pending bytes from one end of the connection to the other.
fn carry<From, To>(
    from: &mut ConnectionCommon<From>,
    to: &mut ConnectionCommon<To>,
    wire: &mut Vec<u8>,
) -> io::Result<()> {
    wire.clear();
    while from.wants_write() {
        from.write_tls(wire)?;
    }
    let mut rest = wire.as_slice();
    while !rest.is_empty() {
        to.read_tls(&mut rest)?;
        to.process_new_packets().map_err(io::Error::other)?;
    }
    Ok(())
}
