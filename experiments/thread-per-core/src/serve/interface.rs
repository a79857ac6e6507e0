//! The kernel interfaces by which servers wait for their connections.

use std::fmt;

/// The kernel interface by which a server waits for its connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Reads block until there is something to read, and each connection has
    /// a thread.
    Blocking,
    /// The kernel reports which connections are ready for reading or writing.
    Epoll,
    /// The kernel reports which operations have been completed.
    IoUring,
    /// The runtime chooses between epoll and io_uring when it is started.
    Chosen,
}

impl Interface {
    /// Returns the interface's name, as results show it in their parameter
    /// `interface`.
    pub const fn name(self) -> &'static str {
        match self {
            Interface::Blocking => "blocking",
            Interface::Epoll => "epoll",
            Interface::IoUring => "io_uring",
            Interface::Chosen => "chosen",
        }
    }
}

impl fmt::Display for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
