//! The libraries whose primitives are compared, one file each. To add a
//! library, add a file and a line.

use crate::family::Family;

mod crossbeam;
mod futures;
mod parking_lot;
mod smol;
mod std;
mod tokio;

/// Returns the primitives of all libraries. Results are shown relative to the
/// first library.
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
