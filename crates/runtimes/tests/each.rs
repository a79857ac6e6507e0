//! Every runtime of the features that are on does what the harness asks of it.

use std::collections::BTreeSet;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::mpsc;

use runtimes::{LOCAL, MOVING};

/// Runs a task that answers, by `run`, which is given where to.
fn answer(run: impl FnOnce(mpsc::Sender<u64>)) -> Option<u64> {
    let (done, answer) = mpsc::channel();
    run(done);
    answer.recv().ok()
}

#[test]
fn each_runs_tasks_or_says_why_not() {
    for runtime in MOVING {
        runtime.start().unwrap_or_else(|reason| panic!("{runtime}: {reason}"));
        let task = |done: mpsc::Sender<u64>| {
            runtime.run(Box::pin(async move { done.send(42).unwrap() }));
        };
        assert_eq!(answer(task), Some(42), "{runtime}");
    }
    for runtime in LOCAL {
        if let Err(reason) = runtime.start() {
            println!("{runtime} cannot run here: {reason}");
            continue;
        }
        let task = |done: mpsc::Sender<u64>| {
            runtime.run(Box::new(move || {
                // What a task that may move could not hold.
                let number = Rc::new(42);
                Box::pin(async move { done.send(*number).unwrap() })
            }));
        };
        assert_eq!(answer(task), Some(42), "{runtime}");
    }
}

#[test]
fn a_panic_goes_on_in_the_caller_and_the_next_task_runs() {
    for runtime in MOVING {
        let bad = || runtime.run(Box::pin(async { panic!("of a test") }));
        assert!(catch_unwind(AssertUnwindSafe(bad)).is_err(), "{runtime}");
        runtime.run(Box::pin(async {}));
    }
    for runtime in LOCAL.iter().filter(|runtime| runtime.start().is_ok()) {
        let bad = || runtime.run(Box::new(|| Box::pin(async { panic!("of a test") })));
        assert!(catch_unwind(AssertUnwindSafe(bad)).is_err(), "{runtime}");
        runtime.run(Box::new(|| Box::pin(async {})));
    }
}

#[test]
fn each_has_a_name_of_its_own() {
    let moving = MOVING.iter().map(|runtime| runtime.name());
    let local = LOCAL.iter().map(|runtime| runtime.name());
    let names: BTreeSet<&str> = moving.chain(local).collect();
    assert_eq!(names.len(), MOVING.len() + LOCAL.len());
}
