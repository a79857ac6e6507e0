//! An executor in four steps. Each is a self-contained file, and adds one thing
//! to the previous one:
//!
//! 1. [`queue`]: tasks and their wakers; it spins when idle.
//! 2. [`parking`]: it sleeps when idle.
//! 3. [`reactor`]: it sleeps where the kernel reports events of sockets.
//! 4. [`stealing`]: several threads, and tasks that move between them.
//!
//! The crate itself is the fourth step, plus what a program needs: results of
//! tasks that panic, a clean end, and exchangeable policies.

pub mod parking;
pub mod queue;
pub mod reactor;
pub mod stealing;
