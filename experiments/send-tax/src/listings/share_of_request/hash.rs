//! The SHA-256 of a request's body.

use sha2::{Digest, Sha256};

/// Returns the hash of `body`.
pub fn hash(body: &[u8]) -> [u8; 32] {
    Sha256::digest(body).into()
}
