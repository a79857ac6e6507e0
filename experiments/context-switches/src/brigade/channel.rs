//! Lines over channels, which stay in the process.

#[cfg(target_os = "linux")]
pub mod glommio;
pub mod one_thread;
pub mod smol;
pub mod std_thread;
pub mod tokio;
