//! A job in Rayon's pool for each unit. A parallel iterator would split the
//! range into a few large jobs; here every unit is a job, as it is a thread or
//! a task elsewhere.

/// Creates `units` jobs that leave their id in a slot of their own, waits for
/// them all, and adds up the ids.
pub fn create_and_collect(units: u64) -> u64 {
    let mut slots = vec![0; units as usize];
    rayon::scope(|scope| {
        for (id, slot) in slots.iter_mut().enumerate() {
            scope.spawn(move |_| *slot = id as u64);
        }
    });
    slots.iter().sum()
}
