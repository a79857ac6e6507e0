//! A client of the server: a connection that blocks its thread.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConnection, StreamOwned};

use crate::certificate;

/// How long to wait for one answer from the server.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to the server, either unencrypted or with TLS.
pub struct Client {
    stream: Stream,
    received: Vec<u8>,
    /// The length of the last answer, including its head. The answer stays at
    /// the start of `received` until the next request.
    taken: usize,
}

enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

/// An answer to a request.
pub struct Answer<'a> {
    /// The HTTP status of the answer.
    pub status: u16,
    /// The body of the answer.
    pub body: &'a [u8],
}

impl Client {
    /// Connects to a server, with TLS if `tls` is set.
    ///
    /// # Errors
    ///
    /// Errors of the connection.
    pub fn connect(address: SocketAddr, tls: bool) -> io::Result<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let stream = if tls {
            let configuration =
                certificate::client().map_err(io::Error::other)?;
            let name = ServerName::try_from("localhost").expect("it is a name");
            let connection = ClientConnection::new(configuration, name);
            let connection = connection.map_err(io::Error::other)?;
            let mut stream = StreamOwned::new(connection, stream);
            stream.flush()?;
            Stream::Tls(Box::new(stream))
        } else {
            Stream::Plain(stream)
        };
        let received = Vec::with_capacity(8 * 1024);
        Ok(Client { stream, received, taken: 0 })
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    ///
    /// If the connection breaks, or the answer is invalid.
    pub fn ask(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        let Client { stream, received, taken } = self;
        received.drain(..std::mem::take(taken));
        match stream {
            Stream::Plain(stream) => stream.write_all(request)?,
            Stream::Tls(stream) => {
                stream.write_all(request)?;
                stream.flush()?;
            }
        }
        let (status, head, length) = loop {
            if let Some(answer) = whole(received)? {
                break answer;
            }
            let mut bytes = [0; 4 * 1024];
            let read = match stream {
                Stream::Plain(stream) => stream.read(&mut bytes)?,
                Stream::Tls(stream) => stream.read(&mut bytes)?,
            };
            if read == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            received.extend_from_slice(&bytes[..read]);
        };
        *taken = head + length;
        Ok(Answer { status, body: &received[head..head + length] })
    }
}

/// Parses an answer. Returns its status and the lengths of its head and body,
/// or `None` if the answer is incomplete.
fn whole(received: &[u8]) -> io::Result<Option<(u16, usize, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 16];
    let mut response = httparse::Response::new(&mut headers);
    let parsed = response.parse(received).map_err(io::Error::other)?;
    let httparse::Status::Complete(head) = parsed else { return Ok(None) };
    let length = response.headers.iter().find_map(|header| {
        if !header.name.eq_ignore_ascii_case("content-length") {
            return None;
        }
        std::str::from_utf8(header.value).ok()?.parse().ok()
    });
    let length = length.ok_or(ErrorKind::InvalidData)?;
    let status = response.code.ok_or(ErrorKind::InvalidData)?;
    let is_whole = received.len() >= head + length;
    Ok(is_whole.then_some((status, head, length)))
}
