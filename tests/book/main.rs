//! The book as a whole: what its data and its pages say, the rendered site, and the house that makes them.
//!
//! `cargo test --test book claims` runs the tests of one file.

#[path = "../common/mod.rs"]
mod common;

mod claims;
mod colours;
mod data;
mod features;
mod guesses;
mod house;
mod mutation;
mod records;
mod rendered;
mod weight;
mod workspace;
