//! Tests that an overloaded pool reports the problem in its own way rather
//! than hang.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::Command;
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::time::{Duration, Instant};

use blocking_tasks::listings::on_rayon::on_rayon;
use rayon::ThreadPoolBuilder;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{block_in_place, spawn_blocking};

/// A stack size that no machine can provide, in bytes.
const TOO_MUCH_STACK: usize = 1 << 46;

fn two_workers() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Dropping a Tokio runtime waits forever for a task that never returns.
/// Shutting it down with a time limit doesn't.
#[test]
fn a_task_that_never_returns_ends_no_other_task_and_not_the_shutting_down() {
    let runtime = two_workers();
    let (release, released) = channel::<()>();
    runtime.spawn(async move {
        let _ = released.recv();
    });
    let other = runtime.spawn(async {
        tokio::time::sleep(Duration::from_millis(5)).await;
        42
    });
    assert_eq!(runtime.block_on(other).unwrap(), 42);
    let start = Instant::now();
    runtime.shutdown_timeout(Duration::from_millis(50));
    assert!(start.elapsed() >= Duration::from_millis(50));
    drop(release);
}

#[test]
fn a_panic_in_a_job_comes_back_to_who_awaits_it_and_leaves_the_pool_usable() {
    fn panics() -> u64 {
        panic!("the job failed")
    }
    let runtime = two_workers();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    runtime.block_on(async {
        assert!(spawn_blocking(panics).await.unwrap_err().is_panic());
        assert_eq!(spawn_blocking(|| 42).await.unwrap(), 42);
        let in_place = tokio::spawn(async { block_in_place(panics) });
        assert!(in_place.await.unwrap_err().is_panic());
    });
    let on_pool = || runtime.block_on(on_rayon(&pool, panics));
    assert!(catch_unwind(AssertUnwindSafe(on_pool)).is_err());
    assert_eq!(runtime.block_on(on_rayon(&pool, || 42)), 42);
    let unblocked = || smol::block_on(smol::unblock(panics));
    assert!(catch_unwind(unblocked).is_err());
    assert_eq!(smol::block_on(smol::unblock(|| 42)), 42);
}

/// A panic on a Rayon pool aborts the process, which is why `on_rayon`
/// catches panics.
#[test]
fn a_panic_that_nobody_catches_on_a_rayon_pool_aborts_the_process() {
    if std::env::var_os("PANIC_ON_RAYON").is_some() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        pool.spawn(|| panic!("the job failed"));
        loop {
            std::thread::park();
        }
    }
    let this = "bad_cases::a_panic_that_nobody_catches_on_a_rayon_pool_aborts_the_process";
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", this, "--nocapture"])
        .env("PANIC_ON_RAYON", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stderr);
    assert!(!child.status.success());
    assert!(
        said.contains("Rayon: detected unexpected panic; aborting"),
        "{said}"
    );
}

/// A job waits for a message from another job. In a pool with one thread,
/// that job doesn't start before the first one has given up. A pool with
/// Tokio's default limit of 512 threads gets stuck in the same way, with more
/// jobs.
#[test]
fn a_job_that_waits_for_a_job_beyond_the_pool_waits_in_vain() {
    for (threads, expected) in
        [(1, Err(RecvTimeoutError::Timeout)), (2, Ok(42))]
    {
        let runtime = Builder::new_current_thread()
            .max_blocking_threads(threads)
            .build()
            .unwrap();
        let (send, receive) = channel();
        runtime.block_on(async {
            let wait = move || receive.recv_timeout(Duration::from_millis(300));
            let waits = spawn_blocking(wait);
            let sends = spawn_blocking(move || send.send(42).is_ok());
            assert_eq!(waits.await.unwrap(), expected, "{threads} threads");
            sends.await.unwrap();
        });
    }
}

/// If the system can't create a thread, Tokio's pool panics in the calling
/// thread, and Rayon's pool fails when it is built.
#[test]
fn a_pool_that_cannot_make_a_thread_says_so() {
    let runtime = Builder::new_current_thread()
        .thread_stack_size(TOO_MUCH_STACK)
        .build()
        .unwrap();
    let asks =
        || runtime.block_on(async { spawn_blocking(|| 42).await.unwrap() });
    let panic = catch_unwind(AssertUnwindSafe(asks)).unwrap_err();
    let said = panic.downcast_ref::<String>().unwrap();
    assert!(said.starts_with("OS can't spawn worker thread"), "{said}");

    let pool =
        ThreadPoolBuilder::new().num_threads(1).stack_size(TOO_MUCH_STACK);
    assert!(pool.build().is_err());
}
