//! Reads the descriptions of the kernel's tracepoints in tracefs.

use std::fs;

const MOUNTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// Returns the content of a tracepoint's file, such as `id` or `format`; `None` if the kernel lacks
/// the tracepoint or we may not read it.
pub fn read(tracepoint: &str, file: &str) -> Option<String> {
    let read = |mount| fs::read_to_string(format!("{mount}/events/{tracepoint}/{file}")).ok();
    MOUNTS.into_iter().find_map(read)
}

/// Returns whether this process can read tracepoints at all.
pub fn is_mounted() -> bool {
    MOUNTS.into_iter().any(|mount| fs::read_dir(format!("{mount}/events")).is_ok())
}
