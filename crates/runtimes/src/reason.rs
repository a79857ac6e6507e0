//! Messages that say why a runtime cannot be started here.

use std::any::Any;
use std::fmt;

/// Returns the message for a runtime that failed to start with `error`.
pub fn not_built(error: impl fmt::Display) -> String {
    format!("{NOT_BUILT}: {error}")
}

/// The prefix of all messages from [`not_built`]. It distinguishes contenders that could not be
/// measured from those that gave a wrong answer.
pub const NOT_BUILT: &str = "it cannot be built here";

/// Returns the message for a runtime that failed to start on io_uring. If known, the message says
/// what forbids creating a ring, and how to permit it.
#[cfg(any(feature = "compio", feature = "glommio", feature = "monoio"))]
pub fn no_ring(error: impl fmt::Display) -> String {
    match host::rings::room_for_ring() {
        Err(reason) => not_built(reason),
        Ok(()) => not_built(format!("{error}{}", host::rings::locked(&error.to_string()))),
    }
}

/// Returns the message of a panic, if the panic has one.
pub fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// Returns the message for a runtime that panicked while it was created.
#[cfg(any(feature = "compio", feature = "glommio", feature = "monoio", feature = "tokio"))]
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> String {
    match host::rings::room_for_ring() {
        Err(reason) => not_built(reason),
        Ok(()) => not_built(format!("it panicked: {}", panic_message(panic))),
    }
}
