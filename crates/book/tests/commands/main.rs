//! `cargo book` on the command line, each test on a copy of the fixture book.

#[path = "../../../pages/tests/copy/mod.rs"]
mod copy;
mod measure;
mod printed;
mod record;
