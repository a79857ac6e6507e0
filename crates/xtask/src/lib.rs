//! What those who change the book need: [`check`] and [`chapter`].

pub mod chapter;
pub mod check;
mod costs;
