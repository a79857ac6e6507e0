//! Where servers run, and what is asked of them.

use host::cores::{room_for_cores, usable};

use crate::load::Dealing;

/// Which cores the server and the load have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cores {
    /// The server the last, the load the first: what runtime and kernel cost, and
    /// nothing of sharing.
    Apart,
    /// Both all cores, as published.
    Shared,
    /// Both the last.
    One,
}

impl Cores {
    /// The value of the parameter `placement`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cores::Apart => "apart",
            Cores::Shared => "shared",
            Cores::One => "one core",
        }
    }

    /// The server's, by the kernel's numbers.
    ///
    /// # Errors
    ///
    /// If there are too few.
    pub(super) fn of_server(self) -> Result<Vec<usize>, String> {
        let all = usable()?;
        match self {
            Cores::Apart => room_for_cores(2)?,
            Cores::Shared => return Ok(all),
            Cores::One => {}
        }
        Ok(vec![all[all.len() - 1]])
    }

    /// The load's.
    ///
    /// # Errors
    ///
    /// If there are too few.
    pub(super) fn of_load(self) -> Result<Vec<usize>, String> {
        match self {
            Cores::Apart => {
                room_for_cores(2)?;
                Ok(usable()?[..1].to_vec())
            }
            Cores::Shared | Cores::One => self.of_server(),
        }
    }
}

/// What is asked of a server, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) cores: Cores,
    pub(super) connections: usize,
    pub(super) message_bytes: usize,
    /// Requests under way on each connection.
    pub(super) in_flight: usize,
    /// Which of the load's threads has which connection.
    pub(super) dealing: Dealing,
}

impl Setting {
    /// The published one.
    pub(super) const fn centre(cores: Cores) -> Setting {
        Setting {
            cores,
            connections: 100,
            message_bytes: 64,
            in_flight: 1,
            dealing: Dealing::Shuffled,
        }
    }

    /// The name of the group of all servers that are asked this, however the load
    /// deals its connections.
    pub(super) fn group(&self) -> String {
        let Setting { cores, connections, message_bytes, in_flight, .. } = self;
        let cores = cores.name();
        format!("{cores}: {connections} x {in_flight} of {message_bytes} B")
    }
}
