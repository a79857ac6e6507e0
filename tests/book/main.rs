//! Tests the book as a whole: its data, its pages, the rendered site, and the structure of the
//! code.
//!
//! `cargo test --test book claims` runs the tests of one file.

use std::path::Path;
use std::sync::LazyLock;

use findings::DataScope;
use pages::driver::{self, Built};

#[path = "../common/mod.rs"]
mod common;

mod claims;
mod colours;
mod data;
mod features;
mod house;
mod mutation;
mod named;
mod readme;
mod records;
mod rendered;
mod weight;
mod workspace;

/// The book as it is published, with the analysis of its pages.
static BOOK: LazyLock<Built> = LazyLock::new(|| {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book");
    let built = driver::build_into(common::root(), DataScope::Committed, &directory);
    built.unwrap_or_else(|error| panic!("{error:#}"))
});
