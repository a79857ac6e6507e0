//! Experiment `async-mutex`: async-std's benchmark of asynchronous mutexes,
//! with its constants (benches/mutex.rs of async-std at 14d7d3b), and cases
//! that the benchmark omits.
//!
//! The original locks a `Mutex<()>`. Here, each task adds one to a counter
//! behind the lock, so that the result shows whether all locks were taken,
//! one at a time.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex as StdMutex};

use async_lock::Mutex as AsyncLockMutex;
use futures_intrusive::sync::Mutex as IntrusiveMutex;
use futures_util::lock::Mutex as FuturesMutex;
use harness::{Body, Cell, Counter, Experiment};
use measurement::Source;
use runtimes::tokio::{multi_thread, MULTI_THREAD, ONE_WORKER};
use runtimes::Runtime;
use smol::future::{block_on, poll_once, yield_now};
use tokio::sync::Mutex as TokioMutex;
use tokio::task::unconstrained;

/// The number of mutexes created per operation of the benchmark. It is large
/// enough to make the overhead of the clock and the call negligible.
const CREATED: u64 = 1_000;

/// How many times the contended locking is run to count waits. A debug build
/// runs it once, to check that the counting works.
const TIMES_WATCHED: u64 = if cfg!(debug_assertions) { 1 } else { 200 };

pub(crate) fn experiment() -> Experiment {
    let async_lock =
        Contender { name: "async-lock Mutex", make: || AsyncLockMutex::new(0) };
    let intrusive = Contender {
        name: "futures-intrusive Mutex",
        make: || IntrusiveMutex::new(0, false),
    };
    let intrusive_fair = Contender {
        name: "futures-intrusive fair Mutex",
        make: || IntrusiveMutex::new(0, true),
    };
    let tokio = Contender { name: "tokio Mutex", make: || TokioMutex::new(0) };
    let futures =
        Contender { name: "futures Mutex", make: || FuturesMutex::new(0) };
    let std = Contender { name: "std Mutex", make: || StdMutex::new(0) };
    Experiment::new("async-mutex", "time per operation", async_lock.name)
        .counting(&[
            Counter::Allocations,
            Counter::Bytes,
            Counter::ContextSwitches,
        ])
        .cell(created("baseline", || 0_u64))
        .cells(async_lock.replicated())
        .cells(intrusive.replicated())
        .cells(tokio.replicated())
        .cells(futures.replicated())
        .cells(std.ours())
        .cells(tokio.unconstrained())
        .cell(async_lock.held())
        .cell(intrusive.held())
        .cell(intrusive_fair.held())
        .cell(tokio.held())
        .cell(futures.held())
}

/// The number of tasks that take the lock, and how many times each task takes
/// it.
#[derive(Clone, Copy)]
struct Load {
    kernel: &'static str,
    tasks: u64,
    locks: u64,
}

const CONTENTION: Load = Load { kernel: "contention", tasks: 10, locks: 1_000 };
const NO_CONTENTION: Load =
    Load { kernel: "no contention", tasks: 1, locks: 10_000 };
/// Like `CONTENTION`, but each task yields while it holds the lock.
const HELD: Load = Load { kernel: "held", ..CONTENTION };

/// A counter behind a lock.
trait Counted: Send + Sync + 'static {
    /// Adds `number` to the counter, and returns the sum.
    fn add(&self, number: u64) -> impl Future<Output = u64> + Send;
}

/// A counter behind a lock that a task may hold while it waits for something
/// else.
trait Held: Counted {
    /// Takes the lock, yields while holding it, and adds one.
    fn give_way_and_add(&self) -> impl Future<Output = ()> + Send;
}

macro_rules! counted {
    ($($mutex:ty),*) => {$(
        impl Counted for $mutex {
            async fn add(&self, number: u64) -> u64 {
                let mut count = self.lock().await;
                *count += number;
                *count
            }
        }

        impl Held for $mutex {
            async fn give_way_and_add(&self) {
                let mut count = self.lock().await;
                yield_now().await;
                *count += 1;
            }
        }
    )*};
}

counted!(
    AsyncLockMutex<u64>,
    IntrusiveMutex<u64>,
    TokioMutex<u64>,
    FuturesMutex<u64>
);

/// Protects the count with the standard library's mutex. A task that waits
/// for the lock blocks its worker.
impl Counted for StdMutex<u64> {
    async fn add(&self, number: u64) -> u64 {
        let mut count = self.lock().expect("no one panics with it");
        *count += number;
        *count
    }
}

struct Contender<M> {
    name: &'static str,
    make: fn() -> M,
}

impl<M: Counted> Contender<M> {
    fn replicated(&self) -> Vec<Cell> {
        let mut cells = self.ours();
        cells.extend([CONTENTION, NO_CONTENTION].map(|load| {
            let make = self.make;
            let body = Body::here(move || {
                move || block_on(on_smol(make(), load, lock))
            });
            let cell = self.cell(load, "as published", "all", body);
            match load.tasks {
                1 => cell.full_only(),
                _ => cell,
            }
        }));
        cells.extend([self.watched("ours"), self.watched("as published")]);
        cells
    }

    /// Measures the lock in tasks on Tokio. On one worker, a task finds the
    /// lock taken only if another task has yielded while holding it.
    fn ours(&self) -> Vec<Cell> {
        let ours = |runtime, load, cores| {
            let body = self.on_tokio(runtime, load, lock);
            self.cell(load, "ours", cores, body)
        };
        vec![
            created(self.name, self.make),
            ours(MULTI_THREAD, CONTENTION, "all"),
            ours(MULTI_THREAD, NO_CONTENTION, "all"),
            ours(ONE_WORKER, CONTENTION, "one").full_only(),
        ]
    }

