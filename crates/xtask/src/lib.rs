//! What those who change the book need: [`check`], [`mod@fmt`] and [`new_chapter`].

pub mod check;
mod costs;
mod files;
pub mod fmt;
pub mod new_chapter;
mod programs;
pub mod workspace;
