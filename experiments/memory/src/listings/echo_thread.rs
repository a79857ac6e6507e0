//! A connection served by its own thread.

use std::io::{self, Read, Write};
use std::net::TcpStream;

/// The size of the buffer for a read, in bytes.
pub const BUFFER: usize = 16 << 10;

/// Echoes until the client has closed the connection, and returns the number
/// of bytes echoed. The buffer lives as long as the connection.
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

/// Echoes until the client has closed the connection, and returns the number
/// of bytes echoed. The buffer exists only while there is something to read.
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
