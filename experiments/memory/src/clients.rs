//! A process with the clients of a server: so none of their memory is the server's.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use clap::Parser;

use crate::talking_child::TalkingChild;

/// The first argument that makes a process one with clients.
pub(crate) const NAME: &str = "clients";

/// What a server says to each client when it serves it.
pub(crate) const GREETING: [u8; 1] = [b'>'];

/// A message of a burst.
const MESSAGE: [u8; 16 << 10] = [7; 16 << 10];

/// How many messages a burst has.
const MESSAGES: u64 = 4;

/// How many bytes a burst has.
pub(crate) const BURST: u64 = MESSAGES * MESSAGE.len() as u64;

/// Which server, and how many.
#[derive(Debug, Parser)]
#[command(name = "memory clients")]
struct Clients {
    server: SocketAddr,
    clients: u64,
    #[arg(long)]
    burst: bool,
}

/// Starts so many clients. They are connected and have had their bursts once the
/// process says so; they close when it is dropped.
///
/// # Errors
///
/// If the process cannot be run.
pub(crate) fn start(
    program: &Path,
    server: SocketAddr,
    clients: u64,
    burst: bool,
) -> Result<TalkingChild, String> {
    let mut arguments =
        vec![NAME.to_owned(), server.to_string(), clients.to_string()];
    if burst {
        arguments.push("--burst".to_owned());
    }
    TalkingChild::start(program, &arguments)
}

/// The `main` of such a process.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    harness::end_with_input();
    match connected(&Clients::parse_from(arguments)) {
        Ok(streams) => {
            println!("{}", streams.len());
            loop {
                // They close with the process.
                thread::park();
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One after the other: each is served before the next one comes, so that none waits
/// in the kernel's queue.
fn connected(clients: &Clients) -> io::Result<Vec<TcpStream>> {
    let connect = |_| {
        let mut stream = TcpStream::connect(clients.server)?;
        stream.set_nodelay(true)?;
        let mut greeting = [0; GREETING.len()];
        stream.read_exact(&mut greeting)?;
        Ok(stream)
    };
    let streams: io::Result<Vec<TcpStream>> =
        (0..clients.clients).map(connect).collect();
    let mut streams = streams?;
    if clients.burst {
        streams.iter_mut().try_for_each(burst)?;
    }
    Ok(streams)
}

fn burst(stream: &mut TcpStream) -> io::Result<()> {
    for _ in 0..MESSAGES {
        stream.write_all(&MESSAGE)?;
        let mut echo = [0; MESSAGE.len()];
        stream.read_exact(&mut echo)?;
        if echo != MESSAGE {
            return Err(io::Error::other("the server has sent something else"));
        }
    }
    Ok(())
}
