//! A process that runs one of several servers, each a function called by a
//! thread per core. It prints the lines
//! that [`Running`](crate::serve::Running) reads: its address, and a report
//! for each line of input and at the end of its input.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::iter;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{exit, Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use clap::Parser;
use host::cores::{pin_this_process, pin_this_thread, usable};
use socket2::{Domain, Protocol, Socket, Type};

use crate::listings::echo::listen::listen;

// Includes the module by its path. Renaming it in the other servers would
// change measured code and make their data stale.
#[expect(unreachable_pub)]
#[path = "serve/report.rs"]
mod report;

/// A server that can run in a separate process.
pub trait Serves: Sync {
    /// Returns the name that selects the server on the command line.
    fn name(&self) -> String;

    /// Returns whether the server's runtime starts several workers itself. If
    /// so, one thread is enough to run the server.
    fn has_workers(&self) -> bool;

    /// Returns whether each thread that serves is pinned to a core.
    fn is_pinned(&self) -> bool;

    /// Serves forever on the calling thread.
    ///
    /// # Errors
    ///
    /// If the server cannot serve here. The error is the reason.
    fn serve(&self, place: Place) -> Result<(), String>;
}

/// The settings of a server thread: its CPU, and the address to listen on.
#[derive(Debug)]
pub struct Place {
    /// The kernel's number of the CPU on which this thread runs, if it is
    /// pinned.
    pub cpu: usize,
    /// The number of CPUs that the server may use.
    pub cores: usize,
    /// The address to which clients connect.
    pub address: SocketAddr,
    /// Counts the connections that this thread has accepted.
    pub accepted: &'static AtomicU64,
    ready: mpsc::Sender<Result<(), String>>,
}

impl Place {
    /// Creates a listener that shares its port with the listeners of the
    /// server's other threads.
    ///
    /// # Errors
    ///
    /// If the system refuses to listen on the address.
    pub fn listener(&self) -> Result<TcpListener, String> {
        listen(self.address, true).map_err(|error| {
            format!("it cannot listen on {}: {error}", self.address)
        })
    }

    /// Reports that clients can connect to this thread's listener.
    pub fn ready(&self) {
        // An error is ignored. It means that another thread could not be
        // started, so nobody receives this message.
        drop(self.ready.send(Ok(())));
    }
}

/// Starts a server for experiments. It exits when its input is closed.
#[derive(Parser)]
struct Arguments {
    /// Its name, such as "compio, as advised".
    server: String,
    /// The CPUs that it is to use, by the kernel's numbers, such as 0,1.
    #[arg(long, value_delimiter = ',', required = true)]
    on: Vec<usize>,
    /// The server exits when its input is closed in any case.
    #[arg(long, hide = true)]
    with_parent: bool,
}

/// Returns the command that starts `server` on the CPUs `on`, as a process of
/// `program`. Its first argument is `called`; `program` must pass the
/// remaining arguments to [`main`].
pub fn command(
    program: &Path,
    called: &str,
    server: &impl Serves,
    on: &[usize],
) -> Command {
    let cpus: Vec<String> = on.iter().map(usize::to_string).collect();
    let mut command = Command::new(program);
    command.args([called, &server.name(), "--on", &cpus.join(",")]);
    command
}

/// Runs the one of `servers` that `arguments` names, until its input is
/// closed.
pub fn main<Server: Serves>(
    servers: &'static [Server],
    arguments: impl IntoIterator<Item = OsString>,
) -> ExitCode {
    let arguments = iter::once("server".into()).chain(arguments);
    match run(servers, &Arguments::parse_from(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("server: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn run<Server: Serves>(
    servers: &'static [Server],
    arguments: &Arguments,
) -> Result<(), String> {
    let wanted = &arguments.server;
    let found = servers.iter().find(|server| server.name() == *wanted);
    let server = found.ok_or_else(|| {
        let names: Vec<String> = servers.iter().map(Serves::name).collect();
        format!("no server is {wanted:?}; there are:\n{}", names.join("\n"))
    })?;
    harness::raise_file_limit();
    // Pins the process before it starts other threads, so that they inherit
    // the pinning, and before it counts the cores that it may use.
    pin_this_process(&arguments.on)?;
    let cpus = usable()?;
    let (_port, address) =
        free_port().map_err(|error| format!("no port is free: {error}"))?;
    let threads = if server.has_workers() { 1 } else { cpus.len() };
    let accepted: &'static [AtomicU64] =
        (0..threads).map(|_| AtomicU64::new(0)).collect::<Vec<_>>().leak();
    let (ready, said) = mpsc::channel();
    for (index, accepted) in accepted.iter().enumerate() {
        let place = Place {
            cpu: cpus[index],
            cores: cpus.len(),
            address,
            accepted,
            ready: ready.clone(),
        };
        thread::spawn(move || {
            let ended = || {
                if server.is_pinned() {
                    pin_this_thread(index)?;
                }
                let ready = place.ready.clone();
                let ended = server.serve(place);
                drop(ready.send(ended.clone()));
                ended
            };
            let reason = ended().err().unwrap_or("it has ended".into());
            // The lock is held until the process exits, so that no other
            // thread's message is cut off.
            let mut stderr = io::stderr().lock();
            drop(writeln!(stderr, "server: {reason}"));
            exit(1);
        });
    }
    for _ in 0..threads {
        said.recv().map_err(|error| error.to_string())??;
    }
    say(&format!("{address} is served"));
    let report = || {
        let counts = accepted.iter().map(|it| it.load(Ordering::Relaxed));
        let report = report::report(server.name(), "", counts.collect())?;
        say(&serde_json::json!(report).to_string());
        Ok::<_, String>(())
    };
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.trim() {
            "report" => report()?,
            _ => eprintln!("server: \"{line}\" is not known; there is report"),
        }
    }
    report()
}

/// Returns a socket that reserves a free port, and the socket's address. The
/// listeners of several threads can share the port.
fn free_port() -> io::Result<(Socket, SocketAddr)> {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let held = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    held.set_reuse_address(true)?;
    held.bind(&any.into())?;
    // Sets the option only after binding. Otherwise, the socket could share a
    // port with another process.
    held.set_reuse_port(true)?;
    let address = held.local_addr()?.as_socket();
    Ok((held, address.expect("it was bound to such an address")))
}

/// Prints `line` and flushes the output. Errors are ignored: if the reader
/// has gone, this process is about to end anyway.
fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    drop(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}
