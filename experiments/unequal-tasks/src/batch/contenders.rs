//! The contenders of the experiment `batch`, which differ in how they
//! distribute tasks to workers.

use std::fmt::Display;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use harness::{core_count, pin_this_thread, room_for_cores, room_for_ring};
use rayon::{ThreadPool, ThreadPoolBuilder};
use schedulers::{Executor, Policy};
use tokio::runtime::{Builder, Runtime};

#[cfg(target_os = "linux")]
use super::on_glommio::Pool;
use super::run::{Run, Task};
#[cfg(target_os = "linux")]
use crate::listings::glommio_pool::glommio_pool;
use crate::listings::rayon_jobs::rayon_jobs;
use crate::listings::rayon_par_iter::rayon_par_iter;
use crate::listings::round_robin::round_robin;
use crate::listings::shared_index::shared_index;
use crate::listings::tokio_tasks::tokio_tasks;

#[derive(Clone, Copy)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    /// The name of the policy that distributes tasks to workers.
    pub(super) policy: &'static str,
    pub(super) arm: &'static str,
    /// Starts the given number of workers, unless the contender starts new
    /// workers for each batch. Returns a function that runs a batch.
    start: fn(usize) -> Result<Run, String>,
}

impl PartialEq for Contender {
    fn eq(&self, other: &Contender) -> bool {
        let names = |of: &Contender| (of.name, of.policy, of.arm);
        names(self) == names(other)
    }
}

impl Contender {
    /// Returns an error with the reason if the contender cannot run here.
    pub(super) fn can_start(&self, workers: usize) -> Result<(), String> {
        // Checks first whether a ring can be created. Otherwise, Glommio
        // would panic and print a backtrace.
        if self.name == GLOMMIO.name {
            room_for_ring().map_err(runtimes::not_built)?;
        }
        self.start(workers).map(drop)
    }

    pub(super) fn start(&self, workers: usize) -> Result<Run, String> {
        have_cores(workers)?;
        (self.start)(workers)
    }

    /// Starts the contender. Panics if it cannot start, so call
    /// [`Self::can_start`] first.
    pub(super) fn started(&self, workers: usize) -> Run {
        self.start(workers).expect("it could be started before")
    }
}

const ROUND_ROBIN: Contender = Contender {
    name: "std::thread",
    policy: "round robin",
    arm: "as published",
    start: |workers| {
        can_pin(workers)?;
        Ok(Box::new(move |tasks, task| {
            on_the_clock(|| round_robin(tasks, workers, pin, |i| task(i)))
        }))
    },
};

const SHARED_INDEX: Contender = Contender {
    name: "std::thread",
    policy: "shared index",
    arm: "ours",
    start: |workers| {
        can_pin(workers)?;
        Ok(Box::new(move |tasks, task| {
            on_the_clock(|| shared_index(tasks, workers, pin, |i| task(i)))
        }))
    },
};

/// Tokio as in the published benchmark: all tasks are spawned from the thread
/// that calls `block_on`, which is not a worker.
const TOKIO_AS_PUBLISHED: Contender = Contender {
    name: "tokio multi-thread",
    policy: "stealing",
    arm: "as published",
    start: |workers| {
        let runtime = tokio(workers)?;
        Ok(Box::new(move |tasks, task| {
            let task = Arc::clone(task);
            let batch = tokio_tasks(tasks, move |i| task(i));
            on_the_clock(|| runtime.block_on(batch))
        }))
    },
};

pub(super) const TOKIO: Contender = Contender {
    name: "tokio multi-thread",
    policy: "stealing",
    arm: "ours",
    start: |workers| {
        let runtime = tokio(workers)?;
        Ok(Box::new(move |tasks, task| {
            let task = Arc::clone(task);
            let on_a_worker = runtime.spawn(async move {
                let start = Instant::now();
                let sum = tokio_tasks(tasks, move |i| task(i)).await;
                (start.elapsed(), sum)
            });
            runtime.block_on(on_a_worker).expect("no task panics")
        }))
    },
};

const RAYON: Contender = Contender {
    name: "rayon",
    policy: "stealing",
    arm: "ours",
    start: |workers| {
        let pool = rayon(workers)?;
        Ok(Box::new(move |tasks, task| {
            let batch = || rayon_jobs(tasks, |i| task(i));
            pool.install(|| on_the_clock(batch))
        }))
    },
};

const RAYON_PAR_ITER: Contender = Contender {
    name: "rayon",
    policy: "stealing",
    arm: "par_iter",
    start: |workers| {
        let pool = rayon(workers)?;
        Ok(Box::new(move |tasks, task| {
            let batch = || rayon_par_iter(tasks, |i| task(i));
            pool.install(|| on_the_clock(batch))
        }))
    },
};

const OURS_PINNED: Contender = Contender {
    name: Policy::Pinned.contender(),
    policy: "round robin",
    arm: "ours",
    start: |workers| ours(Policy::Pinned, workers),
};

