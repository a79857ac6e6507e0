//! Tests the queues, and how a worker falls asleep and is woken, in many
//! orders of the threads' steps. The source files are the crate's own, but
//! their primitives (`sync`) are shuttle's. crossbeam's deques are used
//! unchanged: each operation on them is one step.

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

/// The number of orders in which each of shuttle's schedulers runs a model.
const ORDERS: usize = 1_000;

/// The maximum number of preemptions in one order.
const DEPTH: usize = 3;

/// A replacement for a worker's reactor. After `ring`, the next `sleep`
/// returns at once.
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

/// Runs a model in random orders, and in orders with a few preemptions. If a
/// push failed to wake a worker, all threads would sleep forever, and shuttle
/// would report that.
fn check(model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    let again = Arc::clone(&model);
    shuttle::check_random(move || model(), ORDERS);
    shuttle::check_pct(move || again(), ORDERS, DEPTH);
}

enum Work {
    /// Each even-numbered task spawns another task.
    Spawn,
    /// Tasks wait for each other, so each of them needs its own worker.
    Meet,
}

/// The difference between the number of a task and that of the task that
/// spawned it.
const SPAWNED: usize = 100;

struct Model {
    work: Work,
    /// The number of tasks pushed by the two threads that aren't workers.
    /// Each thread pushes half of them.
    pushed: usize,
    bells: Vec<Bell>,
    ran: Mutex<Vec<usize>>,
    met: Mutex<usize>,
    all_met: Condvar,
}

impl Model {
    fn new(work: Work, pushed: usize, workers: usize) -> Self {
        Model {
            work,
            pushed,
            bells: (0..workers).map(|_| Bell::default()).collect(),
            ran: Mutex::default(),
            met: Mutex::default(),
            all_met: Condvar::new(),
        }
    }

    fn run<R, L>(self, queues: impl Fn(Vec<Unpark>) -> (Arc<R>, Vec<L>))
    where
        R: Remote<usize> + 'static,
        L: Local<usize> + 'static,
    {
        let model = Arc::new(self);
        let unpark = (0..model.bells.len()).map(|worker| {
            let model = Arc::clone(&model);
            Box::new(move || model.bells[worker].ring()) as Unpark
        });
        let (remote, locals) = queues(unpark.collect());

        let workers = locals.into_iter().enumerate().map(|(index, local)| {
            let (model, remote) = (Arc::clone(&model), Arc::clone(&remote));
            thread::spawn(move || model.work(index, &*remote, &local))
        });
        let workers: Vec<_> = workers.collect();
        let half = model.pushed / 2;
        let pushers = [0..half, half..model.pushed].map(|tasks| {
            let remote = Arc::clone(&remote);
            thread::spawn(move || {
                for task in tasks {
                    remote.push(remote.home(None), task);
                }
            })
        });
        for thread in pushers.into_iter().chain(workers) {
            thread.join().unwrap();
        }

        let mut ran = model.ran.lock().unwrap().clone();
        ran.sort_unstable();
        assert_eq!(ran, model.expected());
        assert_eq!(remote.pop(), None);
    }

    fn expected(&self) -> Vec<usize> {
        let pushed = 0..self.pushed;
        let spawned = pushed.clone().filter_map(|task| self.spawned_by(task));
        pushed.chain(spawned).collect()
    }

    fn spawned_by(&self, task: usize) -> Option<usize> {
        let even = task.is_multiple_of(2) && task < SPAWNED;
        (matches!(self.work, Work::Spawn) && even).then_some(task + SPAWNED)
    }

    /// Runs the loop of a worker. It is the crate's loop without a reactor.
    fn work(
        &self,
        index: usize,
        remote: &impl Remote<usize>,
        local: &impl Local<usize>,
    ) {
        let all = self.expected().len();
        while self.ran.lock().unwrap().len() < all {
            if let Some(task) = local.pop() {
                if let Some(spawned) = self.spawned_by(task) {
                    local.push(remote.home(Some(index)), spawned);
                }
                if matches!(self.work, Work::Meet) {
                    self.meet();
                }
                let mut ran = self.ran.lock().unwrap();
                ran.push(task);
                if ran.len() == all {
                    // Once all tasks have run, the sleeping workers are
                    // woken, so that they end.
                    self.bells.iter().for_each(Bell::ring);
                }
            } else if local.prepare_to_sleep() {
                self.bells[index].sleep();
                local.awake();
            }
        }
    }

    fn meet(&self) {
        let mut met = self.met.lock().unwrap();
        *met += 1;
        self.all_met.notify_all();
        while *met < self.pushed {
            met = self.all_met.wait(met).unwrap();
        }
    }
}

#[test]
fn pinned_queues_lose_no_task_and_no_wake_up() {
    check(|| Model::new(Work::Spawn, 4, 2).run(pinned::queues));
}

#[test]
fn stealing_loses_no_task_and_no_wake_up() {
    check(|| Model::new(Work::Spawn, 4, 2).run(stealing::queues));
}

#[test]
fn stealing_among_three_loses_no_task_and_no_wake_up() {
    check(|| Model::new(Work::Spawn, 4, 3).run(stealing::queues));
}

#[test]
fn stealing_leaves_no_worker_asleep_that_has_a_task_to_steal() {
    check(|| Model::new(Work::Meet, 2, 2).run(stealing::queues));
    check(|| Model::new(Work::Meet, 3, 3).run(stealing::queues));
}
