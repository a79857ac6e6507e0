//! One job in Rayon's pool per unit of work. A parallel iterator would split
//! the range into a few large jobs; here every unit is a job, to match the
//! other contenders' thread or task per unit.

use rayon::Scope;

/// Creates `units` jobs that each write their id into a slot, waits for all of
/// them, and adds up the ids.
pub fn create_and_collect(units: u64) -> u64 {
    let mut slots = vec![0; units as usize];
    // `scope` returns when all jobs are done.
    rayon::scope(|scope| create(scope, &mut slots));
    slots.iter().sum()
}

/// Creates one job per slot. Each job writes its id into its slot.
pub fn create<'scope>(scope: &Scope<'scope>, slots: &'scope mut [u64]) {
    for (id, slot) in slots.iter_mut().enumerate() {
        scope.spawn(move |_| *slot = id as u64);
    }
}
