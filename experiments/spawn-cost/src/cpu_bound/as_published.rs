//! The work of the published measurement, run on Tokio in the same way: the
//! future passed to `block_on` fills and empties a `JoinSet` on the calling
//! thread.

use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// Does `rounds` rounds of arithmetic on `seed`, each depending on the
/// previous one.
pub fn burn(rounds: u64, seed: u64) -> u64 {
    let start = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    (0..rounds).fold(start, |state, round| {
        let mixed = state ^ round.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let state = mixed.rotate_left(13).wrapping_mul(0x94D0_49BB_1331_11EB);
        state ^ (state >> 17)
    })
}

/// Calls `work` with each id below `units`, in one task per id, and adds up
/// the results.
pub fn spawn(
    runtime: &Runtime,
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for id in 0..units {
            tasks.spawn(async move { work(id) });
        }
        sum(tasks).await
    })
}

/// Calls `work` with each id below `units`, each time on a thread of Tokio's
/// blocking pool, and adds up the results.
pub fn spawn_blocking(
    runtime: &Runtime,
    units: u64,
    work: impl Fn(u64) -> u64 + Copy + Send + 'static,
) -> u64 {
    runtime.block_on(async {
        let mut jobs = JoinSet::new();
        for id in 0..units {
            jobs.spawn_blocking(move || work(id));
        }
        sum(jobs).await
    })
}

async fn sum(units: JoinSet<u64>) -> u64 {
    units.join_all().await.into_iter().fold(0, u64::wrapping_add)
}
