//! The load generator: 100 connections with messages of 64 bytes to a server
//! on the same cores. It checks every byte of the answers.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use host::cores::usable;
use thread_per_core::load::{self, Arrivals, End, Pace, Settings};

pub(crate) const CONNECTIONS: usize = 100;
pub(crate) const MESSAGE_BYTES: usize = 64;

/// Messages per second of [`LoadShape::Steady`], about a tenth of a server's
/// capacity.
const STEADY_RATE: f64 = 20_000.0;
/// The messages per second on all connections of [`LoadShape::OneHot`]
/// together, excluding the busy one.
const COLD_RATE: f64 = 1_000.0;
/// The minimum time from the start of one burst to the next.
const BURST_INTERVAL: Duration = Duration::from_millis(5);

/// When and on which connections the load generator sends messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoadShape {
    /// Each connection sends its next message as soon as it has an answer.
    ClosedLoop,
    /// Messages are sent at even intervals, cycling through the connections.
    Steady,
    /// All connections send a message at the same time. After all answers
    /// have arrived, there is a pause.
    Bursts,
    /// One connection sends its next message as soon as it has an answer; the
    /// others send messages rarely.
    OneHot,
}

impl LoadShape {
    pub(crate) const ALL: [LoadShape; 4] = [
        LoadShape::ClosedLoop,
        LoadShape::Steady,
        LoadShape::Bursts,
        LoadShape::OneHot,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            LoadShape::ClosedLoop => "closed loop",
            LoadShape::Steady => "steady",
            LoadShape::Bursts => "bursts",
            LoadShape::OneHot => "one hot connection",
        }
    }

    /// Returns the parts of the load, each of which runs on its own thread.
    fn parts(self) -> Vec<LoadPart> {
        let even =
            |rate| Pace::Open { rate, arrivals: Arrivals::Even, seed: 1 };
        let generated =
            |connections, pace| LoadPart::Generated { connections, pace };
        match self {
            LoadShape::ClosedLoop => vec![generated(CONNECTIONS, Pace::Closed)],
            LoadShape::Steady => {
                vec![generated(CONNECTIONS, even(STEADY_RATE))]
            }
            LoadShape::Bursts => vec![LoadPart::Bursts],
            LoadShape::OneHot => vec![
                generated(1, Pace::Closed),
                generated(CONNECTIONS - 1, even(COLD_RATE)),
            ],
        }
    }

    /// Sends messages to the server at `address`. Calls `begun` on the
    /// calling thread once the measurement begins.
    ///
    /// # Errors
    ///
    /// If answers are wrong or missing.
    pub(crate) fn run(
        self,
        address: SocketAddr,
        span: LoadSpan,
        begun: impl FnOnce() -> Result<(), String>,
    ) -> Result<LoadOutcome, String> {
        let (says, connected) = mpsc::channel();
        thread::scope(|scope| {
            let start = |part: LoadPart| {
                let says = says.clone();
                let connected = move || {
                    // Ignores an error: if nobody receives this message,
                    // another part of the load has already failed.
                    let _ = says.send(());
                };
                scope.spawn(move || part.run(address, span, connected))
            };
            let parts: Vec<_> = self.parts().into_iter().map(start).collect();
            // Now only the running parts hold a sender. So if one fails,
            // waiting for all of them to connect ends.
            drop(says);
            let all_connected = parts.iter().all(|_| connected.recv().is_ok());
            thread::sleep(span.lead_in);
            let begun = if all_connected { begun() } else { Ok(()) };
            let mut all = LoadOutcome { answered: 0, elapsed: Duration::ZERO };
            for part in parts {
                let part = part.join().expect("a load does not panic")?;
                all.answered += part.answered;
                all.elapsed = all.elapsed.max(part.elapsed);
            }
            begun.map(|()| all)
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadSpan {
    /// How long to run before answers count.
    pub(crate) lead_in: Duration,
    pub(crate) end: End,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct LoadOutcome {
    /// The number of messages that came back unchanged.
    pub(crate) answered: u64,
    /// The time until the last message came back.
    pub(crate) elapsed: Duration,
}

#[derive(Debug, Clone, Copy)]
enum LoadPart {
    /// Messages from the load generator of the package thread-per-core.
    Generated {
        connections: usize,
        pace: Pace,
    },
    Bursts,
}

impl LoadPart {
    /// Runs this part of the load. Calls `connected` once all of its
    /// connections exist.
    fn run(
        self,
        address: SocketAddr,
        span: LoadSpan,
        connected: impl FnOnce(),
    ) -> Result<LoadOutcome, String> {
        match self {
            LoadPart::Generated { connections, pace } => {
                generated(address, connections, pace, span, connected)
            }
            LoadPart::Bursts => bursts(address, span, connected)
                .map_err(|error| format!("the load: {error}")),
        }
    }
}

/// Runs thread-per-core's load generator with one thread per core, or one per
/// connection if there are fewer connections. That package uses the same
/// number of threads if server and load share all cores.
///
/// # Errors
///
/// If answers are wrong or missing.
pub(crate) fn generated(
    address: SocketAddr,
    connections: usize,
    pace: Pace,
    span: LoadSpan,
    connected: impl FnOnce(),
) -> Result<LoadOutcome, String> {
    let settings = Settings {
        connections,
        message_bytes: MESSAGE_BYTES,
        pace,
        threads: usable()?.len().min(connections),
        dealing_seed: fastrand::u64(..),
        lead_in: span.lead_in,
        end: span.end,
        ..Settings::of(address)
    };
    let report = load::run_announced(&settings, connected)
        .map_err(|error| format!("the load: {error}"))?;
    let load::Connections { refused, ref reason, .. } = report.connections;
    if report.errors + report.unanswered + refused > 0 {
        let reason = reason.as_deref().unwrap_or("no reason");
        return Err(format!(
            "the load: {} answers were wrong, {} were lost, {} did not come, {refused} \
             connections were not made: {reason}",
            report.wrong, report.lost, report.unanswered
        ));
    }
    let elapsed = Duration::from_nanos(report.elapsed_ns);
    Ok(LoadOutcome { answered: report.answered, elapsed })
}

/// Sends bursts of messages from one thread, and checks each byte of the
/// answers.
fn bursts(
    address: SocketAddr,
    span: LoadSpan,
    connected: impl FnOnce(),
) -> io::Result<LoadOutcome> {
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        let client = TcpStream::connect(address)?;
        client.set_nodelay(true)?;
        client.set_read_timeout(Some(load::PATIENCE))?;
        clients.push(client);
    }
    connected();
    let mut rng = fastrand::Rng::new();
    let begins = Instant::now() + span.lead_in;
    let mut answered = 0;
    loop {
        let burst = Instant::now();
        let mut sent = Vec::with_capacity(CONNECTIONS);
        for client in &mut clients {
            let message: [u8; MESSAGE_BYTES] =
                std::array::from_fn(|_| rng.u8(..));
            client.write_all(&message)?;
            sent.push(message);
        }
        for (client, message) in clients.iter_mut().zip(sent) {
            let mut answer = [0; MESSAGE_BYTES];
            client.read_exact(&mut answer)?;
            if answer != message {
                return Err(io::Error::other("an answer was wrong"));
            }
        }
        if burst >= begins {
            answered += CONNECTIONS as u64;
        }
        let elapsed = begins.elapsed();
        let is_over = match span.end {
            End::After(window) => elapsed >= window,
            End::Requests(requests) => answered >= requests,
        };
        if is_over {
            return Ok(LoadOutcome { answered, elapsed });
        }
        thread::sleep(BURST_INTERVAL.saturating_sub(burst.elapsed()));
    }
}
