//! The families that are compared, a file each. A library of yours is another file and another line.

use crate::family::Family;

mod crossbeam;
mod futures;
mod parking_lot;
mod smol;
mod std;
mod tokio;

/// All of them. The first is the one to which ratios are.
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
