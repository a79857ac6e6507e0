//! The synchronisation primitives between threads. The models in
//! `tests/models.rs` use shuttle's primitives instead, which try different
//! orders.

pub(crate) use std::sync::atomic::{fence, AtomicBool, AtomicUsize, Ordering};
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