    /// Measures locking without the budget that makes long-running Tokio
    /// tasks yield. Only Tokio's own primitives use this budget.
    fn unconstrained(&self) -> [Cell; 2] {
        [CONTENTION, NO_CONTENTION].map(|load| {
            let body = self.on_tokio(MULTI_THREAD, load, |mutex, times| {
                unconstrained(lock(mutex, times))
            });
            self.cell(load, "unconstrained", "all", body)
        })
    }

    fn on_tokio<Locking: Future<Output = ()> + Send + 'static>(
        &self,
        runtime: Runtime,
        load: Load,
        lock: fn(Arc<M>, u64) -> Locking,
    ) -> Body {
        let make = self.make;
        Body::task(runtime, move || on_tokio(make(), load, lock))
    }

    /// Counts how often a task finds the lock taken. This measures no time.
    fn watched(&self, arm: &'static str) -> Cell {
        let make = self.make;
        let take = move || {
            let waited = Arc::new(AtomicU64::new(0));
            for _ in 0..TIMES_WATCHED {
                let mutex = Watched { mutex: make(), waited: waited.clone() };
                let lock = |mutex, times| unconstrained(lock(mutex, times));
                let counted = match arm {
                    "ours" => {
                        let counting = on_tokio(mutex, CONTENTION, lock);
                        let counted = multi_thread().spawn(counting);
                        block_on(counted).map_err(|error| error.to_string())?
                    }
                    _ => block_on(on_smol(mutex, CONTENTION, lock)),
                };
                if counted != CONTENTION.locks() {
                    return Err(format!("{counted} locks were counted"));
                }
            }
            let locks = (TIMES_WATCHED * CONTENTION.locks()) as f64;
            Ok(vec![waited.load(Relaxed) as f64 / locks])
        };
        let quantities = ["share of locks that wait"];
        Cell::readings(self.name, Source::Counter, &quantities, take)
            .parameter("kernel", "watched")
            .parameter("arm", arm)
            .parameter("cores", "all")
            .group("watched")
    }

    fn cell(&self, load: Load, arm: &str, cores: &str, body: Body) -> Cell {
        Cell::new(self.name, load.locks(), body)
            .per(load.locks())
            .parameter("kernel", load.kernel)
            .parameter("arm", arm)
            .parameter("cores", cores)
            .group(load.kernel)
    }
}

impl<M: Held> Contender<M> {
    /// Measures tasks that wait for something else while holding the lock.
    /// Asynchronous locks exist to allow this.
    fn held(&self) -> Cell {
        let body = self.on_tokio(MULTI_THREAD, HELD, hold);
        self.cell(HELD, "ours", "all", body)
    }
}

impl Load {
    fn locks(self) -> u64 {
        self.tasks * self.locks
    }
}

/// A mutex that counts how often a task has to wait for it.
struct Watched<M> {
    mutex: M,
    waited: Arc<AtomicU64>,
}

impl<M: Counted> Counted for Watched<M> {
    async fn add(&self, number: u64) -> u64 {
        let mut adding = pin!(self.mutex.add(number));
        match poll_once(&mut adding).await {
            Some(sum) => sum,
            None => {
                self.waited.fetch_add(1, Relaxed);
                adding.await
            }
        }
    }
}

/// Spawns `load.tasks` Tokio tasks, each of which locks `mutex` `load.locks`
/// times. Returns the final count.
async fn on_tokio<M: Counted, Locking: Future<Output = ()> + Send + 'static>(
    mutex: M,
    load: Load,
    lock: fn(Arc<M>, u64) -> Locking,
) -> u64 {
    let mutex = Arc::new(mutex);
    let spawn = |_| tokio::spawn(lock(mutex.clone(), load.locks));
    let tasks: Vec<_> = (0..load.tasks).map(spawn).collect();
    for task in tasks {
        task.await.expect("the task does not panic");
    }
    mutex.add(0).await
}

/// Like [`on_tokio`], but on the executor that async-std has used since
/// version 1.6. The tasks are spawned by the thread that calls `block_on`.
async fn on_smol<M: Counted, Locking: Future<Output = ()> + Send + 'static>(
    mutex: M,
    load: Load,
    lock: fn(Arc<M>, u64) -> Locking,
) -> u64 {
    let mutex = Arc::new(mutex);
    let spawn = |_| smol::spawn(lock(mutex.clone(), load.locks));
    let tasks: Vec<_> = (0..load.tasks).map(spawn).collect();
    for task in tasks {
        task.await;
    }
    mutex.add(0).await
}

async fn lock<M: Counted>(mutex: Arc<M>, times: u64) {
    for _ in 0..times {
        mutex.add(1).await;
    }
}

async fn hold<M: Held>(mutex: Arc<M>, times: u64) {
    for _ in 0..times {
        mutex.give_way_and_add().await;
    }
}

fn created<M: 'static>(contender: &str, make: fn() -> M) -> Cell {
    let body = Body::here(move || {
        move || {
            for _ in 0..CREATED {
                black_box(make());
            }
            CREATED
        }
    });
    Cell::new(contender, CREATED, body)
        .per(CREATED)
        .parameter("kernel", "create")
        .parameter("arm", "ours")
        .parameter("cores", "one")
        .in_sweep()
}
