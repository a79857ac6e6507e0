//! Processing all pages in parallel.

use language::page::Page;

/// Returns the result of `work` for each page, in their order. Pages are independent and each takes
/// long, so they are processed in parallel.
pub fn at_once<T: Send>(pages: &[Page], work: impl Fn(&Page) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(move || work(page))).collect();
        let done = threads.into_iter().map(|thread| thread.join());
        done.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}
