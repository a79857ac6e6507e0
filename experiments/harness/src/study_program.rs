//! Small programs for studies of how reliably the harness measures.

use host::probe;
use runtimes::tokio::MULTI_THREAD;

use crate::body::Body;

/// Small programs of several classes. Noise on the machine affects each class
/// differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StudyProgram {
    /// A chain of dependent arithmetic.
    SingleThread,
    /// Independent arithmetic: as much as a core can do at once, which is
    /// less while another program uses the core's other hardware thread.
    Throughput,
    /// Tasks on Tokio's multi-thread runtime.
    MultiThread,
    /// A walk through more memory than fits into a core's own caches.
    Memory,
    /// Threads that are started and joined.
    ThreadSpawn,
}

const STEPS: u64 = 1_000;
/// The number of cache lines: 4 MiB in total, which is more than fits into a
/// core's own caches.
const LINES: u32 = 1 << 16;
const TASKS: u64 = 100;
const THREADS: u64 = 20;

impl StudyProgram {
    /// All programs.
    pub const ALL: [StudyProgram; 5] = [
        StudyProgram::SingleThread,
        StudyProgram::Throughput,
        StudyProgram::MultiThread,
        StudyProgram::Memory,
        StudyProgram::ThreadSpawn,
    ];

    /// Returns the name of the program's class.
    pub fn name(self) -> &'static str {
        match self {
            StudyProgram::SingleThread => "single-thread",
            StudyProgram::Throughput => "throughput",
            StudyProgram::MultiThread => "multi-thread",
            StudyProgram::Memory => "memory",
            StudyProgram::ThreadSpawn => "thread-spawn",
        }
    }

    /// Returns the program as the body of a benchmark.
    pub fn body(self) -> Body {
        match self {
            StudyProgram::SingleThread => Body::here(|| || chain(STEPS)),
            StudyProgram::Throughput => Body::here(|| || probe::chains(STEPS)),
            StudyProgram::MultiThread => Body::task(MULTI_THREAD, spawn_tasks),
            StudyProgram::Memory => Body::here(|| {
                let lines = ring();
                move || walk(&lines)
            }),
            StudyProgram::ThreadSpawn => Body::here(|| spawn_threads),
        }
    }

    /// Returns the expected answer of the program.
    pub fn answer(self) -> u64 {
        match self {
            StudyProgram::SingleThread => chain(STEPS),
            StudyProgram::Throughput => probe::chains(STEPS),
            StudyProgram::MultiThread => TASKS * (TASKS - 1) / 2,
            StudyProgram::Memory => u64::from(LINES) * u64::from(LINES - 1) / 2,
            StudyProgram::ThreadSpawn => THREADS * (THREADS - 1) / 2,
        }
    }
}

async fn spawn_tasks() -> u64 {
    let spawn = |id| tokio::spawn(async move { id });
    let tasks: Vec<_> = (0..TASKS).map(spawn).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("the task returns a number");
    }
    sum
}

fn spawn_threads() -> u64 {
    let spawn = |id| std::thread::spawn(move || id);
    let threads: Vec<_> = (0..THREADS).map(spawn).collect();
    let join = |thread: std::thread::JoinHandle<u64>| thread.join();
    let ids = threads.into_iter().map(join);
    ids.map(|id| id.expect("the thread returns a number")).sum()
}

/// Computes `steps` steps of arithmetic, each of which depends on the
/// previous one.
fn chain(steps: u64) -> u64 {
    (0..std::hint::black_box(steps)).fold(1, |x, _| probe::xorshift(x))
}

#[repr(align(64))]
#[derive(Clone, Copy)]
struct CacheLine {
    next: u32,
}

/// Returns the cache lines, linked into one cycle by Sattolo's shuffle. No
/// prefetcher predicts the order.
fn ring() -> Vec<CacheLine> {
    let mut lines: Vec<CacheLine> =
        (0..LINES).map(|next| CacheLine { next }).collect();
    let mut rng = fastrand::Rng::with_seed(1);
    for last in (1..lines.len()).rev() {
        lines.swap(last, rng.usize(..last));
    }
    lines
}

fn walk(lines: &[CacheLine]) -> u64 {
    let (mut at, mut sum) = (0, 0);
    for _ in 0..lines.len() {
        at = lines[at as usize].next;
        sum += u64::from(at);
    }
    sum
}
