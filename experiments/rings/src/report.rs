//! A server's report on the resources that it has used, and its counts.

// This module of the chapter Thread per core is included by its path. If that
// chapter named it differently, its code would differ from the measured code,
// and its data would be stale.
#[expect(unreachable_pub)]
#[path = "../../thread-per-core/src/serve/report.rs"]
mod of_thread_per_core;

pub(crate) use of_thread_per_core::report;
