//! `cargo book` on the command line. Each test runs on a copy of the fixture book.

#[path = "../../../pages/tests/copy/mod.rs"]
mod copy;
mod measure;
mod printed;
mod record;
