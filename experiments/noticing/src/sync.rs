//! The executor's synchronisation primitives. In the tests in
//! `tests/models.rs`, shuttle's primitives replace them and try many
//! interleavings of the threads.

pub(crate) use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
