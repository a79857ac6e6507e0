//! Tasks that wait.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc};

use runtimes::{LocalRuntime, Runtime, Spawn};
use tokio::sync::{Notify, Semaphore};

use crate::listings::idle_task::idle;
use crate::report::Report;
use crate::wanted_units::{with_state, Units, STATES};

/// How many are spawned before it is waited until all of them wait: so no queue
/// grows that would not be there if they had come one by one.
const AT_ONCE: u64 = 64;

/// A task that spawns the units, and tells the memory while all of them wait.
type Root = Pin<Box<dyn Future<Output = Result<Report, String>> + Send>>;

/// On a runtime whose tasks may move between threads.
///
/// # Errors
///
/// If the runtime cannot be built here, or the memory is not told.
pub(super) fn moving<S: Spawn>(
    runtime: Runtime,
    spawner: S,
    of: Units,
) -> Result<Report, String> {
    runtime.start()?;
    let root = root(spawner, of)?;
    let (told, report) = mpsc::channel();
    runtime.run(Box::pin(async move { drop(told.send(root.await)) }));
    report.recv().map_err(|_| "nothing was told".to_owned())?
}

/// On a runtime whose tasks stay on their thread.
///
/// # Errors
///
/// If the runtime cannot be built here, or the memory is not told.
pub(super) fn local<S: Spawn>(
    runtime: LocalRuntime,
    spawner: S,
    of: Units,
) -> Result<Report, String> {
    runtime.start()?;
    let root = root(spawner, of)?;
    let (told, report) = mpsc::channel();
    runtime.run(Box::new(move || {
        Box::pin(async move { drop(told.send(root.await)) })
    }));
    report.recv().map_err(|_| "nothing was told".to_owned())?
}

fn root<S: Spawn>(spawner: S, of: Units) -> Result<Root, String> {
    with_state!(of.state_bytes, STATE => root_with::<S, STATE>(spawner, of))
}

/// What the units share.
struct Shared {
    gate: Notify,
    /// A permit of each unit that waits.
    waiting: Semaphore,
    /// A permit of each that is done.
    gone: Semaphore,
    sum: AtomicU64,
}

fn root_with<S: Spawn, const STATE: usize>(
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
        let mut left = of.units;
        while left > 0 {
            let batch = left.min(AT_ONCE);
            for _ in 0..batch {
                spawner.spawn(unit::<STATE>(shared.clone()));
            }
            take(&shared.waiting, batch).await?;
            left -= batch;
        }
        let report = Report::now(of.group.as_deref())?;
        shared.gate.notify_waiters();
        take(&shared.gone, of.units).await?;
        of.check(shared.sum.load(Ordering::Acquire))?;
        Ok(report)
    }))
}

async fn unit<const STATE: usize>(shared: Arc<Shared>) {
    let waits = || shared.waiting.add_permits(1);
    let sum = idle::<STATE>(&shared.gate, waits).await;
    shared.sum.fetch_add(sum, Ordering::AcqRel);
    shared.gone.add_permits(1);
}

/// Waits until as many units have said so. Who yielded meanwhile would keep
/// Monoio's thread to itself.
async fn take(permits: &Semaphore, units: u64) -> Result<(), String> {
    let units = u32::try_from(units);
    let units = units.map_err(|_| "there are too many".to_owned())?;
    let taken = permits.acquire_many(units).await;
    taken.map_err(|error| error.to_string())?.forget();
    Ok(())
}
