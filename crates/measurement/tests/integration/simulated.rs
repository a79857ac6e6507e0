//! Simulates pairs of contenders with a known difference, to see how often the rule for verdicts
//! is wrong.
//!
//! The logarithm of a measurement scatters around that of its run. In addition, each run favours
//! one contender or the other (the variance `run_by_contender`), which more measurements in the
//! run don't average out. The simulated runs are analysed by the code that analyses measured
//! ones.

use std::f64::consts::TAU;

use fastrand::Rng;
use measurement::{
    Evidence, Measured, Outcome, Parameter, Parameters, Predicate, Row, Run, RunHeader, Source,
    Verdict, Visits,
};

/// The number of builds in a full run. Each cell is measured four times with each build: in two
/// rounds, there and back.
const LINKS: u32 = 5;
const VISITS_IN_LINK: u32 = 4;

/// The standard deviation of the logarithm of a measurement.
const VISIT: f64 = 0.1;

const MACHINES: usize = 40;

const PAIRS: usize = 16;

/// Returns the share of pairs that the rule finds to be different (if they differ: in the right
/// direction). The second contender of each pair takes `times` as long as the first. Only the
/// first `favoured` pairs are judged; in these, a run favours one contender, with
/// `run_by_contender` times the variance of a single measurement.
fn called(times: f64, runs: usize, run_by_contender: f64, favoured: usize) -> f64 {
    let mut rng = Rng::with_seed(4);
    let of_run = VISIT * run_by_contender.sqrt();
    let mut called = 0;
    for _ in 0..MACHINES {
        let runs: Vec<Run> = (0..runs).map(|_| run(times, of_run, favoured, &mut rng)).collect();
        let evidence = Evidence::of_runs(&runs, None);
        for pair in evidence.rows.chunks_exact(2).take(favoured) {
            let found = evidence.ratio(&pair[1], &pair[0]).unwrap();
            let verdict = Predicate::Above(1.0).judge(&found);
            let is_equal = times == 1.0;
            let is_called = verdict == Verdict::Holds || (verdict == Verdict::Fails && is_equal);
            called += usize::from(is_called);
        }
    }
    called as f64 / (MACHINES * favoured) as f64
}

fn run(times: f64, of_run: f64, favoured: usize, rng: &mut Rng) -> Run {
    let mut rows = Vec::new();
    for pair in 0..PAIRS {
        let of_run = if pair < favoured { of_run } else { 0.0 };
        for (contender, times) in [("one", 1.0), ("the other", times)] {
            let level = f64::ln(times) + of_run * normal(rng);
            let visit = |_| (level + VISIT * normal(rng)).exp();
            rows.push(row(pair, contender, (0..LINKS * VISITS_IN_LINK).map(visit).collect()));
        }
    }
    let header = r#"{"run":"2026-11-30T10:00:00Z","machine":"drawn","chapter":"harness","experiment":"drawn","profile":"full","commit":"","method":4,"builds":[1,2,3,4,5],"rustc":"","crates":{},"load":0.0,"processes":5,"rounds":2}"#;
    Run { header: RunHeader::parse(header).unwrap(), rows }
}

fn row(pair: usize, contender: &str, points: Vec<f64>) -> Row {
    let turns = 0..LINKS * VISITS_IN_LINK;
    // Only one value is used, because bootstrapping all values would take long and the interval
    // isn't needed.
    let mut measured = Measured::from_points(vec![1.0], 1, Source::Criterion);
    measured.visits = Some(Visits {
        at: turns.clone().collect(),
        turn: turns.clone().collect(),
        build: turns.map(|turn| turn / VISITS_IN_LINK).collect(),
        probe: vec![1.0; points.len()],
    });
    measured.points = points;
    let number = ("pair".to_owned(), Parameter::from(pair as i64));
    let parameters = Parameters([number].into_iter().collect());
    let row =
        Row::new("drawn", contender, parameters, "time per operation", Outcome::Measured(measured));
    Row { group: Some(format!("pair={pair}")), ..row }
}

/// Returns a normally distributed number (Box and Muller 1958).
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    // Avoids taking the logarithm of 0.
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}

#[test]
fn equals_are_seldom_called_different_and_a_difference_is_found() {
    for runs in [3, 6] {
        for run_by_contender in [0.0, 1.0, 3.0] {
            let equal = called(1.0, runs, run_by_contender, PAIRS);
            println!("{runs} runs, {run_by_contender}: {equal} of equals");
            assert!(equal <= 0.05, "{runs} runs, {run_by_contender}: {equal} of equals");
        }
    }
    let found = called(1.25, 6, 1.0, PAIRS);
    println!("{found} of those that take a quarter longer");
    assert!(found >= 0.8, "{found} of those that take a quarter longer");
}

/// Pooling variances doesn't help with a row that scatters far more than other rows of its kind.
#[test]
fn a_pair_that_scatters_while_others_do_not_is_called_different_more_often() {
    for runs in [3, 6] {
        for run_by_contender in [1.0, 3.0] {
            let equal = called(1.0, runs, run_by_contender, PAIRS / 8);
            println!("{runs} runs, {run_by_contender}, alone: {equal} of equals");
            assert!(equal <= 0.3, "{runs} runs, {run_by_contender}: {equal} of equals");
        }
    }
}
