//! Tests by simulation that the two intervals of a figure contain the next run, or the mean, as
//! often as they should.

use fastrand::Rng;
use measurement::interval::{student, Links, Pool, Sample, Scale};

use crate::simulated::normal;

/// Simulates rows with a true mean of 5. Returns two shares: of rows whose next run is inside the
/// interval for the next run, and of rows whose true mean is inside the interval of the mean.
/// Runs differ in each row separately or, if `at_once`, in all rows together.
fn confirmed(runs: u32, [of_run, of_link]: [f64; 2], at_once: bool) -> [f64; 2] {
    let mut rng = Rng::with_seed(14);
    let mut inside = [0.0, 0.0];
    for _ in 0..100 {
        let levels = |rng: &mut Rng| [(); 5].map(|()| of_run * normal(rng));
        let common = levels(&mut rng);
        let mut whole = Vec::new();
        let mut rows = Vec::new();
        for _ in 0..20 {
            let levels = if at_once { common } else { levels(&mut rng) };
            let places = (0..=runs).flat_map(|run| (0..3).map(move |link| (run, link)));
            let figure = |(run, link)| {
                let log = 5.0 + levels[run as usize] + of_link * normal(&mut rng);
                ((run, link), log.exp())
            };
            let mut links: Links = places.map(figure).collect();
            whole.push(Sample::of(links.clone(), Scale::Log));
            let last = links.split_off(&(runs, 0));
            rows.push([links, last].map(|links| Sample::of(links, Scale::Log)));
        }
        // If `before` is a single run, its variances are borrowed from `whole`, which has two
        // runs.
        let before: Vec<Sample> = rows.iter().map(|[before, _]| before.clone()).collect();
        let pool = Pool::of(if runs > 1 { &before } else { &whole });
        for [before, last] in &rows {
            let (next, mean) = before.intervals(pool.as_ref(), 1.0);
            let found = [(next, last.centre()), (mean.expect("there is a pool"), 5_f64.exp())];
            for ((interval, value), inside) in found.into_iter().zip(&mut inside) {
                *inside += f64::from((interval.low..=interval.high).contains(&value)) / 2000.0;
            }
        }
    }
    inside
}

#[test]
fn the_next_run_and_the_mean_lie_inside() {
    for runs in [1, 2, 4] {
        for spread in [[0.03, 0.02], [0.0, 0.1], [0.05, 0.05]] {
            let shares = confirmed(runs, spread, false);
            let are_inside = shares.iter().all(|share| (0.925..0.995).contains(share));
            assert!(are_inside, "{runs}, {spread:?}: {shares:?}");
        }
    }
}

#[test]
fn what_moves_all_rows_at_once_is_known_from_few_runs_only() {
    for (runs, least) in [(2, 0.78), (4, 0.87)] {
        let [next, _] = confirmed(runs, [0.05, 0.02], true);
        assert!(next > least, "{runs} runs: {next}");
    }
}

/// Returns the half-widths of both intervals, in hundredths, computed without pooled variances.
fn halves(places: [(u32, u32); 3], values: [f64; 3]) -> [Option<f64>; 2] {
    let sample = Sample::of(places.into_iter().zip(values).collect(), Scale::Linear);
    let (next, mean) = sample.intervals(None, 1.0);
    [Some(next), mean].map(|of| Some(((of?.high - of?.estimate) * 100.0).round()))
}

#[test]
fn without_a_pool_links_tell_of_the_next_run_and_runs_of_the_mean() {
    let (links, runs) = ([(0, 0), (0, 1), (0, 2)], [(0, 0), (1, 0), (2, 0)]);
    assert_eq!(halves(links, [5.0; 3]), [Some(0.0), None]);
    // With 2 degrees of freedom, half the interval is 4.303 times the root of 2/3 of the
    // variance.
    assert_eq!(halves(links, [10.0, 10.2, 9.9]), [Some(54.0), None]);
    // With 2 degrees of freedom, half the interval is 4.303 times the root of a third of the
    // variance, which is 1.
    assert_eq!(halves(runs, [9.0, 10.0, 11.0])[1], Some(248.0));
}

#[test]
fn quantiles_of_student() {
    for (freedom, quantile) in
        [(1.0, 12.706), (2.0, 4.303), (4.0, 2.776), (7.0, 2.365), (30.0, 2.042)]
    {
        assert!((student(freedom) / quantile - 1.0).abs() < 0.005, "{}", student(freedom));
    }
}
