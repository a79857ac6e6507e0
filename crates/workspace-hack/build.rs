//! Nothing: without a build script, Cargo leaves out the features of `build-dependencies`.

fn main() {}
