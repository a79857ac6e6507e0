//! An executor in four steps. Each is a file that stands alone, and adds one
//! thing to the one before:
//!
//! 1. [`queue`]: tasks and their wakers; with nothing to do it spins.
//! 2. [`parking`]: with nothing to do it sleeps.
//! 3. [`reactor`]: it sleeps where the kernel tells about sockets.
//! 4. [`stealing`]: several threads, and tasks that move between them.
//!
//! The crate itself is the fourth with what a program needs besides: results of
//! tasks that panic, a clean end, and policies that can be exchanged.

pub mod parking;
pub mod queue;
pub mod reactor;
pub mod stealing;
