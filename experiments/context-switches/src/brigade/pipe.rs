//! Lines over pipes.

pub mod one_thread;
pub mod std_thread;
pub mod tokio;
