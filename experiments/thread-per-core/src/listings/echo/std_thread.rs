//! An echo server with a thread for each connection.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// What a thread gets for its stack, in bytes. By default it would be 2 MiB, of
/// which the kernel gives only what is used; the buffer is not on it.
const STACK: usize = 64 * 1024;

/// Echoes on each connection that comes, and counts them in `accepted`.
pub fn serve(listener: &TcpListener, accepted: &AtomicU64) {
    loop {
        let served = listener.accept().and_then(|(connection, _)| {
            accepted.fetch_add(1, Ordering::Relaxed);
            let thread = thread::Builder::new().stack_size(STACK);
            // Its error ends this connection, and no other.
            thread.spawn(move || echo(connection))
        });
        // Most likely there are too many of them: too many open files, too many
        // threads. Trying again at once would fail again at once.
        if served.is_err() {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn echo(mut connection: TcpStream) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let read = connection.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        connection.write_all(&buffer[..read])?;
    }
}
