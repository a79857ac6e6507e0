//! The primitives for queues and hand-overs between threads. The models in
//! `tests/models.rs` replace them with shuttle's, which try different orders.

pub(crate) use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard};
