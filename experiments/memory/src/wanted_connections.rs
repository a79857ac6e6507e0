//! The arguments of a server process: the kind and number of its connections.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};

use crate::report::{self, Report};

/// The first argument of a server process.
pub(crate) const NAME: &str = "connections";

/// A server with a number of connections.
#[derive(Debug, Clone, Parser)]
#[command(name = "memory connections")]
pub(crate) struct WantedConnections {
    /// Whether a thread or a task serves each
    pub(crate) contender: String,
    /// How many
    pub(crate) connections: u64,
    /// How long there is a buffer
    #[arg(value_enum)]
    pub(crate) buffer: BufferLife,
    /// Let each peer send and get back a burst of messages first
    #[arg(long)]
    pub(crate) burst: bool,
    /// Stay with the connections open, until the standard input ends
    #[arg(long)]
    pub(crate) stay: bool,
    /// The control group to be in
    #[arg(long)]
    pub(crate) group: Option<PathBuf>,
}

/// The lifetime of a connection's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BufferLife {
    /// As long as the connection is open.
    Held,
    /// Only while there is something to read.
    WhileReading,
}

impl BufferLife {
    /// Returns the value for the parameter `buffer`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BufferLife::Held => "held",
            BufferLife::WhileReading => "while reading",
        }
    }
}

impl WantedConnections {
    /// Creates a request for a server. The number of connections is left at
    /// zero, to be filled in later.
    pub(crate) fn new(
        contender: &str,
        buffer: BufferLife,
        burst: bool,
    ) -> WantedConnections {
        WantedConnections {
            contender: contender.to_owned(),
            connections: 0,
            buffer,
            burst,
            stay: false,
            group: None,
        }
    }

    /// Returns the memory of a server while all connections are open and
    /// silent.
    ///
    /// # Errors
    ///
    /// If this many connections can't exist here, or a peer got back
    /// something other than what it had sent.
    pub(crate) fn served(&self, program: &Path) -> Result<Report, String> {
        report::answer(program, &self.arguments())
    }

    pub(crate) fn arguments(&self) -> Vec<String> {
        let buffer = self.buffer.to_possible_value();
        let buffer = buffer.expect("none is skipped").get_name().to_owned();
        let mut arguments = vec![
            NAME.to_owned(),
            self.contender.clone(),
            self.connections.to_string(),
            buffer,
        ];
        let flags = [(self.burst, "--burst"), (self.stay, "--stay")];
        let flags = flags.into_iter().filter(|(is_on, _)| *is_on);
        arguments.extend(flags.map(|(_, flag)| flag.to_owned()));
        if let Some(group) = &self.group {
            arguments.push(format!("--group={}", group.display()));
        }
        arguments
    }
}
