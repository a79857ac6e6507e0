//! Tests the commands of `cargo book`, each on a copy of the example book.

#[path = "../../../pages/tests/copy/mod.rs"]
mod copy;
mod measure;
mod printed;
mod record;
