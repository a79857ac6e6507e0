//! The libraries whose primitives are compared. Each library has its own
//! file. To add one, add a file and a line here.

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
