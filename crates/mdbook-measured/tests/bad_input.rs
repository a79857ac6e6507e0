//! Bad input: the build refuses it, names file and line and what to do, and what was built before
//! stays. Each test changes one thing in a copy of the fixture book.

use std::fs;

use copy::{Copy, DATA, PAGE};

mod copy;

const CLAIMS: &str = "data/published/claims.toml";

/// Changes the page, and expects an error.
fn page(from: &str, to: &str, expected: &[&str]) {
    let copy = Copy::new();
    copy.change(PAGE, from, to);
    copy.refused(expected);
}

/// Changes the run, and expects an error.
fn data(from: &str, to: &str, expected: &[&str]) {
    let copy = Copy::new();
    copy.change(DATA, from, to);
    copy.refused(expected);
}

#[test]
fn the_fixture_itself_is_good() {
    let copy = Copy::new();
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    for expected in [
        ">180\u{a0}s<span class=\"measured-interval\"> (179 to 181 s)</span></span>",
        "measured-holds",
        "id=\"chart-tea.boil\"",
        "not measured: there is no socket",
        "600 s",
        "A watched pot never boils.",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
    assert!(copy.path("book/measured/plotly-3.0.1.min.js").is_file());
}

#[test]
fn a_number_that_names_no_row() {
    page(
        "number boil: kettle, litres=1",
        "number boil: kettel, litres=1",
        &[
            "src/tea.md:3: ",
            "no row is \"boil: kettel, litres=1\"",
            "boil: kettle, litres=1, time to the boil",
        ],
    );
}

#[test]
fn a_number_that_names_several_rows() {
    page(
        "number boil: kettle, litres=1",
        "number boil: kettle",
        &["src/tea.md:3: ", "2 rows, say which", "boil: kettle, litres=2, time to the boil"],
    );
}

#[test]
fn a_ratio_that_names_no_row() {
    page(
        "{{ratio boil: pot, litres=1 / kettle}}",
        "{{ratio boil: pot, litres=1 / kettles}}",
        &["src/tea.md:3: ", "no row is \"boil: kettles, litres=1\"", "boil: kettle, litres=1"],
    );
}

#[test]
fn a_claim_that_names_no_row() {
    page(
        "ratio = \"boil: pot, litres=1",
        "ratio = \"boil: pot, litres=3",
        &["src/tea.md:6: ", "no row is \"boil: pot, litres=3\"", "boil: pot, litres=1"],
    );
}

#[test]
fn a_chart_that_names_no_row() {
    page(
        "experiment = \"boil\"",
        "experiment = \"boill\"",
        &["src/tea.md:18: ", "no row is \"boill: time to the boil\"", "boil: kettle"],
    );
}

#[test]
fn a_chart_of_a_parameter_that_no_row_has() {
    page("x = \"litres\"", "x = \"liters\"", &["src/tea.md:20: ", "no parameter", "litres"]);
}

#[test]
fn a_page_that_names_a_chapter_without_data() {
    page(
        "number boil: kettle",
        "number coffee/boil: kettle",
        &["src/tea.md:3: ", "data/kettle-1 has no run of coffee", "cargo book measure coffee"],
    );
}

#[test]
fn a_malformed_chart() {
    page("kind = \"lines\"", "kind = \"lines", &["src/tea.md:17: "]);
    page("kind = \"lines\"", "kind = \"pies\"", &["src/tea.md:17: ", "pies", "lines"]);
    page("kind = \"lines\"", "colour = \"red\"\nkind = \"lines\"", &["src/tea.md:17: ", "colour"]);
}

#[test]
fn bars_that_leave_out_in_what_rows_differ() {
    let copy = Copy::new();
    copy.change(PAGE, "kind = \"lines\"", "kind = \"bars\"");
    copy.change(PAGE, "x = \"litres\"", "x = \"contender\"");
    copy.refused(&["src/tea.md:18: ", "the rows also differ in litres (1, 2)"]);
    page(
        "kind = \"lines\"",
        "kind = \"bars\"\nx-scale = \"log\"",
        &["src/tea.md:18: ", "only lines have a scale of x"],
    );
}

#[test]
fn machines_and_their_noise_floors_are_tables() {
    let copy = Copy::new();
    copy.change(PAGE, "{{ledger}}", "{{machines}}\n\n{{floors}}");
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    for expected in [
        "<h2 id=\"machine-kettle-1\">",
        "<td>Logical processors</td>",
        "<th>single-thread</th>",
        "<td>tea, kettle-1</td>",
        "<td>0.5\u{a0}%</td>",
        "<th>slowed</th>",
        "<td>not logged</td>",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
}

#[test]
fn a_malformed_plot_of_a_page_s_own() {
    let plot = |body: &str| format!("{{{{ledger}}}}\n\n```plot\n{body}\n```");
    page("{{ledger}}", &plot("{\"data\": ["), &["src/tea.md:26: ", "not JSON"]);
    page("{{ledger}}", &plot("{\"data\": []}"), &["src/tea.md:26: ", "no `data`"]);
    let dropped = r#"{"data": [{"type": "scatter", "x": [1], "y": [1], "line": {"dash": "dot"}}]}"#;
    page("{{ledger}}", &plot(dropped), &["src/tea.md:26: ", "`data[0].line.dash`", "extra"]);
}

#[test]
fn a_chart_that_stands_twice() {
    let copy = Copy::new();
    let text = copy.read(PAGE);
    let start = text.find("```chart").unwrap();
    let block = &text[start..text.find("{{ledger}}").unwrap()];
    copy.write(PAGE, &format!("{text}\n{block}"));
    copy.refused(&["src/tea.md:25: ", "\"tea.boil\" stands at src/tea.md:14 already"]);
}

#[test]
fn a_logarithmic_scale_of_zero() {
    let copy = Copy::new();
    copy.change(PAGE, "x = \"litres\"", "x = \"litres\"\nx-scale = \"log\"");
    copy.build().unwrap();
    fs::remove_dir_all(copy.path("book")).unwrap();
    let zero = copy.read(DATA).replace("\"litres\": 2", "\"litres\": 0");
    copy.write(DATA, &zero);
    copy.refused(&["src/tea.md:21: ", "litres reaches zero"]);
}

#[test]
fn a_claim_on_a_noise_floor_that_there_is_not() {
    page(
        "predicate = \"above 1.5\"",
        "predicate = \"above 1.5\"\nfloor = \"single-tread\"",
        &["src/tea.md:6: ", "no noise floor \"single-tread\"", "single-thread"],
    );
}

#[test]
fn an_include_that_leads_nowhere() {
    let include =
        |target: &str| format!("{{{{ledger}}}}\n\n```rust\n{{{{#include {target}}}}}\n```");
    let gone = include("../kettle.rs");
    page("{{ledger}}", &gone, &["src/tea.md:26: ", "\"../kettle.rs\" cannot be included"]);
    page("{{ledger}}", &include("tea.md:lid"), &["src/tea.md:26: ", "no `ANCHOR: lid`"]);
}

#[test]
fn a_reference_machine_without_data() {
    let copy = Copy::new();
    copy.change("book.toml", "kettle-1", "kettle-2");
    copy.refused(&["book.toml:4: ", "no data of the reference machine \"kettle-2\"", "kettle-1"]);
}

#[test]
fn the_reader_s_own_runs_say_how_to_do_without_them() {
    let copy = Copy::new();
    copy.write("data/local/tea.jsonl", "{\"run\": 1}\n");
    copy.refused(&["data/local/tea.jsonl:1: ", "remove data/local"]);
}

#[test]
fn a_malformed_claim() {
    page("above 1.5", "over 1.5", &["src/tea.md:10: ", "above x"]);
    page("id = \"tea.pot\"", "id = \"pot\"", &["src/tea.md:7: ", "is no id"]);
    page("id = \"tea.boil\"", "id = \"boil\"", &["src/tea.md:15: ", "is no id"]);
    page(
        "replicates = \"grandma.tea\"",
        "replicates = \"grandma.tee\"",
        &["src/tea.md:6: ", "nobody published \"grandma.tee\"", "grandma.tea"],
    );
    page(
        "ratio = \"boil: pot, litres=1 / kettle\"",
        "",
        &["src/tea.md:7: ", "`value` or a `ratio`"],
    );
}

#[test]
fn a_claim_that_stands_twice() {
    let copy = Copy::new();
    let text = copy.read(PAGE);
    let start = text.find("```claim").unwrap();
    let block = &text[start..text.find("```chart").unwrap()];
    copy.write(PAGE, &format!("{text}\n{block}"));
    copy.refused(&["src/tea.md:25: ", "stands at src/tea.md:6 already"]);
}

#[test]
fn a_directive_that_there_is_not() {
    page("{{ledger}}", "{{ledgre}}", &["src/tea.md:23: ", "no directive is \"ledgre\"", "ledger"]);
    page("{{ledger}}", "{{ledger", &["src/tea.md:23: ", "never closed"]);
    page("{{claim tea.pot}}", "{{claim tea.pit}}", &["src/tea.md:4: ", "tea.pot"]);
    page(
        "grandma.tea pot",
        "grandma.tea kettle",
        &["src/tea.md:4: ", "no figure \"kettle\"", "pot"],
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let copy = Copy::new();
    copy.change(PAGE, "number boil: kettle", "number boil: kettel");
    copy.change(PAGE, "above 1.5", "over 1.5");
    copy.refused(&["src/tea.md:3: ", "src/tea.md:10: "]);
}

/// A field of the first row, whatever its value.
fn field(name: &str) -> String {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let row = text.lines().nth(1).unwrap();
    let start = row.find(&format!("\"{name}\": ")).unwrap();
    let end = start + row[start..].find(", \"").unwrap();
    row[start..end].to_owned()
}

#[test]
fn a_row_with_nan() {
    data(
        &field("estimate"),
        "\"estimate\": NaN",
        &["data/kettle-1/tea.jsonl:2: ", "NaN", "`failed`"],
    );
}

#[test]
fn a_row_with_a_negative_time() {
    data(&field("low"), "\"low\": -1.0", &["data/kettle-1/tea.jsonl:2: ", "low is -1", "negative"]);
}

#[test]
fn a_row_without_a_unit_or_with_a_wrong_one() {
    data("\"unit\": \"ns\", ", "", &["data/kettle-1/tea.jsonl:2: ", "unit"]);
    data("\"unit\": \"ns\"", "\"unit\": \"B\"", &["data/kettle-1/tea.jsonl:2: ", "measured in ns"]);
    data("\"unit\": \"ns\"", "\"unit\": \"ms\"", &["data/kettle-1/tea.jsonl:2: ", "ms"]);
}

#[test]
fn a_row_with_a_wrong_interval() {
    data(&field("low"), "\"low\": 190e9", &["data/kettle-1/tea.jsonl:2: ", "a wrong interval"]);
    data(&field("high"), "\"high\": 900e9", &["data/kettle-1/tea.jsonl:2: ", "beyond the points"]);
}

#[test]
fn a_row_whose_estimate_was_edited_by_hand() {
    let low: f64 = field("low").split(": ").nth(1).unwrap().parse().unwrap();
    let edited = format!("\"estimate\": {}", low + 1.0);
    data(&field("estimate"), &edited, &["data/kettle-1/tea.jsonl:2: ", "median of the points"]);
}

#[test]
fn a_machine_s_name_that_leaves_the_data_directory() {
    data("kettle-1", "../kettle-1", &["data/kettle-1/tea.jsonl:1: ", "is not a name"]);
    let copy = Copy::new();
    copy.change("book.toml", "kettle-1", "../data/kettle-1");
    copy.refused(&["book.toml:1: ", "is not a name"]);
    let copy = Copy::new();
    copy.change("data/kettle-1/machine.json", "kettle-1", "../kettle-1");
    copy.refused(&["data/kettle-1/machine.json:1: ", "is not a name"]);
}

#[test]
fn html_in_a_name() {
    let html = "<script>alert(1)</script>";
    data("\"kettle\"", &format!("\"{html}\""), &["data/kettle-1/tea.jsonl:2: ", "is not a name"]);
    data("time to the boil", "time to the <i>", &["data/kettle-1/tea.jsonl:2: ", "is not a name"]);
    data("\"litres\"", "\"<b>\"", &["data/kettle-1/tea.jsonl:2: ", "is not a name"]);
}

/// Titles and sentences are free text: what looks like HTML or Markdown is shown as it is written.
#[test]
fn html_in_free_text_is_shown_as_text() {
    let copy = Copy::new();
    copy.change(PAGE, "as long as a kettle", "<img src=x onerror=alert(1)> *a* & \\\"b\\\"");
    copy.change(DATA, "there is no socket", "<script>alert(2)</script>");
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt; *a* &amp; \"b\"</figcaption>"));
    assert!(html.contains("not measured: &lt;script&gt;alert(2)&lt;/script&gt;"));
    assert!(!html.contains("<img src=x") && !html.contains("<script>alert"));
}

#[test]
fn a_truncated_file() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    copy.write(DATA, &text[..text.len() - 30]);
    copy.refused(&["data/kettle-1/tea.jsonl:6: ", "cut off", "measure again"]);
    let header = text.lines().next().unwrap();
    copy.write(DATA, header);
    copy.refused(&["data/kettle-1/tea.jsonl:1: ", "cut off"]);
    // Cut off at the end of a line, which only the header's count tells.
    let counted = text.replacen("\"load\"", "\"rows\": 5, \"load\"", 1);
    let shorter: Vec<&str> = counted.lines().take(5).collect();
    copy.write(DATA, &format!("{}\n", shorter.join("\n")));
    copy.refused(&["data/kettle-1/tea.jsonl:1: ", "5 rows belong to this header, 4 are there"]);
    copy.write(DATA, "");
    copy.refused(&["data/kettle-1/tea.jsonl:1: ", "empty"]);
}

