//! The runtimes to compare, one file each, and what each does about a job
//! that keeps its thread busy.

#[cfg(target_os = "linux")]
pub(super) mod glommio;
#[cfg(target_os = "linux")]
pub(super) mod monoio;
pub(super) mod ours_noticing;
pub(super) mod rayon;
pub(super) mod smol;
mod tokio;
pub(super) mod tokio_block_in_place;
pub(super) mod tokio_current_thread;
pub(super) mod tokio_multi_thread;
pub(super) mod tokio_spawn_blocking;
