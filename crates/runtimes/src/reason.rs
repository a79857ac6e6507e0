//! Why a runtime cannot be started here.

use std::fmt;

/// The runtime's own reason.
pub fn not_built(error: impl fmt::Display) -> String {
    format!("{NOT_BUILT}: {error}")
}

/// How a reason begins that is [`not_built`]'s, in whatever it stands: what it is of gave no wrong answer.
pub const NOT_BUILT: &str = "it cannot be built here";

/// The same for a runtime on io_uring, with what forbids a ring, and what to do about it, where that is found.
#[cfg(any(feature = "compio", feature = "glommio", feature = "monoio"))]
pub fn no_ring(error: impl fmt::Display) -> String {
    match host::rings::room_for_ring() {
        Err(reason) => not_built(reason),
        Ok(()) => not_built(format!("{error}{}", host::rings::locked(&error.to_string()))),
    }
}

/// The same for one that panicked while it was built.
#[cfg(any(feature = "compio", feature = "glommio", feature = "monoio", feature = "tokio"))]
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words");
    match host::rings::room_for_ring() {
        Err(reason) => not_built(reason),
        Ok(()) => not_built(format!("it panicked: {words}")),
    }
}
