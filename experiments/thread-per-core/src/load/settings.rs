//! The settings of the load generator: the server, the rate, and how long the
//! load runs.

use std::net::SocketAddr;
use std::time::Duration;

use super::dealing::Dealing;
use super::error::Error;
use super::schedule::Arrivals;
use crate::application_protocol::ApplicationProtocol;

/// The maximum number of connections of a load generator.
pub const MOST_CONNECTIONS: usize = 20_000;
/// The maximum number of requests in flight on one connection.
pub const MOST_PIPELINED: usize = 1_024;
/// The maximum length of a message, in bytes.
pub const LONGEST_MESSAGE: usize = 16 << 20;
/// The maximum number of bytes sent in a run: more than loopback carries in a
/// minute.
pub const MOST_BYTES: u64 = 1 << 40;
/// The maximum rate of an open loop, in requests per second.
pub const HIGHEST_RATE: f64 = 1e6;
/// The maximum length of the measurement, and of the lead-in before it.
pub const LONGEST_WINDOW: Duration = Duration::from_secs(60);
/// How long to wait for answers after the last request.
pub const PATIENCE: Duration = Duration::from_secs(1);

/// The settings of the load generator. [`Settings::of`] returns the defaults.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The server's address, which has to be on this computer.
    pub address: SocketAddr,
    /// The number of connections to open before the first request. They are
    /// kept open.
    pub connections: usize,
    /// The protocol that the server speaks.
    pub protocol: ApplicationProtocol,
    /// The length in bytes of an echo request, and of its answer. Not used
    /// with HTTP.
    pub message_bytes: usize,
    /// The maximum number of requests in flight on a connection. Any others
    /// wait.
    pub pipeline: usize,
    /// Determines what triggers a request: an answer or the clock.
    pub pace: Pace,
    /// The number of load threads, each with its share of the connections.
    pub threads: usize,
    /// How connections are distributed to the load threads.
    pub dealing: Dealing,
    /// The seed of the random order if connections are shuffled
    /// ([`Dealing::Shuffled`]).
    pub dealing_seed: u64,
    /// True if threads poll for events all the time, and never sleep. If they
    /// sleep, latencies include a wake-up of 10 to 20 us. Each thread that
    /// never sleeps needs a separate core, on which no server runs.
    pub spin: bool,
    /// How long the load runs before the measurement begins.
    pub lead_in: Duration,
    /// When the measurement ends.
    pub end: End,
}

/// The event that triggers a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// An answer triggers the next request on its connection, so each
    /// connection always has the maximum number in flight. This measures
    /// throughput. A client that waits for a slow server sends less at that
    /// moment, so its latencies leave out what users would have experienced
    /// (coordinated omission).
    Closed,
    /// The clock triggers requests, whether or not earlier ones have been
    /// answered. Requests go to the connections in turn. Latency is measured
    /// from when a request was due.
    Open {
        /// The number of requests per second, on all connections together.
        rate: f64,
        /// How the requests are distributed over time.
        arrivals: Arrivals,
        /// The seed of the random times, if the arrivals are Poisson.
        seed: u64,
    },
}

/// When the measurement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The measurement ends after this time.
    After(Duration),
    /// The measurement ends after this number of requests, or
    /// after [`LONGEST_WINDOW`] if that is earlier.
    Requests(u64),
}

impl Settings {
    /// Returns the default settings: a closed loop of 100 connections with
    /// messages of 64 bytes, measured for five seconds after a lead-in of one
    /// second.
    pub fn of(address: SocketAddr) -> Settings {
        Settings {
            address,
            connections: 100,
            protocol: ApplicationProtocol::Echo,
            message_bytes: 64,
            pipeline: 1,
            pace: Pace::Closed,
            threads: 1,
            dealing: Dealing::Shuffled,
            dealing_seed: 1,
            spin: false,
            lead_in: Duration::from_secs(1),
            end: End::After(Duration::from_secs(5)),
        }
    }

