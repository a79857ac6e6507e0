//! The programs that the chapter's page shows.

pub mod half_a_message;
pub mod lost_message;
