//! The reason why contenders don't run whose features were left out of this
//! build.

/// The reason for async-std.
pub(crate) const ASYNC_STD: &str =
    "built without async-std: leave out --no-default-features";
