//! Counts reads and writes of memory by cachegrind.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use host::cores::usable;
use thread_per_core::load::{End, Pace};
use thread_per_core::serve::{command, Server};

use super::cachegrind::{references, under_cachegrind};
use crate::load_shape::{generated, LoadSpan};

/// The number of messages for each of two servers. The difference between
/// their counts excludes what they do at start and end.
const MESSAGES: [u64; 2] = [1_000, 5_000];

/// Returns how often the server reads or writes memory per message.
///
/// # Errors
///
/// If the server fails to run under cachegrind or answers wrongly.
pub(super) fn count(
    program: &Path,
    server: &Server,
    connections: usize,
) -> Result<f64, String> {
    // Both servers run at the same time, since no time is measured.
    let [fewer, more] = thread::scope(|scope| {
        let start = |messages| {
            scope.spawn(move || run(program, server, connections, messages))
        };
        MESSAGES.map(start).map(|run| run.join().expect("it does not panic"))
    });
    let (fewer, more) = (fewer?, more?);
    let messages = (more.messages - fewer.messages) as f64;
    Ok((more.references as f64 - fewer.references as f64) / messages)
}

struct CountedRun {
    references: u64,
    messages: u64,
}

fn run(
    program: &Path,
    server: &Server,
    connections: usize,
    messages: u64,
) -> Result<CountedRun, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = directory.path().join("cachegrind.out");
    let command = command(program, server, usable()?.len(), &[]);
    let (running, address) =
        SimulatedServer::start(under_cachegrind(&command, &file))?;
    let end = End::Requests(messages);
    let span = LoadSpan { lead_in: Duration::ZERO, end };
    let outcome = generated(address, connections, Pace::Closed, span, || {})?;
    running.end()?;
    let text = fs::read_to_string(&file)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    let references = references(&text)?;
    // When the load ends, each connection has one more message in flight.
    // This is true of both servers, so the difference between them isn't
    // affected.
    Ok(CountedRun { references, messages: outcome.answered })
}

/// A server under cachegrind. There is no time limit for its start: on a busy
/// machine, it takes longer than [`thread_per_core::serve::Running`] waits.
struct SimulatedServer {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl SimulatedServer {
    /// Starts the server, and waits until it accepts connections. Returns the
    /// server and its address.
    fn start(
        mut command: Command,
    ) -> Result<(SimulatedServer, SocketAddr), String> {
        let mut child = command
            .arg("--with-parent")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("valgrind cannot be run: {error}"))?;
        let stdout = child.stdout.take().expect("it is piped");
        let stdout = BufReader::new(stdout);
        let mut running = SimulatedServer { child, stdout };
        let mut line = String::new();
        // If the server ends without printing an address, `line` stays empty.
        drop(running.stdout.read_line(&mut line));
        let address = line.split(' ').next().and_then(|it| it.parse().ok());
        let address = address.ok_or_else(|| {
            format!("{command:?} says no address; run it to see why")
        })?;
        Ok((running, address))
    }

    /// Closes the server's standard input, which makes it exit, and waits
    /// until it has exited.
    fn end(mut self) -> Result<(), String> {
        drop(self.child.stdin.take());
        // Reads the server's report, because the server can't exit before it
        // has written all of it.
        let mut report = String::new();
        let said = self.stdout.read_to_string(&mut report);
        let ended = said.and_then(|_| self.child.wait());
        match ended {
            Ok(status) if status.success() => Ok(()),
            ended => {
                Err(format!("the server under cachegrind ended: {ended:?}"))
            }
        }
    }
}

impl Drop for SimulatedServer {
    fn drop(&mut self) {
        // Killing fails if the server has already ended, which is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
