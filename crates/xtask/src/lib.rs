//! What those who change the book need: [`check`] and [`chapter`].

pub mod check;
mod costs;
pub mod new_chapter;
