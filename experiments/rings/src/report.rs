//! The resources that a server has used, and its counts so far.

// Thread per core's module, included by path: naming it differently there would
// make that chapter's data stale.
#[expect(unreachable_pub)]
#[path = "../../thread-per-core/src/serve/report.rs"]
mod of_thread_per_core;

pub(crate) use of_thread_per_core::report;
