//! Times the start of a thread, job or task: from just before its creation to
//! its first instruction, which reads the clock. The creator waits for it to
//! run. The time includes one reading of the clock.

use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// The time just before the creation of a thread, job or task, and the time
/// at which it began to run.
pub type Times = (Instant, Instant);

/// A thread.
pub fn thread() -> Times {
    let start = Instant::now();
    let unit = thread::spawn(Instant::now);
    (start, unit.join().expect("the thread reads the clock"))
}

/// Times a job in Rayon's pool.
pub fn job() -> Times {
    let start = Instant::now();
    let mut began = start;
    rayon::scope(|scope| scope.spawn(|_| began = Instant::now()));
    (start, began)
}

/// Times a job in a pool that takes boxed closures. `execute` passes one to
/// the pool.
pub fn boxed(execute: impl FnOnce(Box<dyn FnOnce() + Send>)) -> Times {
    let (sender, began) = mpsc::sync_channel(1);
    let start = Instant::now();
    execute(Box::new(move || {
        sender.send(Instant::now()).expect("it is awaited");
    }));
    (start, began.recv().expect("the job reads the clock"))
}

/// A Tokio task.
pub async fn tokio_task() -> Times {
    let start = Instant::now();
    let unit = tokio::spawn(async { Instant::now() });
    (start, unit.await.expect("the task reads the clock"))
}

/// A Monoio task.
pub async fn monoio_task() -> Times {
    let start = Instant::now();
    let unit = monoio::spawn(async { Instant::now() });
    (start, unit.await)
}
