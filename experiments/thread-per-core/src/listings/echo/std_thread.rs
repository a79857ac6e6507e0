//! An echo server with a thread per connection.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The stack size of a thread, in bytes. The default is 2 MiB, of which the
/// kernel only backs the part that is used. The buffer is not on the stack.
const STACK: usize = 64 * 1024;

/// Accepts connections, counts them in `accepted`, and echoes what each of
/// them sends.
pub fn serve(listener: &TcpListener, accepted: &AtomicU64) {
    loop {
        let served = listener.accept().and_then(|(connection, _)| {
            accepted.fetch_add(1, Ordering::Relaxed);
            let thread = thread::Builder::new().stack_size(STACK);
            // An error ends only this connection.
            thread.spawn(move || echo(connection))
        });
        // Most likely there are too many open files or threads. An immediate
        // retry would fail, too.
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
