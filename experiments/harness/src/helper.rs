//! A helper: a process that handles requests. Requests and reports are lines
//! of JSON over its standard input and output.

use std::fs::File;
use std::io::{stdin, stdout, BufRead, BufReader, Read, Seek, Write};
use std::marker::PhantomData;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::Serialize;

/// The beginning of a line that contains a report. Other lines on standard
/// output, such as criterion's, are ignored.
pub const MARK: &str = "report ";

/// How long to wait for a helper process to end after its output has been
/// closed.
const GRACE: Duration = Duration::from_secs(1);

/// Messages that criterion prints while it measures. They are not quoted as a
/// failed helper's last message.
const CHATTER: [&str; 2] = ["Benchmarking ", "Warning: Unable to complete "];

/// A process that gets requests and sends reports as lines of JSON. Dropping
/// this value kills it. If it reads its requests from [`requests`], it also
/// exits with its parent, however busy it is.
///
/// After an error, the helper can't be used any more.
pub struct Helper<Request, Report> {
    child: Child,
    /// Closing standard input ends the process.
    stdin: Option<ChildStdin>,
    reports: Receiver<Result<Report, String>>,
    /// A file rather than a pipe, so that the process never blocks when it
    /// writes.
    stderr: File,
    asked: PhantomData<fn(Request)>,
}

impl<Request: Serialize, Report: DeserializeOwned + Send + 'static>
    Helper<Request, Report>
{
    /// Starts the process.
    pub fn spawn(command: Command) -> Result<Self, String> {
        Helper::try_spawn(command).map_err(|error| format!("{error:#}"))
    }

    fn try_spawn(mut command: Command) -> Result<Self> {
        let stderr =
            tempfile::tempfile().context("no temporary file can be made")?;
        let mut child = command
            // Keeps a backtrace from being the last thing that the process
            // prints.
            .env_remove("RUST_BACKTRACE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr.try_clone()?)
            .spawn()
            .with_context(|| {
                format!("{:?} cannot be started", command.get_program())
            })?;
        let stdin = child.stdin.take();
        let said = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, reports) = channel();
        // When the helper closes its output, this thread ends, which closes
        // the channel.
        thread::spawn(move || {
            for line in said.split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line);
                let Some(report) = line.strip_prefix(MARK) else { continue };
                let report = serde_json::from_str(report)
                    .map_err(|error| format!("said {report}: {error}"));
                drop(sender.send(report));
            }
        });
        Ok(Helper { child, stdin, reports, stderr, asked: PhantomData })
    }

    /// Returns the id of the helper's process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request, and waits at most `deadline` for the report.
    pub fn ask(
        &mut self,
        request: &Request,
        deadline: Duration,
    ) -> Result<Report, String> {
        let line =
            serde_json::to_string(request).expect("a request has a JSON form");
        // Writing fails if the helper has ended. Then waiting for the report
        // fails, too, and gives the reason.
        drop(self.stdin.as_mut().map(|stdin| writeln!(stdin, "{line}")));
        self.hear(deadline)
    }

    /// Waits for the next report, without sending a request.
    ///
    /// Fails if no report arrives within `deadline`, after which the helper
    /// is killed; if the helper has died, with its status and its last words;
    /// or if the report is invalid.
    pub fn hear(&mut self, deadline: Duration) -> Result<Report, String> {
        self.reports.recv_timeout(deadline).unwrap_or_else(|silence| {
            Err(match silence {
                RecvTimeoutError::Timeout => {
                    drop(self.child.kill());
                    let limit = deadline.as_secs_f64();
                    format!(
                        "gave no answer within {limit} s, its process was killed"
                    )
                }
                RecvTimeoutError::Disconnected => self.last_words(),
            })
        })
    }

    /// Closes the helper's standard input, which also happens when its parent
    /// exits. Waits up to `grace` for the helper to exit, and returns `None`
    /// if it is still running then. Reports that it sends in the meantime can
    /// be [heard](Helper::hear).
    pub fn let_go(&mut self, grace: Duration) -> Option<ExitStatus> {
        self.stdin = None;
        let deadline = Instant::now() + grace;
        while Instant::now() < deadline {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }

    fn last_words(&mut self) -> String {
        let status = self.let_go(GRACE).map_or_else(
            || "it said no more and was killed".to_owned(),
            |status| status.to_string(),
        );
        let mut text = Vec::new();
        let read = self.stderr.rewind();
        drop(read.and_then(|()| self.stderr.read_to_end(&mut text)));
        let text = String::from_utf8_lossy(&text);
        let says = |line: &&str| {
            !line.is_empty() && !CHATTER.iter().any(|of| line.starts_with(of))
        };
        let last = text.lines().rev().map(str::trim).find(says);
        let words = last.map(|words| format!("; last words: {words}"));
        format!("its process ended: {status}{}", words.unwrap_or_default())
    }
}

impl<Request, Report> Drop for Helper<Request, Report> {
    fn drop(&mut self) {
        // Killing fails if the process has already ended, which is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns a receiver of the requests to this helper. A separate thread reads
/// them, and ends this process as soon as standard input is closed. So a
/// helper never outlives its parent, even if it hangs.
pub fn requests<Request>() -> Receiver<Request>
where
    Request: DeserializeOwned + Send + 'static,
{
    let (sender, requests) = channel();
    thread::spawn(move || {
        for line in stdin().lines().map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(request) => drop(sender.send(request)),
                Err(error) => {
                    eprintln!("not a request: {line}: {error}");
                    std::process::exit(2);
                }
            }
        }
        std::process::exit(0);
    });
    requests
}

/// Sends a report from this helper to its parent.
pub fn report(report: &impl Serialize) -> Result<()> {
    let mut stdout = stdout().lock();
    // The report begins on a new line, since criterion may have left an
    // unfinished one.
    writeln!(stdout, "\n{MARK}{}", serde_json::to_string(report)?)?;
    Ok(stdout.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn what_a_helper_says_is_a_report_or_the_reason_why_there_is_none() {
        let says = "echo chatter; echo report 5; echo report five; \
                    echo no cheese >&2; exit 3";
        let mut sh = Command::new("sh");
        sh.args(["-c", says]);
        let mut helper = Helper::<(), u32>::spawn(sh).unwrap();
        let mut hear = || helper.hear(Duration::from_secs(60));
        assert_eq!(hear(), Ok(5));
        assert!(hear().unwrap_err().starts_with("said five: expected"));
        let ended = hear().unwrap_err();
        assert!(ended.ends_with(": 3; last words: no cheese"), "{ended}");
    }
}
