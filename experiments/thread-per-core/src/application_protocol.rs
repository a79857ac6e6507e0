//! The protocols that the servers and the load generator speak.

use std::fmt;

use clap::ValueEnum;

/// The protocol on a connection between a server and a load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApplicationProtocol {
    /// The server sends back what it receives.
    Echo,
    /// An HTTP/1.1 request without a body is answered with `Hello, world!`,
    /// and the connection stays open.
    Http,
}

impl ApplicationProtocol {
    /// Returns the protocol's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            ApplicationProtocol::Echo => "echo",
            ApplicationProtocol::Http => "http",
        }
    }
}

impl fmt::Display for ApplicationProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
