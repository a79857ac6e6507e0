//! The errors of a load.

use std::io;
use std::net::SocketAddr;

/// The reason why a load failed and has no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Load may only be put on your own servers.
    #[error(
        "{0} is not on this computer: load is sent to loopback addresses only, \
         127.0.0.0/8 and ::1"
    )]
    NotLoopback(SocketAddr),
    /// A setting is out of bounds.
    #[error("{given} {what}: {least} to {most} are possible")]
    OutOfBounds {
        /// The name of the setting.
        what: &'static str,
        /// The given value.
        given: f64,
        /// The minimum.
        least: f64,
        /// The maximum.
        most: f64,
    },
    /// Each connection needs a file descriptor.
    #[error("{connections} connections: {reason}")]
    TooFewDescriptors {
        /// The number of connections.
        connections: usize,
        /// The limit, and a remedy.
        reason: String,
    },
    /// No connection could be made.
    #[error("none of {asked} connections to {address} was made: {reason}")]
    NoConnection {
        /// The number of connections tried.
        asked: usize,
        /// The server's address.
        address: SocketAddr,
        /// The reason why the first one failed.
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
