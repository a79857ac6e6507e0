//! A server's report on the resources that it has used, and its counts.

// Includes a module of the chapter Thread per core by its path. Renaming it
// in that chapter would change measured code and make that chapter's data
// stale.
#[expect(unreachable_pub)]
#[path = "../../thread-per-core/src/serve/report.rs"]
mod of_thread_per_core;

pub(crate) use of_thread_per_core::report;
