//! How often the rule for verdicts is wrong, on pairs that are drawn, so that it is known which of them differ.
//!
//! The logarithm of a visit scatters around that of its run, and a run favours one contender: that is the
//! variance of run × contender, which more visits do not average away. It goes through the same code as what was
//! measured.

use std::f64::consts::TAU;

use fastrand::Rng;
use measurement::{
    Evidence, Measured, Outcome, Parameter, Parameters, Predicate, Row, Run, RunHeader, Source,
    Verdict, Visits,
};

/// A full run's links, and in each the visits of a cell: two rounds, there and back.
const LINKS: u32 = 5;
const VISITS_IN_LINK: u32 = 4;

/// The standard deviation of the logarithms of visits.
const VISIT: f64 = 0.1;

/// How many machines are drawn for each setting.
const MACHINES: usize = 50;

/// How many pairs a machine has whose contenders are equal, and how many of which one takes a quarter longer.
const PAIRS: [usize; 2] = [16, 8];

/// Of equal pairs, the share that the rule calls different, and of the others the share of which it says which one
/// takes longer. Runs favour a contender with `run_by_contender` times the variance of a visit.
fn called(runs: usize, run_by_contender: f64) -> [f64; 2] {
    let mut rng = Rng::with_seed(4);
    let of_run = VISIT * run_by_contender.sqrt();
    let mut called = [0; 2];
    for _ in 0..MACHINES {
        let runs: Vec<Run> = (0..runs).map(|_| run(of_run, &mut rng)).collect();
        let evidence = Evidence::of_runs(&runs, None);
        for (place, pair) in evidence.rows.chunks_exact(2).enumerate() {
            let found = evidence.ratio(&pair[1], &pair[0]).unwrap();
            let verdict = Predicate::Above(1.0).judge(&found);
            let is_equal = place < PAIRS[0];
            let is_called = verdict == Verdict::Holds || (verdict == Verdict::Fails && is_equal);
            called[usize::from(!is_equal)] += usize::from(is_called);
        }
    }
    [0, 1].map(|of| called[of] as f64 / (MACHINES * PAIRS[of]) as f64)
}

fn run(of_run: f64, rng: &mut Rng) -> Run {
    let mut rows = Vec::new();
    for pair in 0..PAIRS[0] + PAIRS[1] {
        let longer: f64 = if pair < PAIRS[0] { 1.0 } else { 1.25 };
        for (contender, times) in [("one", 1.0), ("the other", longer)] {
            let level = times.ln() + of_run * normal(rng);
            let visit = |_| (level + VISIT * normal(rng)).exp();
            rows.push(row(pair, contender, (0..LINKS * VISITS_IN_LINK).map(visit).collect()));
        }
    }
    let header = r#"{"run":"2026-11-30T10:00:00Z","machine":"drawn","chapter":"harness","experiment":"drawn","profile":"full","commit":"","method":4,"builds":[1,2,3,4,5],"rustc":"","crates":{},"load":0.0,"processes":5,"rounds":2}"#;
    Run { header: RunHeader::parse(header).unwrap(), rows }
}

fn row(pair: usize, contender: &str, points: Vec<f64>) -> Row {
    let turns = 0..LINKS * VISITS_IN_LINK;
    // A bootstrap of all visits takes long, and nobody asks for it.
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

/// A normal number (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    // 0 has no logarithm.
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}

#[test]
fn equals_are_seldom_called_different_and_a_quarter_is_found() {
    for runs in [3, 6] {
        for run_by_contender in [0.0, 1.0, 3.0] {
            let [equal, longer] = called(runs, run_by_contender);
            let setting = format!("{runs} runs, {run_by_contender} times a visit's variance");
            println!("{setting}: {equal} of equals, {longer} of others");
            assert!(equal <= 0.05, "{setting}: {equal} of equal pairs are called different");
        }
    }
}
