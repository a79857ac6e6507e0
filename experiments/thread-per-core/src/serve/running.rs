//! A server in a separate process, as seen by the process that started it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::report::Report;
use super::server::Server;
use crate::tied_child::TiedChild;

/// How long a server may take to start, and to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server in a separate process. The process exits when its [`Running`] is
/// dropped, or when the process that started it exits.
pub struct Running {
    child: TiedChild,
    address: SocketAddr,
    introduction: String,
}

/// Returns the command for a server: this chapter's program with arguments,
/// which [`Running::start`] completes. The server gets `workers` workers and
/// may use the CPUs `on`, by the kernel's numbers; if `on` is empty, all CPUs
/// that its parent may use.
pub fn command(
    program: &Path,
    server: &Server,
    workers: usize,
    on: &[usize],
) -> Command {
    let mut command = Command::new(program);
    command.args(["serve", &server.name(), "--cores", &workers.to_string()]);
    if !on.is_empty() {
        let cpus: Vec<String> = on.iter().map(usize::to_string).collect();
        command.args(["--on", &cpus.join(",")]);
    }
    command
}

impl Running {
    /// Starts a server, and waits until clients can connect.
    ///
    /// # Errors
    ///
    /// If the server cannot be started here. The error is the reason that the
    /// server gives.
    pub fn start(command: Command) -> Result<Running, String> {
        let mut child = TiedChild::start(command)?;
        let line = child.line(PATIENCE)?;
        let (address, introduction) = line
            .split_once(' ')
            .and_then(|(address, rest)| Some((address.parse().ok()?, rest)))
            .ok_or_else(|| format!("no address was said, but: {line}"))?;
        let introduction = introduction.to_owned();
        Ok(Running { child, address, introduction })
    }

    /// Returns the address to which clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the line with which the server introduced itself, without the
    /// address.
    pub fn introduction(&self) -> &str {
        &self.introduction
    }

    /// Returns the id of the server's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the server's report on the time until now.
    ///
    /// # Errors
    ///
    /// If the server has ended. The error is its last line of error output.
    pub fn report(&mut self) -> Result<Report, String> {
        self.child.tell("report");
        self.said()
    }

    /// Ends the server by closing its input, as its parent's exit would, and
    /// returns its last report and exit status.
    ///
    /// # Errors
    ///
    /// If the server does not exit, or exits without a report.
    pub fn end(mut self) -> Result<(Report, ExitStatus), String> {
        self.child.let_go();
        let report = self.said()?;
        let status = self.child.ended().ok_or("it does not end")?;
        Ok((report, status))
    }

    /// Reads the server's next report.
    fn said(&mut self) -> Result<Report, String> {
        let line = self.child.line(PATIENCE)?;
        serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
    }
}
