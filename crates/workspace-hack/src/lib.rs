//! Nothing: only the dependencies in `Cargo.toml` count.
