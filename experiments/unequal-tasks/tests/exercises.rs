//! The chapter's exercise. Replace the `todo!()` in the module `yours`, and run it:
//!
//! ```sh
//! cargo test -p unequal-tasks --test exercises -- --ignored deal
//! ```
//!
//! The module `worked` has a solution.

mod yours {
    // ANCHOR: deal
    /// You know how long each task takes. Distribute the tasks: return a list
    /// of task indices for each of `workers` workers, so that the last worker
    /// finishes at most 2 % later than if all were busy to the end. Nobody
    /// steals.
    pub(super) fn deal(lengths: &[u64], workers: usize) -> Vec<Vec<usize>> {
        let _ = (lengths, workers);
        todo!()
    }
    // ANCHOR_END: deal
}

mod worked {
    use std::cmp::Reverse;

    // ANCHOR: deal_worked
    pub(super) fn deal(lengths: &[u64], workers: usize) -> Vec<Vec<usize>> {
        let mut longest_first: Vec<usize> = (0..lengths.len()).collect();
        longest_first.sort_by_key(|&index| Reverse(lengths[index]));
        let mut dealt = vec![Vec::new(); workers];
        let mut loads = vec![0; workers];
        for index in longest_first {
            let least = (0..workers)
                .min_by_key(|&worker| loads[worker])
                .expect("there is a worker");
            loads[least] += lengths[index];
            dealt[least].push(index);
        }
        dealt
    }
    // ANCHOR_END: deal_worked
}

type Deal = fn(&[u64], usize) -> Vec<Vec<usize>>;

fn check(deal: Deal) {
    let every_tenth = |index: usize| if index % 10 == 9 { 50 } else { 1 };
    let heavy_last = |index: usize| if index >= 900 { 50 } else { 1 };
    let of = |length: &dyn Fn(usize) -> u64| (0..1_000).map(length).collect();
    let batches: [Vec<u64>; 2] = [of(&every_tenth), of(&heavy_last)];
    for lengths in batches {
        for workers in [1, 2, 7, 24] {
            let dealt = deal(&lengths, workers);
            assert_eq!(dealt.len(), workers, "a list for each worker");
            let mut all: Vec<usize> = dealt.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..1_000), "each task once");
            let load = |indices: &Vec<usize>| {
                indices.iter().map(|&index| lengths[index]).sum::<u64>()
            };
            let makespan = dealt.iter().map(load).max().unwrap_or(0) as f64;
            let even = lengths.iter().sum::<u64>() as f64 / workers as f64;
            assert!(
                makespan <= 1.02 * even,
                "{workers} workers: the last is done at {makespan}, not {even}"
            );
        }
    }
}

#[test]
#[ignore = "an exercise"]
fn deal() {
    check(yours::deal);
}

#[test]
fn the_worked_solution_keeps_its_rules() {
    check(worked::deal);
}

#[test]
#[should_panic(expected = "the last is done at")]
fn dealing_in_turn_does_not() {
    check(|lengths, workers| {
        let of = |worker| (worker..lengths.len()).step_by(workers).collect();
        (0..workers).map(of).collect()
    });
}
