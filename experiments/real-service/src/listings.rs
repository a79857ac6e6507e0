//! The code that the page shows, and what its parts have in common.

pub mod blocking_client;
pub mod order;
pub mod transaction;
