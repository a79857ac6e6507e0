//! What it costs to create a unit of concurrency, run it and collect its
//! result.
//!
//! Each contender is a file of its own, which the chapter shows.

use harness::Chapter;

#[cfg(feature = "async-std")]
pub mod async_std;
pub mod captured;
pub mod compio;
pub mod cpu_bound;
pub mod first_instruction;
#[cfg(target_os = "linux")]
pub mod glommio;
pub mod life_cycle;
pub mod monoio;
mod pools;
pub mod rayon;
pub mod smol;
pub mod std_thread;
pub mod std_thread_one_by_one;
pub mod task_benches;
#[cfg(feature = "async-std")]
pub mod task_creation_as_published;
pub mod thread_creation_as_published;
pub mod thread_pool;
pub mod tokio_as_published;
pub mod tokio_local_set;
pub mod tokio_multi_thread;
pub mod tokio_spawn_blocking;
mod units;
pub mod waiting;
pub mod work_per_unit;

/// Why nothing of async-std's runs, if so.
#[cfg(not(feature = "async-std"))]
const WITHOUT_ASYNC_STD: &str =
    "built without async-std: leave out --no-default-features";

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    keep_freed_memory();
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        units::experiment(),
        waiting::experiment(),
        cpu_bound::experiment(),
        work_per_unit::experiment(),
        task_benches::experiment(),
        life_cycle::experiment(),
    ];
    Chapter::new(name, package, experiments)
}

/// Has glibc's allocator keep what is freed, as it does in a program that has
/// freed a large block before. Else each batch of units that carry state may
/// give their memory back to the kernel, and the next one gets it by page
/// faults: that costs many times what the state itself does, and whether it
/// happens depends on what ran before.
fn keep_freed_memory() {
    const LARGE: usize = 24 << 20;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(LARGE)));
}
