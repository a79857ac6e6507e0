//! The code on the chapter's page: one file per contender, each of which
//! compiles on its own.

pub mod compio;
#[cfg(target_os = "linux")]
pub mod glommio;
pub mod handler;
pub mod monoio;
pub mod rayon;
pub mod smol;
pub mod std_thread;
pub mod thread_pool;
pub mod tokio_as_published;
pub mod tokio_local_set;
pub mod tokio_multi_thread;
pub mod tokio_spawn_blocking;
