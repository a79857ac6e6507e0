//! The queues and the hand-over to workers that sleep, in many orders of their
//! steps. The files are the crate's own; what they are made of (`sync`) is
//! shuttle's here. crossbeam's deques are taken as they are: each operation on
//! them is one step.

#![allow(dead_code)] // Each model uses a part of the files.

#[path = "../src/idle.rs"]
mod idle;
#[path = "../src/park.rs"]
mod park;
#[path = "../src/pinned.rs"]
mod pinned;
#[path = "../src/queue.rs"]
mod queue;
#[path = "../src/scheduling.rs"]
mod scheduling;
#[path = "../src/stealing.rs"]
mod stealing;
mod sync {
    pub(crate) use shuttle::sync::atomic::{
        fence, AtomicBool, AtomicUsize, Ordering,
    };
    pub(crate) use shuttle::sync::{Mutex, MutexGuard};
}

use std::sync::Arc;

use scheduling::{Local, Remote, Unpark};
use shuttle::sync::{Condvar, Mutex};
use shuttle::thread;

/// How many orders are tried of each model.
const ORDERS: usize = 1_000;

/// How many steps before the last a scheduler preempts, at most.
const DEPTH: usize = 3;

/// In place of a reactor: one that is rung does not sleep the next time.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rung.lock().unwrap() = true;
        self.changed.notify_one();
    }

    fn sleep(&self) {
        let mut rung = self.rung.lock().unwrap();
        while !*rung {
            rung = self.changed.wait(rung).unwrap();
        }
        *rung = false;
    }
}

/// Runs a model in random orders, and in those that a few preemptions make. A
/// push that wakes nobody leaves all threads asleep, which shuttle reports.
fn check(model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    let again = Arc::clone(&model);
    shuttle::check_random(move || model(), ORDERS);
    shuttle::check_pct(move || again(), ORDERS, DEPTH);
}

/// What is to be run: some numbers; those that are even spawn one more each.
const TASKS: usize = 4;
const SPAWNED: usize = 100;

struct Model {
    bells: Vec<Bell>,
    ran: Mutex<Vec<usize>>,
}

impl Model {
    const ALL: usize = TASKS + TASKS / 2;

    fn run<R, L>(
        workers: usize,
        queues: impl Fn(Vec<Unpark>) -> (Arc<R>, Vec<L>),
    ) where
        R: Remote<usize> + 'static,
        L: Local<usize> + 'static,
    {
        let bells = (0..workers).map(|_| Bell::default()).collect();
        let model = Arc::new(Model { bells, ran: Mutex::default() });
        let unpark = (0..workers).map(|worker| {
            let model = Arc::clone(&model);
            Box::new(move || model.bells[worker].ring()) as Unpark
        });
        let (remote, locals) = queues(unpark.collect());

        let workers: Vec<_> = locals
            .into_iter()
            .enumerate()
            .map(|(index, local)| {
                let (model, remote) = (Arc::clone(&model), Arc::clone(&remote));
                thread::spawn(move || model.work(index, &*remote, &local))
            })
            .collect();
        let pushers: Vec<_> = [0..TASKS / 2, TASKS / 2..TASKS]
            .into_iter()
            .map(|tasks| {
                let remote = Arc::clone(&remote);
                thread::spawn(move || {
                    for task in tasks {
                        remote.push(remote.home(None), task);
                    }
                })
            })
            .collect();
        for thread in pushers.into_iter().chain(workers) {
            thread.join().unwrap();
        }

        let mut ran = model.ran.lock().unwrap().clone();
        ran.sort_unstable();
        let spawned = (0..TASKS).step_by(2).map(|task| task + SPAWNED);
        assert!(ran.into_iter().eq((0..TASKS).chain(spawned)));
        assert_eq!(remote.pop(), None);
    }

    /// The worker's loop, but for the reactor.
    fn work(
        &self,
        index: usize,
        remote: &impl Remote<usize>,
        local: &impl Local<usize>,
    ) {
        while self.ran.lock().unwrap().len() < Model::ALL {
            if let Some(task) = local.pop() {
                if task % 2 == 0 && task < SPAWNED {
                    local.push(remote.home(Some(index)), task + SPAWNED);
                }
                let mut ran = self.ran.lock().unwrap();
                ran.push(task);
                if ran.len() == Model::ALL {
                    // The end of the executor.
                    self.bells.iter().for_each(Bell::ring);
                }
            } else if local.prepare_to_sleep() {
                self.bells[index].sleep();
                local.awake();
            }
        }
    }
}

#[test]
fn pinned_queues_lose_no_task_and_no_wake_up() {
    check(|| Model::run(2, pinned::queues));
}

#[test]
fn stealing_loses_no_task_and_no_wake_up() {
    check(|| Model::run(2, stealing::queues));
}

#[test]
fn stealing_among_three_loses_no_task_and_no_wake_up() {
    check(|| Model::run(3, stealing::queues));
}
