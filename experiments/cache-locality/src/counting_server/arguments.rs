//! The command line of the counting server.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::iter;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{self, ExitCode};
use std::thread;

use clap::Parser;
use thread_per_core::listings::echo::listen::listen;

use super::move_counts::AllMoveCounts;
use super::serve::{EchoRuntime, EchoService};
use super::server_report::report;
use super::touched_state::StateShape;
use super::COMMAND;
use crate::touch::Access;

/// Starts an echo server on 127.0.0.1 that counts how often its tasks move, and
/// prints its address. A line `report` on its standard input asks for the counts.
#[derive(Parser)]
#[command(name = COMMAND)]
struct ServerArguments {
    /// The runtime that it runs on.
    runtime: EchoRuntime,
    /// How many workers it has.
    #[arg(long)]
    workers: usize,
    /// The state of each connection, which each message reads and writes, in bytes:
    /// a power of two, from 64 on, or 0.
    #[arg(long, default_value_t = 0, value_parser = state_bytes)]
    state_bytes: usize,
    /// The kind of reads: dependent, where each waits for the one before it, or
    /// independent.
    #[arg(long, default_value = "independent", value_parser = access)]
    access: Access,
    /// Prints a report and exits when its standard input is closed, at the
    /// latest when the process that started it exits.
    #[arg(long)]
    with_parent: bool,
}

fn state_bytes(text: &str) -> Result<usize, &'static str> {
    match text.parse() {
        Ok(0) => Ok(0),
        Ok(bytes @ 64..) if usize::is_power_of_two(bytes) => Ok(bytes),
        _ => Err("0, or a power of two from 64 on, is expected"),
    }
}

fn access(text: &str) -> Result<Access, &'static str> {
    let all = [Access::Dependent, Access::Independent];
    let named = all.into_iter().find(|access| access.name() == text);
    named.ok_or("dependent or independent is expected")
}

/// Runs the server. `arguments` is the command line after [`COMMAND`].
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let all = iter::once(OsString::from(COMMAND)).chain(arguments);
    let arguments = ServerArguments::parse_from(all);
    match serve(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{COMMAND}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &ServerArguments) -> io::Result<()> {
    harness::raise_file_limit();
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let listener = listen(any_port, false)?;
    let address = listener.local_addr()?;
    // The server's tasks need the counts until the process ends, so they are
    // never freed.
    let counts: &'static AllMoveCounts = Box::leak(Box::default());
    let ServerArguments { runtime, workers, state_bytes, access, .. } =
        *arguments;
    let state = StateShape { bytes: state_bytes, access };
    let service = EchoService { workers, listener, counts, state };
    thread::spawn(move || {
        let ended = service.run(runtime);
        eprintln!("{COMMAND}: the server has ended: {ended:?}");
        process::exit(1);
    });
    let name = runtime.contender();
    say(&format!("{address} {name}, {workers} workers"))?;
    let say_report = || -> io::Result<()> {
        let report = report(name, counts.sums())?;
        say(&serde_json::json!(report).to_string())
    };
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.trim() {
            "report" => say_report()?,
            _ => {
                eprintln!("{COMMAND}: \"{line}\" is not known; there is report")
            }
        }
    }
    if !arguments.with_parent {
        loop {
            thread::park();
        }
    }
    say_report()
}

/// Prints `line`, and flushes the output so that the reader gets it at once.
fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}
