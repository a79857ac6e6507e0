//! The code on the page, and what its parts share.

pub mod blocking_client;
pub mod order;
pub mod transaction;
