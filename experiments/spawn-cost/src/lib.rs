//! What it costs to create a unit of concurrency, run it and collect its
//! result.
//!
//! Each contender is a file of its own, which the chapter shows.

use harness::Chapter;

#[cfg(feature = "async-std")]
pub mod async_std;
pub mod captured;
pub mod compio;
pub mod first_instruction;
#[cfg(target_os = "linux")]
pub mod glommio;
pub mod monoio;
pub mod rayon;
pub mod smol;
pub mod std_thread;
pub mod std_thread_one_by_one;
#[cfg(feature = "async-std")]
pub mod task_creation_as_published;
pub mod thread_creation_as_published;
pub mod thread_pool;
pub mod tokio_as_published;
pub mod tokio_local_set;
pub mod tokio_multi_thread;
pub mod tokio_spawn_blocking;
mod units;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let measures =
        ["async-std", "compio", "glommio", "monoio", "rayon", "smol", "tokio"];
    Chapter::new(name, package, &measures, vec![units::experiment()])
}
