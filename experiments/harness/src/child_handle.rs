//! A child process, as the parent sees it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::protocol::{Reply, Request, CHILD, MARK, TRACER};

/// How long a child that says no more has to end by itself.
const GRACE: Duration = Duration::from_secs(1);

/// A place for one child. It is started when something is asked of it, and
/// started anew after one has gone.
pub(crate) struct ChildHandle {
    role: &'static str,
    program: PathBuf,
    running: Option<Running>,
}

impl ChildHandle {
    /// A place for a child that runs this link of the program.
    pub(crate) fn of(program: &Path) -> ChildHandle {
        let program = program.to_owned();
        ChildHandle { role: CHILD, program, running: None }
    }

    /// The same for a child whose system calls are counted. It is its tracer that
    /// is started.
    pub(crate) fn traced(program: &Path) -> ChildHandle {
        ChildHandle { role: TRACER, ..ChildHandle::of(program) }
    }

    /// Asks the child. The error is the reason why the cell failed: what the
    /// child says of it, or why it gave no answer; then that child is gone.
    pub(crate) fn ask(
        &mut self,
        request: &Request,
        time_limit: Duration,
    ) -> Result<Reply, String> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => Running::start(&self.program, self.role)
                .map_err(|error| format!("{error:#}"))?,
        };
        match running.ask(request, time_limit) {
            Ok(reply) => {
                self.running = Some(running);
                match reply {
                    Reply::Failed { reason } => Err(reason),
                    reply => Ok(reply),
                }
            }
            Err(silence) => Err(running.post_mortem(silence)),
        }
    }
}

struct Running {
    child: Child,
    stdin: ChildStdin,
    replies: mpsc::Receiver<Reply>,
    /// For the last words of a child that dies. A file, so that writing to it
    /// never blocks.
    stderr: File,
}

/// Why a child did not answer.
enum Silence {
    TimeLimit(Duration),
    Gone,
}

impl Running {
    fn start(program: &Path, role: &str) -> Result<Running> {
        let stderr =
            tempfile::tempfile().context("no temporary file can be made")?;
        let cores = available_parallelism().map_or(1, usize::from);
        let mut child = Command::new(program)
            .arg(role)
            // Answers and times are wanted from a child, not backtraces.
            .env_remove("RUST_BACKTRACE")
            // smol's executor has one thread unless told.
            .env("SMOL_THREADS", cores.to_string())
            // Or criterion runs `cargo metadata` first, though each visit
            // names a directory of its own.
            .env("CRITERION_HOME", std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone()?)
            .spawn()
            .with_context(|| {
                format!("{} cannot be started", program.display())
            })?;
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, replies) = mpsc::channel();
        // Ends with the child's output, or with a reply that is none, and the
        // channel with it.
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).split(b'\n') {
                let Ok(line) = line else { return };
                let line = String::from_utf8_lossy(&line);
                let Some(reply) = line.strip_prefix(MARK) else { continue };
                let Ok(reply) = serde_json::from_str(reply) else { return };
                drop(sender.send(reply));
            }
        });
        Ok(Running { child, stdin, replies, stderr })
    }

    fn ask(
        &mut self,
        request: &Request,
        time_limit: Duration,
    ) -> Result<Reply, Silence> {
        let line =
            serde_json::to_string(request).expect("a request has a JSON form");
        if writeln!(self.stdin, "{line}").is_err() {
            return Err(Silence::Gone);
        }
        self.replies.recv_timeout(time_limit).map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => Silence::TimeLimit(time_limit),
            mpsc::RecvTimeoutError::Disconnected => Silence::Gone,
        })
    }

    /// Ends the child and says in words why it gave no answer.
    fn post_mortem(mut self, why: Silence) -> String {
        let status = match why {
            Silence::TimeLimit(limit) => {
                let limit = limit.as_secs_f64();
                return format!(
                    "gave no answer within {limit} s, its process was killed"
                );
            }
            Silence::Gone => match self.ends_by_itself() {
                Some(status) => status.to_string(),
                None => "it said no more and was killed".to_owned(),
            },
        };
        let mut text = Vec::new();
        let read = self.stderr.rewind();
        let read = read.and_then(|()| self.stderr.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        // What criterion says while it measures is nobody's last words.
        let says = |line: &&str| {
            let chatter = ["Benchmarking ", "Warning: Unable to complete "];
            !line.is_empty() && !chatter.iter().any(|c| line.starts_with(c))
        };
        let last = text.lines().rev().map(str::trim).find(says);
        match (read, last) {
            (Ok(_), Some(words)) => {
                format!("its process ended: {status}; last words: {words}")
            }
            _ => format!("its process ended: {status}"),
        }
    }

    fn ends_by_itself(&mut self) -> Option<ExitStatus> {
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(10));
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
