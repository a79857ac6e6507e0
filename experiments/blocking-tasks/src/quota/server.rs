//! A server in a separate process, so that a control group can limit it
//! alone.

use std::future::pending;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{
    exit, Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio,
};
use std::thread;
use std::time::Duration;

use harness::work::{rounds_in, work};
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;
use thread_per_core::listings::http::answer::answer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle, Runtime};

use super::group::{remove, Group, Limit, Throttling};

/// The first argument that makes this program a server.
pub(crate) const NAME: &str = "quota-server";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    MultiThread,
    CurrentThread,
    /// Starts no server. The process only reports how many workers libraries
    /// start by default.
    Defaults,
}

const KINDS: [(&str, Kind); 3] = [
    ("multi-thread", Kind::MultiThread),
    ("current-thread", Kind::CurrentThread),
    ("defaults", Kind::Defaults),
];

/// A server process in its own control group. Dropping this value ends the
/// process and removes the group.
pub(super) struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    says: BufReader<ChildStdout>,
    group: Group,
}

impl Server {
    /// Starts a server that computes for `time` on each request. It begins to
    /// serve once it has been moved into its control group.
    pub(super) fn start(
        kind: Kind,
        workers: usize,
        time: Duration,
        limit: Limit,
    ) -> Result<Server, String> {
        let group = Group::new(limit)?;
        let program = std::env::current_exe().map_err(|it| it.to_string())?;
        let (name, _) = KINDS.iter().find(|of| of.1 == kind).expect("all are");
        let failed = |error| format!("{program:?} cannot be run: {error}");
        let mut child = Command::new(&program)
            .args([NAME, name, &workers.to_string()])
            .arg(rounds_in(time).to_string())
            .arg(group.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is piped");
        let says = BufReader::new(stdout);
        let mut server = Server { child, stdin, says, group };
        server.group.add(server.child.id())?;
        let stdin = server.stdin.as_mut().expect("it is open");
        writeln!(stdin, "go").map_err(|error| error.to_string())?;
        Ok(server)
    }

    pub(super) fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.says.read_line(&mut line) {
            Ok(0) => Err("the server has ended".to_owned()),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn address(&mut self) -> Result<SocketAddr, String> {
        let line = self.line()?;
        line.parse().map_err(|_| format!("the server says {line:?}"))
    }

    pub(super) fn cpu_time(&self) -> Result<Duration, String> {
        let id = Pid::from_raw(self.child.id() as i32);
        let time = clock_getcpuclockid(id).and_then(clock_gettime);
        time.map(Duration::from).map_err(|error| error.to_string())
    }

    pub(super) fn throttling(&self) -> Result<Throttling, String> {
        self.group.throttling()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // Killing fails if the server has already ended, which is fine. The
        // group is dropped afterwards, once it is empty.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn main(arguments: impl Iterator<Item = String>) -> ExitCode {
    let arguments: Vec<String> = arguments.collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{NAME}: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let [kind, workers, rounds, group] = arguments else {
        return Err(format!(
            "it is called with a kind, workers, rounds of work and its group, \
             not with {arguments:?}; blocking-tasks/quota starts it"
        ));
    };
    let found = KINDS.iter().find(|(name, _)| name == kind);
    let kind = found.ok_or(format!("{kind:?} is no kind of server"))?.1;
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| format!("{text:?} is no number"))
    };
    let (workers, rounds) = (number(workers)? as usize, number(rounds)?);
    let mut lines = io::stdin().lock().lines();
    // The parent writes this line after moving the process into its control
    // group. If no line arrives, the parent has exited.
    if lines.next().is_none() {
        return Ok(());
    }
    let group = PathBuf::from(group);
    thread::spawn(move || {
        if let Err(reason) = serve(kind, workers, rounds) {
            eprintln!("{NAME}: {reason}");
        }
        // Either the server has failed, or the reader of its output has gone.
        exit(1);
    });
    // Waits until standard input is closed, which happens at the latest when
    // the parent exits.
    lines.for_each(drop);
    leave(&group);
    exit(0)
}

/// Removes the control group, in case the parent has exited without removing
/// it.
fn leave(group: &Path) {
    if group.join("cpu.stat").exists() {
        remove(group);
    }
}

fn serve(kind: Kind, workers: usize, rounds: u64) -> Result<(), String> {
    let built =
        |runtime: io::Result<Runtime>| runtime.map_err(|it| it.to_string());
    let handles: Vec<Handle> = match kind {
        Kind::Defaults => {
            say(&defaults()?);
            return Ok(());
        }
        Kind::MultiThread => {
            let mut builder = Builder::new_multi_thread();
            let runtime = builder.worker_threads(workers).enable_all().build();
            let runtime: &'static Runtime =
                Box::leak(Box::new(built(runtime)?));
            vec![runtime.handle().clone()]
        }
        Kind::CurrentThread => {
            let one = |_| {
                let runtime =
                    Builder::new_current_thread().enable_all().build();
                let runtime = built(runtime)?;
                let handle = runtime.handle().clone();
                thread::spawn(move || runtime.block_on(pending::<()>()));
                Ok(handle)
            };
            (0..workers).map(one).collect::<Result<_, String>>()?
        }
    };
    let failed = |error: io::Error| format!("it cannot serve: {error}");
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
    say(&listener.local_addr().map_err(failed)?.to_string());
    for handle in handles.iter().cycle() {
        let (connection, _) = listener.accept().map_err(failed)?;
        connection.set_nodelay(true).map_err(failed)?;
        connection.set_nonblocking(true).map_err(failed)?;
        handle.spawn(async move {
            // Ignores an error, since the load generator will report a
            // missing answer.
            if let Ok(connection) = TcpStream::from_std(connection) {
                drop(converse(connection, rounds).await);
            }
        });
    }
    Ok(())
}

fn defaults() -> Result<String, String> {
    let std = thread::available_parallelism().map_or(0, NonZeroUsize::get);
    let tokio = Runtime::new().map_err(|error| error.to_string())?;
    let tokio = tokio.metrics().num_workers();
    let rayon = rayon::current_num_threads();
    Ok(format!("{std} {tokio} {rayon}"))
}

/// Prints a line and flushes it. Ignores errors: if nobody reads the output
/// any more, the process will soon end.
fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    drop(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}

/// Answers the requests on a connection, each after `rounds` rounds of
/// computing.
async fn converse(mut connection: TcpStream, rounds: u64) -> io::Result<()> {
    let mut received = vec![0; 4 * 1024];
    let mut filled = 0;
    let mut answers = Vec::with_capacity(1024);
    loop {
        match connection.read(&mut received[filled..]).await? {
            0 => return Ok(()),
            read => filled += read,
        }
        let taken = answer(&received[..filled], &mut answers);
        if taken != Some(0) {
            work(rounds);
        }
        connection.write_all(&answers).await?;
        answers.clear();
        let Some(taken) = taken else { return Ok(()) };
        // Moves the beginning of an incomplete request to the front of the
        // buffer.
        received.copy_within(taken..filled, 0);
        filled -= taken;
    }
}
