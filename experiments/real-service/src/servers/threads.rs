//! A server with one thread per connection.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::exchange;
use crate::listener::{listen, Ready};
use crate::path;
use crate::store::Blocking;

/// Accepts connections, and starts a thread that runs `converse` for each.
pub(super) fn serve(
    address: SocketAddr,
    store: &Blocking,
    tls: Option<&Arc<ServerConfig>>,
    ready: &Ready,
) -> Result<(), String> {
    let listener = listen(address)?;
    ready.say();
    loop {
        let served = listener.accept().and_then(|(stream, _)| {
            stream.set_nodelay(true)?;
            let (store, tls) = (store.clone(), tls.cloned());
            // An error in the thread ends only the thread's connection.
            thread::Builder::new().spawn(move || match tls {
                None => converse(stream, &store),
                Some(tls) => converse(encrypted(stream, tls)?, &store),
            })
        });
        // Most likely, too many files are open or there are too many threads.
        // Waits, because an immediate retry would fail, too.
        if served.is_err() {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Returns a connection that uses TLS. The thread that reads and writes also
/// encrypts and decrypts. The first read includes the TLS handshake.
fn encrypted(
    stream: TcpStream,
    tls: Arc<ServerConfig>,
) -> io::Result<StreamOwned<ServerConnection, TcpStream>> {
    let connection = ServerConnection::new(tls).map_err(io::Error::other)?;
    Ok(StreamOwned::new(connection, stream))
}

fn converse(mut stream: impl Read + Write, store: &Blocking) -> io::Result<()> {
    let mut received = vec![0; 32 * 1024];
    let mut filled = 0;
    let mut answers = Vec::with_capacity(4 * 1024);
    loop {
        match stream.read(&mut received[filled..])? {
            0 => return Ok(()),
            read => filled += read,
        }
        let place = |path, body: &[u8]| {
            path::answer(path, body, |order, is_slow| {
                store.place(order, is_slow)
            })
        };
        let taken = exchange::answer(&received[..filled], &mut answers, place);
        stream.write_all(&answers)?;
        // Sends what TLS has buffered. For a plain socket, `flush` does
        // nothing.
        stream.flush()?;
        answers.clear();
        let Some(taken) = taken else { return Ok(()) };
        // Moves an incomplete request to the front of the buffer.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
