//! Recordings on a page: drawn, told in words, and refused where there are none.

use std::fs;

use crate::copy::{Copy, PAGE};

const FILE: &str = "data/kettle-1/tea/pour.recording.jsonl";

const HEADER: &str = r#"{"run":"2026-11-22T10:12:00Z","machine":"kettle-1","chapter":"tea","experiment":"pour","profile":"quick","commit":"","method":3,"rustc":"1.95.0","crates":{},"load":0.0,"processes":3,"rows":2}"#;

const HOP: &str = concat!(
    r#"{"contender":"pot","parameters":{"kernel":"spout","placement":"apart"},"recorded":{"operation":"cup","operations":600,"others":7,"#,
    r#""lengths":[9000.0,9100.0,8900.0],"events":[7.0,7.0,7.0],"few_lengths":[8000.0,8100.0,7900.0],"few_events":[2.0,2.0,2.0],"#,
    r#""unrecorded":[7600.0,7500.0,7700.0],"steps":[{"name":"tilt to flow","took":[1000.0,1010.0,990.0]},"#,
    r#"{"name":"flow to full","took":[8000.0,8090.0,7910.0]}],"shown":{"length":9000,"steps":[1000,8000],"#,
    r#""units":["pourer","drinker"],"cores":[0,1],"spans":[{"of":{"unit":0},"from":0,"to":9000,"doing":{"call":"write"}},"#,
    r#"{"of":{"unit":1},"from":0,"to":1000,"doing":"asleep"},{"of":{"core":1},"from":1000,"to":9000,"doing":{"runs":1}}],"#,
    r#""wakes":[{"at":1000,"by":0,"woken":1}]}}}"#,
);

const FAILED: &str = r#"{"contender":"pot","parameters":{"kernel":"spout","placement":"together"},"failed":"record as root"}"#;

/// The book with two recordings, of which one failed, and a timeline of `cell` on its page.
fn with_timeline(cell: &str) -> Copy {
    let copy = Copy::new();
    copy.write(FILE, &format!("{HEADER}\n{HOP}\n{FAILED}\n"));
    let block = format!(
        "\n```timeline\nid = \"tea.cup\"\ntitle = \"Most of a cup is its flow: {{{{number pour: pot, step=flow to full, \
         recorded time}}}}\"\nexperiment = \"pour\"\n\n[recordings]\n\"far away\" = \"{cell}\"\n```\n"
    );
    let page = copy.read(PAGE);
    copy.write(PAGE, &(page + &block));
    copy
}

#[test]
fn a_recording_is_drawn_and_told_in_words() {
    let copy = with_timeline("pot, placement=apart");
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    for expected in [
        "id=\"chart-tea.cup\"",
        "aria-label=\"far away: tilt to flow 1 µs, then flow to full 8 µs.\"",
        "<title>write, 9 µs from 0 ns</title>",
        "<title>pourer wakes drinker, at 1 µs</title>",
        // The median, 8 µs, is a row as well.
        "data-of=\"pour: pot",
        "600 went this way, 7 another",
        // Five events more take 1 µs more, so two take 400 ns.
        "for each event, so that without the 7 it would take 7.6",
    ] {
        assert!(html.contains(expected), "{expected} in {html}");
    }
}

#[test]
fn what_is_too_short_for_the_kernel_s_events_says_so() {
    let copy = with_timeline("pot, placement=apart");
    copy.change(FILE, "\"operations\":600", "\"stamps_only\":true,\"operations\":600");
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    assert!(html.contains("by the program's own stamps alone") && html.contains("for each stamp"));
}

#[test]
fn what_recording_costs_may_be_too_little_to_be_seen() {
    let copy = with_timeline("pot, placement=apart");
    copy.change(FILE, "\"few_lengths\":[8000.0,", "\"few_lengths\":[9005.0,");
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    assert!(html.contains("To record it: no cost detected."), "{html}");
    assert!(!html.contains("it would take"));
}

