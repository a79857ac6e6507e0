//! One measurement: a server answers requests from thread-per-core's load
//! generator.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use harness::Measurement;
use thread_per_core::load::{self, End, Report, Settings};
use thread_per_core::ApplicationProtocol;

use super::serve::{Serve, CONNECTIONS};

/// How long the load runs before answers are counted.
const LEAD_IN: Duration = Duration::from_millis(50);

/// Runs a server under a closed loop of requests for `length`. `whole` is the
/// length of a full measurement. If `length` is shorter, the load generator
/// sends only a few requests.
///
/// # Errors
///
/// If the contender cannot serve here, or its answers were wrong.
pub(super) fn take(
    serve: Serve,
    length: Duration,
    whole: Duration,
) -> Result<Measurement, String> {
    let (listener, address) = listen()
        .map_err(|error| format!("it cannot listen on a port: {error}"))?;
    let (lead_in, end) = if length < whole {
        (Duration::ZERO, End::Requests(2 * CONNECTIONS as u64))
    } else {
        (LEAD_IN, End::After(length))
    };
    let settings = Settings {
        connections: CONNECTIONS,
        protocol: ApplicationProtocol::Http,
        lead_in,
        end,
        ..Settings::of(address)
    };
    thread::scope(|scope| {
        let asked = scope.spawn(|| ask(&settings));
        serve(listener)?;
        asked.join().expect("the load does not panic")
    })
}

fn listen() -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn ask(settings: &Settings) -> Result<Measurement, String> {
    let asked = match load::run(settings) {
        Ok(report) => checked(report),
        Err(error) => Err(format!("the load: {error}")),
    };
    if asked.is_err() {
        // The server may still be waiting for connections that the load
        // generator hasn't made, so make them here.
        for _ in 0..CONNECTIONS {
            let _ = TcpStream::connect(settings.address);
        }
    }
    asked
}

fn checked(report: Report) -> Result<Measurement, String> {
    let Report { errors, unanswered, connections, .. } = &report;
    if errors + unanswered + connections.refused == 0 {
        return Ok(report.into());
    }
    let reason = connections.reason.as_deref().unwrap_or("no reason");
    Err(format!(
        "{} connections were not made, {errors} answers were wrong or lost, and \
         {unanswered} did not come: {reason}",
        connections.refused
    ))
}
