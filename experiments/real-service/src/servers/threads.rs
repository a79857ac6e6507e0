//! The server with one thread per connection.

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

/// Accepts connections, and starts a thread with `converse` per connection.
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
            // An error in the thread ends only this connection.
            thread::Builder::new().spawn(move || match tls {
                None => converse(stream, &store),
                Some(tls) => converse(encrypted(stream, tls)?, &store),
            })
        });
        // Most likely there are too many open files or threads. An immediate
        // retry would fail, too.
        if served.is_err() {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Returns a connection that is encrypted by the thread that reads and
/// writes. The first read includes the handshake.
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
        // For a plain socket, `flush` does nothing.
        stream.flush()?;
        answers.clear();
        let Some(taken) = taken else { return Ok(()) };
        // An incomplete request moves to the front of the buffer.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
