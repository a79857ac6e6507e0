//! Why features left out of this build don't run.

/// The reason for async-std.
pub(crate) const ASYNC_STD: &str =
    "built without async-std: leave out --no-default-features";
