//! Work on all pages at once.

use language::page::Page;

/// What each page gives, in the order of the pages. They know nothing of each other, and each takes
/// long, so all are worked on at once.
pub fn at_once<T: Send>(pages: &[Page], work: impl Fn(&Page) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(move || work(page))).collect();
        let done = threads.into_iter().map(|thread| thread.join());
        done.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}
