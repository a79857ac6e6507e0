//! Tests how the evidence of several runs is combined.

use measurement::{
    Combined, Evidence, EvidenceRow, Interval, Measured, Outcome, Parameters, Pools, Predicate,
    Row, Run, RunHeader, Source, Visits, Window,
};

/// Returns a full run of `cells`. Each cell has a name and four measured values, two per build.
fn run(quantity: &str, cells: &[(&str, [f64; 4])]) -> Run {
    let header = r#"{"run":"2026-11-30T10:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":4,"builds":[7,8],"rustc":"1.95.0","crates":{},"load":0.0,"processes":2}"#;
    let row = |(contender, points): &(&str, [f64; 4])| {
        let (turn, build) = (vec![0, 1, 2, 3], vec![0, 0, 1, 1]);
        let visits = Visits { at: turn.clone(), turn, build, probe: vec![10.0; 4] };
        let measured = Measured::of_visits(points.to_vec(), visits, 1, Source::Harness);
        let outcome = Outcome::Measured(measured);
        let row = Row::new("hops", contender, Parameters::default(), quantity, outcome);
        Row { group: Some("all".to_owned()), ..row }
    };
    Run { header: RunHeader::parse(header).unwrap(), rows: cells.iter().map(row).collect() }
}

fn times(cells: &[(&str, [f64; 4])]) -> Run {
    run("time per hop", cells)
}

fn first(runs: &[&Run], lent: Option<&Pools>) -> Combined {
    Evidence::of_runs(runs.iter().copied(), lent).rows[0].measured().unwrap().clone()
}

#[test]
fn a_ratio_and_a_difference_are_of_links() {
    // The median over the builds is 25 for the first build of `slow`, and 36 for the second.
    let cells = [("slow", [20.0, 30.0, 36.0, 36.0]), ("fast", [10.0; 4])];
    let run = times(&cells);
    let evidence = Evidence::of_runs([&run], None);
    assert_eq!((evidence.headers("hops").len(), evidence.headers("another").len()), (1, 0));
    let [slow, fast] = &evidence.rows[..] else { panic!() };
    let estimate = |row: &EvidenceRow| row.measured().unwrap().estimate.next.estimate;
    assert_eq!(estimate(slow), 30.0);
    let ratio = evidence.ratio(slow, fast).unwrap();
    assert_eq!((ratio.next.estimate, ratio.mean), (3.0, None));
    let difference = evidence.difference(slow, fast).unwrap();
    assert_eq!((estimate(&difference), difference.difference), (20.5, true));
}

#[test]
fn one_run_borrows_from_a_machine_with_several() {
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let [one, other] = [5.0, 6.0].map(|level| times(&names.map(|name| (name, [level; 4]))));
    let reference = Evidence::of_runs([&one, &other], None);
    let judge = |lent| Predicate::Above(1.0).judge(&first(&[&one], lent).estimate).word();
    assert_eq!([judge(reference.pools("hops")), judge(None)], ["holds", "one run"]);
}

#[test]
fn no_interval_reaches_what_cannot_be() {
    // Returns the ends of the first cell's interval.
    let ends = |quantity: &str, cells: &[(&str, [f64; 4])]| {
        let Interval { low, high, .. } = first(&[&run(quantity, cells)], None).estimate.next;
        [low, high]
    };
    let part = ("smol", [0.0, 0.0, 0.9, 0.9]);
    assert_eq!(ends("share", &[part]), [0.0, 1.0]);
    // The interval is clipped at the highest measured value, even if that is above 1.
    assert_eq!(ends("share", &[("smol", [0.9, 0.9, 1.01, 1.02])])[1], 1.02);
    // If another share is clearly above 1, shares aren't parts of a whole, and the interval isn't
    // clipped.
    let more = ("rayon", [2.0; 4]);
    let [low, high] = ends("share", &[part, more]);
    assert!(low == 0.0 && high > 1.2, "{high}");
    // A share whose name says "of time" is always a part of a whole.
    assert_eq!(ends("share of time", &[part, more]), [0.0, 1.0]);
}

#[test]
fn what_failed_in_one_run_is_told_with_the_figures_of_another() {
    let measured = times(&[("smol", [5.0; 4])]);
    let mut failed = measured.clone();
    failed.rows[0].outcome = Outcome::Failed("no room".to_owned());
    for runs in [[&measured, &failed], [&failed, &measured]] {
        let found = first(&runs, None);
        assert_eq!(
            (found.estimate.next.estimate, found.failed_runs),
            (5.0, vec!["no room".to_owned()])
        );
    }
}

#[test]
fn what_windows_answered_is_of_all_that_they_were_offered_in_all_runs() {
    let with = |offered: Vec<f64>, achieved: [f64; 4]| {
        let mut run = run("throughput", &[("smol", achieved)]);
        let Outcome::Measured(measured) = &mut run.rows[0].outcome else { panic!() };
        let achieved = achieved.to_vec();
        measured.window =
            Some(Window { offered, achieved, errors: vec![0; 4], ..Window::default() });
        // Another row of the same cell, a percentile, which doesn't store the counts of requests.
        let waited = Row { quantity: "latency p50".to_owned(), ..run.rows[0].clone() };
        run.rows.push(waited);
        let Outcome::Measured(measured) = &mut run.rows[1].outcome else { panic!() };
        measured.window = None;
        run
    };
    let answered = |runs: &[&Run]| {
        let evidence = Evidence::of_runs(runs.iter().copied(), None);
        evidence.answered(&evidence.rows[1])
    };
    let one = with(vec![100.0; 4], [100.0, 100.0, 100.0, 60.0]);
    let other = with(vec![100.0; 4], [80.0, 80.0, 80.0, 40.0]);
    assert_eq!(answered(&[&one, &other]), Some(0.8));
    // A closed loop has no offered rate, so the share of answered requests is unknown.
    assert_eq!(answered(&[&with(Vec::new(), [7.0; 4])]), None);
}
