//! The command line of the load generator.

use std::ffi::OsString;
use std::io::Write;
use std::iter;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Error, Result};
use clap::Parser;

use super::dealing::Dealing;
use super::generator::run_announced;
use super::schedule::Arrivals;
use super::settings::{End, Pace, Settings};
use super::table;
use crate::application_protocol::ApplicationProtocol;

/// Sends requests to a server on this computer and reports how fast the answers
/// come.
///
/// Without --rate, each connection sends its next request when it has an answer (closed loop), which
/// measures throughput. With --rate, requests are due by the clock, and latency counts from the time
/// when each was due (open loop).
#[derive(Debug, Parser)]
struct Arguments {
    /// Where the server listens, such as 127.0.0.1:7000; loopback only
    address: SocketAddr,
    /// How many connections, up to 20000
    #[arg(long, value_name = "N", default_value_t = 100)]
    connections: usize,
    /// The server's protocol: it either sends back what it gets or answers `Hello, world!`
    #[arg(long, value_enum, default_value = "echo")]
    protocol: ApplicationProtocol,
    /// The length of a request and of its answer, for an echo
    #[arg(long, value_name = "N", default_value_t = 64)]
    message_bytes: usize,
    /// How many requests a connection may have in flight at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    pipeline: usize,
    /// Requests per second over all connections, sent in an open loop
    #[arg(long, value_name = "RATE")]
    rate: Option<f64>,
    /// How the requests of an open loop are spread
    #[arg(long, value_enum, default_value = "poisson", requires = "rate")]
    arrivals: Arrivals,
    /// The seed for drawing Poisson arrivals
    #[arg(long, value_name = "N", default_value_t = 1, requires = "rate")]
    seed: u64,
    /// Threads, each with its share of the connections
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// How connections, in the order of their creation, are assigned to the threads
    #[arg(long, value_enum, default_value = "shuffled")]
    dealing: Dealing,
    /// The seed for shuffling the connections
    #[arg(long, value_name = "N", default_value_t = 1)]
    dealing_seed: u64,
    /// Spin instead of sleeping, for a core where nothing else runs
    #[arg(long)]
    spin: bool,
    /// How long to send requests before measuring any
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = humantime::parse_duration)]
    lead_in: Duration,
    /// How long to measure, up to a minute
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = humantime::parse_duration)]
    window: Duration,
    /// End after this many measured requests instead, or after a minute
    #[arg(long, value_name = "N", conflicts_with = "window")]
    requests: Option<u64>,
    /// The CPUs to run on, such as 0,1
    #[arg(long, value_name = "CPUS", value_delimiter = ',')]
    on: Vec<usize>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    json: bool,
    /// Print a line when all connections exist, before the first request
    #[arg(long)]
    announce: bool,
    /// Exit when standard input is closed, for a program that starts this one
    #[arg(long)]
    with_parent: bool,
}

impl Arguments {
    fn settings(&self) -> Settings {
        let pace = match self.rate {
            None => Pace::Closed,
            Some(rate) => {
                Pace::Open { rate, arrivals: self.arrivals, seed: self.seed }
            }
        };
        Settings {
            address: self.address,
            connections: self.connections,
            protocol: self.protocol,
            message_bytes: self.message_bytes,
            pipeline: self.pipeline,
            pace,
            threads: self.threads,
            dealing: self.dealing,
            dealing_seed: self.dealing_seed,
            spin: self.spin,
            lead_in: self.lead_in,
            end: self.requests.map_or(End::After(self.window), End::Requests),
        }
    }
}

impl Settings {
    /// Returns the command-line arguments with which [`main`] runs a load
    /// with these settings.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![self.address.to_string()];
        let mut option = |name: &str, value: String| {
            arguments.extend([format!("--{name}"), value]);
        };
        let time =
            |time: Duration| humantime::format_duration(time).to_string();
        option("connections", self.connections.to_string());
        option("protocol", self.protocol.to_string());
        option("message-bytes", self.message_bytes.to_string());
        option("pipeline", self.pipeline.to_string());
        if let Pace::Open { rate, arrivals, seed } = self.pace {
            option("rate", rate.to_string());
            let arrivals = match arrivals {
                Arrivals::Even => "even",
                Arrivals::Poisson => "poisson",
            };
            option("arrivals", arrivals.to_owned());
            option("seed", seed.to_string());
        }
        option("threads", self.threads.to_string());
        let dealing = match self.dealing {
            Dealing::InTurn => "in-turn",
            Dealing::Shuffled => "shuffled",
        };
        option("dealing", dealing.to_owned());
        option("dealing-seed", self.dealing_seed.to_string());
        option("lead-in", time(self.lead_in));
        match self.end {
            End::After(window) => option("window", time(window)),
            End::Requests(requests) => option("requests", requests.to_string()),
        }
        if self.spin {
            arguments.push("--spin".to_owned());
        }
        arguments
    }
}

/// The `main` of the load generator, with the arguments that follow `load`.
/// The exit code is 0 if there is a report, even if the report contains
/// errors.
pub fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = iter::once("thread-per-core load".into()).chain(arguments);
    match execute(&Arguments::parse_from(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn execute(arguments: &Arguments) -> Result<()> {
    if arguments.with_parent {
        harness::end_with_input();
    }
    if !arguments.on.is_empty() {
        host::cores::pin_this_process(&arguments.on).map_err(Error::msg)?;
    }
    let settings = arguments.settings();
    let report = run_announced(&settings, || {
        if arguments.announce {
            // An error is ignored here: if this line can't be written,
            // writing the report will fail as well.
            let mut stdout = std::io::stdout().lock();
            drop(writeln!(stdout, "connected").and_then(|()| stdout.flush()));
        }
    })?;
    let text = if arguments.json {
        serde_json::to_string(&report)? + "\n"
    } else {
        table::render(&settings, &report)
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(arguments: &[String]) -> Settings {
        let arguments = arguments.iter().map(String::as_str);
        Arguments::parse_from(iter::once("load").chain(arguments)).settings()
    }

    #[test]
    fn settings_are_the_same_after_a_way_through_the_command_line() {
        let defaults = Settings::of("127.0.0.1:7000".parse().unwrap());
        assert_eq!(read(&["127.0.0.1:7000".to_owned()]), defaults);
        assert_eq!(read(&defaults.arguments()), defaults);
        let others = Settings {
            address: "[::1]:80".parse().unwrap(),
            connections: 7,
            protocol: ApplicationProtocol::Http,
            message_bytes: 4_096,
            pipeline: 16,
            pace: Pace::Open {
                rate: 1e5 / 3.0,
                arrivals: Arrivals::Even,
                seed: 5,
            },
            threads: 2,
            dealing: Dealing::InTurn,
            dealing_seed: 3,
            spin: true,
            lead_in: Duration::from_millis(1_500),
            end: End::Requests(1_000),
        };
        assert_eq!(read(&others.arguments()), others);
    }

    #[test]
    fn what_belongs_to_an_open_loop_is_refused_in_a_closed_one() {
        let read = |arguments: &str| {
            Arguments::try_parse_from(arguments.split(' ')).map(drop)
        };
        read("load 127.0.0.1:1 --rate 5 --arrivals even").unwrap();
        assert!(read("load 127.0.0.1:1 --arrivals even").is_err());
        assert!(read("load 127.0.0.1:1 --requests 5 --window 1s").is_err());
        assert!(read("load example.org:80").is_err());
    }
}
