//! Tests what the executor promises: right answers, no task lost or polled
//! twice at once, panics that stay in their task, sockets, timers,
//! replacement of stuck threads, and an end even if a task never returns.

use std::future::{pending, poll_fn, Future};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Barrier, Mutex};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use futures_lite::future::{block_on, yield_now};
use noticing::{
    sleep_until, spawn, Executor, JoinError, JoinHandle, Settings, TcpListener,
    TcpStream,
};

#[path = "../../schedulers/tests/integration/executor/common.rs"]
mod common;

use common::{
    answers, dropped_while_others_wake, dropping_drops_all_tasks, echoes,
    holding, on_each, two_meet,
};

const MILLISECOND: Duration = Duration::from_millis(1);

/// A duration longer than any poll that doesn't block on purpose.
const LONG: Duration = Duration::from_secs(2);

fn executor(workers: usize, spares: usize, look_every: Duration) -> Executor {
    let look_every = Some(look_every);
    Executor::new(Settings { workers, spares, look_every }).unwrap()
}

/// Returns executors with few and with many threads: without a monitor, with
/// one that rarely checks, and with one that checks so often that it mistakes
/// short polls for stuck ones.
fn executors() -> impl Iterator<Item = Executor> {
    let looks = [Some(MILLISECOND / 20), Some(LONG), None];
    [(1, 0), (1, 1), (2, 2), (5, 2)].into_iter().flat_map(
        move |(workers, spares)| {
            looks.map(|look_every| {
                let settings = Settings { workers, spares, look_every };
                eprintln!("{settings:?}");
                Executor::new(settings).unwrap()
            })
        },
    )
}

fn alone() -> impl Iterator<Item = Executor> {
    std::iter::once(executor(1, 1, LONG))
}

/// Returns a task that blocks its thread until the returned sender is
/// dropped.
fn blocks_its_thread() -> (impl Future<Output = ()> + Send, mpsc::Sender<()>) {
    let (sender, receiver) = mpsc::channel::<()>();
    let blocks = async move {
        receiver.recv().unwrap_err();
    };
    (blocks, sender)
}

#[test]
fn tasks_that_never_rest_keep_neither_sockets_nor_timers_waiting() {
    let executor = executor(1, 0, LONG);
    let done = Arc::new(AtomicBool::new(false));
    let restless = Arc::clone(&done);
    let restless = executor.spawn(async move {
        while !restless.load(Ordering::SeqCst) {
            yield_now().await;
        }
    });
    executor.block_on(echoes(1, 10));
    executor.block_on(sleep_until(Instant::now() + 5 * MILLISECOND));
    done.store(true, Ordering::SeqCst);
    block_on(restless).unwrap();
}

#[test]
fn timers_come_and_not_early() {
    on_each(|| async {
        let start = Instant::now();
        let (sender, receiver) = async_channel::unbounded();
        for due in [9, 1, 5, 3, 7] {
            let sender = sender.clone();
            drop(spawn(async move {
                let due = start + due * 2 * MILLISECOND;
                sleep_until(due).await;
                assert!(Instant::now() >= due);
                sender.send(due).await.unwrap();
            }));
        }
        drop(sender);
        let mut rang = Vec::new();
        while let Ok(due) = receiver.recv().await {
            rang.push(due);
        }
        assert_eq!(rang.len(), 5);
        // Neither a dropped timer nor an expired one delays any thread.
        drop(sleep_until(start + LONG));
        sleep_until(start).await;
    });
}

#[test]
fn a_timer_that_comes_before_those_that_are_slept_for_is_on_time() {
    let executor = executor(2, 0, LONG);
    let late = executor.spawn(sleep_until(Instant::now() + 100 * LONG));
    // While the task waits for its timer, a thread sleeps in the reactor.
    thread::sleep(20 * MILLISECOND);
    let start = Instant::now();
    executor.block_on(sleep_until(start + 5 * MILLISECOND));
    assert!(start.elapsed() < LONG);
    drop(executor);
    assert!(matches!(block_on(late), Err(JoinError::ShutDown)));
}

#[test]
fn threads_without_tasks_steal() {
    executor(2, 0, LONG).block_on(two_meet());
}

