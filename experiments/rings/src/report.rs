//! The resources that a server has used so far, and its counts.

// This module of Thread per core is included by path: naming it differently
// there would make that chapter's data stale.
#[expect(unreachable_pub)]
#[path = "../../thread-per-core/src/serve/report.rs"]
mod of_thread_per_core;

pub(crate) use of_thread_per_core::report;
