//! Tests that a valid run is read back as it was written, that an impossible one is rejected, and
//! that no string makes the parser panic.

use std::ops::RangeInclusive;

use fastrand::Rng;
use measurement::{
    LineError, Measured, Outcome, Parameter, Parameters, Row, Run, RunHeader, Source, Visits,
};

const PROCESSES: usize = 3;

const HEADER: &str = r#"{"run":"2026-11-30T10:12:00Z","machine":"a-machine","chapter":"a-chapter","experiment":"units","profile":"full","commit":"0123abc","method":4,"workload":"9f86d081884c7d65","builds":[1,999999,3],"rustc":"1.95.0","crates":{"tokio":"1.54.1"},"host":{"siblings":1.02,"kernel":"6.18.44","idle":"haltpoll, halts at once","boot":"a"},"own_use":"cgroup v2","load":0.02,"steal":0.001,"processes":3,"rounds":8,"rows":ROWS,"seed":18446744073709551615,"fault":"compilers ran beside it","log":[{"load":0.01,"steal":0.0,"slowed":0.5,"line_ns":97.3},{"load":0.0,"steal":0.5,"repeated":2}]}"#;

fn word(rng: &mut Rng, letters: RangeInclusive<char>) -> String {
    (0..rng.usize(1..12)).map(|_| rng.char(letters.clone())).collect()
}

fn parameters(rng: &mut Rng) -> Parameters {
    let one = |rng: &mut Rng| match rng.u32(..4) {
        0 => Parameter::Flag(rng.bool()),
        1 => Parameter::Integer(rng.i64(..)),
        2 => Parameter::Real(f64::from(rng.i32(..)) + 0.5),
        _ => Parameter::Text(word(rng, 'a'..='z')),
    };
    Parameters((0..rng.u32(..4)).map(|_| (word(rng, 'a'..='z'), one(rng))).collect())
}

fn outcome(rng: &mut Rng) -> Outcome {
    let count = PROCESSES * rng.usize(2..8);
    let points: Vec<f64> = (0..count).map(|_| 0.001 + 1e12 * rng.f64().powi(9)).collect();
    match rng.u32(..3) {
        0 => Outcome::Failed(word(rng, '!'..='~')),
        1 => Outcome::Measured(Measured::from_points(points, PROCESSES, Source::Criterion)),
        _ => {
            let turn: Vec<u32> = (0..count as u32).collect();
            let at = turn.iter().map(|turn| turn * 93).collect();
            let build = turn.iter().map(|turn| turn % PROCESSES as u32).collect();
            let probe = points.iter().map(|_| 100.0 + 1e6 * rng.f64()).collect();
            let visits = Visits { at, turn, build, probe };
            Outcome::Measured(Measured::of_visits(points, visits, 4, Source::Criterion))
        }
    }
}

fn header(rows: usize) -> String {
    HEADER.replace("ROWS", &rows.to_string())
}

fn run(rng: &mut Rng) -> Run {
    let row = |number| {
        // The number makes the name of each row unique.
        let contender = format!("std::thread {number}");
        let row = Row::new("units", &contender, parameters(rng), "time per unit", outcome(rng));
        Row { group: Some("units=1000".to_owned()), ..row }
    };
    let rows: Vec<Row> = (0..5).map(row).collect();
    Run { header: RunHeader::parse(&header(rows.len())).unwrap(), rows }
}

#[test]
fn runs_are_read_as_they_were_written() {
    for seed in 0..200 {
        let run = run(&mut Rng::with_seed(seed));
        let text = run.to_json_lines();
        assert_eq!(text.lines().next(), Some(&header(run.rows.len())[..]));
        assert_eq!(Run::parse_all(&text.repeat(2)), Ok(vec![run.clone(), run]), "{seed}");
    }
}

#[test]
fn no_text_makes_the_parser_panic() {
    for seed in 0..200 {
        let mut rng = Rng::with_seed(seed);
        let text = run(&mut rng).to_json_lines();
        let place = rng.usize(..text.len());
        let with = rng.choice(["", "0", "-", "\"", "{", "é", "\n", "null"]).unwrap();
        // The parser may accept or reject the changed text, but it must not panic.
        drop(Run::parse(&format!("{}{with}{}", &text[..place], &text[place + 1..])));
        drop(Run::parse(&text[..place]));
    }
}

const RUN: &str = r#"{"run":"2026-11-30T10:12:00Z","machine":"m","chapter":"c","experiment":"e","profile":"quick","commit":"","method":4,"rustc":"1.95.0","crates":{},"load":0.0}
{"contender":"smol","parameters":{},"quantity":"latency p99","unit":"ns","estimate":10.0,"low":5.0,"high":90.0,"points":[5.0,7.0,9.0,11.0,70.0,90.0],"source":"criterion"}
"#;

/// Parses the example run after replacing `from` by `to`.
fn changed(from: &str, to: &str) -> Result<Run, LineError> {
    assert!(RUN.contains(from), "{from}");
    Run::parse(&RUN.replace(from, to))
}

