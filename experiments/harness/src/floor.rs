//! The noise floor: identical contenders, visited in every run like any other cell.

use std::collections::BTreeMap;

use measurement::statistics::{paired_ratios, ratio_interval};

use crate::body::Body;
use crate::chapter::{Cell, Experiment};

/// The classes of kernel. Each is an experiment of two contenders that are the same program.
const CLASSES: [&str; 3] = ["single-thread", "multi-thread", "thread-spawn"];

/// The experiments whose contenders are identical.
pub(crate) fn experiments() -> Vec<Experiment> {
    CLASSES
        .into_iter()
        .map(|class| {
            let twin = |name| Cell::new(name, answer(class), body(class));
            Experiment::new(class, "time per operation", "one")
                .cell(twin("one"))
                .cell(twin("the other"))
        })
        .collect()
}

const STEPS: u64 = 1_000;
const TASKS: u64 = 100;
const THREADS: u64 = 20;

fn body(class: &str) -> Body {
    match class {
        "single-thread" => Body::here(|| || chain(STEPS)),
        "multi-thread" => Body::tokio_worker(|| async {
            let spawn = |id| tokio::spawn(async move { id });
            let tasks: Vec<_> = (0..TASKS).map(spawn).collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await.expect("the task returns a number");
            }
            sum
        }),
        _ => Body::here(|| {
            || {
                let spawn = |id| std::thread::spawn(move || id);
                let threads: Vec<_> = (0..THREADS).map(spawn).collect();
                let join = |thread: std::thread::JoinHandle<u64>| thread.join();
                let ids = threads.into_iter().map(join);
                ids.map(|id| id.expect("the thread returns a number")).sum()
            }
        }),
    }
}

fn answer(class: &str) -> u64 {
    match class {
        "single-thread" => chain(STEPS),
        "multi-thread" => TASKS * (TASKS - 1) / 2,
        _ => THREADS * (THREADS - 1) / 2,
    }
}

/// Arithmetic, each step of which waits for the last (xorshift64).
fn chain(steps: u64) -> u64 {
    (0..std::hint::black_box(steps)).fold(1, |mut x, _| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^ (x << 17)
    })
}

/// By how much the twins of each class differed, as a share of 1: the end of
/// their ratio's interval that lies farther from 1. A class that failed has no
/// floor.
pub(crate) fn floors(
    points: impl Fn(&str, &str) -> Option<Vec<f64>>,
    processes: usize,
    rounds: usize,
) -> BTreeMap<String, f64> {
    let floor = |class: &str| {
        let (one, other) = (points(class, "one")?, points(class, "the other")?);
        let ratios = paired_ratios(&one, &other, processes, rounds)?;
        let ratio = ratio_interval(&ratios, processes);
        let share = (ratio.high - 1.0).max(1.0 / ratio.low - 1.0);
        Some((share * 1e4).ceil() / 1e4)
    };
    let known = |class: &str| Some((class.to_owned(), floor(class)?));
    CLASSES.into_iter().filter_map(known).collect()
}
