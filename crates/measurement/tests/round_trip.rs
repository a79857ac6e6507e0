//! Any run that can be is written and read again as it was, and no text makes the parser panic.

use std::collections::BTreeMap;

use measurement::{
    Fingerprint, LineError, Measured, Outcome, Parameter, Parameters, Profile, RoundLog, Row, Run,
    RunHeader, Source, Unit, Visits, METHOD,
};
use proptest::prelude::*;

const PROCESSES: usize = 3;

fn parameter() -> impl Strategy<Value = Parameter> {
    prop_oneof![
        any::<bool>().prop_map(Parameter::Flag),
        any::<i64>().prop_map(Parameter::Integer),
        (-1e9..1e9f64).prop_map(|value| Parameter::Real(value + 0.5)),
        "[a-z][a-z0-9 ]{0,10}[a-z]".prop_map(Parameter::Text),
    ]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let points = proptest::collection::vec(0.001..1e12f64, 2 * PROCESSES..8 * PROCESSES);
    let measured = points.clone().prop_map(|mut points| {
        points.truncate(points.len() / PROCESSES * PROCESSES);
        Outcome::Measured(Measured::from_points(points, PROCESSES, Source::Criterion))
    });
    let visited = points.prop_map(|points| {
        let numbers: Vec<u32> = (0..points.len() as u32).collect();
        let visits = Visits {
            at: numbers.iter().map(|number| number * 93).collect(),
            build: numbers.iter().map(|number| number % PROCESSES as u32).collect(),
            turn: numbers,
            probe: points.clone(),
        };
        Outcome::Measured(Measured::of_visits(points, visits, 4, Source::Criterion))
    });
    prop_oneof![measured, visited, "[!-~]{1,40}".prop_map(Outcome::Failed)]
}

fn run() -> impl Strategy<Value = Run> {
    let parameters = proptest::collection::btree_map("[a-z_]{1,12}", parameter(), 0..4)
        .prop_filter("a name has a letter", |map: &BTreeMap<String, Parameter>| {
            map.keys().all(|name| name.chars().any(char::is_alphabetic))
        });
    proptest::collection::vec((parameters, outcome()), 1..6).prop_map(|cells| {
        // Contenders are told apart by a number, so that no row stands twice.
        let rows: Vec<Row> = cells
            .into_iter()
            .enumerate()
            .map(|(index, (parameters, outcome))| Row {
                experiment: "units".to_owned(),
                contender: format!("std::thread {index}"),
                parameters: Parameters(parameters),
                quantity: "time per unit".to_owned(),
                unit: Unit::Nanoseconds,
                difference: false,
                group: Some("units=1000".to_owned()),
                twin_of: None,
                derived_from: Vec::new(),
                outcome,
            })
            .collect();
        let header = RunHeader {
            run: "2026-11-30T10:12:00Z".to_owned(),
            machine: "a-machine".to_owned(),
            chapter: "a-chapter".to_owned(),
            profile: Profile::Full,
            commit: "0123abc".to_owned(),
            method: METHOD,
            experiment: "units".to_owned(),
            workload: Some("9f86d081884c7d65".to_owned()),
            builds: vec![1, 999_999, 3],
            rustc: "1.95.0".to_owned(),
            crates: BTreeMap::from([("tokio".to_owned(), "1.54.1".to_owned())]),
            host: Some(Fingerprint { siblings: Some(1.02), ..Fingerprint::default() }),
            own_use: Some("cgroup v2".to_owned()),
            load: 0.02,
            steal: Some(0.001),
            processes: PROCESSES,
            rounds: Some(8),
            rows: Some(rows.len()),
            seed: Some(u64::MAX),
            fault: Some("compilers ran beside it".to_owned()),
            log: vec![
                RoundLog {
                    load: 0.01,
                    steal: 0.0,
                    slowed: Some(0.5),
                    line_ns: Some(97.3),
                    repeated: 0,
                },
                RoundLog { steal: 0.5, repeated: 2, ..RoundLog::default() },
            ],
        };
        Run { header, rows }
    })
}

proptest! {
    #[test]
    fn a_run_is_read_as_it_was_written(run in run()) {
        prop_assert_eq!(Run::parse(&run.to_json_lines()), Ok(run));
    }

    #[test]
    fn no_text_makes_the_parser_panic(run in run(), at in any::<prop::sample::Index>(), with in ".{0,3}") {
        let text = run.to_json_lines();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = places[at.index(places.len())];
        let broken = format!("{}{with}{}", &text[..place], &text[place + 1..]);
        // Whether it is refused depends on the place; that it returns is what counts.
        drop(Run::parse(&broken));
        drop(Run::parse(&text[..place]));
    }
}

#[test]
fn a_fault_says_why_and_most_runs_have_none() {
    let header = |fault: &str| {
        RunHeader::parse(&format!(
            r#"{{"run":"2026-11-30T10:12:00Z","machine":"m","chapter":"c","experiment":"e","profile":"quick","commit":"","method":{METHOD},"rustc":"1.95.0","crates":{{}},"load":0.0{fault}}}"#
        ))
    };
    assert_eq!(header("").unwrap().fault, None);
    let fault = header(r#","fault":"compilers ran beside it""#).unwrap().fault;
    assert_eq!(fault.as_deref(), Some("compilers ran beside it"));
    assert!(header(r#","fault":" ""#).unwrap_err().contains("gives no reason"));
}

/// A run of one row, of which this is the beginning and the end.
fn run_of_row(beginning: &str, estimate: f64, source: &str) -> Result<Run, LineError> {
    Run::parse(&format!(
        r#"{{"run":"2026-11-30T10:12:00Z","machine":"m","chapter":"c","experiment":"e","profile":"quick","commit":"","method":{METHOD},"rustc":"1.95.0","crates":{{}},"load":0.0}}
{{{beginning}"contender":"smol","quantity":"latency p99","unit":"ns","estimate":{estimate},"low":5.0,"high":90.0,"points":[5.0,7.0,9.0,11.0,70.0,90.0],"source":"{source}"}}"#
    ))
}

#[test]
fn a_row_leaves_out_the_experiment_that_its_header_has() {
    let run = run_of_row("", 10.0, "criterion").unwrap();
    assert_eq!(run.rows[0].name(), "e: smol, latency p99");
    assert_eq!(run_of_row(r#""experiment":"e","#, 10.0, "criterion").as_ref(), Ok(&run));
    let written = run.to_json_lines();
    let row = written.lines().nth(1).unwrap();
    assert!(!row.contains("\"experiment\""), "{row}");
    let other = run_of_row(r#""experiment":"f","#, 10.0, "criterion").unwrap_err();
    assert_eq!((other.line, other.message.contains("in a run of \"e\"")), (2, true), "{other}");
    let alone = serde_json::from_str::<Row>(row).unwrap_err();
    assert!(alone.to_string().contains("names no experiment"), "{alone}");
}

#[test]
fn a_percentile_of_all_windows_need_not_be_that_of_the_median_window() {
    assert!(run_of_row("", 80.0, "histogram").is_ok());
    let refused = |estimate, source| run_of_row("", estimate, source).unwrap_err().message;
    assert!(refused(80.0, "criterion").contains("the median of the points is 10"));
    assert!(refused(91.0, "histogram").contains("a wrong interval"));
}
