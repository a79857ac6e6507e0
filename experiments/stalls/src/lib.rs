//! How long a machine's cores stall, regardless of what runs on them.

use harness::Chapter;

#[cfg(target_os = "linux")]
mod stalls;

/// Returns the chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        #[cfg(target_os = "linux")]
        stalls::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