#[test]
fn all_else_goes_on_where_every_worker_is_stuck() {
    for workers in [1, 2] {
        let executor = executor(workers, workers, MILLISECOND);
        let mut stuck = Vec::new();
        for _ in 0..workers {
            let (blocks, lets_go) = blocks_its_thread();
            stuck.push((executor.spawn(blocks), lets_go));
        }
        executor.block_on(async {
            echoes(3, 10).await;
            sleep_until(Instant::now() + MILLISECOND).await;
            let tasks = (0..100).map(|id| spawn(async move { id }));
            assert!(answers(tasks).await.into_iter().eq(0..100));
        });
        for (task, lets_go) in stuck {
            drop(lets_go);
            block_on(task).unwrap();
        }
        assert_eq!(executor.block_on(async { 7 }), 7);
    }
}

#[test]
fn tasks_behind_one_that_blocks_are_rescued() {
    let executor = executor(1, 1, MILLISECOND);
    executor.block_on(async {
        let (sender, receiver) = mpsc::channel();
        // Pushing the first task into a queue wakes no other thread, so this
        // task waits in the queue of the thread that is about to block.
        let behind = spawn(async move { sender.send(7).unwrap() });
        assert_eq!(receiver.recv(), Ok(7));
        // By now, the monitor considers this poll stuck. Tasks that it spawns
        // from here on must also be moved to other threads.
        let (sender, receiver) = mpsc::channel();
        let once_more = spawn(async move { sender.send(8).unwrap() });
        assert_eq!(receiver.recv(), Ok(8));
        behind.await.unwrap();
        once_more.await.unwrap();
    });
}

#[test]
fn no_monitor_no_rescue() {
    let settings = Settings { workers: 1, spares: 1, look_every: None };
    let executor = Executor::new(settings).unwrap();
    let (blocks, lets_go) = blocks_its_thread();
    let stuck = executor.spawn(blocks);
    thread::sleep(10 * MILLISECOND);
    let (sender, receiver) = mpsc::channel();
    let waits = executor.spawn(async move { sender.send(()).unwrap() });
    receiver.recv_timeout(50 * MILLISECOND).unwrap_err();
    drop(lets_go);
    block_on(stuck).unwrap();
    block_on(waits).unwrap();
}

#[test]
fn more_block_than_there_are_threads_and_all_run_in_the_end() {
    let executor = executor(1, 1, MILLISECOND);
    let (blocks, lets_go): (Vec<_>, Vec<_>) =
        (0..5).map(|_| blocks_its_thread()).unzip();
    let mut tasks: Vec<_> =
        blocks.into_iter().map(|blocks| executor.spawn(blocks)).collect();
    tasks.push(executor.spawn(echoes(1, 1)));
    // Two tasks block both threads, so that no thread is left to run another
    // task.
    thread::sleep(20 * MILLISECOND);
    let (sender, receiver) = mpsc::channel();
    tasks.push(executor.spawn(async move { sender.send(()).unwrap() }));
    receiver.recv_timeout(20 * MILLISECOND).unwrap_err();
    drop(lets_go);
    receiver.recv().unwrap();
    for task in tasks {
        block_on(task).unwrap();
    }
}

/// Checks that `root` finishes while two tasks repeatedly block both threads.
/// It does because a thread that returns from a blocking poll takes waiting
/// tasks before its own.
fn is_done_beside_two_that_block(
    root: impl Future<Output = ()> + Send + 'static,
) {
    let executor = executor(1, 1, MILLISECOND);
    let done = Arc::new(AtomicBool::new(false));
    let blocks = || {
        let done = Arc::clone(&done);
        executor.spawn(async move {
            while !done.load(Ordering::SeqCst) {
                thread::sleep(4 * MILLISECOND);
                yield_now().await;
            }
        })
    };
    let both = [blocks(), blocks()];
    thread::sleep(10 * MILLISECOND);
    let start = Instant::now();
    executor.block_on(root);
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    done.store(true, Ordering::SeqCst);
    for task in both {
        block_on(task).unwrap();
    }
}

#[test]
fn one_that_comes_back_goes_behind_what_has_waited() {
    is_done_beside_two_that_block(async {
        for id in 0..5 {
            assert_eq!(spawn(async move { id }).await.unwrap(), id);
        }
    });
}

#[test]
fn one_that_comes_back_looks_at_sockets() {
    is_done_beside_two_that_block(echoes(1, 5));
}

#[test]
fn a_panic_of_a_thread_that_was_replaced_stays_in_its_task() {
    let executor = executor(1, 1, MILLISECOND);
    let (blocks, lets_go) = blocks_its_thread();
    let stuck = executor.spawn(async {
        blocks.await;
        panic!("on purpose");
    });
    executor.block_on(async {});
    drop(lets_go);
    assert!(matches!(block_on(stuck), Err(JoinError::Panicked(_))));
    for _ in 0..10 {
        executor.block_on(async {});
    }
}

