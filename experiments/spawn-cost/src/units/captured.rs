//! Threads, jobs and tasks that carry state. The spawner creates `BYTES`
//! bytes for each and moves them into it. Each reads one byte per cache line.

use std::thread;

/// Returns `id`. Panics if `state` belongs to another thread, job or task.
fn checked<const BYTES: usize>(id: u64, state: &[u8; BYTES]) -> u64 {
    assert!(state.iter().step_by(64).all(|&byte| byte == id as u8));
    id
}

/// Runs `units` threads, each of which carries `BYTES` bytes.
pub fn threads<const BYTES: usize>(units: u64) -> u64 {
    let spawn = |id| {
        let state = [id as u8; BYTES];
        thread::spawn(move || checked(id, &state))
    };
    let threads: Vec<_> = (0..units).map(spawn).collect();
    threads.into_iter().map(|thread| thread.join().expect("its id")).sum()
}

/// Runs `units` jobs in Rayon's pool, each of which carries `BYTES` bytes.
pub fn jobs<const BYTES: usize>(units: u64) -> u64 {
    let mut slots = vec![0; units as usize];
    rayon::scope(|scope| {
        for (id, slot) in (0..).zip(&mut slots) {
            let state = [id as u8; BYTES];
            scope.spawn(move |_| *slot = checked(id, &state));
        }
    });
    slots.iter().sum()
}

/// Runs `units` Tokio tasks, each of which carries `BYTES` bytes.
pub async fn tasks<const BYTES: usize>(units: u64) -> u64 {
    let spawn = |id| {
        let state = [id as u8; BYTES];
        tokio::spawn(async move { checked(id, &state) })
    };
    let tasks: Vec<_> = (0..units).map(spawn).collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.expect("its id");
    }
    sum
}
