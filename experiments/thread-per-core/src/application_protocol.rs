//! What a server and a load say to each other.

use std::fmt;

use clap::ValueEnum;

/// What a server and a load say to each other over a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ApplicationProtocol {
    /// What is sent comes back.
    Echo,
    /// A request of HTTP/1.1 without a body gets `Hello, world!`, and the connection
    /// stays open.
    Http,
}

impl ApplicationProtocol {
    /// Its name, as the command line has it.
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
