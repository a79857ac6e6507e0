//! Tests that every enabled runtime does what the harness requires.

use std::panic::{catch_unwind, AssertUnwindSafe};

use runtimes::{LOCAL, MOVING};

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
