//! The executor's synchronisation primitives. The tests in `tests/models.rs`
//! replace them with shuttle's, which try many orders of the threads' steps.

pub(crate) use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
