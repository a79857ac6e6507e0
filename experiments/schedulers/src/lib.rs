//! Executors for learning and measuring: a shared core of a few hundred
//! lines, with interchangeable scheduling policies. Two of these executors
//! differ only in their policy, which is not true of any two published
//! runtimes.
//!
//! ```
//! use schedulers::{Executor, Policy};
//!
//! let executor = Executor::new(Policy::Stealing, 2)?;
//! let sum = executor.block_on(async {
//!     let tasks: Vec<_> =
//!         (0..10).map(|id| schedulers::spawn(async move { id * id })).collect();
//!     let mut sum = 0;
//!     for task in tasks {
//!         sum += task.await.expect("it does not panic");
//!     }
//!     sum
//! });
//! assert_eq!(sum, 285);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A task is an [`async_task`] task. A worker is a thread that polls tasks,
//! asks its own reactor (mio) about sockets, and sleeps there when it is idle.
//! The policy decides which worker polls which task:
//!
//! - [`Policy::Pinned`]: a task stays on the worker that it was assigned to.
//! - [`Policy::Stealing`]: a worker without tasks takes some from another.
//!
//! [`steps`] builds such an executor up, each step in a self-contained file.

#![forbid(unsafe_code)]

mod current;
mod executor;
mod idle;
mod net;
mod park;
mod pinned;
mod policy;
mod queue;
mod reactor;
mod scheduling;
mod shared;
mod stealing;
pub mod steps;
mod sync;
mod tasks;
mod worker;

pub use executor::Executor;
#[cfg(unix)]
pub use net::UnixStream;
pub use net::{Connection, Stream, TcpListener, TcpStream};
pub use policy::Policy;
pub use tasks::{spawn, spawn_on, JoinError, JoinHandle};
