//! What threads hand over to each other with. The models in `tests/models.rs`
//! put shuttle's own in its place, which try orders.

pub(crate) use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
