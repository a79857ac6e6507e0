//! The kernel's interfaces by which servers wait.

use std::fmt;

/// The kernel's interface by which a server waits for its connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Reads that block until there is something to read, with a thread for
    /// each connection.
    Blocking,
    /// The kernel reports which connections are ready for reading or writing.
    Epoll,
    /// The kernel reports completed operations.
    IoUring,
    /// The runtime chooses between epoll and io_uring when it is started.
    Chosen,
}

impl Interface {
    /// Returns the value of the parameter `interface`.
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
