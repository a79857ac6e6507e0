//! What it costs that a task's state lies in another core's cache.
//!
//! Each module is an experiment, or two that answer one question. What the page
//! shows is in [`listings`], in a folder of the experiment's name; each file there
//! compiles alone.

use harness::Chapter;

mod accumulation;
mod bounce;
mod cache_sizes;
mod ladder;
mod levels;
pub mod listings;
mod moved_state;
mod pages;
mod sharing;
mod time_stamped;
mod touch;

/// The chapter's experiments, in the order of its page.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        ladder::experiment(),
        cache_sizes::experiment(),
        moved_state::of_a_state(),
        moved_state::of_lines(),
        sharing::experiment(),
        bounce::experiment(),
        accumulation::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
