//! Waiting tasks.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc};

use runtimes::{LocalTask, Runtime, Spawn, Task};
use tokio::sync::{Notify, Semaphore};

use crate::batches::batches;
use crate::listings::idle_task::idle as idle_task;
use crate::report::Report;
use crate::wanted_units::{with_state, Units, STATES};

/// The task that spawns the waiting tasks and reports the memory.
type Root = Pin<Box<dyn Future<Output = Result<Report, String>> + Send>>;

/// Converts a task that may move between threads to the runtime's own type of
/// task.
pub(super) trait OfMoving {
    fn of_moving(task: Task) -> Self;
}

impl OfMoving for Task {
    fn of_moving(task: Task) -> Task {
        task
    }
}

impl OfMoving for LocalTask {
    fn of_moving(task: Task) -> LocalTask {
        Box::new(move || task)
    }
}

/// Spawns the tasks. Reports the memory either while all of them wait or
/// after they have ended.
///
/// # Errors
///
/// If the runtime cannot be built here, or the memory is not reported.
pub(super) fn idle<T: OfMoving, S: Spawn>(
    runtime: Runtime<T>,
    spawner: S,
    of: Units,
) -> Result<Report, String> {
    runtime.start()?;
    let root = with_state!(
        of.state_bytes, STATE => root::<S, STATE>(spawner, of)
    )?;
    let (told, report) = mpsc::channel();
    let task = Box::pin(async move { drop(told.send(root.await)) });
    runtime.run(T::of_moving(task));
    report.recv().map_err(|_| "nothing was told".to_owned())?
}

struct Shared {
    gate: Notify,
    /// A semaphore that gets a permit for each task that waits.
    waiting: Semaphore,
    /// A semaphore that gets a permit for each task that has ended.
    gone: Semaphore,
    sum: AtomicU64,
}

fn root<S: Spawn, const STATE: usize>(
    spawner: S,
    of: Units,
) -> Result<Root, String> {
    Ok(Box::pin(async move {
        let shared = Arc::new(Shared {
            gate: Notify::new(),
            waiting: Semaphore::new(0),
            gone: Semaphore::new(0),
            sum: AtomicU64::new(0),
        });
        for batch in batches(of.units) {
            for _ in 0..batch {
                spawner.spawn(unit::<STATE>(shared.clone()));
            }
            take(&shared.waiting, batch).await?;
        }
        let report = Report::now(of.group.as_deref())?;
        shared.gate.notify_waiters();
        take(&shared.gone, of.units).await?;
        of.told(report, shared.sum.load(Ordering::Acquire))
    }))
}

async fn unit<const STATE: usize>(shared: Arc<Shared>) {
    let waits = || shared.waiting.add_permits(1);
    let sum = idle_task::<STATE>(&shared.gate, waits).await;
    shared.sum.fetch_add(sum, Ordering::AcqRel);
    shared.gone.add_permits(1);
}

/// Waits until `units` tasks have added a permit. Yielding in a loop instead
/// would keep Monoio's thread busy.
async fn take(permits: &Semaphore, units: u64) -> Result<(), String> {
    let units = u32::try_from(units);
    let units = units.map_err(|_| "there are too many".to_owned())?;
    let taken = permits.acquire_many(units).await;
    taken.map_err(|error| error.to_string())?.forget();
    Ok(())
}
