//! What a book's data say: what machines measured, what figures come of it, and how claims stand.
//!
//! It knows no HTML: what stands on a page is made of this by the crate `pages`. What is asked for comes from the crate
//! `language`.

mod analysis;
mod at_once;
pub mod claim;
pub mod data;
pub mod figure;
pub mod find;
pub mod table;

pub use analysis::{Analysis, once};
pub use at_once::at_once;
pub use data::DataScope;
