//! A helper: a process that does what it is asked, in lines of JSON over its standard input and output.

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

/// What a report's line begins with. Other lines on standard output are for nobody: criterion prints there
/// as well.
pub const MARK: &str = "report ";

/// How long a helper has to end that says no more.
const GRACE: Duration = Duration::from_secs(1);

/// What criterion says while it measures: nobody's last words.
const CHATTER: [&str; 2] = ["Benchmarking ", "Warning: Unable to complete "];

/// A process that is asked by lines of JSON and reports in such. It is killed when this is dropped; with
/// its parent it ends if it takes its requests from [`requests`], however busy it is.
///
/// After an error it is of no use any more.
pub struct Helper<Request, Report> {
    child: Child,
    /// Closed, it ends the process.
    stdin: Option<ChildStdin>,
    reports: Receiver<Result<Report, String>>,
    /// A file, so that writing to it never blocks.
    stderr: File,
    asked: PhantomData<fn(Request)>,
}

impl<Request: Serialize, Report: DeserializeOwned + Send + 'static>
    Helper<Request, Report>
{
    /// Starts it.
    pub fn spawn(command: Command) -> Result<Self, String> {
        Helper::try_spawn(command).map_err(|error| format!("{error:#}"))
    }

    fn try_spawn(mut command: Command) -> Result<Self> {
        let stderr =
            tempfile::tempfile().context("no temporary file can be made")?;
        let mut child = command
            // Its last words are wanted, no backtraces.
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
        // Ends with the helper's output, and the channel with it.
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

    /// The id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it, and waits for its report.
    pub fn ask(
        &mut self,
        request: &Request,
        deadline: Duration,
    ) -> Result<Report, String> {
        let line =
            serde_json::to_string(request).expect("a request has a JSON form");
        // If it has ended, there will be no report, and the reason is found then.
        drop(self.stdin.as_mut().map(|stdin| writeln!(stdin, "{line}")));
        self.hear(deadline)
    }

    /// Waits for its next report, one that it makes unasked.
    ///
    /// Fails if it hangs until the deadline, which kills it; if it has died,
    /// with its status and its last words; or if what it says is no such
    /// report.
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

    /// Closes its standard input, as its parent's end does, and waits for so long until it has ended; `None`
    /// if it goes on. What it reports meanwhile can be [heard](Helper::hear).
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
        // It may have ended already, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// In a helper: what it is asked, one after the other. They are read by a thread of their own, which ends the
/// process as soon as standard input does: no helper outlives its parent, not even one that hangs.
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

/// In a helper: says a report.
pub fn report(report: &impl Serialize) -> Result<()> {
    let mut stdout = stdout().lock();
    // Criterion may have left a line unfinished.
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
