//! Experiment `stop-all`: many tasks wait, and all of them have to stop. The
//! measured time is from the first signal until the last of their futures has
//! been dropped.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use harness::{Body, Cell, Experiment, Placement};
use runtimes::tokio::{MULTI_THREAD, ONE_WORKER};
use runtimes::Runtime;
use tokio::sync::{oneshot, watch};
use tokio::task::{yield_now, JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

pub(crate) fn experiment() -> Experiment {
    let cells = |units, workers| {
        Way::ALL.into_iter().map(move |way| cell(way, units, workers))
    };
    Experiment::new("stop-all", "time per task", "baseline")
        .cells(cells(1_000, 1))
        .cells(cells(10_000, 1).map(Cell::full_only))
        .cells(cells(1_000, 2).map(Cell::full_only))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// No stop signal: each task receives its answer and ends normally.
    Answer,
    Abort,
    JoinSet,
    Token,
    ChildTokens,
    Watch,
}

impl Way {
    const ALL: [Way; 6] = [
        Way::Answer,
        Way::Abort,
        Way::JoinSet,
        Way::Token,
        Way::ChildTokens,
        Way::Watch,
    ];

    fn name(self) -> &'static str {
        match self {
            Way::Answer => "baseline",
            Way::Abort => "abort",
            Way::JoinSet => "JoinSet dropped",
            Way::Token => "CancellationToken",
            Way::ChildTokens => "child tokens",
            Way::Watch => "watch",
        }
    }
}

fn cell(way: Way, units: u64, workers: i64) -> Cell {
    let (on, placement): (Runtime, _) = match workers {
        1 => (ONE_WORKER, Placement::OneCore),
        _ => (MULTI_THREAD, Placement::AllCores),
    };
    let body = Body::task(on, move || stopped(way, units));
    Cell::new(way.name(), units, body)
        .per(units)
        .parameter("units", units as i64)
        .parameter("workers", workers)
        .placement(placement)
        .needs(move || harness::room_for_cores(workers as usize))
}

/// The number of tasks that are waiting, and of tasks whose futures have been
/// dropped.
#[derive(Debug, Default)]
struct Crowd {
    waiting: AtomicU64,
    gone: AtomicU64,
}

impl Crowd {
    /// Yields until `count` is at least `units`, and returns the count.
    async fn all(count: &AtomicU64, units: u64) -> u64 {
        while count.load(Ordering::Acquire) < units {
            yield_now().await;
        }
        count.load(Ordering::Acquire)
    }
}

/// A value that each task owns. Dropping it increments the number of dropped
/// tasks.
struct Member(Arc<Crowd>);

impl Member {
    /// Increments the number of waiting tasks, then waits for an answer.
    async fn wait(self, answer: oneshot::Receiver<()>) {
        self.0.waiting.fetch_add(1, Ordering::Release);
        let _ = answer.await;
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.0.gone.fetch_add(1, Ordering::Release);
    }
}

enum Stop {
    Answers(Vec<oneshot::Sender<()>>),
    Handles(Vec<JoinHandle<()>>),
    Set(JoinSet<()>),
    Token(CancellationToken),
    Watch(watch::Sender<bool>),
}

impl Stop {
    fn pull(self) {
        match self {
            Stop::Answers(answers) => {
                for answer in answers {
                    // An error would mean that the task ended before it
                    // received its answer.
                    let _ = answer.send(());
                }
            }
            Stop::Handles(tasks) => {
                for task in &tasks {
                    task.abort();
                }
            }
            Stop::Set(tasks) => drop(tasks),
            Stop::Token(stop) => stop.cancel(),
            Stop::Watch(stop) => {
                stop.send_replace(true);
            }
        }
    }
}

/// Spawns `units` tasks, and stops them once all are waiting. Returns how
/// long stopping took, and how many tasks were dropped.
async fn stopped(way: Way, units: u64) -> (Duration, u64) {
    let crowd = Arc::new(Crowd::default());
    let (senders, members): (Vec<_>, Vec<_>) = (0..units)
        .map(|_| {
            let (sender, answer) = oneshot::channel();
            (sender, Member(crowd.clone()).wait(answer))
        })
        .unzip();
    let (stop, unanswered) = match way {
        Way::Answer => {
            for member in members {
                tokio::spawn(member);
            }
            (Stop::Answers(senders), Vec::new())
        }
        Way::Abort => {
            let tasks = members.into_iter().map(tokio::spawn).collect();
            (Stop::Handles(tasks), senders)
        }
        Way::JoinSet => (Stop::Set(members.into_iter().collect()), senders),
        Way::Token => {
            let stop = CancellationToken::new();
            for member in members {
                let stop = stop.clone();
                tokio::spawn(stop.run_until_cancelled_owned(member));
            }
            (Stop::Token(stop), senders)
        }
        Way::ChildTokens => {
            let stop = CancellationToken::new();
            for member in members {
                let stop = stop.child_token();
                tokio::spawn(stop.run_until_cancelled_owned(member));
            }
            (Stop::Token(stop), senders)
        }
        Way::Watch => {
            let stop = watch::Sender::new(false);
            for member in members {
                let mut stopped = stop.subscribe();
                tokio::spawn(async move {
                    tokio::select! {
                        () = member => {}
                        _ = stopped.wait_for(|&is_stopped| is_stopped) => {}
                    }
                });
            }
            (Stop::Watch(stop), senders)
        }
    };
    Crowd::all(&crowd.waiting, units).await;
    let start = Instant::now();
    stop.pull();
    let gone = Crowd::all(&crowd.gone, units).await;
    let took = start.elapsed();
    drop(unanswered);
    (took, gone)
}
