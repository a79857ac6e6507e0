//! The compared families of primitives, one file per library. To add another
//! library, add a file and a line.

use crate::family::Family;

mod crossbeam;
mod futures;
mod parking_lot;
mod smol;
mod std;
mod tokio;

/// Returns all families. The first one is the baseline of ratios.
pub fn all() -> Vec<Family> {
    vec![
        tokio::family(),
        smol::family(),
        std::family(),
        parking_lot::family(),
        crossbeam::family(),
        futures::family(),
    ]
}