#[test]
fn a_figure_of_a_recording_is_that_of_the_machine_that_made_it() {
    let copy = with_timeline("pot, placement=apart");
    // The reference has measured, and has recorded nothing.
    let of_other = FILE.replace("kettle-1", "kettle-2");
    let recordings =
        copy.read(FILE).replace("\"machine\":\"kettle-1\"", "\"machine\":\"kettle-2\"");
    copy.write(&of_other, &recordings);
    fs::remove_file(copy.path(FILE)).unwrap();
    let machine = "data/kettle-1/machine.json";
    let other = copy.read(machine).replace("kettle-1", "kettle-2");
    copy.write(&machine.replace("kettle-1", "kettle-2"), &other);
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    for expected in ["data-of=\"pour: pot", "Recorded on kettle-2"] {
        assert!(html.contains(expected), "{expected} in {html}");
    }
}

#[test]
fn what_was_not_recorded_is_refused() {
    let place = "src/tea.md:";
    with_timeline("pot, placement=together").refused(&[
        place,
        "could not be recorded",
        "record as root",
    ]);
    with_timeline("pot").refused(&[place, "is several", "placement=together"]);
    with_timeline("kettle").refused(&[place, "no recording is \"kettle\"", "pot, kernel=spout"]);
    let copy = with_timeline("pot, placement=apart");
    copy.change(PAGE, "experiment = \"pour\"", "experiment = \"brew\"");
    copy.refused(&[place, "no machine has recordings of tea/brew", "--record"]);
}

#[test]
fn a_file_that_cannot_be_true_is_refused() {
    let copy = with_timeline("pot, placement=apart");
    copy.change(FILE, "\"steps\":[1000,8000]", "\"steps\":[1000,7000]");
    copy.refused(&["pour.recording.jsonl:2: the steps add up to 8000 ns"]);
    let copy = with_timeline("pot, placement=apart");
    copy.change(FILE, "\"drinker\"", "\"<script>\"");
    copy.refused(&["pour.recording.jsonl:2:", "is not a name"]);
    let copy = with_timeline("pot, placement=apart");
    copy.change(FILE, "\"experiment\":\"pour\"", "\"experiment\":\"brew\"");
    copy.refused(&["pour.recording.jsonl:1: holds the run of"]);
}

/// Whoever sends a recording in could write anything into it.
#[test]
fn markup_in_a_recording_is_refused() {
    let markup = "<img src=x onerror=alert(1)>";
    let incident = |name: &str| {
        format!("\"incidents\":[{{\"at\":1,\"of\":{{\"core\":0}},\"name\":\"{name}\"}}],\"wakes\":")
    };
    let changes = [
        ("\"contender\":\"pot\"", format!("\"contender\":\"{markup}\"")),
        ("\"kernel\"", format!("\"{markup}\"")),
        ("\"spout\"", format!("\"{markup}\"")),
        ("\"cup\"", format!("\"{markup}\"")),
        ("\"flow to full\"", format!("\"{markup}\"")),
        ("\"pourer\"", format!("\"{markup}\"")),
        ("\"call\":\"write\"", format!("\"call\":\"{markup}\"")),
        ("\"wakes\":", incident(markup)),
    ];
    for (from, to) in changes {
        let copy = with_timeline("pot, placement=apart");
        copy.change(FILE, from, &to);
        copy.refused(&["pour.recording.jsonl:2:", markup, "is not a name"]);
    }
    let copy = with_timeline("pot, placement=apart");
    copy.change(FILE, "\"wakes\":", &incident("interrupt sent"));
    copy.build().unwrap();
}

#[test]
fn markup_in_the_reason_of_a_recording_that_failed_is_shown_as_text() {
    let copy = with_timeline("pot, placement=apart");
    copy.change(FILE, "record as root", "<img src=x onerror=alert(1)>");
    let page = copy.read(PAGE);
    copy.write(PAGE, &(page + "\n{{number pour: pot, placement=together, recorded time}}\n"));
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;"), "{html}");
    assert!(!html.contains("<img src=x"), "{html}");
}
