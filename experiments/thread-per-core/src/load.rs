//! The load generator: sends requests to a server on this computer and
//! measures how fast the answers arrive. It is a separate process, so that
//! its CPU time is measured separately.
//!
//! An echo server has to send back what it receives. Each request has
//! different bytes, and every returned byte is checked. An HTTP server always
//! gets the same request; the load checks the status of its answer, and the
//! length and the bytes of the body.
//!
//! - A *closed loop* makes a connection's next request when it has got an
//!   answer. It measures how many per second the server can answer: a
//!   throughput.
//! - An *open loop* makes requests at times that are fixed in advance, like
//!   those of independent users. Latency counts from the time at which a
//!   request was due, whether it was sent then, or waited for its connection,
//!   or for the generator: that is how long a user would have waited. The
//!   generator's own lateness is reported separately.
//!
//! Each thread has its share of the connections, and one epoll for all of
//! them. Nothing is allocated while requests are in flight, unless an open
//! loop's requests pile up at a server that is too slow. All settings are
//! bounded: see [`Settings`].

mod alarm;
mod arguments;
mod clock;
mod closed;
mod connect;
mod connection;
mod cpu_time;
mod dealing;
mod distribution;
mod error;
mod gather;
mod generator;
mod http;
mod open;
mod pattern;
mod percentile;
mod punctuality;
mod report;
mod schedule;
mod settings;
mod table;
mod tally;
mod traffic;

pub use arguments::main;
pub use cpu_time::CpuShare;
pub use dealing::Dealing;
pub use distribution::Distribution;
pub use error::Error;
pub use generator::{run, run_announced};
pub use percentile::{Percentile, BEYOND};
pub use punctuality::{Punctuality, LATE};
pub use report::{Connections, Report};
pub use schedule::Arrivals;
pub use settings::{
    End, Pace, Settings, HIGHEST_RATE, LONGEST_MESSAGE, LONGEST_WINDOW,
    MOST_BYTES, MOST_CONNECTIONS, MOST_PIPELINED, PATIENCE,
};
