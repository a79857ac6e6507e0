//! Simulates workers that run a batch, event by event. Times are in
//! nanoseconds from the beginning of the batch.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::prices::Prices;

/// The maximum number of tasks that a thief takes at once. crossbeam has the
/// same limit.
const MOST_STOLEN: usize = 32;

/// The way in which tasks are distributed to workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// Tasks are assigned to threads in round-robin order before any task
    /// runs.
    RoundRobin,
    /// Each thread takes the next task whenever it has finished one: *list
    /// scheduling*.
    SharedIndex,
    /// One worker spawns all tasks. A worker without tasks takes half of
    /// another worker's queue.
    Stealing,
}

impl Policy {
    pub(super) const ALL: [Policy; 3] =
        [Policy::RoundRobin, Policy::SharedIndex, Policy::Stealing];

    pub(super) fn name(self) -> &'static str {
        match self {
            Policy::RoundRobin => "round robin",
            Policy::SharedIndex => "shared index",
            Policy::Stealing => "stealing",
        }
    }
}

/// The simulated workers, each on its own core.
#[derive(Debug, Clone, Copy)]
pub(super) struct Workers {
    pub(super) count: usize,
    /// The factor by which a task takes longer if another worker is busy when
    /// the task begins.
    pub(super) company: f64,
    /// The index of the first slow worker. All later workers are slow, too.
    pub(super) first_slow: usize,
    /// The factor by which a task takes longer on a slow worker.
    pub(super) slowness: f64,
}

impl Workers {
    /// Returns `count` equally fast workers that don't slow each other down.
    pub(super) fn alike(count: usize) -> Workers {
        Workers { count, company: 1.0, first_slow: count, slowness: 1.0 }
    }
}

/// Returns when each task finishes, in ascending order. `lengths` has the
/// tasks' durations.
pub(super) fn completions(
    policy: Policy,
    lengths: &[u64],
    workers: Workers,
    prices: Prices,
) -> Vec<u64> {
    let mut batch = Batch::new(policy, lengths.len(), workers.count, prices);
    let starts = (0..workers.count).map(|worker| (batch.start(worker), worker));
    let mut free: BinaryHeap<_> = starts.map(Reverse).collect();
    let mut done = Vec::with_capacity(lengths.len());
    while let Some(Reverse((now, worker))) = free.pop() {
        match batch.next(worker, now) {
            Next::Task { index, price } => {
                let is_slow = worker >= workers.first_slow;
                let slowness = if is_slow { workers.slowness } else { 1.0 };
                let company =
                    if free.is_empty() { 1.0 } else { workers.company };
                let takes = lengths[index] as f64 * slowness * company;
                let end = now + (price + takes) as u64;
                done.push(end);
                free.push(Reverse((end, worker)));
            }
            Next::Spawned(at) => free.push(Reverse((at, worker))),
            Next::Nothing => {}
        }
    }
    done.sort_unstable();
    done
}

enum Next {
    /// Runs task `index`. In addition to the task's duration, the worker
    /// spends `price` nanoseconds.
    Task { index: usize, price: f64 },
    /// Sleeps until the given time, when the worker is woken to run a newly
    /// spawned task.
    Spawned(u64),
    /// Ends the worker, because no task is left for it.
    Nothing,
}

struct Batch {
    policy: Policy,
    tasks: usize,
    prices: Prices,
    /// The next task of each worker, if the policy is round robin. For the
    /// other policies, a single entry for all workers.
    next: Vec<usize>,
    /// The queue of each worker, used only with stealing. The queues hold the
    /// tasks that have been spawned but have not begun.
    queues: Vec<VecDeque<usize>>,
    spawned: usize,
}

impl Batch {
    fn new(
        policy: Policy,
        tasks: usize,
        workers: usize,
        prices: Prices,
    ) -> Batch {
        let next = match policy {
            Policy::RoundRobin => (0..workers).collect(),
            _ => vec![0],
        };
        let queues = vec![VecDeque::new(); workers];
        Batch { policy, tasks, prices, next, queues, spawned: 0 }
    }

    /// Returns when a worker looks for its first task. Threads are started
    /// one after another, and each woken worker wakes the next.
    fn start(&self, worker: usize) -> u64 {
        let Prices { thread, spawn, wake_up, .. } = self.prices;
        let start = match (self.policy, worker) {
            (Policy::Stealing, 0) => spawn * self.tasks as f64,
            (Policy::Stealing, _) => wake_up * worker as f64,
            _ => thread * (worker + 1) as f64,
        };
        start as u64
    }

    fn next(&mut self, worker: usize, now: u64) -> Next {
        match self.policy {
            Policy::RoundRobin => self.dealt(worker, self.queues.len()),
            Policy::SharedIndex => self.dealt(0, 1),
            Policy::Stealing => self.own_or_stolen(worker, now),
        }
    }

    /// Returns the next task of row `row`, and advances the row by `step`
    /// tasks.
    fn dealt(&mut self, row: usize, step: usize) -> Next {
        let index = self.next[row];
        self.next[row] += step;
        if index < self.tasks {
            Next::Task { index, price: 0.0 }
        } else {
            Next::Nothing
        }
    }

