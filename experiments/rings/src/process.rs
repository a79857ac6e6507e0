//! Runs a server in a separate process. The process prints the lines
//! that [`Running`](thread_per_core::serve::Running) reads: its address, and
//! a report for each line of input and at the end of its input.

use std::ffi::OsString;
use std::io::{self, BufRead};
use std::iter;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{exit, Command, ExitCode};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::Parser;
use host::cores::pin_this_process;

use crate::arm::{arms, Arm};
use crate::interrupts::{interrupts, INTERRUPTS};
use crate::report::report;
use crate::say::say;
use thread_per_core::listings::echo::listen::listen;

/// Starts a server on io_uring with its ring set up in one of several ways, for
/// experiments. It exits when its input is closed.
#[derive(Parser)]
#[command(name = "ring")]
struct Arguments {
    /// Its name, such as "compio, deferred".
    arm: String,
    /// The CPU that it is to use, by the kernel's number.
    #[arg(long)]
    on: usize,
    /// Counts its system calls, which costs each of them some time.
    #[arg(long)]
    count_calls: bool,
    /// The server exits when its input is closed in any case.
    #[arg(long, hide = true)]
    with_parent: bool,
}

/// Returns the command that starts the server `arm` on the CPU `on`, as a
/// process of `program`.
pub fn command(program: &Path, arm: &Arm, on: usize) -> Command {
    let mut command = Command::new(program);
    command.args(["ring", &arm.name(), "--on", &on.to_string()]);
    command
}

/// The `main` of a server, with the command-line arguments that follow
/// `ring`.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = iter::once("ring".into()).chain(arguments);
    match serve(&Arguments::parse_from(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("ring: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &Arguments) -> Result<(), String> {
    let found = arms().iter().find(|arm| arm.name() == arguments.arm);
    let arm = found.ok_or_else(|| {
        let names: Vec<String> = arms().iter().map(Arm::name).collect();
        let wanted = &arguments.arm;
        format!("no server is {wanted:?}; there are:\n{}", names.join("\n"))
    })?;
    if arguments.count_calls {
        // Counting begins before there are other threads, so that the calls
        // of every thread are counted.
        harness::count_own_calls()?;
    }
    harness::raise_file_limit();
    // Pins the process before it starts other threads, so that they inherit
    // the pinning.
    pin_this_process(&[arguments.on])?;
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let listener = listen(any, false).map_err(|error| error.to_string())?;
    static ACCEPTED: AtomicU64 = AtomicU64::new(0);
    thread::spawn(|| {
        let ended = (arm.run)(listener, &ACCEPTED);
        eprintln!("ring: {}", ended.err().unwrap_or("it has ended".into()));
        exit(1);
    });
    let report = || {
        let accepted = vec![ACCEPTED.load(Ordering::Relaxed)];
        let mut report = report(arm.name(), arm.interface.name(), accepted)?;
        report.calls.insert(INTERRUPTS.to_owned(), interrupts(arguments.on)?);
        say(&serde_json::json!(report).to_string());
        Ok::<_, String>(())
    };
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.trim() {
            "report" => report()?,
            _ => eprintln!("ring: \"{line}\" is not known; there is report"),
        }
    }
    report()
}
