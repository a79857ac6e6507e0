//! The noise floor: identical contenders, visited in every run like any other cell.

use std::collections::BTreeMap;

use measurement::statistics::{paired_ratios, ratio_interval};

use crate::body::Body;
use crate::chapter::{Cell, Experiment};
use crate::executor::Executor;

/// The classes of kernel. Each is an experiment of two contenders that are the same program.
/// The first is also the canary of a run.
const CLASSES: [&str; 4] =
    ["single-thread", "multi-thread", "memory", "thread-spawn"];

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
/// 4 MiB: more than a core's own caches hold.
const LINES: u32 = 1 << 16;
const TASKS: u64 = 100;
const THREADS: u64 = 20;

fn body(class: &str) -> Body {
    match class {
        "single-thread" => Body::here(|| || chain(STEPS)),
        "memory" => Body::here(|| {
            let lines = ring();
            move || walk(&lines)
        }),
        "multi-thread" => Body::task(Executor::TokioMultiThread, || async {
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
        "memory" => u64::from(LINES) * u64::from(LINES - 1) / 2,
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

/// A cache line that names the next one.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct Line {
    next: u32,
}

/// A ring through all lines, in an order that no prefetcher foresees (Sattolo's
/// shuffle, which makes one cycle).
fn ring() -> Vec<Line> {
    let mut lines: Vec<Line> = (0..LINES).map(|next| Line { next }).collect();
    let mut rng = fastrand::Rng::with_seed(1);
    for last in (1..lines.len()).rev() {
        lines.swap(last, rng.usize(..last));
    }
    lines
}

/// Goes once around the ring, and adds up the lines.
fn walk(lines: &[Line]) -> u64 {
    let (mut at, mut sum) = (0, 0);
    for _ in 0..lines.len() {
        at = lines[at as usize].next;
        sum += u64::from(at);
    }
    sum
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
