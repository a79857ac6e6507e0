//! A job in Rayon's pool for each unit of work. (For a plain loop over numbers,
//! a parallel iterator needs far fewer jobs.)

/// Does `work` for each id below `units`, each as a job, and adds up what it
/// returns.
pub fn run(units: u64, work: impl Fn(u64) -> u64 + Copy + Send + Sync) -> u64 {
    let mut results = vec![0; units as usize];
    rayon::scope(|scope| {
        for (id, result) in (0..units).zip(&mut results) {
            scope.spawn(move |_| *result = work(id));
        }
    });
    results.into_iter().fold(0, u64::wrapping_add)
}
