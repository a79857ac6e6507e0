//! An executor in four steps. Each step is a self-contained file, and adds
//! one thing to the previous step:
//!
//! 1. [`queue`]: tasks and their wakers; it spins when idle.
//! 2. [`parking`]: it sleeps when idle.
//! 3. [`reactor`]: it sleeps where the kernel reports events of sockets.
//! 4. [`stealing`]: several threads, and tasks that move between them.
//!
//! The rest of this crate is the fourth step plus what a program needs: a
//! result even if a task panics, a clean end, and interchangeable policies.

pub mod parking;
pub mod queue;
pub mod reactor;
pub mod stealing;
