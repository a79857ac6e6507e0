//! The work divided beforehand, a share for each core: what is lost to this is
//! the price of having a unit for each piece.

/// Does `work` for each id below `units`, in a loop on each thread of Rayon's
/// pool over its share of them, and adds up what it returns.
pub fn run(units: u64, work: impl Fn(u64) -> u64 + Sync) -> u64 {
    let sums = rayon::broadcast(|thread| {
        let share = thread.index() as u64..units;
        let own = share.step_by(thread.num_threads());
        own.map(&work).fold(0, u64::wrapping_add)
    });
    sums.into_iter().fold(0, u64::wrapping_add)
}
