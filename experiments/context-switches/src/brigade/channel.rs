//! Lines over channels, which stay in the process.

pub mod compio;
#[cfg(target_os = "linux")]
pub mod glommio;
pub mod monoio;
pub mod one_thread;
pub mod smol;
pub mod std_thread;
pub mod tokio;