#[test]
fn what_need_not_be_said_is_not() {
    let run = Run::parse(RUN).unwrap();
    assert_eq!(run.rows[0].name(), "e: smol, latency p99");
    assert_eq!(run.header.fault, None);
    let stated = changed(r#"{"contender""#, r#"{"experiment":"e","contender""#);
    assert_eq!(stated.as_ref(), Ok(&run));
    let written = run.to_json_lines();
    assert_eq!(written.lines().nth(1), RUN.lines().nth(1));
    // The estimate may differ from the median of the points if it is a percentile over all
    // windows.
    let percentile = RUN.replace("estimate\":10", "estimate\":80");
    assert!(Run::parse(&percentile.replace("criterion", "histogram")).is_ok());
}

#[test]
fn what_cannot_be_true_is_refused_with_its_line() {
    for (from, to, line, why) in [
        ("\"load\":0.0", "\"load\":0.0,\"fault\":\" \"", 1, "`fault` gives no reason"),
        ("\"load\":0.0", "\"load\":0.0,\"rows\":2", 1, "2 rows belong to this header, 1 are there"),
        ("\"load\":0.0", "\"load\":-1", 1, "`load` is -1, which is no share"),
        ("\"load\":0.0", "\"load\":1.5", 1, "`load` is 1.5, which is no share"),
        ("\"load\":0.0", "\"load\":0.0,\"own_use\":\"\u{202e}\"", 1, "character U+202E"),
        ("\"commit\":\"\"", "\"commit\":\"HEAD\"", 1, "`commit` is \"HEAD\", which is none"),
        ("\"method\":4", "\"method\":99", 1, "`method` is 99, and this book knows 4 at most"),
        ("\"crates\":{}", "\"crates\":{\"a\":\"1\",\"a\":\"2\"}", 1, "the key \"a\" stands twice"),
        ("\"parameters\":{}", "\"parameters\":{\"a\":1,\"a\":2}", 2, "the key \"a\" stands twice"),
        ("2026-11-30", "yesterday", 1, "which is no time"),
        ("\"crates\":{}", "\"crates\":{\"tokio\":\"\"}", 1, "no version of tokio"),
        ("\"profile\":\"quick\",", "", 1, "missing field `profile`"),
        ("{\"contender", "{\"experiment\":\"f\",\"contender", 2, "in a run of \"e\""),
        ("\"unit\":\"ns\"", "\"unit\":\"B\"", 2, "is measured in ns, not in B"),
        ("latency p99", "speed", 2, "quantity \"speed\" is not known"),
        ("smol", "<b>", 2, "contender \"<b>\" is not a name"),
        ("\"low\":5.0,", "", 2, "a measured row needs estimate"),
        ("\"low\":5.0", "\"low\":-5.0", 2, "only a row with \"difference\":true may be negative"),
        ("\"low\":5.0", "\"low\":11.0", 2, "do not stand in this order"),
        ("\"low\":5.0", "\"low\":4.0", 2, "reaches beyond the points, which lie between 5 and 90"),
        ("\"low\":5.0", "\"low\":NaN", 2, "JSON has no NaN or infinity"),
        ("estimate\":10", "estimate\":80", 2, "the median of the points is 10"),
        ("5.0,7.0,9.0,11.0,70.0,", "10.0,", 2, "at least six points, this one has 2"),
        ("estimate\":10.0", "estimate\":5e-324", 2, "estimate is 5e-324 ns, which nothing is"),
        ("70.0,90.0]", "70.0,9e20]", 2, "a point is 9e20 ns, which nothing is"),
        (
            "latency p99\",\"unit\":\"ns",
            "share of time\",\"unit\":\"1",
            2,
            "is a part of a whole, 1 at most",
        ),
        (
            "\"source\"",
            &format!(
                "\"at\":{0:?},\"turn\":{0:?},\"build\":{0:?},\"probe\":{0:?},\"source\"",
                [0; 6]
            ),
            2,
            "a probe took 0e0 ns",
        ),
        ("\"source\"", "\"turn\":[1],\"source\"", 2, "`at`, `turn`, `build` and `probe` each"),
        ("\"source\"", "\"window\":{\"achieved\":[],\"errors\":[]},\"source\"", 2, "`window` has"),
        ("\"load\":0.0", "\"load\":0.0,\"processes\":4", 2, "6 points do not spread evenly"),
        ("\"criterion\"}\n", "", 2, "the line was cut off"),
    ] {
        let error = changed(from, to).unwrap_err();
        assert!(error.line == line && error.message.contains(why), "{to}: {error}");
    }
    let row = RUN.lines().nth(1).unwrap();
    let twice = Run::parse_all(&format!("{RUN}{RUN}{row}")).unwrap_err();
    assert!(twice.line == 5 && twice.message.contains("stands on line 4 already"), "{twice}");
    assert!(Run::parse("").unwrap_err().message.contains("a run begins with its header"));
    assert_eq!(Run::parse_all(&format!("{{}}\n{RUN}")).unwrap_err().line, 1);
    let headless = Run::parse(row).unwrap_err();
    assert!(headless.line == 1 && headless.message.contains("with its header"), "{headless}");
    let blank = Run::parse(&RUN.replace("\n{", "\n\n{")).unwrap_err();
    assert!(blank.line == 2 && blank.message.contains("the line is empty"), "{blank}");
    // The error message about a very long line is shortened for the terminal.
    let long = changed("smol", &"s".repeat(1 << 20)).unwrap_err();
    assert!(long.to_string().len() < 5_000 && long.to_string().ends_with("multi-thread\""));
}