#[test]
fn a_row_that_stands_twice() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let second = text.lines().nth(1).unwrap();
    copy.write(DATA, &format!("{text}{second}\n"));
    copy.refused(&["data/kettle-1/tea.jsonl:7: ", "stands on line 2 already"]);
}

#[test]
fn a_file_in_the_wrong_place() {
    let copy = Copy::new();
    fs::rename(copy.path(DATA), copy.path("data/kettle-1/coffee.jsonl")).unwrap();
    copy.refused(&["data/kettle-1/coffee.jsonl:1: ", "\"tea\""]);
}

#[test]
fn a_machine_without_a_description() {
    let copy = Copy::new();
    fs::remove_file(copy.path("data/kettle-1/machine.json")).unwrap();
    copy.refused(&["data/kettle-1/machine.json:1: "]);
}

#[test]
fn published_claims_that_are_malformed() {
    let changed = |from: &str, to: &str, expected: &[&str]| {
        let copy = Copy::new();
        copy.change(CLAIMS, from, to);
        copy.refused(expected);
    };
    changed("source = \"grandma\"", "source = \"grandpa\"", &["claims.toml:6: ", "grandma"]);
    changed("unit = \"s\"", "unit = \"sec\"", &["claims.toml:6: ", "\"sec\" is not known"]);
    changed("unit = \"s\"", "units = \"s\"", &["claims.toml:10: ", "units"]);
    changed("600.0", "nan", &["claims.toml:6: ", "\"pot\" is NaN"]);
    changed("code = \"none\"", "code = none", &["claims.toml:3: "]);
}

