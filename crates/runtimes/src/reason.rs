//! Why a runtime cannot be started here.

use std::fmt;

/// The runtime's own reason.
pub fn not_built(error: impl fmt::Display) -> String {
    format!("it cannot be built here: {error}")
}

/// The same for a runtime on io_uring, with what to do about it where that is known.
#[cfg(any(feature = "compio", feature = "glommio", feature = "monoio"))]
pub fn no_ring(error: impl fmt::Display) -> String {
    let text = error.to_string();
    let refused = text.contains("Operation not permitted");
    let no_memory =
        ["Cannot allocate memory", "MemLockLimit"].iter().any(|words| text.contains(words));
    let hint = match (refused, no_memory) {
        (true, _) => "; io_uring may be switched off: sysctl kernel.io_uring_disabled, or a container's seccomp filter",
        (_, true) => "; its ring is locked memory: raise the limit, for instance ulimit -l 8192",
        _ => "",
    };
    not_built(text + hint)
}
