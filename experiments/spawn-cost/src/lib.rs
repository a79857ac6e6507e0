//! What it costs to create a unit of concurrency, run it and collect its
//! result.
//!
//! What the chapter shows is in [`listings`]; the rest measures it, an experiment a
//! module.

use harness::Chapter;

mod busy;
pub mod cpu_bound;
#[cfg(not(feature = "async-std"))]
mod left_out;
pub mod life_cycle;
pub mod listings;
mod pools;
#[cfg(target_os = "linux")]
mod recordings;
pub mod task_benches;
pub mod units;
pub mod waiting;
pub mod work_per_unit;

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
        #[cfg(target_os = "linux")]
        recordings::experiment(),
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
