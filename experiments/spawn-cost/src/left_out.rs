//! Why what was left out of this build does not run.

/// Of async-std.
pub(crate) const ASYNC_STD: &str =
    "built without async-std: leave out --no-default-features";
