//! The load generator: sends requests to a server on this computer and tells how fast
//! the answers come. It is a process of its own, so that its CPU time is, too.
//!
//! An echo server is to send back what it gets. Each request has other bytes, and every
//! byte that comes back is checked. An HTTP server always gets the same request; of its
//! answer the status is checked, and the length and the bytes of the body.
//!
//! - A *closed loop* makes a connection's next request when it has an answer. It finds
//!   out how many a second the server can answer: a throughput.
//! - An *open loop* makes requests at instants that were fixed before, as users do who
//!   know nothing of each other. Latency counts from the instant at which a request was
//!   due, whether it was sent then, or waited for its connection, or for the generator:
//!   what a user would have waited. How late the generator was itself is told beside it.
//!
//! A thread, or each of a few, has its share of the connections, and one epoll for all
//! of them. Nothing is allocated while requests come and go, but where an open loop's
//! requests pile up before a server that is too slow. It is bounded in every way: see
//! [`Settings`].

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
