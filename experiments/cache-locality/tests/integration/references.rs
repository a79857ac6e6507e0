//! References are counted if valgrind is installed.

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
    // At the very least, it reads the number and arguments of each system call,
    // and it doesn't go through its buffer of 16 KiB.
    assert!((10.0..16_384.0).contains(&references), "{references}");
}
