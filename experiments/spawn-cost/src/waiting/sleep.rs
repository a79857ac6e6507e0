//! Units that sleep.

pub mod as_published;
pub mod compio;
#[cfg(target_os = "linux")]
pub mod glommio;
pub mod monoio;
pub mod smol;
pub mod std_thread;
pub mod tokio;
