//! Recordings: what is written is read, and what cannot be true is refused.

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

#[test]
fn what_is_written_is_read() {
    let text = run(HOP);
    let runs = RecordingRun::parse_all(&text).unwrap();
    assert_eq!(runs[0].to_json_lines(), text);
    assert_eq!(runs[0].recordings[0].name(), "std::thread, kernel=pipe");
    let failed = run(r#"{"contender":"smol","parameters":{},"failed":"record as root"}"#);
    let runs = RecordingRun::parse_all(&failed).unwrap();
    assert_eq!(runs[0].recordings[0].recorded(), Err("record as root"));
    assert_eq!(runs[0].to_json_lines(), failed);
}

#[test]
fn its_rows_add_up_and_extrapolate_what_recording_costs() {
    let runs = RecordingRun::parse_all(&run(HOP)).unwrap();
    let rows = runs[0].recordings[0].rows("switch");
    let figure = |quantity: &str, step: Option<&str>| {
        let step = step.map(Parameter::from);
        let is_it = |row: &&measurement::Row| {
            row.quantity == quantity && row.parameters.get(STEP) == step.as_ref()
        };
        rows.iter().find(is_it).unwrap().measured().unwrap().estimate
    };
    assert_eq!(figure(RECORDED_TIME, Some("all")), 104.0);
    assert_eq!(figure(RECORDED_TIME, Some("write to waking")), 31.0);
    assert_eq!(figure(RECORDED_TIME, Some(LEFT_OVER)), 0.0);
    // Five events more take 40 ns more, so two take 16.
    assert_eq!(figure(EXTRAPOLATED_TIME, None), 48.0);
}

#[test]
fn what_was_recorded_by_stamps_alone_is_the_harness_s() {
    let by_stamps =
        run(&HOP.replace(r#""operations":600"#, r#""stamps_only":true,"operations":600"#));
    let runs = RecordingRun::parse_all(&by_stamps).unwrap();
    assert_eq!(runs[0].to_json_lines(), by_stamps);
    let rows = runs[0].recordings[0].rows("switch");
    let mut sources = rows.iter().map(|row| row.measured().unwrap().source);
    assert!(sources.all(|source| source == Source::Harness));
}

#[test]
fn where_operations_are_apart_no_row_says_what_they_take_unrecorded() {
    let apart = run(&HOP.replace(r#""unrecorded":[44.0,50.0,48.0],"#, ""));
    let runs = RecordingRun::parse_all(&apart).unwrap();
    assert_eq!(runs[0].to_json_lines(), apart);
    let rows = runs[0].recordings[0].rows("switch");
    assert!(rows.iter().all(|row| row.quantity != UNRECORDED_TIME));
}

#[test]
fn what_cannot_be_true_is_refused() {
    for (good, bad, reason) in [
        (r#""steps":[32,72]"#, r#""steps":[32,70]"#, "add up to 102 ns"),
        (r#""to":32"#, r#""to":105"#, "does not fit"),
        (r#""woken":1"#, r#""woken":2"#, "does not fit"),
        (r#"{"runs":1}"#, r#"{"runs":2}"#, "does not fit"),
        (r#""took":[30.0,31.0,32.0]"#, r#""took":[30.0,31.0]"#, "each of 3 processes"),
        (r#""few_events":[2.0"#, r#""few_events":[-2.0"#, "each of 3 processes"),
        (r#""unrecorded":[44.0,50.0,48.0]"#, r#""unrecorded":[44.0]"#, "each of 3 processes"),
        (r#""operations":600"#, r#""operations":0"#, "an operation at least"),
    ] {
        assert!(HOP.contains(good), "{good}");
        let error = RecordingRun::parse_all(&run(&HOP.replace(good, bad))).unwrap_err();
        assert!(error.line == 2 && error.message.contains(reason), "{error}");
    }
    let cut_off = run(HOP).lines().next().unwrap().to_owned();
    assert!(RecordingRun::parse_all(&cut_off).unwrap_err().message.contains("cut off"));
    assert!(RecordingRun::parse_all(HOP).unwrap_err().message.contains("header"));
    assert!(RecordingRun::parse_all("").unwrap_err().message.contains("empty"));
}

#[test]
fn no_name_in_it_can_be_html() {
    for name in ["std::thread", "pipe", "hop", "write to waking", "writer", "interrupt taken"] {
        let bad = HOP.replacen(&format!("\"{name}\""), "\"<script>\"", 1);
        assert_ne!(bad, HOP, "{name}");
        let error = RecordingRun::parse_all(&run(&bad)).unwrap_err();
        assert!(error.message.contains("is not a name"), "{name}: {error}");
    }
    let call = HOP.replace(r#"{"call":"write"}"#, r#"{"call":"<b>"}"#);
    assert!(RecordingRun::parse_all(&run(&call)).is_err());
}
