//! What tracefs says of the kernel's tracepoints.

use std::fs;

/// Where it is mounted, if it is.
const MOUNTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// What a file of a tracepoint holds, such as `id` or `format`; `None` if the kernel lacks the tracepoint,
/// or it cannot be read here.
pub fn read(tracepoint: &str, file: &str) -> Option<String> {
    let read = |mount| fs::read_to_string(format!("{mount}/events/{tracepoint}/{file}")).ok();
    MOUNTS.into_iter().find_map(read)
}

/// Whether tracepoints can be read here at all.
pub fn is_mounted() -> bool {
    MOUNTS.into_iter().any(|mount| fs::read_dir(format!("{mount}/events")).is_ok())
}
