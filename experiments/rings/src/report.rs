//! What a server has used and done so far.

// That of Thread per core, whose older data would be stale if its modules named it
// otherwise.
#[expect(unreachable_pub)]
#[path = "../../thread-per-core/src/serve/report.rs"]
mod of_thread_per_core;

pub(crate) use of_thread_per_core::report;
