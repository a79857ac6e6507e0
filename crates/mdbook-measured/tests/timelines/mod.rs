//! Recordings on a page: drawn, told in words, and refused where there are none.

use std::fs;

use crate::copy::{Copy, PAGE};
use crate::{part, shows};

const FILE: &str = "data/kettle-1/tea/pour.recording.jsonl";

const HEADER: &str = r#"{"run":"2026-11-22T10:12:00Z","machine":"kettle-1","chapter":"tea","experiment":"pour","profile":"quick","commit":"","method":3,"rustc":"1.95.0","crates":{},"load":0.0,"processes":3,"rows":2}"#;

const HOP: &str = concat!(
    r#"{"contender":"pot","parameters":{"kernel":"spout","placement":"apart"},"recorded":{"operation":"cup","operations":600,"others":7,"#,
    r#""lengths":[9000.0,9100.0,8900.0],"events":[7.0,7.0,7.0],"few_lengths":[8000.0,8100.0,7900.0],"few_events":[2.0,2.0,2.0],"#,
    r#""unrecorded":[7600.0,7500.0,7700.0],"steps":[{"name":"tilt to flow","took":[1000.0,1010.0,990.0]},"#,
    r#"{"name":"flow to full","took":[8000.0,8090.0,7910.0]}],"shown":{"length":9000,"steps":[1000,8000],"#,
    r#""units":["pourer","drinker"],"cores":[0,1],"spans":[{"of":{"core":0},"from":0,"to":9000,"doing":{"runs":0}},"#,
    r#"{"of":{"core":1},"from":0,"to":7000,"doing":"idle"},{"of":{"core":1},"from":7000,"to":9000,"doing":{"runs":1}},"#,
    r#"{"of":{"unit":0},"from":0,"to":9000,"doing":{"call":"write"}},{"of":{"unit":1},"from":0,"to":1000,"doing":"asleep"},"#,
    r#"{"of":{"unit":1},"from":1000,"to":7000,"doing":"runnable"},{"of":{"unit":1},"from":7000,"to":7100,"doing":"user"}],"#,
    r#""wakes":[{"at":1000,"by":0,"woken":1}],"incidents":[{"at":6500,"of":{"core":1},"name":"interrupt taken"}]}}}"#,
);

const FAILED: &str = r#"{"contender":"pot","parameters":{"kernel":"spout","placement":"together"},"failed":"record as root"}"#;

/// The book with two recordings, of which one failed, and a timeline of `cell` on its page.
fn with_timeline(cell: &str) -> Copy {
    let copy = Copy::new();
    copy.write(FILE, &format!("{HEADER}\n{HOP}\n{FAILED}\n"));
    let block = format!(
        "\n```timeline\nid = \"tea.cup\"\ntitle = \"Most of a cup is its flow: {{{{number pour: pot, placement=apart, step=flow to full, \
         recorded time}}}}\"\nexperiment = \"pour\"\n\n[recordings]\n\"far away\" = \"{cell}\"\n```\n"
    );
    copy.write(PAGE, &(copy.read(PAGE) + &block));
    copy
}

/// The same with changes of the recordings.
fn changed(changes: &[(&str, &str)]) -> Copy {
    let copy = with_timeline("pot, placement=apart");
    changes.iter().for_each(|(from, to)| copy.change(FILE, from, to));
    copy
}

fn built(copy: &Copy) -> String {
    copy.build().unwrap();
    copy.read("book/tea.html")
}

#[test]
fn a_recording_is_drawn_and_told_in_words() {
    let html = built(&changed(&[]));
    shows(
        &html,
        &[
            "id=\"chart-tea.cup\"",
            "aria-label=\"far away: tilt to flow 1 µs, then flow to full 8 µs.\"",
            "<title>1. tilt to flow, 1 µs</title>",
            "<title>write, 9 µs from 0 ns</title>",
            "<title>runnable, waits for a core, 6 µs from 1 µs</title>",
            "<title>user, 100 ns from 7 µs</title>",
            "<title>idle, 7 µs from 0 ns</title>",
            "<title>pourer wakes drinker, at 1 µs</title>",
            "<title>interrupt taken, at 6.5 µs</title>",
            ">write</text>",
            // The median, 8 µs, is a row as well.
            "data-of=\"pour: pot",
            "600 went this way, 7 another",
            // Five events more take 1 µs more, so two take 400 ns.
            "for each event, so that without the 7 it would take 7.6",
        ],
    );
    // What is too narrow for its label has none.
    assert!(!html.contains(">user</text>"), "{html}");
    // What is too short for the kernel's events says so.
    let html =
        built(&changed(&[("\"operations\":600", "\"stamps_only\":true,\"operations\":600")]));
    shows(&html, &["by the program's own stamps alone", "for each stamp"]);
    // What recording costs may be too little to be seen.
    let html = built(&changed(&[("\"few_lengths\":[8000.0,", "\"few_lengths\":[9005.0,")]));
    shows(&html, &["To record it: no cost detected."]);
    assert!(!html.contains("it would take"), "{html}");
}

