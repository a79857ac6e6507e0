//! The cores that a server and its load use, and how much load there is.

use host::cores::{room_for_cores, usable};

use crate::load::Dealing;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cores {
    /// The server runs on the last core and the load on the first. Shows what
    /// the runtime and the kernel cost when no core is shared.
    Apart,
    /// The server and the load share all cores, as in the published
    /// measurement.
    Shared,
    /// The server and the load share the last core.
    One,
}

impl Cores {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Cores::Apart => "apart",
            Cores::Shared => "shared",
            Cores::One => "one core",
        }
    }

    /// Returns the CPU numbers of the cores on which the server runs.
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

    /// Returns the CPU numbers of the cores on which the load runs.
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

/// The load on a server, and the cores on which the load and the server run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) cores: Cores,
    pub(crate) connections: usize,
    pub(crate) message_bytes: usize,
    pub(crate) in_flight: usize,
    pub(crate) dealing: Dealing,
}

impl Setting {
    /// Returns the central setting, with the published load, on `cores`.
    pub(crate) const fn centre(cores: Cores) -> Setting {
        Setting {
            cores,
            connections: 100,
            message_bytes: 64,
            in_flight: 1,
            dealing: Dealing::Shuffled,
        }
    }

    /// Returns the name of the group of all servers under this load. It is
    /// the same for every distribution of connections to load threads.
    pub(crate) fn group(&self) -> String {
        let Setting { cores, connections, message_bytes, in_flight, .. } = self;
        let cores = cores.name();
        format!("{cores}: {connections} x {in_flight} of {message_bytes} B")
    }
}
