//! Shows wrong ways to measure a time, each next to a right way.
//!
//! Each of them is an experiment. The page shows the code in [`listings`],
//! with one folder per experiment and one file per way to measure.

use harness::Chapter;

pub mod block_on;
pub mod clock;
pub mod counting;
mod coverage;
pub mod layout;
pub mod listings;
pub mod not_awaited;
pub mod omission;
pub mod optimiser;
pub mod order;
pub mod same_against_same;
pub mod two_modes;
pub mod unequal_work;

/// Returns the chapter's experiments, in the order of its page.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    let experiments = vec![
        block_on::experiment(),
        not_awaited::experiment(),
        unequal_work::experiment(),
        optimiser::experiment(),
        counting::experiment(),
        clock::experiment(),
        omission::experiment(),
        two_modes::experiment(),
        order::experiment(),
        same_against_same::experiment(),
        layout::experiment(),
        coverage::experiment(),
    ];
    Chapter::new(name, package, experiments)
}
