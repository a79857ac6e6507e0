//! The chapter's exercise. Replace the `todo!()` in the module `yours`, and run
//! it:
//!
//! ```sh
//! cargo test -p how-benchmarks-lie --test exercises -- --ignored told_apart
//! ```
//!
//! The times are simulated, so it is known which programs differ. The module
//! `worked` has a solution.

mod yours {
    // ANCHOR: told_apart
    /// Three programs took turns in ten rounds. Each slice has one time per
    /// round; `twin` is the same program as `before`. Return the ratio of
    /// `after`'s time to `before`'s, or `None` if these rounds can't tell the
    /// two apart.
    pub(super) fn told_apart(
        before: &[f64],
        twin: &[f64],
        after: &[f64],
    ) -> Option<f64> {
        let _ = (before, twin, after);
        todo!()
    }
    // ANCHOR_END: told_apart
}

mod worked {
    // ANCHOR: told_apart_worked
    /// Returns the ratio in each round, in ascending order.
    fn ratios(one: &[f64], other: &[f64]) -> Vec<f64> {
        let rounds = one.iter().zip(other);
        let mut ratios: Vec<f64> =
            rounds.map(|(one, other)| one / other).collect();
        ratios.sort_by(f64::total_cmp);
        ratios
    }

    pub(super) fn told_apart(
        before: &[f64],
        twin: &[f64],
        after: &[f64],
    ) -> Option<f64> {
        let (twins, ratios) = (ratios(twin, before), ratios(after, before));
        // Discards the lowest and the highest ratio, which slow measurements
        // may have caused.
        let (second, last_but_one) = (1, ratios.len() - 2);
        let noise = twins[second]..=twins[last_but_one];
        let found = ratios[second]..=ratios[last_but_one];
        let apart = found.end() < noise.start() || noise.end() < found.start();
        let middle = ratios.len() / 2;
        (apart && noise.contains(&1.0))
            .then(|| (ratios[middle - 1] + ratios[middle]) / 2.0)
    }
    // ANCHOR_END: told_apart_worked
}

const RUNS: usize = 200;

/// Simulates one time per round for each program. `takes` has the ratio of
/// each program's time to that of `before`. Each round slows all three
/// programs by up to a half; each time also differs by up to a hundredth, and
/// one in fifty is three times as long.
fn rounds(random: &mut fastrand::Rng, takes: [f64; 3]) -> [Vec<f64>; 3] {
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..10 {
        let round = 100.0 * (1.0 + random.f64() / 2.0);
        for (times, takes) in times.iter_mut().zip(takes) {
            let slow = if random.u8(0..50) == 0 { 3.0 } else { 1.0 };
            times.push(round * takes * slow * (1.0 + random.f64() / 100.0));
        }
    }
    times
}

/// A solution of the exercise. It takes the times of `before`, `twin` and
/// `after`, one per round, and returns the ratio, or `None` if it can't find
/// one.
type Solution = fn(&[f64], &[f64], &[f64]) -> Option<f64>;

fn check_told_apart(solution: Solution) {
    let mut random = fastrand::Rng::with_seed(21);
    // Returns in how many of 200 simulations the programs are told apart.
    // Every ratio found must be correct to within 0.02.
    let mut told = |twin, after| {
        let runs = (0..RUNS).filter_map(|_| {
            let [before, twin, after] = rounds(&mut random, [1.0, twin, after]);
            solution(&before, &twin, &after)
        });
        let ratios: Vec<f64> = runs.collect();
        for ratio in &ratios {
            assert!(
                (ratio - after).abs() < 0.02,
                "{ratio} times, and it is {after}"
            );
        }
        ratios.len()
    };
    let faster = told(1.0, 0.95);
    assert!(
        faster > RUNS * 9 / 10,
        "of {RUNS} that are faster, {faster} are told"
    );
    let slower = told(1.0, 1.05);
    assert!(
        slower > RUNS * 9 / 10,
        "of {RUNS} that are slower, {slower} are told"
    );
    let same = told(1.0, 1.0);
    assert!(
        same < RUNS / 50,
        "of {RUNS} that are the same, {same} are told apart"
    );
    // Here, another build of the same program is slower. A difference of that
    // size proves nothing about the program.
    let linked = told(1.05, 1.05);
    assert!(
        linked < RUNS / 50,
        "of {RUNS} that differ as a link does, {linked} are told apart"
    );
}

#[test]
#[ignore = "an exercise"]
fn told_apart() {
    check_told_apart(yours::told_apart);
}

#[test]
fn the_worked_solution_keeps_its_rule() {
    check_told_apart(worked::told_apart);
}

#[test]
#[should_panic = "times, and it is"]
fn means_are_moved_by_a_slow_visit() {
    check_told_apart(|before, _, after| {
        Some(after.iter().sum::<f64>() / before.iter().sum::<f64>())
    });
}

#[test]
#[should_panic = "that are the same"]
fn a_median_without_a_twin_always_finds_a_difference() {
    check_told_apart(|before, _, after| {
        let mut ratios: Vec<f64> =
            after.iter().zip(before).map(|(one, other)| one / other).collect();
        ratios.sort_by(f64::total_cmp);
        Some((ratios[4] + ratios[5]) / 2.0)
    });
}
