//! Tests that cachegrind counts memory references, if valgrind is installed.

#![cfg(target_os = "linux")]

use std::path::Path;

use cache_locality::references::{by_cachegrind, has_valgrind};

#[test]
fn a_server_references_memory_for_each_message() {
    if let Err(reason) = has_valgrind() {
        return println!("skipped: {reason}");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_cache-locality"));
    let references = by_cachegrind(program, "monoio epoll", 10).unwrap();
    // For each message, the server reads at least the number and arguments of
    // each system call. It never reads the whole buffer of 16 KiB.
    assert!((10.0..16_384.0).contains(&references), "{references}");
}
