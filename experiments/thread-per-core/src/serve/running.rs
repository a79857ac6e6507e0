//! A server in a separate process, as seen by the process that started it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

use super::report::Report;
use super::server::Server;
use crate::tied_child::TiedChild;

/// The time limit for a server to start, and for each of its answers.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server in a separate process, which exits when the [`Running`] is
/// dropped, or when the process that started it exits.
pub struct Running {
    child: TiedChild,
    address: SocketAddr,
    introduction: String,
}

/// Returns the command that starts a server as a process of `program`,
/// for [`Running::start`]. The server gets `workers` workers and may use the
/// CPUs `on`, by the kernel's numbers. If `on` is empty, it may use all CPUs
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
    /// Starts a server by `command`, and waits until clients can connect.
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

    /// Returns the address at which the server can be reached.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the line that the server printed when it was ready, without
    /// the address at its beginning.
    pub fn introduction(&self) -> &str {
        &self.introduction
    }

    /// Returns the process id of the server.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server for a report on the time since its start, and returns
    /// the report.
    ///
    /// # Errors
    ///
    /// If the server has ended. The error is its last line of error output.
    pub fn report(&mut self) -> Result<Report, String> {
        self.child.tell("report");
        self.said()
    }

    /// Ends the server by closing its input, and returns its last report and
    /// its exit status.
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

    fn said(&mut self) -> Result<Report, String> {
        let line = self.child.line(PATIENCE)?;
        serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
    }
}