    /// # Errors
    ///
    /// If the address isn't on this computer, or a value is out of bounds.
    pub(super) fn check(&self) -> Result<(), Error> {
        if !self.address.ip().is_loopback() {
            return Err(Error::NotLoopback(self.address));
        }
        let counts = [
            ("connections", self.connections, MOST_CONNECTIONS),
            ("message bytes", self.message_bytes, LONGEST_MESSAGE),
            (
                "requests under way on a connection",
                self.pipeline,
                MOST_PIPELINED,
            ),
            ("threads", self.threads, self.connections),
        ];
        for (what, given, most) in counts {
            within(what, given as f64, 1.0, most as f64)?;
        }
        let longest = LONGEST_WINDOW.as_secs_f64();
        within("seconds of lead-in", self.lead_in.as_secs_f64(), 0.0, longest)?;
        if let Pace::Open { rate, .. } = self.pace {
            within("requests a second", rate, 1e-3, HIGHEST_RATE)?;
        }
        match (self.end, self.pace) {
            (End::After(window), _) => {
                within("seconds", window.as_secs_f64(), 1e-3, longest)
            }
            (End::Requests(requests), Pace::Open { rate, .. }) => {
                within("requests", requests as f64, 1.0, rate * longest)
            }
            (End::Requests(requests), Pace::Closed) => within(
                "requests",
                requests as f64,
                1.0,
                self.most_requests() as f64,
            ),
        }
    }

    pub(super) fn window(&self) -> Duration {
        match self.end {
            End::After(window) => window,
            End::Requests(_) => LONGEST_WINDOW,
        }
    }

    /// Returns the number of requests after which the measurement ends. It
    /// ends earlier if its time is up.
    pub(super) fn requests(&self) -> u64 {
        match self.end {
            End::After(_) => self.most_requests(),
            End::Requests(requests) => requests,
        }
    }

    fn most_requests(&self) -> u64 {
        MOST_BYTES / self.message_bytes as u64
    }
}

fn within(
    what: &'static str,
    given: f64,
    least: f64,
    most: f64,
) -> Result<(), Error> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    Err(Error::OutOfBounds { what, given, least, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        Settings::of("127.0.0.1:7000".parse().unwrap())
    }

    fn refused(settings: &Settings) -> String {
        settings.check().unwrap_err().to_string()
    }

    #[test]
    fn only_this_computer_is_asked() {
        let at = |address: &str| Settings {
            address: address.parse().unwrap(),
            ..settings()
        };
        for ours in ["127.0.0.1:1", "127.255.0.9:7000", "[::1]:7000"] {
            at(ours).check().unwrap();
        }
        for others in [
            "0.0.0.0:7000",
            "10.0.0.1:7000",
            "128.0.0.1:80",
            "[::]:80",
            "[::ffff:127.0.0.1]:80",
            "[fe80::1]:80",
        ] {
            let reason = refused(&at(others));
            assert!(reason.contains("127.0.0.0/8"), "{reason}");
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_with_the_bounds() {
        let connections = Settings { connections: 20_001, ..settings() };
        assert_eq!(
            refused(&connections),
            "20001 connections: 1 to 20000 are possible"
        );
        let minute = |seconds| Settings {
            end: End::After(Duration::from_secs(seconds)),
            ..settings()
        };
        minute(60).check().unwrap();
        assert_eq!(
            refused(&minute(61)),
            "61 seconds: 0.001 to 60 are possible"
        );
        assert!(Settings { connections: 0, ..settings() }.check().is_err());
        assert!(Settings { message_bytes: 0, ..settings() }.check().is_err());
        assert!(Settings { pipeline: 0, ..settings() }.check().is_err());
        // A hundred connections are too few for 101 threads: one thread would
        // have nothing to do.
        assert!(Settings { threads: 101, ..settings() }.check().is_err());
    }

    #[test]
    fn an_open_loop_cannot_need_longer_than_the_longest_window() {
        let open = |rate, requests| Settings {
            pace: Pace::Open { rate, arrivals: Arrivals::Even, seed: 1 },
            end: End::Requests(requests),
            ..settings()
        };
        open(100.0, 6_000).check().unwrap();
        assert!(open(100.0, 6_001).check().is_err());
        assert!(open(f64::NAN, 1).check().is_err());
    }
}
