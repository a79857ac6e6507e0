//! Threads of the operating system, which need no runtime.

/// The contender's name.
pub const NAME: &str = "std::thread";
