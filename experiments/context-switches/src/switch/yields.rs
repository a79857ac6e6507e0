//! Two units take turns, and yield: a contender a file, which says what that does
//! there.

pub mod compio;
#[cfg(target_os = "linux")]
pub mod glommio;
pub mod monoio;
pub mod smol;
pub mod std_thread;
pub mod tokio;
pub mod tokio_local_set;
pub mod tokio_wakes_itself;
