//! Experiment `allocators`: the memory of an idle thread or task with each
//! allocator, and the memory that its process keeps when the threads or tasks
//! have ended.

use std::path::Path;

use harness::Experiment;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::afterwards;
use crate::allocator::Allocator;
use crate::per_unit::{self, RESIDENT};
use crate::wanted_units::{Units, STATES};

pub(crate) fn experiment(program: &Path) -> Experiment {
    let cells = Allocator::ALL.into_iter().flat_map(|allocator| {
        let units = |contender| Units {
            allocator,
            ..Units::new(contender, 0, STATES[0])
        };
        let [thread, task] = [std_thread::NAME, MULTI_THREAD.name()].map(units);
        let nothing = units(std_thread::NAME);
        let cells = [
            per_unit::cell(program, &thread, RESIDENT),
            per_unit::cell(program, &task, RESIDENT),
            afterwards::cell(program, task).quantity("share"),
        ];
        cells.map(|cell| {
            let (program, nothing) = (program.to_owned(), nothing.clone());
            cell.parameter("allocator", allocator.name())
                // All benchmarks form one group and are measured in
                // alternation, because allocators are compared.
                .group("all")
                .full_only()
                .needs(move || nothing.in_a_process(&program).map(drop))
        })
    });
    Experiment::new("allocators", RESIDENT.quantity, std_thread::NAME)
        .cells(cells)
}
