//! Measures the cost of being able to give up on a request, and how long the
//! abandoned work continues.

use harness::Chapter;

mod crowd;
pub mod listings;
mod price;
mod sizes;
#[cfg(target_os = "linux")]
mod still_runs;
mod stop_all;

/// Returns the chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        price::experiment(),
        crowd::experiment(),
        sizes::experiment(),
        stop_all::experiment(),
        #[cfg(target_os = "linux")]
        still_runs::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
