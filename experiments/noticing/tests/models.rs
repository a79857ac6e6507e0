//! Tests how spare threads take over from stuck ones, in many orders of the
//! threads' steps. The loops of the workers and the check of the monitor are
//! the crate's own code, but their primitives (`sync`) are shuttle's. Shuttle
//! is sequentially consistent, and each operation on one of crossbeam's
//! deques is one step. A bell with a list of events replaces the reactor. The
//! monitor checks at any time, so it may find a poll stuck that has only just
//! begun.

#![allow(dead_code)] // The files contain more than the models use.

#[path = "../src/bell.rs"]
mod bell;
#[path = "../src/monitor.rs"]
mod monitor;
#[path = "../src/roster.rs"]
mod roster;
#[path = "../src/scheduler.rs"]
mod scheduler;
#[path = "../src/worker.rs"]
mod worker;
mod sync {
    pub(crate) use shuttle::sync::atomic::{
        fence, AtomicBool, AtomicUsize, Ordering,
    };
    pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard};
}
mod reactor {
    use std::mem;
    use std::task::Waker;

    use shuttle::sync::{Mutex, MutexGuard};

    use crate::bell::Bell;

    pub(crate) struct Reactor {
        turn: Mutex<()>,
        bell: Bell,
        events: Mutex<Vec<Waker>>,
    }

    pub(crate) struct Turn<'a> {
        reactor: &'a Reactor,
        _turn: MutexGuard<'a, ()>,
    }

    impl Reactor {
        pub(crate) fn new() -> Self {
            Reactor {
                turn: Mutex::new(()),
                bell: Bell::new(),
                events: Mutex::default(),
            }
        }

        pub(crate) fn try_turn(&self) -> Option<Turn<'_>> {
            let turn = self.turn.try_lock().ok()?;
            Some(Turn { reactor: self, _turn: turn })
        }

        pub(crate) fn interrupt(&self) {
            self.bell.ring();
        }

        /// Reports that the socket that `task` waits for is ready.
        pub(crate) fn tell(&self, task: Waker) {
            self.events.lock().unwrap().push(task);
            self.bell.ring();
        }
    }

    impl Turn<'_> {
        pub(crate) fn wait(&mut self, woken: &mut Vec<Waker>) {
            self.reactor.bell.sleep();
            self.look(woken);
        }

        pub(crate) fn look(&mut self, woken: &mut Vec<Waker>) {
            woken.extend(mem::take(&mut *self.reactor.events.lock().unwrap()));
        }
    }
}

use std::sync::Arc;
use std::task::{Wake, Waker};

use monitor::{Monitor, Rest};
use reactor::Reactor;
use scheduler::Scheduler;
use shuttle::sync::{Condvar, Mutex, MutexGuard};
use shuttle::thread;
use worker::Worker;

/// The number of orders in which each of shuttle's schedulers runs a model.
const ORDERS: usize = 1_000;

/// The maximum number of preemptions in one order.
const DEPTH: usize = 3;

/// Runs a model in random orders, and in orders with few preemptions. If no
/// thread took over a task, all threads would sleep forever, and shuttle
/// would report that.
fn check(model: impl Fn() + Send + Sync + 'static) {
    let model = Arc::new(model);
    let again = Arc::clone(&model);
    shuttle::check_random(move || model(), ORDERS);
    shuttle::check_pct(move || again(), ORDERS, DEPTH);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Quick,
    /// Spawns a quick task and blocks its thread until `n` other tasks have
    /// run. Then does the same once more, until `n + 1` have run in all.
    BlocksUntil(usize),
    /// Spawns a quick task, and blocks its thread until an outside thread
    /// releases it.
    BlocksUntilLetGo,
    /// Blocks its thread until `n` such tasks are running, including itself.
    Meets(usize),
}

impl Task {
    fn spawns(self) -> usize {
        match self {
            Task::Quick | Task::Meets(_) => 0,
            Task::BlocksUntilLetGo => 1,
            Task::BlocksUntil(_) => 2,
        }
    }
}

struct Model {
    workers: usize,
    spares: usize,
    pushed: Vec<Task>,
    /// The number of reactor events. Each of them pushes a quick task.
    told: usize,
    is_watched: bool,
}

struct Progress {
    now: Mutex<Now>,
    changed: Condvar,
    expected: usize,
}

#[derive(Default)]
struct Now {
    ran: usize,
    let_go: bool,
    /// The number of [`Task::Meets`] tasks that have begun to wait.
    met: usize,
}

/// A waker that pushes a quick task.
struct Event(Arc<Scheduler<Task>>);

impl Wake for Event {
    fn wake(self: Arc<Self>) {
        self.0.push(Task::Quick);
    }
}

