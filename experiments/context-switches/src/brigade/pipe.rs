//! Lines over pipes.

pub mod compio;
pub mod one_thread;
pub mod smol;
pub mod std_thread;
pub mod tokio;
