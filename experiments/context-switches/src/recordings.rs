//! What is recorded of the chapter's cells: see `cargo run -r -p context-switches -- --record`.

use harness::{Party, RecordingPlan};

/// A byte goes from one thread to another through a pipe: from the `write` to the return of the `read` that
/// waits for it. Between cores that sleep, an interrupt wakes the other one.
pub(crate) fn pipe_hop() -> RecordingPlan {
    let parties = ["writer", "reader"];
    RecordingPlan::of("hop", parties, "write", Party::Waker.enters("write"))
        .until("waking", Party::Waker.wakes())
        .until_perhaps("interrupt", Party::Waker.interrupts())
        .until("running", Party::Woken.runs())
        .until("return", Party::Woken.returns_from("read"))
        .with_calls(&["read", "write"])
}
