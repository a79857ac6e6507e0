//! Two units take turns, and give way: a contender a file.

pub mod compio;
#[cfg(target_os = "linux")]
pub mod glommio;
pub mod monoio;
pub mod smol;
pub mod std_thread;
pub mod tokio;
pub mod tokio_local_set;
