//! Tests what both policies promise: right answers, no task lost or polled
//! twice at once, panics that stay in their task, a clean end, and thousands
//! of sockets.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use futures_lite::future::{block_on, yield_now};
use futures_lite::{AsyncReadExt, AsyncWriteExt};
use schedulers::{
    spawn, spawn_on, Executor, JoinError, JoinHandle, Policy, TcpListener,
    TcpStream,
};

mod common;

use common::{
    answers, dropped_while_others_wake, dropping_drops_all_tasks, echoes,
    on_each, two_meet,
};

use crate::many_files::ManyFiles;

/// Returns executors of each policy, with one worker and with more workers
/// than most machines have cores.
fn executors() -> impl Iterator<Item = Executor> {
    [1, 2, 7].into_iter().flat_map(|workers| {
        Policy::ALL.map(|policy| {
            eprintln!("{policy:?} with {workers} workers");
            Executor::new(policy, workers).unwrap()
        })
    })
}

fn alone() -> impl Iterator<Item = Executor> {
    Policy::ALL.into_iter().map(|policy| Executor::new(policy, 1).unwrap())
}

#[test]
fn tasks_that_never_rest_keep_neither_sockets_nor_other_threads_waiting() {
    for executor in alone() {
        let done = Arc::new(AtomicBool::new(false));
        let restless = Arc::clone(&done);
        let restless = executor.spawn(async move {
            while !restless.load(Ordering::SeqCst) {
                yield_now().await;
            }
        });
        executor.block_on(echoes(1, 10));
        done.store(true, Ordering::SeqCst);
        block_on(restless).unwrap();
    }
}

fn here() -> String {
    thread::current().name().unwrap().to_owned()
}

#[test]
fn a_task_stays_on_the_worker_that_pinned_queues_gave_it() {
    let executor = Executor::new(Policy::Pinned, 3).unwrap();
    executor.block_on(async {
        let task = |id: usize| {
            spawn_on(id % 3, async move {
                for _ in 0..100 {
                    assert_eq!(here(), format!("worker {}", id % 3));
                    yield_now().await;
                }
            })
        };
        answers((0..30).map(task)).await;
    });
}

#[test]
fn pinned_queues_deal_tasks_out_in_turn() {
    let executor = Executor::new(Policy::Pinned, 3).unwrap();
    let tasks = (0..6).map(|_| executor.spawn(async { here() }));
    let ran = block_on(answers(tasks));
    assert_eq!(
        ran,
        [0, 1, 2, 0, 1, 2].map(|worker| format!("worker {worker}"))
    );
}

#[test]
fn a_worker_without_tasks_steals() {
    let executor = Executor::new(Policy::Stealing, 2).unwrap();
    executor.block_on(two_meet());
}

#[test]
fn dropping_the_executor_drops_all_tasks() {
    executors().for_each(|each| dropping_drops_all_tasks(each, pending()));
}

#[test]
fn dropping_the_executor_while_others_wake_drops_all_tasks() {
    for round in 0..200 {
        let policy = Policy::ALL[round % 2];
        let executor = Executor::new(policy, 2).unwrap();
        let alive = dropped_while_others_wake(executor);
        // If a task was woken in the meantime, a separate thread drops it, so
        // it may still exist for a moment.
        let end = Instant::now() + Duration::from_secs(10);
        while Arc::strong_count(&alive) > 1 {
            assert!(Instant::now() < end, "{policy:?}");
            thread::yield_now();
        }
    }
}

#[test]
fn without_workers_the_reason_is_told() {
    let refused = Executor::new(Policy::Pinned, 0).err().unwrap();
    assert!(refused.to_string().contains("not 0"), "{refused}");
}

#[test]
fn a_thousand_sockets_echo() {
    const CONNECTIONS: usize = 500;
    // Each connection needs two files, one per end.
    let Some(_files) = ManyFiles::room(2 * CONNECTIONS) else { return };
    on_each(|| echoes(CONNECTIONS, 10));
}

#[cfg(unix)]
#[test]
fn pairs_of_sockets_speak_both_ways() {
    on_each(|| async {
        let (mut one, mut other) = schedulers::UnixStream::pair().unwrap();
        let answers = spawn(async move {
            let mut byte = [0];
            while other.read(&mut byte).await.unwrap() == 1 {
                other.write_all(&[byte[0] + 1]).await.unwrap();
            }
        });
        for sent in 0..100 {
            let mut got = [0];
            one.write_all(&[sent]).await.unwrap();
            one.read_exact(&mut got).await.unwrap();
            assert_eq!(got, [sent + 1]);
        }
        drop(one);
        answers.await.unwrap();
    });
}
