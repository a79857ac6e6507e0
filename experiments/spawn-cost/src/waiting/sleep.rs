//! Units that sleep. Each function creates `units` of them that return their id,
//! collects them, and adds up the ids.

use std::thread;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// A thread of the operating system that sleeps.
pub fn threads(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        thread::spawn(move || {
            thread::sleep(wait);
            id
        })
    };
    let threads: Vec<_> = (0..units).map(sleeper).collect();
    threads
        .into_iter()
        .map(|thread| thread.join().expect("the thread returns its id"))
        .sum()
}

/// A Tokio task that sleeps, on either flavour of the runtime.
pub async fn tokio_tasks(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        tokio::spawn(async move {
            tokio::time::sleep(wait).await;
            id
        })
    };
    let tasks: Vec<_> = (0..units).map(sleeper).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("the task returns its id");
    }
    sum
}

/// A task of smol's global executor, and a timer of its reactor.
pub async fn smol_tasks(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        smol::spawn(async move {
            smol::Timer::after(wait).await;
            id
        })
    };
    let tasks: Vec<_> = (0..units).map(sleeper).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    sum
}

/// A Monoio task that sleeps, on either driver.
pub async fn monoio_tasks(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        monoio::spawn(async move {
            monoio::time::sleep(wait).await;
            id
        })
    };
    let tasks: Vec<_> = (0..units).map(sleeper).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    sum
}

/// A Glommio task that sleeps.
#[cfg(target_os = "linux")]
pub async fn glommio_tasks(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        glommio::spawn_local(async move {
            glommio::timer::sleep(wait).await;
            id
        })
    };
    let tasks: Vec<_> = (0..units).map(sleeper).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await;
    }
    sum
}

/// A compio task that sleeps.
pub async fn compio_tasks(units: u64, wait: Duration) -> u64 {
    let sleeper = |id| {
        compio::runtime::spawn(async move {
            compio::time::sleep(wait).await;
            id
        })
    };
    let tasks: Vec<_> = (0..units).map(sleeper).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("the task returns its id");
    }
    sum
}

/// Tokio tasks in the shape of the published measurement: a `JoinSet`, filled
/// and emptied by the future that `block_on` runs on the calling thread.
pub fn as_published(runtime: &Runtime, units: u64, wait: Duration) -> u64 {
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for id in 0..units {
            tasks.spawn(async move {
                tokio::time::sleep(wait).await;
                id
            });
        }
        let mut sum = 0;
        while let Some(id) = tasks.join_next().await {
            sum += id.expect("the task returns its id");
        }
        sum
    })
}
