//! The errors with which a load can fail.

use std::io;
use std::net::SocketAddr;

/// The reason why a load failed and has no report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server's address isn't on this computer. The load generator
    /// refuses to send requests to other people's servers.
    #[error(
        "{0} is not on this computer: load is sent to loopback addresses only, \
         127.0.0.0/8 and ::1"
    )]
    NotLoopback(SocketAddr),
    /// A setting of the load is out of bounds.
    #[error("{given} {what}: {least} to {most} are possible")]
    OutOfBounds {
        /// The name of the setting.
        what: &'static str,
        /// The value that the setting was given.
        given: f64,
        /// The smallest value that the setting may have.
        least: f64,
        /// The largest value that the setting may have.
        most: f64,
    },
    /// The process may not open enough files: it needs a descriptor for each
    /// connection.
    #[error("{connections} connections: {reason}")]
    TooFewDescriptors {
        /// The number of connections that the load was asked to open.
        connections: usize,
        /// The limit on open files, and how to raise it.
        reason: String,
    },
    /// None of the connections could be opened.
    #[error("none of {asked} connections to {address} was made: {reason}")]
    NoConnection {
        /// The number of connections that were tried.
        asked: usize,
        /// The server's address.
        address: SocketAddr,
        /// The error that the first connection failed with.
        reason: io::Error,
    },
    /// The operating system refused something that the load generator needs
    /// to use epoll, a timer or the CPU-time clock.
    #[error("the kernel refuses what a load needs: {reason}")]
    Refused {
        /// The error that the operating system gave.
        reason: io::Error,
    },
}
