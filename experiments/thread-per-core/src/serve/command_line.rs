//! The command `serve`, which starts a server for a person or an experiment.

use std::ffi::OsString;
use std::io::{self, BufRead, Write};
use std::iter;
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

use clap::Parser;
use host::cores::{pin_this_process, room_for_cores, usable};

use super::interface::Interface;
#[cfg(target_os = "linux")]
use super::refuse_io_uring::refuse_io_uring;
use super::report::report;
use super::server::Server;
use super::table::{all, find};
use super::worker::{Event, Site};

/// Starts one of the chapter's servers on 127.0.0.1, and prints its address.
/// Names of HTTP servers begin with `http`, those of the others are echo
/// servers. Ctrl-C ends the server; a line `report` on its standard input asks
/// what it has used.
#[derive(Parser)]
#[command(name = "serve")]
struct Arguments {
    /// Its name, or words of it: the first that has them all is started.
    #[arg(required_unless_present = "list")]
    server: Vec<String>,
    /// Prints the names of all servers.
    #[arg(long)]
    list: bool,
    /// How many workers it has; in a thread-per-core server, how many runtimes.
    /// By default one for each CPU that it may use.
    #[arg(long)]
    cores: Option<usize>,
    /// The CPUs that it may use, by the kernel's numbers, such as 0,1. By default
    /// all that this process may.
    #[arg(long, value_delimiter = ',')]
    on: Vec<usize>,
    /// Has the kernel refuse io_uring to it, as in many containers.
    #[cfg(target_os = "linux")]
    #[arg(long)]
    without_io_uring: bool,
    /// Its port; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Prints a report and exits when its standard input is closed, at the
    /// latest when the process that started it exits.
    #[arg(long)]
    with_parent: bool,
    /// Counts its system calls, for its report.
    #[arg(long)]
    count_calls: bool,
    /// Exits after this time in any case.
    #[arg(long, default_value = "1h", value_parser = humantime::parse_duration)]
    limit: Duration,
}

/// Runs the command `serve` with its `arguments`, without the command's name.
pub fn main<Argument>(arguments: impl IntoIterator<Item = Argument>) -> ExitCode
where
    Argument: Into<OsString>,
{
    let given = arguments.into_iter().map(Into::into);
    let all = iter::once(OsString::from("serve")).chain(given);
    let arguments = match Arguments::try_parse_from(all) {
        Ok(arguments) => arguments,
        Err(error) => {
            // For clap, printing the help is an error, too, but its exit code
            // is 0.
            drop(error.print());
            return match error.exit_code() {
                0 => ExitCode::SUCCESS,
                _ => ExitCode::FAILURE,
            };
        }
    };
    match serve(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("serve: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &Arguments) -> Result<(), String> {
    if arguments.list {
        return print_list().map_err(|error| error.to_string());
    }
    let server = find(&arguments.server.join(" "))?;
    if arguments.count_calls {
        // Counting begins before there are other threads, so that the calls
        // of every thread are counted.
        harness::count_own_calls()?;
    }
    harness::raise_file_limit();
    if !arguments.on.is_empty() {
        // Pins the process before it starts other threads, so that they
        // inherit the pinning, and before it counts the cores that it may
        // use.
        pin_this_process(&arguments.on)?;
    }
    #[cfg(target_os = "linux")]
    if arguments.without_io_uring {
        // Refuses io_uring before there are other threads, so that they
        // inherit the refusal.
        refuse_io_uring()?;
    }
    let cpus = usable()?;
    let workers = arguments.cores.unwrap_or(cpus.len());
    room_for_cores(workers)?;
    if workers == 0 {
        return Err("a server needs a core at least: --cores 1".to_owned());
    }
    let (port, listeners) = (arguments.port, server.listeners(workers));
    let site = Site::new(port, workers, listeners)
        .map_err(|error| format!("port {port} cannot be had: {error}"))?;
    // Leaks `site`, because the server's threads use it until the process
    // ends.
    let site: &'static Site = Box::leak(Box::new(site));
    let (interface, events) = server.start(site)?;
    say(&format!(
        "{} {} by {interface}, {workers} workers on CPUs {cpus:?}",
        site.address(),
        server.name(),
    ));
    thread::spawn(move || {
        for event in events {
            if let Event::Ended(reason) = event {
                eprintln!("serve: the server has ended: {reason}");
                process::exit(1);
            }
        }
    });
    let limit = arguments.limit;
    thread::spawn(move || {
        thread::sleep(limit);
        say_report(server, interface, site);
        process::exit(0);
    });
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        match line.trim() {
            "report" => say_report(server, interface, site),
            _ => eprintln!("serve: \"{line}\" is not known; there is report"),
        }
    }
    if !arguments.with_parent {
        loop {
            thread::park();
        }
    }
    say_report(server, interface, site);
    Ok(())
}

fn say_report(server: &Server, interface: Interface, site: &Site) {
    let report = report(server.name(), interface.name(), site.accepted());
    match report {
        Ok(report) => say(&serde_json::json!(report).to_string()),
        Err(reason) => eprintln!("serve: {reason}"),
    }
}

/// Prints `line` and flushes the output. Errors are ignored: if the reader
/// has gone, this process is about to end anyway.
fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    drop(writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
}

fn print_list() -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    for server in all() {
        let needs = match server.needs {
            "" => String::new(),
            needs => format!("    needs {needs}"),
        };
        writeln!(stdout, "{}{needs}", server.name())?;
    }
    Ok(())
}
