//! Experiment `batch`: a thousand tasks, of which every tenth is fifty times
//! as long. When does the last task finish, depending on how tasks are
//! distributed to the workers? And when does each task finish, and how long
//! does the task itself take?

use std::sync::Arc;
use std::time::Duration;

use harness::work::{rounds_in, work};
use harness::{Body, Cell, Experiment};

use crate::orders::{Order, SUM, TASKS};
use contenders::{Contender, GLOMMIO_PER_BATCH, OURS_STEALING, THREADS, TOKIO};
use run::Task;

mod contenders;
#[cfg(target_os = "linux")]
mod on_glommio;
mod run;
mod stamps;

/// The duration of measurements whose tasks record when they begin and end.
/// Batches are repeated until it is over.
const WINDOW: Duration = Duration::from_millis(150);

pub(crate) fn experiment() -> Experiment {
    let shuffled = CENTRE.order(Order::Shuffled(1));
    let one_worker = Setting { workers: 1, ..CENTRE };
    let shuffles = (2..=8).map(|seed| CENTRE.order(Order::Shuffled(seed)));
    let sorted =
        [Order::HeavyFirst, Order::HeavyLast].map(|order| CENTRE.order(order));
    Experiment::new("batch", "makespan", TOKIO.name)
        .cells(CENTRE.timed(contenders::ALL))
        .cells(CENTRE.timed([GLOMMIO_PER_BATCH]))
        .cells(shuffled.timed(contenders::ALL))
        .cells(Setting { light_ns: 0, ..CENTRE }.timed(contenders::SHARING))
        .cells(CENTRE.stamped(contenders::ALL))
        .cells(one_worker.stamped(contenders::TOKIO_TWO))
        .cells(
            sorted
                .into_iter()
                .flat_map(|setting| setting.timed(contenders::ALL))
                .map(Cell::full_only),
        )
        .cells(
            shuffles
                .flat_map(|setting| setting.timed(THREADS))
                .map(Cell::full_only),
        )
}

/// The batch to run, and the number of workers.
#[derive(Clone, Copy)]
struct Setting {
    order: Order,
    light_ns: u64,
    workers: usize,
}

/// The default setting. Every other setting differs from it in one value.
const CENTRE: Setting =
    Setting { order: Order::EveryTenth, light_ns: 5_000, workers: 2 };

impl Setting {
    fn order(self, order: Order) -> Setting {
        Setting { order, ..self }
    }

    /// Measures each contender with a whole batch as one operation.
    fn timed<const N: usize>(
        self,
        contenders: [Contender; N],
    ) -> impl Iterator<Item = Cell> {
        contenders.into_iter().map(move |contender| {
            let start = move || {
                let run = contender.started(self.workers);
                let task = self.task();
                move || run(TASKS, &task)
            };
            let body = Body::here(start).for_each_visit();
            let cell = Cell::new(contender.name, SUM, body);
            self.stated(cell, contender).parameter("stamped", false)
        })
    }

    /// Measures each contender with tasks that record when they begin and
    /// end.
    fn stamped<const N: usize>(
        self,
        contenders: [Contender; N],
    ) -> impl Iterator<Item = Cell> {
        contenders.into_iter().map(move |contender| {
            let take = move |window| {
                let run = contender.start(self.workers)?;
                stamps::take(run, self.task(), window)
            };
            let cell =
                Cell::window(contender.name, WINDOW, take).also(&stamps::ALSO);
            self.stated(cell, contender).parameter("stamped", true)
        })
    }

    /// Returns a function that takes a task's index, computes for as long as
    /// that task takes, and returns the index.
    fn task(self) -> Task {
        let lengths = self.order.lengths(self.light_ns).into_iter();
        let rounds = lengths.map(|ns| rounds_in(Duration::from_nanos(ns)));
        let rounds: Vec<u64> = rounds.collect();
        Arc::new(move |index| {
            work(rounds[index]);
            index as u64
        })
    }

    fn stated(self, cell: Cell, contender: Contender) -> Cell {
        let Setting { order, light_ns, workers } = self;
        let order = order.name();
        let cell = cell
            .group(&format!("{order}, {light_ns} ns, {workers}"))
            .parameter("policy", contender.policy)
            .parameter("arm", contender.arm)
            .parameter("order", &*order)
            .parameter("light_ns", light_ns as i64)
            .parameter("workers", workers as i64)
            .needs(move || contender.can_start(workers));
        if contender == OURS_STEALING {
            cell.twinned()
        } else {
            cell
        }
    }
}
