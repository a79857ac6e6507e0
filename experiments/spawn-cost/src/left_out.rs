//! The reason why async-std can't run: its feature was left out of this
//! build.

pub(crate) const ASYNC_STD: &str =
    "built without async-std: leave out --no-default-features";
