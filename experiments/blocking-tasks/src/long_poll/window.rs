//! The period in which answers, ticks and jobs are counted. It begins shortly
//! after the last task has started, so a slow start of the runtime doesn't
//! shorten it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::Sender;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long all tasks run before the measurement begins.
const LEAD_IN: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct Window {
    length: Duration,
    missing: AtomicUsize,
    span: OnceLock<Range<Instant>>,
    tell: Sender<Range<Instant>>,
}

impl Window {
    /// Creates a window of length `length` that begins once `tasks` tasks
    /// have started. Its start and end are sent through `tell`.
    pub(super) fn new(
        length: Duration,
        tasks: usize,
        tell: Sender<Range<Instant>>,
    ) -> Window {
        let (missing, span) = (AtomicUsize::new(tasks), OnceLock::new());
        Window { length, missing, span, tell }
    }

    /// Notes that a task has started. Each task calls this once, when it is
    /// first polled.
    pub(super) fn task_has_begun(&self) {
        if self.missing.fetch_sub(1, SeqCst) == 1 {
            let begin = Instant::now() + LEAD_IN;
            let span = self.span.get_or_init(|| begin..begin + self.length);
            // An error is ignored: if the receiver is gone, the measurement
            // has already failed.
            let _ = self.tell.send(span.clone());
        }
    }

    /// Returns the window's start and end, or `None` until all tasks have
    /// started.
    pub(super) fn span(&self) -> Option<&Range<Instant>> {
        self.span.get()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::sync::Arc;

    use super::*;

    impl Window {
        pub(crate) fn at(span: Range<Instant>) -> Arc<Window> {
            let window = Window::new(span.end - span.start, 0, channel().0);
            window.span.set(span).expect("it has none");
            Arc::new(window)
        }
    }

    #[test]
    fn a_window_begins_after_the_last_task_has() {
        let (tell, told) = channel();
        let window = Window::new(Duration::from_millis(7), 2, tell);
        window.task_has_begun();
        assert_eq!((window.span(), told.try_recv().ok()), (None, None));
        let now = Instant::now();
        window.task_has_begun();
        let span = told.try_recv().unwrap();
        assert_eq!(window.span(), Some(&span));
        assert!(span.start >= now + LEAD_IN);
        assert_eq!(span.end - span.start, Duration::from_millis(7));
    }
}
