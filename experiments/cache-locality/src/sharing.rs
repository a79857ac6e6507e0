//! Experiment `sharing`: cores write to one number, write to different
//! numbers on one cache line, or read a number while another core writes.
//!
//! The time per operation is the time from the first thread's start to the
//! last one's end, divided by the operations per thread.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use harness::{core_count, room_for_cores, Body, Cell, Experiment, Placement};

use crate::listings::sharing::{count, layout, read};

/// The number of increments or reads per thread in one timed operation. It is
/// large enough that small differences between the threads' starts don't
/// matter.
const TIMES: u64 = 20_000;

/// The distances in bytes between the threads' numbers: the same number, the
/// same cache line, neighbouring lines, and lines that no processor fetches
/// together.
const APART: [usize; 4] = [0, 8, 64, 128];

/// A function that adds to a number as often as its second argument says.
type Count = fn(&AtomicU64, u64);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Writers {
    All,
    One,
    Nobody,
}

pub(crate) fn experiment() -> Experiment {
    let several = numbers_of_cores();
    let beside = several.iter().flat_map(|&cores| {
        APART.into_iter().flat_map(move |apart| beside_each_other(cores, apart))
    });
    let readers = several.iter().flat_map(|&cores| readers(cores));
    Experiment::new("sharing", "time per operation", "AtomicU64::fetch_add")
        .cells(beside_each_other(1, 0))
        .cells(beside)
        .cells(readers)
}

/// Returns the numbers of cores to measure: 2, 4, 8 and so on, and all cores.
/// Includes 2 even if there is one core, so that the results give the reason
/// why they are empty.
fn numbers_of_cores() -> Vec<usize> {
    let all = core_count().max(2);
    let doubled = std::iter::successors(Some(2), |cores| Some(2 * cores));
    let mut cores: Vec<_> = doubled.take_while(|&cores| cores < all).collect();
    cores.push(all);
    cores
}

fn cell(
    contender: &str,
    writers: Writers,
    cores: usize,
    apart: usize,
    (answer, body): (u64, Body),
) -> Cell {
    let writers = match writers {
        Writers::All => "all write",
        Writers::One => "one writes",
        Writers::Nobody => "nobody writes",
    };
    let placement = match cores {
        1 => Placement::OneCore,
        _ => Placement::Neighbours,
    };
    Cell::new(contender, answer, body)
        .per(TIMES)
        .parameter("kernel", writers)
        .parameter("cores", cores as i64)
        .parameter("apart_bytes", apart as i64)
        .placement(placement)
        .needs(move || room_for_cores(cores))
        .group(&format!("cores={cores}"))
        .in_sweep()
}

/// Creates benchmarks in which every core writes to a number. The cores'
/// numbers are `apart` bytes apart in memory; 0 means that all cores share
/// one.
fn beside_each_other(cores: usize, apart: usize) -> Vec<Cell> {
    let all = cores as u64 * TIMES;
    // If all cores store their own count to the same number, the final value
    // is the count of one core.
    let remains = if apart == 0 { TIMES } else { all };
    let cell = |contender, count, answer| {
        let body = counting(cores, apart, count);
        cell(contender, Writers::All, cores, apart, (answer, body))
    };
    let fetch_add = cell("AtomicU64::fetch_add", count::fetch_add, all);
    let is_false_sharing = apart == 8;
    let mut cells = vec![
        if is_false_sharing { fetch_add.twinned() } else { fetch_add },
        cell("AtomicU64::store", count::store, remains),
    ];
    // If several threads load and store the same number, counts get lost, so
    // this isn't measured.
    if apart > 0 || cores == 1 {
        let load_and_store = count::load_and_store;
        cells.push(cell("AtomicU64 load + store", load_and_store, all));
    }
    cells
}

fn counting(cores: usize, apart: usize, count: Count) -> Body {
    Body::together(cores, cores > 1, move || {
        let numbers = layout::numbers(cores, apart);
        let own = numbers.clone();
        let work = move |place: usize| {
            count(own[place], TIMES);
            0
        };
        let finish = move |_| numbers.iter().map(|n| n.swap(0, Relaxed)).sum();
        (work, finish)
    })
}

/// Creates benchmarks in which all cores except the first read a number. The
/// first core writes to the same number, to a neighbouring one, or far away.
fn readers(cores: usize) -> Vec<Cell> {
    let cell = |writers, apart| {
        let answer = (cores as u64 - 1) * TIMES;
        let body = reading(cores, apart, writers);
        cell("AtomicU64::load", writers, cores, apart, (answer, body))
    };
    let beside = APART.into_iter().map(|apart| cell(Writers::One, apart));
    beside.chain([cell(Writers::Nobody, 128)]).collect()
}

fn reading(cores: usize, apart: usize, writers: Writers) -> Body {
    let readers = cores as u64 - 1;
    Body::together(cores, true, move || {
        let numbers = layout::numbers(cores, apart);
        let [elsewhere, done] = [(); 2].map(|()| layout::numbers(1, 0)[0]);
        let is_beside = writers == Writers::One;
        let written = if is_beside { numbers[0] } else { elsewhere };
        let work = move |place: usize| {
            if place == 0 {
                read::write_until(written, done, readers);
                return 0;
            }
            let in_order = read::read(numbers[place], TIMES);
            done.fetch_add(1, Relaxed);
            in_order
        };
        let finish = move |in_order| {
            done.store(0, Relaxed);
            in_order
        };
        (work, finish)
    })
}
