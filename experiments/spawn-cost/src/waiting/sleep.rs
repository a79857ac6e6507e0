//! Threads and tasks that sleep. Each function creates `units` threads or
//! tasks that return their id, collects them, and adds up the ids.

use std::thread;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Sleeps in one operating-system thread per unit.
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

/// Defines the function for a runtime's tasks, given how to spawn a task, how
/// to sleep, and how to handle the result of joining a task.
macro_rules! tasks {
    ($(#[$doc:meta])* $name:ident, $spawn:path, $sleep:path, [$($joined:tt)*]) => {
        $(#[$doc])*
        pub async fn $name(units: u64, wait: Duration) -> u64 {
            let sleeper = |id| {
                $spawn(async move {
                    $sleep(wait).await;
                    id
                })
            };
            let tasks: Vec<_> = (0..units).map(sleeper).collect();
            let mut sum = 0;
            for task in tasks {
                sum += task.await $($joined)*;
            }
            sum
        }
    };
}

tasks! {
    /// Tokio tasks that sleep, on either flavour of the runtime.
    tokio_tasks, tokio::spawn, tokio::time::sleep, [.expect("the task returns its id")]
}

tasks! {
    /// Tasks of smol's global executor that sleep on timers of its reactor.
    smol_tasks, smol::spawn, smol::Timer::after, []
}

tasks! {
    /// Monoio tasks that sleep, on either driver.
    monoio_tasks, monoio::spawn, monoio::time::sleep, []
}

#[cfg(target_os = "linux")]
tasks! {
    /// Glommio tasks that sleep.
    glommio_tasks, glommio::spawn_local, glommio::timer::sleep, []
}

tasks! {
    /// compio tasks that sleep.
    compio_tasks, compio::runtime::spawn, compio::time::sleep, [.expect("the task returns its id")]
}

/// Tokio tasks as in the published measurement: the future passed to
/// `block_on` fills and empties a `JoinSet` on the calling thread.
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
