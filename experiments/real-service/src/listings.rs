//! The code on the page, and the types that its parts share.

pub mod blocking_client;
pub mod order;
pub mod transaction;
