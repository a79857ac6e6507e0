//! Tests that a runtime on io_uring fails to start, and gives the reason, in a container that
//! forbids io_uring. The test has its own process because Glommio asks the kernel once and
//! remembers the answer, and because panics are counted.

#![cfg(target_os = "linux")]

use std::sync::atomic::{AtomicUsize, Ordering};

use runtimes::LOCAL;
use seccompiler::{apply_filter, SeccompAction, SeccompFilter};

const ON_RINGS: [&str; 3] = ["compio", "glommio", "monoio io_uring"];

#[test]
fn a_refused_ring_is_a_reason_and_no_panic() {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        usual(panic);
    }));
    const IO_URING_SETUP: i64 = 425;
    for (error, words) in [(1, "Operation not permitted"), (38, "Function not implemented")] {
        let filter = SeccompFilter::new(
            [(IO_URING_SETUP, Vec::new())].into(),
            SeccompAction::Allow,
            SeccompAction::Errno(error),
            std::env::consts::ARCH.try_into().unwrap(),
        );
        let filter: seccompiler::BpfProgram = filter.unwrap().try_into().unwrap();
        let try_each = move || {
            apply_filter(&filter).unwrap();
            for runtime in LOCAL {
                let started = runtime.start();
                if ON_RINGS.contains(&runtime.name()) {
                    let reason = started.expect_err(runtime.name());
                    let is_told = reason.contains("no ring of io_uring can be made here");
                    assert!(is_told && reason.contains(words), "{runtime}: {reason}");
                } else {
                    assert_eq!(started, Ok(()), "{runtime}");
                }
            }
        };
        std::thread::spawn(try_each).join().unwrap();
    }
    assert_eq!(PANICS.load(Ordering::Relaxed), 0);
}
