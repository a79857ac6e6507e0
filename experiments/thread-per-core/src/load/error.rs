//! Why there is no load.

use std::io;
use std::net::SocketAddr;

/// Why there is no load, and so no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Load is for servers of one's own.
    #[error(
        "{0} is not on this computer: load is sent to loopback addresses only, \
         127.0.0.0/8 and ::1"
    )]
    NotLoopback(SocketAddr),
    /// A setting.
    #[error("{given} {what}: {least} to {most} are possible")]
    OutOfBounds {
        /// What is counted.
        what: &'static str,
        /// What was asked for.
        given: f64,
        /// The lowest that is possible.
        least: f64,
        /// The highest.
        most: f64,
    },
    /// A file descriptor for each connection.
    #[error("{connections} connections: {reason}")]
    TooFewDescriptors {
        /// How many were asked for.
        connections: usize,
        /// The limit, and what to do.
        reason: String,
    },
    /// Nobody to be asked.
    #[error("none of {asked} connections to {address} was made: {reason}")]
    NoConnection {
        /// How many were asked for.
        asked: usize,
        /// Where the server was to be.
        address: SocketAddr,
        /// Why the first one was not.
        reason: io::Error,
    },
    /// What epoll, the timer or the clock of CPU time needs.
    #[error("the kernel refuses what a load needs: {reason}")]
    Refused {
        /// What it says.
        reason: io::Error,
    },
}