#[test]
fn stale_data_are_marked_and_no_mistake() {
    let copy = Copy::new();
    copy.write("experiments/tea/Cargo.toml", "[package]\n");
    copy.write("experiments/tea/src/main.rs", "fn main() {}\n");
    copy.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.96.0\"\n");
    copy.write("Cargo.lock", "[[package]]\nname = \"water\"\nversion = \"2.0.0\"\n");
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    for expected in [
        "measured with rustc 1.95.0, the tree has 1.96.0",
        "measured with water 1.0.0, the tree has 2.0.0",
        "the workload has changed since it was measured",
    ] {
        assert!(html.contains(expected), "the page does not say {expected:?}");
    }
}

#[test]
fn a_build_that_fails_leaves_the_last_one_as_it_was() {
    let copy = Copy::new();
    copy.build().unwrap();
    let before = copy.read("book/tea.html");
    copy.change(PAGE, "number boil: kettle", "number boil: kettel");
    copy.build().unwrap_err();
    assert_eq!(copy.read("book/tea.html"), before);
}

/// What `cargo book measure` leaves when it is killed before it has written a run.
#[test]
fn a_measurement_that_was_broken_off_is_no_obstacle() {
    let copy = Copy::new();
    copy.write("data/local/.being-written-1", "{");
    copy.write("data/.being-written-2/machine.json", "{");
    copy.build().unwrap();
}
