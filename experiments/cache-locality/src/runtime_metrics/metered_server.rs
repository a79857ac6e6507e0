//! A metered server in a process of its own.

use std::io::{BufRead, BufReader, Lines, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use metered_tokio::ServerCounts;
use serde_json::Value;

/// A server that ends when this is dropped, and with this process.
pub(super) struct MeteredServer {
    child: Child,
    /// Closed, it ends the server.
    asks: ChildStdin,
    says: Lines<BufReader<ChildStdout>>,
    address: SocketAddr,
}

impl MeteredServer {
    /// Starts it, and waits until clients can connect.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(super) fn start(
        program: &Path,
        workers: usize,
    ) -> Result<MeteredServer, String> {
        let cannot =
            |error| format!("{} cannot be run: {error}", program.display());
        let mut child = Command::new(program)
            .arg(workers.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(cannot)?;
        let asks = child.stdin.take().expect("it is piped");
        let says = child.stdout.take().expect("it is piped");
        let says = BufReader::new(says).lines();
        // Its address is not known yet.
        let address = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut server = MeteredServer { child, asks, says, address };
        let said = server.said()?;
        let address = said.as_str().and_then(|text| text.parse().ok());
        server.address = address
            .ok_or_else(|| format!("no address was said, but: {said}"))?;
        Ok(server)
    }

    /// Where clients connect to.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What has been counted so far.
    ///
    /// # Errors
    ///
    /// If it has ended, or says something else.
    pub(super) fn counts(&mut self) -> Result<ServerCounts, String> {
        writeln!(self.asks, "counts").map_err(|error| error.to_string())?;
        let said = self.said()?;
        serde_json::from_value(said).map_err(|error| error.to_string())
    }

    /// The next line that it says.
    fn said(&mut self) -> Result<Value, String> {
        let line = self.says.next().ok_or("the metered server has ended")?;
        let line = line.map_err(|error| error.to_string())?;
        serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
    }
}

impl Drop for MeteredServer {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
