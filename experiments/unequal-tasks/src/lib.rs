//! Measures how long requests wait if some take longer than others. Each
//! request may be served by only one worker, or by any worker. Also measures
//! how long a batch of such tasks takes as a whole.

use harness::Chapter;

pub mod batch;
#[cfg(target_os = "linux")]
mod generator;
pub mod listings;
mod orders;
pub mod simulated;
pub mod unequal_tasks;

/// Returns the chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        unequal_tasks::experiment(),
        #[cfg(target_os = "linux")]
        generator::experiment(),
        batch::experiment(),
        simulated::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
