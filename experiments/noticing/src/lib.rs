//! An executor that notices when a task blocks its thread, and replaces the
//! thread. It reimplements, in a few hundred lines, a design that was
//! proposed for async-std in 2019 but not merged.
//!
//! ```
//! use std::time::Duration;
//!
//! use noticing::{Executor, Settings};
//!
//! let executor = Executor::new(Settings {
//!     workers: 1,
//!     spares: 1,
//!     look_every: Some(Duration::from_millis(1)),
//! })?;
//! let (sender, receiver) = std::sync::mpsc::channel();
//! let waits = executor.spawn(async move { receiver.recv() });
//! // The only worker is stuck in that task, and this one runs all the same.
//! executor.block_on(async move { sender.send(7) }).unwrap();
//! let received = executor.block_on(async { waits.await.unwrap() });
//! assert_eq!(received, Ok(7));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! - `worker.rs` has a thread's main loop: poll tasks, steal, sleep.
//! - `roster.rs` counts which threads run, are stuck or sleep.
//! - `monitor.rs` checks the threads and finds stuck ones.
//! - `reactor.rs` reports events of sockets and timers to an idle thread.

#![forbid(unsafe_code)]

mod bell;
mod current;
mod executor;
mod monitor;
mod net;
mod reactor;
mod roster;
mod scheduler;
mod shared;
mod sleep;
mod socket;
mod sockets;
mod sync;
mod tasks;
mod timers;
mod worker;

pub use executor::{Executor, Settings};
pub use net::{TcpListener, TcpStream};
pub use sleep::{sleep_until, Sleep};
pub use tasks::{spawn, JoinError, JoinHandle};
