//! What those who change the book need: [`check`], [`mod@fmt`] and [`chapter`].

pub mod chapter;
pub mod check;
mod costs;
mod files;
pub mod fmt;
mod programs;
