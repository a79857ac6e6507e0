//! Creates one number shared by all threads, or one number per thread. The
//! numbers are a given distance apart in memory.

use std::sync::atomic::AtomicU64;

/// Two cache lines of 64 bytes, which some processors fetch together.
#[derive(Default)]
#[repr(align(128))]
struct Lines([AtomicU64; 16]);

/// Returns one number per thread, `bytes_apart` bytes apart in memory. The
/// first is at the start of a pair of cache lines. If `bytes_apart` is 0, all
/// threads get the same number. The numbers are never freed.
pub fn numbers(threads: usize, bytes_apart: usize) -> Vec<&'static AtomicU64> {
    let apart = bytes_apart / size_of::<AtomicU64>();
    let pairs = threads * apart / 16 + 1;
    let lines: Vec<Lines> = (0..pairs).map(|_| Lines::default()).collect();
    let all: Vec<_> = lines.leak().iter().flat_map(|pair| &pair.0).collect();
    (0..threads).map(|thread| all[thread * apart]).collect()
}
