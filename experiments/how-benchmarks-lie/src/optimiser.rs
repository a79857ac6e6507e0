//! Experiment `optimiser`: a hash of 64 steps that LLVM deletes, computes at
//! compile time, or leaves in the program. `tests/integration/assembly.rs`
//! checks the code that remains.

use std::hint::black_box;

use harness::{Body, Cell, Experiment};

use crate::listings::optimiser::{
    chained, deleted, empty, half_folded, honest,
};

/// The length of the key in bytes. The hash does one step per byte, and the
/// time is reported per step.
const BYTES: u64 = 64;

/// The key's hash, computed by another program (in Python) for comparison.
const HASH: u64 = 0xe6c3_704c_3c8f_a0d3;

/// The number of hashes in a chain, and the last hash of the chain. Each hash
/// starts from the previous one. The last hash was computed by another
/// program, for comparison.
const CHAIN: u64 = 64;
const CHAINED: u64 = 0x3190_81df_a232_2b25;
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("optimiser", "time per operation", "honest")
        .cell(returns_nothing("deleted", deleted::hash_key))
        .cell(returns_hash("half folded", half_folded::hash_key))
        .cell(returns_hash("honest", honest::hash_key))
        .cell(chained())
        .cell(returns_nothing("empty", empty::walk_key))
}

/// Measures a function that returns the hash. `black_box` hides from LLVM
/// which function is called. LLVM would otherwise delete calls of an empty
/// function, and call the contenders in different ways.
fn returns_hash(contender: &str, function: fn() -> u64) -> Cell {
    let body = Body::here(move || black_box(function));
    Cell::new(contender, HASH, body).per(BYTES)
}

/// Measures a chain of hashes, where each call has to wait for the previous
/// one.
fn chained() -> Cell {
    let body = Body::here(|| {
        let function: fn(u64) -> u64 = black_box(chained::hash_key);
        move || (0..CHAIN).fold(BASIS, |hash, _| function(hash))
    });
    Cell::new("chained", CHAINED, body).per(CHAIN * BYTES)
}

/// Measures a function that returns nothing to check.
fn returns_nothing(contender: &str, function: fn()) -> Cell {
    let body = Body::here(move || {
        let function = black_box(function);
        move || {
            function();
            0
        }
    });
    Cell::new(contender, 0, body).per(BYTES)
}