#[test]
fn dropping_the_executor_drops_all_tasks() {
    for (workers, spares) in [(1, 0), (1, 1), (2, 2), (5, 2)] {
        let sleeps = sleep_until(Instant::now() + 9 * LONG);
        dropping_drops_all_tasks(executor(workers, spares, LONG), sleeps);
    }
}

#[test]
fn dropping_the_executor_while_others_wake_drops_all_tasks() {
    for _ in 0..100 {
        let alive = dropped_while_others_wake(executor(2, 1, LONG));
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}

/// A thread that wakes a task may hold a lock that dropping the task also
/// takes, such as the lock of an `event_listener::Event`.
#[test]
fn no_task_is_dropped_by_whoever_wakes_it() {
    struct Wakes(Arc<Mutex<Option<Waker>>>);
    impl Drop for Wakes {
        fn drop(&mut self) {
            let woken = self.0.lock().unwrap();
            woken.as_ref().unwrap().wake_by_ref();
        }
    }
    struct Listens(Arc<Mutex<Option<Waker>>>, mpsc::Sender<bool>);
    impl Drop for Listens {
        fn drop(&mut self) {
            self.1.send(self.0.try_lock().is_ok()).unwrap();
        }
    }
    let event = Arc::<Mutex<Option<Waker>>>::default();
    let (sender, lock_is_free) = mpsc::channel();
    let wakes = Wakes(Arc::clone(&event));
    let listens = Listens(event, sender);

    let executor = executor(1, 0, MILLISECOND);
    drop(executor.spawn(holding(wakes, pending::<()>())));
    executor.block_on(async {
        drop(spawn(poll_fn(move |cx| {
            *listens.0.lock().unwrap() = Some(cx.waker().clone());
            Poll::<()>::Pending
        })));
        yield_now().await;
    });
    // The executor's only thread is stuck, so the thread that drops the
    // executor also drops the tasks.
    let (blocks, lets_go) = blocks_its_thread();
    drop(executor.spawn(blocks));
    thread::sleep(10 * MILLISECOND);
    drop(executor);
    assert_eq!(lock_is_free.recv_timeout(LONG), Ok(true));
    drop(lets_go);
}

#[test]
fn dropping_the_executor_does_not_wait_for_a_task_that_never_returns() {
    let executor = executor(1, 1, MILLISECOND);
    let alive = Arc::new(());
    let (blocks, lets_go) = blocks_its_thread();
    // After this poll, the task waits forever.
    let stuck = executor.spawn(holding(Arc::clone(&alive), async {
        blocks.await;
        pending::<()>().await;
    }));
    let waits = executor.spawn(holding(Arc::clone(&alive), pending::<()>()));
    executor.block_on(async {});
    let start = Instant::now();
    drop(executor);
    assert!(start.elapsed() < LONG, "{:?}", start.elapsed());
    // All tasks except the one being polled have been dropped.
    assert!(matches!(block_on(waits), Err(JoinError::ShutDown)));
    assert_eq!(Arc::strong_count(&alive), 1 + 1);
    // Now the stuck thread returns, drops its task and exits.
    drop(lets_go);
    assert!(matches!(block_on(stuck), Err(JoinError::ShutDown)));
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn without_a_monitor_dropping_waits_for_the_polls_under_way() {
    let settings = Settings { workers: 1, spares: 0, look_every: None };
    let executor = Executor::new(settings).unwrap();
    let begun = Arc::new(Barrier::new(2));
    let begins = Arc::clone(&begun);
    let ended = Arc::new(AtomicBool::new(false));
    let ends = Arc::clone(&ended);
    drop(executor.spawn(async move {
        begins.wait();
        thread::sleep(20 * MILLISECOND);
        ends.store(true, Ordering::SeqCst);
    }));
    begun.wait();
    drop(executor);
    assert!(ended.load(Ordering::SeqCst));
}

#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    let refused = |settings| Executor::new(settings).err().unwrap().to_string();
    let look_every = Some(Duration::ZERO);
    let told = refused(Settings { workers: 0, spares: 1, look_every: None });
    assert!(told.contains("not 0"), "{told}");
    let told = refused(Settings { workers: 1, spares: 1, look_every });
    assert!(told.contains("look_every is 0"), "{told}");
}

#[test]
fn a_hundred_connections_echo() {
    on_each(|| echoes(100, 10));
}