pub(super) const OURS_STEALING: Contender = Contender {
    name: Policy::Stealing.contender(),
    policy: "stealing",
    arm: "ours",
    start: |workers| ours(Policy::Stealing, workers),
};

const GLOMMIO: Contender = Contender {
    name: "glommio",
    policy: "round robin",
    arm: "ours",
    start: glommio,
};

/// Glommio with new executors for each batch, just as the contenders with
/// threads start new threads for each batch.
pub(super) const GLOMMIO_PER_BATCH: Contender = Contender {
    name: "glommio",
    policy: "round robin",
    arm: "a pool per batch",
    start: glommio_per_batch,
};

pub(super) const ALL: [Contender; 9] = [
    ROUND_ROBIN,
    SHARED_INDEX,
    TOKIO_AS_PUBLISHED,
    TOKIO,
    RAYON,
    RAYON_PAR_ITER,
    OURS_PINNED,
    OURS_STEALING,
    GLOMMIO,
];

/// Two contenders that differ only in how tasks are distributed to workers.
pub(super) const THREADS: [Contender; 2] = [ROUND_ROBIN, SHARED_INDEX];

/// The contenders whose workers share one supply of tasks or steal tasks from
/// each other. Our executor is not included.
pub(super) const SHARING: [Contender; 4] =
    [SHARED_INDEX, TOKIO, RAYON, RAYON_PAR_ITER];

/// Two contenders that differ only in the thread from which tasks are
/// spawned.
pub(super) const TOKIO_TWO: [Contender; 2] = [TOKIO_AS_PUBLISHED, TOKIO];

fn tokio(workers: usize) -> Result<Runtime, String> {
    let runtime = Builder::new_multi_thread().worker_threads(workers).build();
    runtime.map_err(not_started)
}

fn rayon(workers: usize) -> Result<ThreadPool, String> {
    let pool = ThreadPoolBuilder::new().num_threads(workers).build();
    pool.map_err(not_started)
}

#[cfg(target_os = "linux")]
fn glommio(workers: usize) -> Result<Run, String> {
    let pool = Pool::start(workers)?;
    Ok(Box::new(move |tasks, task| on_the_clock(|| pool.run(tasks, task))))
}

#[cfg(target_os = "linux")]
fn glommio_per_batch(workers: usize) -> Result<Run, String> {
    let run = move |tasks, task: &Task| {
        let task = Arc::clone(task);
        glommio_pool(tasks, workers, move |index| task(index))
    };
    let nothing: Task = Arc::new(|_| 0);
    run(workers, &nothing).map_err(runtimes::no_ring)?;
    Ok(Box::new(move |tasks, task| {
        on_the_clock(|| run(tasks, task).expect("it could be started before"))
    }))
}

#[cfg(not(target_os = "linux"))]
use glommio as glommio_per_batch;

#[cfg(not(target_os = "linux"))]
fn glommio(_: usize) -> Result<Run, String> {
    runtimes::glommio::UNBOUND.start()?;
    unreachable!("it cannot be started here")
}

fn ours(policy: Policy, workers: usize) -> Result<Run, String> {
    let executor = Executor::new(policy, workers).map_err(not_started)?;
    Ok(Box::new(move |tasks, task| {
        let task = Arc::clone(task);
        executor.block_on(async move {
            let start = Instant::now();
            let sum = our_tasks(tasks, task).await;
            (start.elapsed(), sum)
        })
    }))
}

/// Spawns all tasks on our executor and then awaits all of them, like the
/// Tokio contender.
async fn our_tasks(tasks: usize, task: Task) -> u64 {
    let spawn = |index| {
        let task = Arc::clone(&task);
        schedulers::spawn(async move { task(index) })
    };
    let handles: Vec<_> = (0..tasks).map(spawn).collect();
    let mut sum = 0;
    for handle in handles {
        sum += handle.await.expect("no task panics");
    }
    sum
}

fn on_the_clock(batch: impl FnOnce() -> u64) -> (Duration, u64) {
    let start = Instant::now();
    let sum = batch();
    (start.elapsed(), sum)
}

/// Checks that there are at least as many cores as workers. With fewer cores,
/// the results would not be comparable.
fn have_cores(workers: usize) -> Result<(), String> {
    match core_count() {
        cores if cores < workers => Err(format!(
            "it takes {workers} cores, and this process has {cores}"
        )),
        _ => Ok(()),
    }
}

fn can_pin(workers: usize) -> Result<(), String> {
    room_for_cores(workers)?;
    let pinned = thread::scope(|scope| {
        let pin = |worker| scope.spawn(move || pin_this_thread(worker)).join();
        (0..workers).map(pin).collect::<thread::Result<Vec<_>>>()
    });
    pinned.expect("pinning does not panic").into_iter().collect()
}

fn pin(worker: usize) {
    pin_this_thread(worker).expect("it could be pinned before");
}

fn not_started(error: impl Display) -> String {
    format!("it cannot be started here: {error}")
}
