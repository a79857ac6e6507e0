//! A child process that exits with its parent, and prints lines for the
//! parent.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a child process may take to exit after its input has been closed.
const GRACE: Duration = Duration::from_secs(10);

/// A child process that exits when its [`TiedChild`] is dropped, or when its
/// parent exits.
pub(crate) struct TiedChild {
    child: Child,
    /// The child's standard input. Closing it makes the child exit.
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    /// The child's standard error: a file, so that writing to it never
    /// blocks.
    stderr: File,
}

impl TiedChild {
    /// Starts `command`, which runs this chapter's program, as a child that
    /// exits with this process.
    ///
    /// # Errors
    ///
    /// If the process cannot be started. The error is the reason.
    pub(crate) fn start(mut command: Command) -> Result<TiedChild, String> {
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
        // This thread ends when the child closes its output.
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                drop(sender.send(line));
            }
        });
        Ok(TiedChild { child, stdin, lines, stderr })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the child a line. Errors are ignored: if the child has exited,
    /// reading its answer fails and gives the reason.
    pub(crate) fn tell(&mut self, line: &str) {
        drop(self.stdin.as_mut().map(|stdin| writeln!(stdin, "{line}")));
    }

    /// Returns the next line that the child prints.
    ///
    /// # Errors
    ///
    /// If no line arrives within `patience`, or the child has exited. In that
    /// case, the error is the last line of the child's error output.
    pub(crate) fn line(
        &mut self,
        patience: Duration,
    ) -> Result<String, String> {
        self.lines.recv_timeout(patience).map_err(|silence| match silence {
            RecvTimeoutError::Timeout => {
                format!("it said nothing for {patience:?}")
            }
            RecvTimeoutError::Disconnected => self.last_words(),
        })
    }

    /// Ends the child by closing its standard input, as the exit of this
    /// process would.
    pub(crate) fn let_go(&mut self) {
        drop(self.stdin.take());
    }

    /// Waits until the child exits, and returns its exit status, or `None` if
    /// that takes longer than [`GRACE`].
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

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
}

impl Drop for TiedChild {
    fn drop(&mut self) {
        // An error is ignored, since killing only fails if the child has
        // already exited.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
