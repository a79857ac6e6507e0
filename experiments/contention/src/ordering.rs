//! Experiment `ordering`: what a memory ordering costs on one undisturbed
//! thread.

use std::hint::black_box;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

use harness::{Body, Cell, Experiment};

/// The number of atomic operations per operation of the benchmark. It is
/// large enough to make the benchmark's own overhead negligible.
const TIMES: u64 = 8_192;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("ordering", "time per operation", "AtomicU64::load")
        .cell(load("Relaxed", |one| one.load(Relaxed)))
        .cell(load("Acquire", |one| one.load(Acquire)))
        .cell(load("SeqCst", |one| one.load(SeqCst)))
        .cell(store("Relaxed", |one| one.store(1, Relaxed)))
        .cell(store("Release", |one| one.store(1, Release)))
        .cell(store("SeqCst", |one| one.store(1, SeqCst)))
        .cell(add("Relaxed", |one| _ = one.fetch_add(1, Relaxed)))
        .cell(add("AcqRel", |one| _ = one.fetch_add(1, AcqRel)))
        .cell(add("SeqCst", |one| _ = one.fetch_add(1, SeqCst)))
}

fn load(
    ordering: &str,
    load: impl Fn(&AtomicU64) -> u64 + Copy + 'static,
) -> Cell {
    let body = repeated(1, load);
    cell("AtomicU64::load", ordering, TIMES + 1, body).full_only()
}

fn store(ordering: &str, store: impl Fn(&AtomicU64) + Copy + 'static) -> Cell {
    let body = repeated(0, move |one| {
        store(one);
        1
    });
    cell("AtomicU64::store", ordering, TIMES + 1, body)
}

fn add(ordering: &str, add: impl Fn(&AtomicU64) + Copy + 'static) -> Cell {
    let body = repeated(0, move |one| {
        add(one);
        1
    });
    cell("AtomicU64::fetch_add", ordering, 2 * TIMES, body)
}

/// Repeats an atomic operation [`TIMES`] times. The result is the sum of the
/// returned values and the final value.
fn repeated(
    from: u64,
    operate: impl Fn(&AtomicU64) -> u64 + Copy + 'static,
) -> Body {
    Body::here(move || {
        let one: &AtomicU64 = black_box(Box::leak(Box::new(from.into())));
        move || {
            let operate = |_| {
                let returned = operate(one);
                black_box(()); // Keeps the compiler from removing the operation.
                returned
            };
            let returned: u64 = (0..TIMES).map(operate).sum();
            returned + one.swap(from, Relaxed)
        }
    })
}

fn cell(contender: &str, ordering: &str, answer: u64, body: Body) -> Cell {
    Cell::new(contender, answer, body)
        .per(TIMES)
        .parameter("ordering", ordering)
        .group("all")
        .in_sweep()
}
