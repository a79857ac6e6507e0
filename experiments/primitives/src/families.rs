//! The families that are compared, a file each. A library of yours is another file and another line.

use crate::family::Family;

mod tokio;

/// All of them.
pub fn all() -> Vec<Family> {
    vec![tokio::family()]
}
