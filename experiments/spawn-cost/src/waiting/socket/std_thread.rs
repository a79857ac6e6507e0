//! A thread of the operating system that sends a request on its connection, and
//! reads until the answer is there.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;

/// Makes a request on each connection, each in a thread of its own, and adds up
/// the answers.
pub fn request_on_each(connections: Vec<UnixStream>) -> io::Result<u64> {
    let threads: Vec<_> = (0..)
        .zip(connections)
        .map(|(id, connection)| thread::spawn(move || request(connection, id)))
        .collect();
    threads
        .into_iter()
        .map(|thread| thread.join().expect("the thread does not panic"))
        .sum()
}

fn request(mut connection: UnixStream, id: u64) -> io::Result<u64> {
    connection.write_all(&id.to_le_bytes())?;
    let mut answer = [0; 8];
    connection.read_exact(&mut answer)?;
    Ok(u64::from_le_bytes(answer))
}
