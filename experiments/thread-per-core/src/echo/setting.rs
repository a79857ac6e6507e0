//! Which cores a server and its load use, and how much load there is.

use host::cores::{room_for_cores, usable};

use crate::load::Dealing;

/// The cores that the server and the load use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cores {
    /// The last core for the server, the first for the load. Shows what
    /// runtime and kernel cost without sharing.
    Apart,
    /// All cores for both server and load, as published.
    Shared,
    /// The last core for both server and load.
    One,
}

impl Cores {
    /// Returns the value of the parameter `placement`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cores::Apart => "apart",
            Cores::Shared => "shared",
            Cores::One => "one core",
        }
    }

    /// Returns the server's cores, by the kernel's numbers.
    ///
    /// # Errors
    ///
    /// If the machine has too few cores.
    pub(crate) fn of_server(self) -> Result<Vec<usize>, String> {
        let all = usable()?;
        match self {
            Cores::Apart => room_for_cores(2)?,
            Cores::Shared => return Ok(all),
            Cores::One => {}
        }
        Ok(vec![all[all.len() - 1]])
    }

    /// Returns the load's cores, by the kernel's numbers.
    ///
    /// # Errors
    ///
    /// If the machine has too few cores.
    pub(crate) fn of_load(self) -> Result<Vec<usize>, String> {
        match self {
            Cores::Apart => {
                room_for_cores(2)?;
                Ok(usable()?[..1].to_vec())
            }
            Cores::Shared | Cores::One => self.of_server(),
        }
    }
}

/// The load on a server, and the cores on which load and server run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) cores: Cores,
    pub(crate) connections: usize,
    pub(crate) message_bytes: usize,
    /// Requests in flight on each connection.
    pub(crate) in_flight: usize,
    /// How connections are distributed to the load's threads.
    pub(crate) dealing: Dealing,
}

impl Setting {
    /// Returns the published setting.
    pub(crate) const fn centre(cores: Cores) -> Setting {
        Setting {
            cores,
            connections: 100,
            message_bytes: 64,
            in_flight: 1,
            dealing: Dealing::Shuffled,
        }
    }

    /// Returns the name of the group of all servers under this load, however
    /// the load distributes its connections.
    pub(crate) fn group(&self) -> String {
        let Setting { cores, connections, message_bytes, in_flight, .. } = self;
        let cores = cores.name();
        format!("{cores}: {connections} x {in_flight} of {message_bytes} B")
    }
}
