//! A minimal HTTP server with a thread per connection.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// A function that answers the requests in the received bytes. It appends the
/// answers to a buffer and returns how many bytes the requests took, or
/// `None` to close the connection.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// The stack size of a thread, in bytes. The default is 2 MiB, but the kernel
/// provides memory only for the part that is used. The buffers are not on the
/// stack.
const STACK: usize = 64 * 1024;

/// Accepts connections, counts them in `accepted`, and answers requests on
/// each.
pub fn serve(listener: &TcpListener, accepted: &AtomicU64, answer: Answer) {
    loop {
        let served = listener.accept().and_then(|(connection, _)| {
            accepted.fetch_add(1, Ordering::Relaxed);
            let thread = thread::Builder::new().stack_size(STACK);
            // An error ends only this connection.
            thread.spawn(move || converse(connection, answer))
        });
        // Most likely there are too many open files or threads. An immediate
        // retry would fail, too.
        if served.is_err() {
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn converse(mut connection: TcpStream, answer: Answer) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut received = vec![0; 16 * 1024];
    let mut filled = 0;
    let mut answers = Vec::with_capacity(1024);
    loop {
        let read = connection.read(&mut received[filled..])?;
        if read == 0 {
            return Ok(());
        }
        filled += read;
        let taken = answer(&received[..filled], &mut answers);
        connection.write_all(&answers)?;
        answers.clear();
        let Some(taken) = taken else { return Ok(()) };
        // An incomplete request moves to the front of the buffer.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
