//! Errors that end a load.

use std::io;
use std::net::SocketAddr;

/// Why a load failed and has no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address isn't on this computer. Load may only be put on your own
    /// servers.
    #[error(
        "{0} is not on this computer: load is sent to loopback addresses only, \
         127.0.0.0/8 and ::1"
    )]
    NotLoopback(SocketAddr),
    /// A setting is out of bounds.
    #[error("{given} {what}: {least} to {most} are possible")]
    OutOfBounds {
        /// The setting's name.
        what: &'static str,
        /// The value that was given.
        given: f64,
        /// The smallest possible value.
        least: f64,
        /// The largest possible value.
        most: f64,
    },
    /// The process may not open a file descriptor for each connection.
    #[error("{connections} connections: {reason}")]
    TooFewDescriptors {
        /// The number of connections that were asked for.
        connections: usize,
        /// The limit, and how to raise it.
        reason: String,
    },
    /// No connection could be made.
    #[error("none of {asked} connections to {address} was made: {reason}")]
    NoConnection {
        /// The number of connections that were tried.
        asked: usize,
        /// The server's address.
        address: SocketAddr,
        /// Why the first connection failed.
        reason: io::Error,
    },
    /// The system refused something that epoll, the timer or the clock of CPU
    /// time needs.
    #[error("the kernel refuses what a load needs: {reason}")]
    Refused {
        /// The system's error.
        reason: io::Error,
    },
}
