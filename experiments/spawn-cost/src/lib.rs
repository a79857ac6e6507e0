//! What it costs to create a unit of concurrency, run it and collect its
//! result.
//!
//! Each contender is a file of its own, which the chapter shows.

use harness::Chapter;

pub mod cpu_bound;
pub mod life_cycle;
mod limits;
pub mod rayon;
pub mod std_thread;
pub mod task_benches;
pub mod thread_pool;
pub mod tokio_as_published;
pub mod tokio_multi_thread;
mod units;
pub mod waiting;
pub mod work;
pub mod work_per_unit;

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        units::experiment(),
        waiting::experiment(),
        cpu_bound::experiment(),
        work_per_unit::experiment(),
        task_benches::experiment(),
        life_cycle::experiment(),
    ];
    let measures =
        ["async-std", "compio", "glommio", "monoio", "rayon", "smol", "tokio"];
    Chapter::new(name, package, &measures, experiments)
}
