//! The code that the page shows, and the types that it needs.

pub mod blocking_client;
pub mod order;
pub mod transaction;
