//! The kernel interfaces that servers use to wait for their connections.

use std::fmt;

/// The kernel interface that a server uses to wait for its connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Each connection has a thread, whose reads block until data arrives.
    Blocking,
    /// The kernel reports which connections are ready for reading or writing.
    Epoll,
    /// The kernel reports which operations have been completed.
    IoUring,
    /// The runtime chooses between epoll and io_uring when it is started.
    Chosen,
}

impl Interface {
    /// Returns the name of the interface, as used in the parameter
    /// `interface` of the results.
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
