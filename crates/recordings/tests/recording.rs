//! Tests that recordings are read as they were written, and that impossible ones are rejected.

use measurement::{Parameter, Source, METHOD};
use recordings::recording::{EXTRAPOLATED_TIME, LEFT_OVER, RECORDED_TIME, STEP, UNRECORDED_TIME};
use recordings::RecordingRun;

fn run(recording: &str) -> String {
    let header = format!(
        r#"{{"run":"2026-11-22T10:12:00Z","machine":"m","chapter":"c","experiment":"switch","profile":"quick","commit":"","method":{METHOD},"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":3,"rows":1}}"#
    );
    format!("{header}\n{recording}\n")
}

const HOP: &str = concat!(
    r#"{"contender":"std::thread","parameters":{"kernel":"pipe"},"recorded":{"operation":"hop","operations":600,"others":7,"#,
    r#""lengths":[100.0,110.0,104.0],"events":[7.0,7.0,7.0],"few_lengths":[60.0,70.0,64.0],"few_events":[2.0,2.0,2.0],"#,
    r#""unrecorded":[44.0,50.0,48.0],"steps":[{"name":"write to waking","took":[30.0,31.0,32.0]},"#,
    r#"{"name":"waking to return","took":[69.0,80.0,72.0]}],"shown":{"length":104,"steps":[32,72],"#,
    r#""units":["writer","reader"],"cores":[0,1],"spans":[{"of":{"unit":0},"from":0,"to":104,"doing":{"call":"write"}},"#,
    r#"{"of":{"unit":1},"from":0,"to":32,"doing":"asleep"},{"of":{"core":1},"from":32,"to":104,"doing":{"runs":1}}],"#,
    r#""wakes":[{"at":32,"by":0,"woken":1}],"incidents":[{"at":40,"of":{"core":1},"name":"interrupt taken"}]}}}"#,
);

/// The rows add up, and the cost of recording is extrapolated: five more events take 40 ns more,
/// so two take 16. The figures of a recording by the program's own timestamps are marked as timed
/// by the harness. If the program does other work between operations, there is no unrecorded
/// time.
#[test]
fn what_is_written_is_read_and_its_figures_are_rows() {
    let stamps = HOP.replace(r#""operations":600"#, r#""stamps_only":true,"operations":600"#);
    let apart = HOP.replace(r#""unrecorded":[44.0,50.0,48.0],"#, "");
    let all = [
        (RECORDED_TIME, Some("all"), 104.0),
        (RECORDED_TIME, Some("write to waking"), 31.0),
        (RECORDED_TIME, Some("waking to return"), 72.0),
        (RECORDED_TIME, Some(LEFT_OVER), 0.0),
        (EXTRAPOLATED_TIME, None, 48.0),
        (UNRECORDED_TIME, None, 48.0),
    ];
    for (recording, source, expected) in [
        (HOP, Source::Tracepoint, &all[..]),
        (&stamps, Source::Harness, &all),
        (&apart, Source::Tracepoint, &all[..5]),
    ] {
        let text = run(recording);
        let runs = RecordingRun::parse_all(&text).unwrap();
        assert_eq!(runs[0].to_json_lines(), text);
        assert_eq!(runs[0].recordings[0].name(), "std::thread, kernel=pipe");
        let rows = runs[0].recordings[0].rows("switch");
        assert_eq!(rows.len(), expected.len());
        for (row, (quantity, step, figure)) in rows.iter().zip(expected) {
            let measured = row.measured().unwrap();
            assert_eq!(row.quantity, *quantity);
            assert_eq!(row.parameters.get(STEP), step.map(Parameter::from).as_ref());
            assert_eq!((measured.estimate, measured.source), (*figure, source));
        }
    }
    let failed = run(r#"{"contender":"smol","parameters":{},"failed":"record as root"}"#);
    let runs = RecordingRun::parse_all(&failed).unwrap();
    assert_eq!(runs[0].recordings[0].recorded(), Err("record as root"));
    let rows = runs[0].recordings[0].rows("switch");
    assert!(rows.len() == 1 && rows[0].measured().is_none());
    assert_eq!(runs[0].to_json_lines(), failed);
}

#[test]
fn what_cannot_be_true_is_refused() {
    let mut cases: Vec<(String, usize, &str)> = [
        (r#""steps":[32,72]"#, r#""steps":[32,70]"#, "add up to 102 ns"),
        (r#""steps":[32,72]"#, r#""steps":[104]"#, "1 steps are shown, 2 were recorded"),
        (r#""to":32"#, r#""to":105"#, "does not fit"),
        (r#""woken":1"#, r#""woken":2"#, "does not fit"),
        (r#"{"runs":1}"#, r#"{"runs":2}"#, "does not fit"),
        (r#""took":[30.0,31.0,32.0]"#, r#""took":[30.0,31.0]"#, "each of 3 processes"),
        (r#""few_events":[2.0"#, r#""few_events":[-2.0"#, "each of 3 processes"),
        (r#""unrecorded":[44.0,50.0,48.0]"#, r#""unrecorded":[44.0]"#, "each of 3 processes"),
        (r#""operations":600"#, r#""operations":0"#, "an operation at least"),
        (r#""from":32,"to":104,"doing":{"runs":1}}"#, r#""from":32,"to":104,"doing":{"runs":1}},{"of":{"core":1},"from":90,"to":100,"doing":"idle"}"#, r#"a span of {"core":1} begins at 90 ns"#),
        (r#""incidents":["#, r#""incidents":[{"at":50,"of":{"core":1},"name":"a"},"#, "at 40 ns stands behind what happens at 50 ns"),
        (r#""recorded":{"#, r#""figures":1,"recorded":{"#, "unknown field `figures`"),
        (r#""recorded":{"#, r#""failed":"a","recorded":{"#, "either `recorded`, or `failed`"),
        (r#"{"kernel":"pipe"}"#, r#"{"kernel":"pipe","kernel":"tcp"}"#, "stands twice"),
        // Names of a recording can't contain HTML.
        (r#""std::thread""#, r#""<b>""#, "is not a name"),
        (r#""pipe""#, r#""<b>""#, "is not a name"),
        (r#""hop""#, r#""<b>""#, "is not a name"),
        (r#""write to waking""#, r#""<b>""#, "is not a name"),
        (r#""writer""#, r#""<b>""#, "is not a name"),
        (r#""interrupt taken""#, r#""<b>""#, "is not a name"),
        (r#"{"call":"write"}"#, r#"{"call":"<b>"}"#, "is not a name"),
    ]
    .map(|(good, bad, reason)| {
        assert!(HOP.contains(good), "{good}");
        (run(&HOP.replacen(good, bad, 1)), 2, reason)
    })
    .into();
    cases.extend([
        (run(""), 2, "not a recording"),
        (run(HOP).lines().next().unwrap().to_owned(), 1, "cut off"),
        (run(HOP) + HOP, 3, "stands on line 2 already"),
        (HOP.to_owned(), 1, "header"),
        (String::new(), 1, "empty"),
    ]);
    for (text, line, reason) in cases {
        let error = RecordingRun::parse_all(&text).unwrap_err();
        assert!(error.line == line && error.message.contains(reason), "{reason}: {error}");
    }
}
