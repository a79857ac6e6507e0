//! Runs the load generator, from opening the connections to the report.

use std::io;
use std::thread;

use mio::Events;

use super::clock::{nanoseconds, Clock};
use super::connect::connect;
use super::connection::{Connection, Protocol, Requests};
use super::error::Error;
use super::gather::{gather, Counted};
use super::pattern::Pattern;
use super::report::Report;
use super::schedule::Schedule;
use super::settings::{Pace, Settings};
use super::tally::{Measured, Tally};
use super::traffic::Traffic;
use super::{closed, http, open};
use crate::application_protocol::ApplicationProtocol;

const EVENTS: usize = 1_024;

/// Opens connections, sends requests according to `settings`, and returns the
/// report. Raises this process's limit on open files.
///
/// # Errors
///
/// If a setting is out of bounds, the address isn't on this computer, there
/// are too few file descriptors, or no connection could be opened. Later
/// failures don't end the load; the report counts them.
pub fn run(settings: &Settings) -> Result<Report, Error> {
    run_announced(settings, || {})
}

/// Runs a load like [`run`], and calls `connected` once all connections are
/// open. The lead-in begins after that call.
///
/// # Errors
///
/// The errors are those of [`run`].
pub fn run_announced(
    settings: &Settings,
    connected: impl FnOnce(),
) -> Result<Report, Error> {
    settings.check()?;
    let made = connect(settings)?;
    let requests = match settings.protocol {
        ApplicationProtocol::Echo => Requests::Echo {
            pattern: Pattern::new(),
            message_bytes: settings.message_bytes,
        },
        ApplicationProtocol::Http => {
            Requests::Http(http::Request::to(settings.address))
        }
    };
    let protocol = Protocol { requests, pipeline: settings.pipeline };
    let connections = made.streams.len();
    // If connections have failed, there may be fewer connections than
    // threads.
    let threads = settings.threads.min(connections);
    let mut shares: Vec<Vec<Connection>> =
        (0..threads).map(|_| Vec::new()).collect();
    let Settings { dealing, dealing_seed, .. } = *settings;
    let dealt = dealing.threads(dealing_seed, connections, threads);
    for ((number, stream), thread) in made.streams.into_iter().zip(dealt) {
        let stream = mio::net::TcpStream::from_std(stream);
        shares[thread].push(Connection::new(number, stream, settings.pipeline));
    }
    connected();
    let clock = Clock::start();
    let counted = thread::scope(|scope| {
        let start = |(thread, share)| {
            let part = Part { thread, threads, connections };
            let protocol = &protocol;
            scope.spawn(move || {
                run_share(settings, part, protocol, clock, share)
            })
        };
        let running: Vec<_> =
            shares.into_iter().enumerate().map(start).collect();
        let end = |thread: thread::ScopedJoinHandle<'_, _>| {
            thread.join().expect("a thread of the load does not panic")
        };
        running.into_iter().map(end).collect::<io::Result<Vec<Counted>>>()
    });
    let counted = counted.map_err(|reason| Error::Refused { reason })?;
    Ok(gather(counted, made.refused, made.why_refused))
}

/// A load thread's index, the number of load threads, and the number of
/// connections.
#[derive(Debug, Clone, Copy)]
struct Part {
    thread: usize,
    threads: usize,
    connections: usize,
}

fn run_share(
    settings: &Settings,
    Part { thread, threads, connections }: Part,
    protocol: &Protocol,
    clock: Clock,
    share: Vec<Connection>,
) -> io::Result<Counted> {
    let from = nanoseconds(settings.lead_in);
    let window = from..from + nanoseconds(settings.window());
    let measured = match settings.pace {
        Pace::Closed => Measured::Answered(window),
        Pace::Open { .. } => Measured::Due(window),
    };
    let tally = Tally::new(measured, share.len());
    let mut traffic =
        Traffic::new(protocol, clock, share, tally, settings.spin)?;
    let mut events = Events::with_capacity(EVENTS);
    let punctuality = match settings.pace {
        Pace::Closed => {
            let requests = settings.requests().div_ceil(threads as u64);
            closed::run(
                &mut traffic,
                &mut events,
                settings.pipeline,
                requests,
            )?;
            None
        }
        Pace::Open { rate, arrivals, seed } => {
            let schedule = Schedule::new(rate, arrivals, seed);
            let requests = settings.requests();
            let turns = open::Turns {
                schedule,
                connections,
                thread,
                threads,
                turn: 0,
                requests,
            };
            Some(open::run(&mut traffic, &mut events, turns)?)
        }
    };
    let (tally, cpu) = traffic.finish(&mut events)?;
    Ok(Counted { tally, punctuality, cpu })
}
