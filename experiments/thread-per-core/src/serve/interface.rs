//! By which of the kernel's interfaces a server waits.

use std::fmt;

/// By which of the kernel's interfaces a server waits for its connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interface {
    /// Reads that return when there is something, a thread for each.
    Blocking,
    /// The kernel tells which connections are ready.
    Epoll,
    /// The kernel tells what it has done.
    IoUring,
    /// The runtime chooses between the two, when it is started.
    Chosen,
}

impl Interface {
    /// The value of the parameter `interface`.
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
