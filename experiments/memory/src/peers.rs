//! A process that holds the other ends (the peers) of a server's connections.
//! Because it is a separate process, the server's memory doesn't include
//! them.
//!
//! The server connects and the peers accept. The connections are the same
//! either way, but the kernel charges a socket entirely to the group of the
//! process that creates it, and an accepted socket only partly.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use clap::Parser;

use crate::talking_child::TalkingChild;

/// The first argument of the process that contains a server's peers.
pub(crate) const NAME: &str = "peers";

/// The first byte that each peer sends to the server.
const GREETING: [u8; 1] = [b'>'];

/// A message that a peer sends in a burst.
const MESSAGE: [u8; 16 << 10] = [7; 16 << 10];

const MESSAGES: u64 = 4;

/// The number of connections whose bursts run at the same time. Several at
/// once save waiting. A small number keeps the number of the server's buffers
/// small.
const BURSTS: usize = 4;

/// The number of bytes that a peer sends in a burst.
pub(crate) const BURST: u64 = MESSAGES * MESSAGE.len() as u64;

/// How many peers, and whether they send anything.
#[derive(Debug, Parser)]
#[command(name = "memory peers")]
struct Wanted {
    peers: u64,
    #[arg(long)]
    burst: bool,
}

/// A process that holds the other ends of a server's connections. Dropping
/// this value closes them.
pub(crate) struct Peers {
    process: TalkingChild,
    address: SocketAddr,
}

impl Peers {
    /// Starts the process.
    ///
    /// # Errors
    ///
    /// If the process cannot be run, or cannot listen.
    pub(crate) fn start(
        program: &Path,
        peers: u64,
        burst: bool,
    ) -> Result<Peers, String> {
        let mut arguments = vec![NAME.to_owned(), peers.to_string()];
        if burst {
            arguments.push("--burst".to_owned());
        }
        let mut process = TalkingChild::start(program, &arguments)?;
        let address = process.hear()?;
        Ok(Peers { process, address })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits until all peers are connected and have got back their bursts of
    /// messages.
    ///
    /// # Errors
    ///
    /// If a peer isn't connected, or got back something other than what it
    /// had sent.
    pub(crate) fn wait(&mut self) -> Result<(), String> {
        self.process.hear::<u64>().map(drop)
    }
}

/// Connects to the next peers, and returns the connections. Waits until all
/// of them have been accepted.
pub(crate) fn connections_to(
    peers: SocketAddr,
    connections: u64,
) -> io::Result<Vec<TcpStream>> {
    let connect = |_| {
        let stream = TcpStream::connect(peers)?;
        stream.set_nodelay(true)?;
        Ok(stream)
    };
    let streams: io::Result<Vec<TcpStream>> =
        (0..connections).map(connect).collect();
    let mut streams = streams?;
    for stream in &mut streams {
        stream.read_exact(&mut [0; GREETING.len()])?;
    }
    Ok(streams)
}

pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    harness::end_with_input();
    match connected(&Wanted::parse_from(arguments)) {
        Ok(streams) => {
            println!("{}", streams.len());
            loop {
                // The connections stay open until the process exits.
                thread::park();
            }
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn connected(wanted: &Wanted) -> io::Result<Vec<TcpStream>> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    println!("\"{}\"", listener.local_addr()?);
    let accept = |_| {
        let (mut stream, _) = listener.accept()?;
        stream.set_nodelay(true)?;
        stream.write_all(&GREETING)?;
        Ok(stream)
    };
    let streams: io::Result<Vec<TcpStream>> =
        (0..wanted.peers).map(accept).collect();
    let mut streams = streams?;
    if wanted.burst {
        streams.chunks_mut(BURSTS).try_for_each(bursts)?;
    }
    Ok(streams)
}

fn bursts(streams: &mut [TcpStream]) -> io::Result<()> {
    for _ in 0..MESSAGES {
        for stream in streams.iter_mut() {
            stream.write_all(&MESSAGE)?;
        }
        for stream in streams.iter_mut() {
            let mut echo = [0; MESSAGE.len()];
            stream.read_exact(&mut echo)?;
            if echo != MESSAGE {
                let wrong = "the server has sent something else";
                return Err(io::Error::other(wrong));
            }
        }
    }
    Ok(())
}