/// Where, across, the first text is that reads so, in per cent.
fn place(html: &str, text: &str) -> f64 {
    let before = html.split(&format!(">{text}</text>")).next().unwrap();
    part(before.rsplit("<text").next().unwrap(), "x=\"", "%").parse().unwrap()
}

#[test]
fn no_mark_stands_on_a_label() {
    let before = built(&changed(&[]));
    let name = place(&before, "drinker");
    assert!(name > 10.0, "the arrow at a ninth of the length goes through {name}");
    let core = "\"at\":6500,\"of\":{\"core\":1}";
    let after = built(&changed(&[(core, "\"at\":5000,\"of\":{\"unit\":0}")]));
    let (middle, aside) = (place(&before, "write"), place(&after, "write"));
    assert!((middle - aside).abs() > 10.0, "from {middle} to {aside}");
}

#[test]
fn two_recordings_stand_on_one_axis() {
    let copy = changed(&[]);
    let half = HOP
        .replace("apart", "near")
        .replace("\"to\":9000,\"doing\":{\"runs\":0}", "\"to\":4500,\"doing\":{\"runs\":0}");
    copy.change(FILE, FAILED, &half);
    let far = "\"far away\" = \"pot, placement=apart\"";
    copy.change(PAGE, far, &format!("{far}\n\"near\" = \"pot, placement=near\""));
    let html = built(&copy);
    let bars = html.split("class=\"measured-runs\"").skip(1);
    let widths: Vec<f64> = bars.map(|bar| part(bar, "width=\"", "%").parse().unwrap()).collect();
    assert!((widths[0] / widths[2] - 2.0).abs() < 0.01, "{widths:?}");
}

#[test]
fn a_figure_of_a_recording_is_that_of_the_machine_that_made_it() {
    let copy = changed(&[]);
    // The reference has measured, and has recorded nothing.
    for file in [FILE, "data/kettle-1/machine.json"] {
        let text = copy.read(file).replace("\"kettle-1\"", "\"kettle-2\"");
        copy.write(&file.replace("kettle-1", "kettle-2"), &text);
    }
    fs::remove_file(copy.path(FILE)).unwrap();
    shows(&built(&copy), &["data-of=\"pour: pot", "Recorded on kettle-1 in the kitchen on "]);
}

#[test]
fn what_was_not_recorded_is_refused() {
    let place = "src/tea.md:";
    for (cell, expected) in [
        ("pot, placement=together", ["could not be recorded", "record as root"]),
        ("pot", ["is several", "placement=together"]),
        ("kettle", ["no recording is \"kettle\"", "pot, kernel=spout"]),
    ] {
        with_timeline(cell).refused(&[place, expected[0], expected[1]]);
    }
    let copy = changed(&[]);
    copy.change(PAGE, "experiment = \"pour\"", "experiment = \"brew\"");
    copy.refused(&[place, "no machine has recordings of tea/brew", "--record"]);
}

/// Whoever sends a recording in could write anything into it.
#[test]
fn a_file_that_cannot_be_true_is_refused() {
    for (from, to, expected) in [
        ("\"steps\":[1000,8000]", "\"steps\":[1000,7000]", ":2: the steps add up to 8000 ns"),
        ("\"experiment\":\"pour\"", "\"experiment\":\"brew\"", ":1: holds the run of"),
    ] {
        changed(&[(from, to)]).refused(&[&format!("pour.recording.jsonl{expected}")]);
    }
    let markup = "<img src=x onerror=alert(1)>";
    for (before, name) in [
        ("\"contender\":", "pot"),
        ("", "kernel"),
        ("", "spout"),
        ("", "cup"),
        ("", "flow to full"),
        ("", "pourer"),
        ("\"call\":", "write"),
        ("\"name\":", "interrupt taken"),
    ] {
        let (from, to) = (format!("{before}\"{name}\""), format!("{before}\"{markup}\""));
        changed(&[(&from, &to)]).refused(&["pour.recording.jsonl:2:", markup, "is not a name"]);
    }
    // In the reason of a recording that failed it is shown as text.
    let copy = changed(&[("record as root", markup)]);
    let number = "\n{{number pour: pot, placement=together, recorded time}}\n";
    copy.write(PAGE, &(copy.read(PAGE) + number));
    let html = built(&copy);
    shows(&html, &["&lt;img src=x onerror=alert(1)&gt;"]);
    assert!(!html.contains("<img src=x"), "{html}");
}