    fn own_or_stolen(&mut self, worker: usize, now: u64) -> Next {
        self.spawn_until(now);
        let Prices { spawn, hand_over, wake_up, steal, .. } = self.prices;
        if let Some(index) = self.queues[worker].pop_front() {
            return Next::Task { index, price: hand_over };
        }
        let count = self.queues.len();
        let mut victims = (worker + 1..count).chain(0..worker);
        let Some(victim) = victims.find(|&of| !self.queues[of].is_empty())
        else {
            if self.spawned == self.tasks {
                return Next::Nothing;
            }
            let next = spawn * (self.spawned + 1) as f64 + wake_up;
            return Next::Spawned(now.max(next as u64) + 1);
        };
        let half = self.queues[victim].len().div_ceil(2).min(MOST_STOLEN);
        let stolen: Vec<usize> = self.queues[victim].drain(..half).collect();
        self.queues[worker].extend(&stolen[1..]);
        Next::Task { index: stolen[0], price: steal + hand_over }
    }

    fn spawn_until(&mut self, now: u64) {
        let in_time = now as f64 / self.prices.spawn;
        // If spawning takes no time, all tasks exist from the start of the
        // batch.
        let in_time =
            if in_time.is_finite() { in_time as usize } else { self.tasks };
        let in_time = in_time.min(self.tasks);
        if in_time > self.spawned {
            self.queues[0].extend(self.spawned..in_time);
            self.spawned = in_time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orders::{Order, TASKS};

    const LIGHT_NS: u64 = 5_000;

    fn orders() -> impl Iterator<Item = Order> {
        let named = [Order::EveryTenth, Order::HeavyFirst, Order::HeavyLast];
        named.into_iter().chain((1..=20).map(Order::Shuffled))
    }

    fn makespan(policy: Policy, order: Order, workers: usize) -> u64 {
        let lengths = order.lengths(LIGHT_NS);
        let workers = Workers::alike(workers);
        let done = completions(policy, &lengths, workers, Prices::NONE);
        assert_eq!(done.len(), TASKS, "{policy:?}, {order:?}");
        done[TASKS - 1]
    }

    #[test]
    fn pinned_queues_take_as_long_as_the_longest_of_them() {
        for order in orders() {
            for workers in [1, 2, 3, 24, 128] {
                let of = |worker| {
                    let lengths = order.lengths(LIGHT_NS);
                    lengths.iter().skip(worker).step_by(workers).sum::<u64>()
                };
                let longest = (0..workers).map(of).max().unwrap();
                let found = makespan(Policy::RoundRobin, order, workers);
                assert_eq!(found, longest, "{order:?}, {workers}");
            }
        }
    }

    /// Graham's bound: list scheduling finishes later than an even split by
    /// no more than the longest task. A thief that takes half of a queue can
    /// be later, but by no more than that half; here, that can only concern
    /// the tail of the batch.
    #[test]
    fn who_shares_is_late_by_the_longest_task_at_most() {
        for order in orders() {
            for workers in [1, 2, 3, 24] {
                let lengths = order.lengths(LIGHT_NS);
                let even = lengths.iter().sum::<u64>().div_ceil(workers as u64);
                let longest = lengths.into_iter().max().unwrap();
                for policy in [Policy::SharedIndex, Policy::Stealing] {
                    let found = makespan(policy, order, workers);
                    assert!(
                        (even..=even + longest).contains(&found),
                        "{policy:?}, {order:?}, {workers}: {found}, not {even}"
                    );
                }
            }
        }
    }

    /// The number of heavy tasks that a worker gets has a hypergeometric
    /// distribution. The batch ends when the worker with more work has
    /// finished.
    #[test]
    fn on_two_workers_shuffles_cost_as_much_as_can_be_computed() {
        let choose = |n: u64, k: u64| -> f64 {
            (0..k).map(|i| ((n - i) as f64 / (k - i) as f64).ln()).sum()
        };
        let chance = |k| {
            let ways = choose(100, k) + choose(900, 500 - k);
            (ways - choose(1000, 500)).exp()
        };
        let larger = |k: u64| (k.max(100 - k)) as f64;
        let heavy: f64 = (0..=100).map(|k| chance(k) * larger(k)).sum();
        let expected = (500.0 + 49.0 * heavy) * LIGHT_NS as f64;
        let of = |seed| makespan(Policy::RoundRobin, Order::Shuffled(seed), 2);
        let mean = (1..=2_000).map(of).sum::<u64>() as f64 / 2_000.0;
        assert!((mean / expected - 1.0).abs() < 0.01, "{mean}, {expected}");
    }

    #[test]
    fn what_workers_do_beside_tasks_and_slow_cores_make_it_later() {
        let lengths = Order::Shuffled(1).lengths(LIGHT_NS);
        let prices = Prices {
            thread: 50e3,
            spawn: 300.0,
            hand_over: 100.0,
            wake_up: 20e3,
            steal: 500.0,
            company: 1.0,
        };
        let alike = Workers::alike(24);
        let slow = Workers { first_slow: 8, slowness: 2.0, ..alike };
        let company = Workers { company: 1.3, ..alike };
        // The shortest possible makespan with 8 fast workers and 16 workers
        // that are half as fast.
        let even = lengths.iter().sum::<u64>() / (8 + 16 / 2);
        for policy in Policy::ALL {
            let end = |workers, prices| {
                *completions(policy, &lengths, workers, prices).last().unwrap()
            };
            let free = end(alike, Prices::NONE);
            assert!(end(alike, prices) > free, "{policy:?}");
            assert!(end(slow, Prices::NONE) > free.max(even), "{policy:?}");
            assert!(end(company, Prices::NONE) > free, "{policy:?}");
        }
    }
}
