//! A connection that a thread of its own serves.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// How much is read at once.
pub const BUFFER: usize = 16 << 10;

/// Sends back whatever comes until the client has closed, and returns how many
/// bytes that were. The buffer is there as long as the connection is.
pub fn with_buffer_held(mut stream: TcpStream) -> io::Result<u64> {
    let mut buffer = [0; BUFFER];
    let mut echoed = 0;
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(echoed),
            read => {
                stream.write_all(&buffer[..read])?;
                echoed += read as u64;
            }
        }
    }
}

/// The same with a buffer that is there only while there is something to read.
pub fn with_buffer_while_reading(mut stream: TcpStream) -> io::Result<u64> {
    let mut echoed = 0;
    while stream.peek(&mut [0])? > 0 {
        let mut buffer = vec![0; BUFFER];
        let read = stream.read(&mut buffer)?;
        stream.write_all(&buffer[..read])?;
        echoed += read as u64;
    }
    Ok(echoed)
}
