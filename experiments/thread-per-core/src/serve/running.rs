//! A server in a process of its own, as the one sees it that started it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::report::Report;
use super::server::Server;

/// How long a server has to start, to answer, and to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server in a process of its own, which ends when this is dropped, and with
/// the process that started it.
pub struct Running {
    child: Child,
    /// Closed, it ends the server.
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    /// A file, so that writing to it never blocks.
    stderr: File,
    address: SocketAddr,
    introduction: String,
}

/// What starts a server: this chapter's program with the arguments for it, which
/// [`Running::start`] completes. It gets `workers` workers and may use the CPUs
/// `on`, by the kernel's numbers; if these are empty, all that its parent may.
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
    /// If it cannot be started here, with the reason that it gives.
    pub fn start(mut command: Command) -> Result<Running, String> {
        let stderr = tempfile::tempfile()
            .map_err(|error| format!("no temporary file: {error}"))?;
        let words = stderr.try_clone().map_err(|error| error.to_string())?;
        let mut child = command
            .arg("--with-parent")
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(words)
            .spawn()
            .map_err(|error| format!("{command:?} cannot be run: {error}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is piped");
        let (sender, lines) = mpsc::channel();
        // Ends with the server's output.
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                drop(sender.send(line));
            }
        });
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let introduction = String::new();
        let mut running =
            Running { child, stdin, lines, stderr, address, introduction };
        let line = running.line()?;
        let (address, introduction) = line
            .split_once(' ')
            .and_then(|(address, rest)| Some((address.parse().ok()?, rest)))
            .ok_or_else(|| format!("no address was said, but: {line}"))?;
        running.address = address;
        running.introduction = introduction.to_owned();
        Ok(running)
    }

    /// Where clients connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it says it is.
    pub fn introduction(&self) -> &str {
        &self.introduction
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has used and done so far.
    ///
    /// # Errors
    ///
    /// If it has ended, with its last words.
    pub fn report(&mut self) -> Result<Report, String> {
        let asked = self.stdin.as_mut().map(|stdin| writeln!(stdin, "report"));
        // If it has ended, there is no answer, and the reason is found then.
        drop(asked);
        let line = self.line()?;
        serde_json::from_str(&line).map_err(|error| format!("{error}: {line}"))
    }

    /// Ends it as its parent's end does, and returns its last report and how it
    /// ended.
    ///
    /// # Errors
    ///
    /// If it does not end, or does so without a report.
    pub fn end(mut self) -> Result<(Report, ExitStatus), String> {
        drop(self.stdin.take());
        let line = self.line()?;
        let report = serde_json::from_str(&line)
            .map_err(|error| format!("{error}: {line}"))?;
        let status = self.ended().ok_or("it does not end")?;
        Ok((report, status))
    }

    /// The next line that it says.
    fn line(&mut self) -> Result<String, String> {
        self.lines.recv_timeout(PATIENCE).map_err(|silence| match silence {
            RecvTimeoutError::Timeout => {
                format!("the server said nothing for {PATIENCE:?}")
            }
            RecvTimeoutError::Disconnected => self.last_words(),
        })
    }

    /// Why it says nothing any more.
    fn last_words(&mut self) -> String {
        let status = self.ended().map(|status| status.to_string());
        let status = status.unwrap_or_else(|| "it does not end".to_owned());
        let mut text = String::new();
        let rewound = self.stderr.rewind();
        let read = rewound.and_then(|()| self.stderr.read_to_string(&mut text));
        match (read, text.lines().rev().find(|line| !line.is_empty())) {
            (Ok(_), Some(words)) => format!("{words} ({status})"),
            _ => status,
        }
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
