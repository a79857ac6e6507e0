//! The code that the page shows.

pub mod half_a_message;
pub mod lost_message;
