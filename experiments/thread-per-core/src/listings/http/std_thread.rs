//! A minimal HTTP server with a thread for each connection.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Makes the answers to what was received, and says how much of it they are to;
/// nothing if the connection is to be closed.
type Answer = fn(&[u8], &mut Vec<u8>) -> Option<usize>;

/// What a thread gets for its stack, in bytes. By default it would be 2 MiB, of
/// which the kernel gives only what is used; the buffers are not on it.
const STACK: usize = 64 * 1024;

/// Answers on each connection that comes, and counts them in `accepted`.
pub fn serve(listener: &TcpListener, accepted: &AtomicU64, answer: Answer) {
    loop {
        let served = listener.accept().and_then(|(connection, _)| {
            accepted.fetch_add(1, Ordering::Relaxed);
            let thread = thread::Builder::new().stack_size(STACK);
            // Its error ends this connection, and no other.
            thread.spawn(move || converse(connection, answer))
        });
        // Most likely there are too many of them: too many open files, too many
        // threads. Trying again at once would fail again at once.
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
        // An incomplete request stays, at the front.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