impl Model {
    fn run(self) {
        let spawned: usize = self.pushed.iter().map(|it| it.spawns()).sum();
        let progress = Arc::new(Progress {
            now: Mutex::default(),
            changed: Condvar::new(),
            expected: self.pushed.len() + self.told + spawned,
        });
        let (scheduler, queues) =
            Scheduler::new(self.workers, self.spares, Reactor::new());
        let scheduler = Arc::new(scheduler);

        let mut threads = Vec::new();
        for (index, queue) in queues.into_iter().enumerate() {
            let scheduler = Arc::clone(&scheduler);
            let progress = Arc::clone(&progress);
            threads.push(thread::spawn(move || {
                let worker = Worker::new(Arc::clone(&scheduler), index, queue);
                let poll = |task| progress.poll(task, &worker, &scheduler);
                worker.run(poll, || {});
            }));
        }
        let watched = Arc::clone(&scheduler);
        if self.is_watched {
            threads.push(thread::spawn(move || watch(&watched)));
        }
        let pushes = Arc::clone(&scheduler);
        let lets_go = Arc::clone(&progress);
        threads.push(thread::spawn(move || {
            self.pushed.into_iter().for_each(|task| pushes.push(task));
            drop(lets_go.change(|now| now.let_go = true));
        }));
        for _ in 0..self.told {
            let event = Arc::new(Event(Arc::clone(&scheduler)));
            scheduler.reactor.tell(Waker::from(event));
        }

        scheduler.roster.wait_until_closed();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(progress.now.lock().unwrap().ran, progress.expected);
        assert_eq!(scheduler.pop(), None, "a task ran, and is left");
        assert!(scheduler.roster.is_closed(), "a thread counts as stuck");
    }
}

/// Runs the monitor. Other threads may take any number of steps between two
/// checks.
fn watch(scheduler: &Scheduler<Task>) {
    let roster = &scheduler.roster;
    let mut monitor = Monitor::new(roster.threads());
    while !roster.is_closed() {
        match monitor.look(scheduler) {
            Rest::Interval => thread::yield_now(),
            Rest::UntilWoken => roster.monitor().sleep(),
        }
    }
}

impl Progress {
    fn poll(
        &self,
        task: Task,
        worker: &Worker<Task>,
        scheduler: &Scheduler<Task>,
    ) {
        match task {
            Task::Quick => {}
            Task::BlocksUntil(others) => {
                for others in [others, others + 1] {
                    worker.push(Task::Quick);
                    self.wait(|now| now.ran >= others);
                }
            }
            Task::BlocksUntilLetGo => {
                worker.push(Task::Quick);
                self.wait(|now| now.let_go);
            }
            Task::Meets(all) => {
                self.change(|now| now.met += 1);
                self.wait(|now| now.met >= all);
            }
        }
        let now = self.change(|now| now.ran += 1);
        if now.ran == self.expected {
            scheduler.close();
        }
    }

    fn change(&self, change: impl FnOnce(&mut Now)) -> MutexGuard<'_, Now> {
        let mut now = self.now.lock().unwrap();
        change(&mut now);
        self.changed.notify_all();
        now
    }

    fn wait(&self, until: impl Fn(&Now) -> bool) {
        let mut now = self.now.lock().unwrap();
        while !until(&now) {
            now = self.changed.wait(now).unwrap();
        }
    }
}

use Task::{BlocksUntil, BlocksUntilLetGo, Meets, Quick};

/// Returns a model with a monitor, in which a thread outside the executor
/// pushes all tasks.
fn model(workers: usize, spares: usize, pushed: Vec<Task>) -> Model {
    Model { workers, spares, pushed, told: 0, is_watched: true }
}

#[test]
fn a_spare_takes_over_from_the_only_worker() {
    check(|| {
        // `BlocksUntil` waits for three tasks: the one that it has spawned,
        // the one behind it in the queue, and the reactor's.
        let pushed = vec![BlocksUntil(3), Quick];
        Model { told: 1, ..model(1, 1, pushed) }.run();
    });
}

#[test]
fn spares_take_over_from_all_workers() {
    check(|| {
        let pushed = vec![BlocksUntil(4), BlocksUntil(4), Quick];
        Model { told: 1, ..model(2, 1, pushed) }.run();
    });
}

#[test]
fn each_that_is_stuck_is_replaced_in_turn() {
    check(|| {
        let pushed = vec![BlocksUntil(4), BlocksUntil(3), BlocksUntil(2)];
        model(1, 3, pushed).run();
    });
}

#[test]
fn where_more_block_than_there_are_spares_all_run_in_the_end() {
    check(|| {
        let pushed = vec![BlocksUntilLetGo; 4];
        Model { told: 1, ..model(1, 1, pushed) }.run();
    });
}

#[test]
fn what_is_found_stuck_and_is_not_does_no_harm() {
    check(|| {
        let pushed = vec![Quick; 5];
        Model { told: 1, ..model(2, 2, pushed) }.run();
    });
}

#[test]
fn no_thread_sleeps_while_a_task_waits_that_it_may_run() {
    for workers in [2, 3] {
        check(move || {
            let pushed = vec![Meets(workers); workers];
            let model = model(workers, 1, pushed);
            Model { is_watched: false, ..model }.run();
        });
    }
}
