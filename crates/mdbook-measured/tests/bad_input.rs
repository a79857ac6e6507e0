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
        ">180\u{a0}s<span class=\"measured-interval\"> (178 to 182 s)</span></span>",
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
fn machines_and_how_quiet_they_were_are_tables() {
    let copy = Copy::new();
    copy.change(PAGE, "{{ledger}}", "{{machines}}\n\n{{conditions}}");
    let boots = copy.read(DATA).replacen("\"load\"", "\"host\": {\"boot\": \"a\"}, \"load\"", 2);
    copy.write(DATA, &boots);
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    for expected in [
        "<h2 id=\"machine-kettle-1\">",
        "<td>Logical processors</td>",
        "<th>slowed</th>",
        "<tr><td>tea/boil, kettle-1</td><td>2026-11-30 11:12</td><td>1</td><td>2 × 1</td><td>2.0\u{a0}%</td>",
        "<td>2026-11-30 12:12</td><td>2</td>",
        "<td>not logged</td>",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
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
    copy.write("data/local/tea/boil.jsonl", "{\"run\": 1}\n");
    copy.refused(&["data/local/tea/boil.jsonl:1: ", "remove data/local"]);
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

/// The page with a block behind its heading, and a text that asks for what it names.
fn with_block(block: &str, text: &str) -> Copy {
    let copy = Copy::new();
    copy.change(PAGE, "# Tea\n", &format!("# Tea\n\n{block}\n\n{text}\n"));
    copy
}

fn names(names: &str, text: &str) -> Copy {
    with_block(&format!("```figures\n{names}\n```"), text)
}

/// A page of the built fixture.
fn built(copy: &Copy, page: &str) -> String {
    copy.build().unwrap();
    copy.read(page)
}

#[test]
fn a_chapter_names_eight_claims_for_quick_runs_at_most() {
    let copy = Copy::new();
    let claim = |place: usize| {
        format!(
            "```claim\nid = \"tea.pot-{place}\"\nsentence = \"A pot takes long.\"\n\
             value = \"boil: pot, litres=1\"\npredicate = \"above 1\"\nquick = true\n```\n\n"
        )
    };
    let claims = |count: usize| (1..=count).map(claim).collect::<String>();
    copy.change(PAGE, "# Tea\n", &format!("# Tea\n\n{}", claims(9)));
    // The ninth begins eight times eight lines below the first.
    copy.refused(&[
        "src/tea.md:67: ",
        "8 claims of a chapter at most",
        "\"tea.pot-9\" is one more",
    ]);
    copy.change(PAGE, &claim(9), "");
    copy.build().unwrap();
}

#[test]
fn names_stand_for_rows_and_for_parts_of_them() {
    let html = built(
        &names(
            "litre = \"boil: litres=1, time to the boil\"\npot-of-one = \"litre: pot\"",
            "{{number pot-of-one}} {{ratio pot-of-one / litre: kettle}} {{order litre}}",
        ),
        "book/tea.html",
    );
    for expected in [
        "data-of=\"boil: pot, litres=1, time to the boil\"",
        "data-of=\"boil: pot, litres=1, time to the boil / boil: kettle, litres=1, time to the boil\"",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
}

#[test]
fn names_that_are_wrong() {
    let ask = "{{number a}}";
    names("a = \"b: pot\"\nb = \"a: litres=1\"", ask)
        .refused(&["src/tea.md:4: ", "a → b → a goes round in a circle"]);
    names("a = \"boil: pot, litres=1\"\nb = \"boil: pot\"", ask)
        .refused(&["src/tea.md:5: ", "nothing asks for \"b\""]);
    names("a = \"boil: pot, litres=1\"\na = \"boil: pot\"", ask)
        .refused(&["src/tea.md:5: ", "duplicate key"]);
    names("pot = \"boil: pot, litres=1\"", "{{number pot}}")
        .refused(&["src/tea.md:4: ", "\"pot\" is a contender"]);
    names("a = \"boil: pott, litres=1\"", ask).refused(&["src/tea.md:7: ", "boil: pot, litres=1"]);
    names("a = \"boil: pot, litres=1\"", "{{number aa}}")
        .refused(&["src/tea.md:7: ", "a name of a `figures` block; the nearest:\n    a"]);
    let copy = names("a = \"boil: pot, litres=1\"", ask);
    copy.change(PAGE, "{{ledger}}", "```figures\nb = \"boil: pot\"\n```");
    copy.refused(&["src/tea.md:29: ", "names are given at src/tea.md:3 already"]);
}

#[test]
fn the_names_of_a_chapter_hold_on_the_pages_below_it() {
    let copy = names("a-pot = \"boil: pot, litres=1\"", "");
    copy.write("src/tea/green.md", "# Green\n\n{{number a-pot}}\n");
    copy.change("src/SUMMARY.md", "[Tea](tea.md)", "- [Tea](tea.md)\n  - [Green](tea/green.md)");
    let html = built(&copy, "book/tea/green.html");
    assert!(html.contains("data-of=\"boil: pot, litres=1\""), "{html}");
    fs::remove_dir_all(copy.path("book")).unwrap();
    copy.write("src/tea/green.md", "# Green\n\n{{number another}}\n");
    copy.refused(&["src/tea/green.md:3: ", "a-pot"]);
}

#[test]
fn a_table_of_figures() {
    let block = "```table\nhead = \"a `litre`\"\ncell = \"number boil: {row}, {column}\"\n\n\
                 [columns]\n\"<1>\" = \"litres=1\"\n\n[rows]\n\"a `pot`\" = \"pot\"\nkettle = \"kettle\"\n```";
    let html = built(&with_block(block, ""), "book/tea.html");
    for expected in [
        "<th>a <code>litre</code></th><th scope=\"col\">&lt;1&gt;</th>",
        "<th scope=\"row\">a <code>pot</code></th>",
        "<td><span class=\"measured-number\" data-of=\"boil: kettle, litres=1\">",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
    let wrong = |from: &str, to: &str, expected: &[&str]| {
        assert!(block.contains(from), "{from}");
        with_block(&block.replacen(from, to, 1), "").refused(expected);
    };
    wrong("{row}", "{raw}", &["src/tea.md:11: ", "nothing stands for \"{raw}"]);
    wrong("\"number", "\"nummer", &["src/tea.md:11: ", "no directive is \"nummer\""]);
    wrong("\"kettle\"", "\"kettel\"", &["src/tea.md:3: ", "no row is \"boil: kettel, litres=1\""]);
    wrong("cell", "cel", &["src/tea.md:5: ", "unknown field `cel`"]);
    wrong("kettle = \"kettle\"", "\"a `pot`\" = \"kettle\"", &["src/tea.md:12: ", "duplicate key"]);
}

#[test]
fn what_so_many_take() {
    let block = "```calculator\nhead = \"all together\"\ncounts = [10, 2000]\n\n[kinds]\n\
                 \"a kettle\" = \"boil: kettle, litres=1 + boil: pot, litres=1\"\n```";
    let html = built(&with_block(block, ""), "book/tea.html");
    for expected in [
        "<th scope=\"col\">2,000</th>",
        "<tr data-each=\"",
        "data-of=\"2000 x boil: kettle, litres=1 + boil: pot, litres=1\"",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
    let wrong = |from: &str, to: &str, expected: &[&str]| {
        assert!(block.contains(from), "{from}");
        with_block(&block.replacen(from, to, 1), "").refused(expected);
    };
    wrong("kettle, litres", "kettel, litres", &["src/tea.md:3: ", "no row is \"boil: kettel"]);
    wrong("[10, 2000]", "[]", &["src/tea.md:5: ", "no count is given"]);
}

#[test]
fn questions_to_be_guessed() {
    let block = "```predict\n\"How long takes a `litre`?\" = \"number boil: kettle, litres=1\"\n\
                 \"And how much longer in a pot?\" = \"ratio boil: pot, litres=1 / kettle\"\n```";
    let html = built(&with_block(block, ""), "book/tea.html");
    for expected in [
        "<fieldset data-measured=\"1799",
        "<legend>How long takes a <code>litre</code>?</legend>",
        "name=\"predict-tea.html-3-1\" value=\"2\"",
        "<p>Measured: <span class=\"measured-number\" data-of=\"boil: kettle, litres=1\">180\u{a0}s",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
    let wrong = |from: &str, to: &str, expected: &[&str]| {
        assert!(block.contains(from), "{from}");
        with_block(&block.replacen(from, to, 1), "").refused(expected);
    };
    wrong("ratio boil", "order boil", &["src/tea.md:5: ", "a number or a ratio does"]);
    wrong("kettle, litres=1", "kettel, litres=1", &["src/tea.md:3: ", "no row is \"boil: kettel"]);
}

#[test]
fn a_drawing_with_a_figure() {
    let drawing = |text: &str| {
        let copy = with_block("{{drawing tea/pot.svg}}", "");
        let svg = format!(
            "<svg viewBox=\"0 0 9 9\" role=\"img\">\n<title>A pot</title>\n\n<desc>It boils.</desc>\n\
             <text>{text}</text>\n</svg>\n"
        );
        copy.write("src/tea/pot.svg", &svg);
        copy
    };
    let html = built(&drawing("{{number boil: pot, litres=1}}"), "book/tea.html");
    assert!(html.contains("<figure class=\"measured-drawing\">"), "{html}");
    assert!(html.contains("<text>360\u{a0}s</text>"), "{html}");
    drawing("{{number boil: pott, litres=1}}")
        .refused(&["src/tea.md:3: ", "tea/pot.svg:5: no row is \"boil: pott"]);
    drawing("{{number boil: pot, litres=1 - kettle, litres=2}}").refused(&[
        "src/tea.md:3: ",
        "tea/pot.svg:5: \"boil: pot, litres=1 - kettle, litres=2\" is ",
        "misleads without its interval, for which a drawing has no room",
    ]);
    with_block("{{drawing tea/pot.svg}}", "")
        .refused(&["src/tea.md:3: ", "tea/pot.svg:0: cannot be read"]);
}

#[test]
fn a_published_claim_that_nobody_can_test() {
    let copy = Copy::new();
    let chapter = "chapter = \"tea\"";
    copy.change(CLAIMS, chapter, &format!("{chapter}\nnot_testable = \"nobody may watch\""));
    copy.refused(&["src/tea.md:6: ", "not testable here, since nobody may watch"]);
    copy.change(PAGE, "replicates = \"grandma.tea\"\n", "");
    let html = built(&copy, "book/tea.html");
    assert!(html.contains("</span>: not testable here, since nobody may watch"), "{html}");
}

#[test]
fn a_family_of_claims() {
    let block = "```claims\nid = \"tea.{row}-{column}\"\nsentence = \"A {row} takes more than {bound} times as long as {column}.\"\n\
                 ratio = \"boil: {row}, litres=1 / {column}\"\npredicate = \"above 1.5\"\n\n\
                 [columns.quick]\nof = \"kettle\"\nwords = \"a <kettle>\"\n\n[rows.slow]\nhead = \"pot\"\nof = \"pot\"\n```";
    let html = built(&with_block(block, "{{claim tea.slow-quick}}"), "book/tea.html");
    for expected in [
        "<th scope=\"row\">pot</th><td><span class=\"measured-number\"",
        "id=\"claim-tea.slow-quick\"",
        "A pot takes more than one and a half times as long as a &lt;kettle&gt;.",
    ] {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
    let wrong = |from: &str, to: &str, expected: &[&str]| {
        assert!(block.contains(from), "{from}");
        with_block(&block.replacen(from, to, 1), "").refused(expected);
    };
    wrong("tea.{row}", "tea.{raw}", &["src/tea.md:4: ", "is no id"]);
    wrong("{bound}", "{bond}", &["src/tea.md:5: ", "nothing stands for \"{bond}\""]);
    wrong("above", "over", &["src/tea.md:7: ", "above x"]);
    wrong("\"kettle\"", "\"kettel\"", &["src/tea.md:3: ", "no row is \"boil: kettel, litres=1\""]);
    wrong("head =", "haed =", &["src/tea.md:14: ", "unknown field `haed`"]);
    wrong(
        "tea.{row}-{column}",
        "tea.pot",
        &["src/tea.md:23: ", "the claim \"tea.pot\" stands at src/tea.md:3 already"],
    );
}

#[test]
fn a_chart_of_a_context() {
    let copy = names("water = \"boil: time to the boil\"", "");
    copy.change(
        PAGE,
        "experiment = \"boil\"\nquantity = \"time to the boil\"",
        "context = \"water\"",
    );
    assert!(built(&copy, "book/tea.html").contains("id=\"chart-tea.boil\""));
    fs::remove_dir_all(copy.path("book")).unwrap();
    copy.change(PAGE, "context = \"water\"", "context = \"watr\"");
    copy.refused(&["src/tea.md:24: ", "a name of a `figures` block"]);
    page(
        "experiment = \"boil\"",
        "",
        &["src/tea.md:15: ", "an `experiment` and a `quantity` are missing"],
    );
}

#[test]
fn a_title_that_a_claim_calls_undecided() {
    page("above 1.5", "above 2", &["src/tea.md:16: ", "the claim \"tea.pot\" calls undecided"]);
}

#[test]
fn directives_that_lack_what_they_need() {
    let line = |to: &str, expected: &[&str]| {
        page("{{ledger}}", to, &[&["src/tea.md:23: "], expected].concat());
    };
    line("{{number}}", &["a row is asked for as"]);
    line("{{ratio boil: pot}}", &["a ratio is"]);
    line("{{order boil: litres=3}}", &["no row is \"boil: litres=3\""]);
    line("{{published grandma.tea}}", &["write it as {{published "]);
    line("{{parameter boil: pot}}", &["write it as {{parameter "]);
    line("{{fact \"3\"}}", &["write it as {{fact \"512 KiB\" where it is from}}"]);
    for word in ["claims", "ledger", "machines", "conditions", "runs"] {
        line(&format!("{{{{{word} all}}}}"), &[&format!("write it as {{{{{word}}}}}")]);
    }
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
        &["data/kettle-1/tea/boil.jsonl:2: ", "NaN", "`failed`"],
    );
}

#[test]
fn a_row_with_a_negative_time() {
    data(
        &field("low"),
        "\"low\": -1.0",
        &["data/kettle-1/tea/boil.jsonl:2: ", "low is -1", "negative"],
    );
}

#[test]
fn a_row_without_a_unit_or_with_a_wrong_one() {
    data("\"unit\": \"ns\", ", "", &["data/kettle-1/tea/boil.jsonl:2: ", "unit"]);
    data(
        "\"unit\": \"ns\"",
        "\"unit\": \"B\"",
        &["data/kettle-1/tea/boil.jsonl:2: ", "measured in ns"],
    );
    data("\"unit\": \"ns\"", "\"unit\": \"ms\"", &["data/kettle-1/tea/boil.jsonl:2: ", "ms"]);
}

#[test]
fn a_row_with_a_wrong_interval() {
    data(
        &field("low"),
        "\"low\": 190e9",
        &["data/kettle-1/tea/boil.jsonl:2: ", "a wrong interval"],
    );
    data(
        &field("high"),
        "\"high\": 900e9",
        &["data/kettle-1/tea/boil.jsonl:2: ", "beyond the points"],
    );
}

#[test]
fn a_row_whose_estimate_was_edited_by_hand() {
    let low: f64 = field("low").split(": ").nth(1).unwrap().parse().unwrap();
    let edited = format!("\"estimate\": {}", low + 1.0);
    data(
        &field("estimate"),
        &edited,
        &["data/kettle-1/tea/boil.jsonl:2: ", "median of the points"],
    );
}

#[test]
fn a_machine_s_name_that_leaves_the_data_directory() {
    data("kettle-1", "../kettle-1", &["data/kettle-1/tea/boil.jsonl:1: ", "is not a name"]);
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
    data(
        "\"kettle\"",
        &format!("\"{html}\""),
        &["data/kettle-1/tea/boil.jsonl:2: ", "is not a name"],
    );
    data(
        "time to the boil",
        "time to the <i>",
        &["data/kettle-1/tea/boil.jsonl:2: ", "is not a name"],
    );
    data("\"litres\"", "\"<b>\"", &["data/kettle-1/tea/boil.jsonl:2: ", "is not a name"]);
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
    copy.refused(&["data/kettle-1/tea/boil.jsonl:18: ", "cut off", "measure again"]);
    let header = text.lines().next().unwrap();
    copy.write(DATA, header);
    copy.refused(&["data/kettle-1/tea/boil.jsonl:1: ", "cut off"]);
    // Cut off at the end of a line, which only the header's count tells.
    let counted = text.replacen("\"load\"", "\"rows\": 5, \"load\"", 1);
    let shorter: Vec<&str> = counted.lines().take(5).collect();
    copy.write(DATA, &format!("{}\n", shorter.join("\n")));
    copy.refused(&[
        "data/kettle-1/tea/boil.jsonl:1: ",
        "5 rows belong to this header, 4 are there",
    ]);
    copy.write(DATA, "");
    copy.refused(&["data/kettle-1/tea/boil.jsonl:1: ", "empty"]);
}

#[test]
fn a_row_that_stands_twice() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let first: Vec<&str> = text.lines().take(6).collect();
    copy.write(DATA, &format!("{}\n{}\n", first.join("\n"), first[1]));
    copy.refused(&["data/kettle-1/tea/boil.jsonl:7: ", "stands on line 2 already"]);
}

#[test]
fn a_file_in_the_wrong_place() {
    let copy = Copy::new();
    fs::rename(copy.path(DATA), copy.path("data/kettle-1/tea/brew.jsonl")).unwrap();
    copy.refused(&["data/kettle-1/tea/brew.jsonl:1: ", "holds the run of \"tea/boil\""]);
    // A chapter's file, as there were before method 3.
    let copy = Copy::new();
    fs::rename(copy.path(DATA), copy.path("data/kettle-1/tea.jsonl")).unwrap();
    copy.refused(&[
        "data/kettle-1/tea.jsonl:1: ",
        "data/<machine>/<chapter>/<experiment>.jsonl",
        "move or remove it",
    ]);
}

/// One run knows nothing of others. A machine that has several lends what it knows of them, if it is the
/// reference.
#[test]
fn one_run_judges_nothing_unless_it_can_borrow() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let (one, _) = text.split_once("\n{\"run\"").unwrap();
    copy.write(DATA, one);
    let html = built(&copy, "book/tea.html");
    let alone = "measured-one-run\">one run</span> kettle-1: ratio 2.01 (one run)</li>";
    assert!(html.contains(alone), "{html}");
    assert!(html.contains("kettle-1, one run, 2026-11-30."), "{html}");
    // Another machine has twice as many rows, and eight are a kind.
    let bigger = |run: &str| run.replace("\"contender\": \"", "\"contender\": \"big ");
    let both = |run: &str| {
        let (header, rows) = run.split_once('\n').unwrap();
        format!("{{\"run\"{header}\n{rows}{}", bigger(rows))
    };
    let both: String = text.split("{\"run\"").skip(1).map(both).collect();
    let other = copy.read("data/kettle-1/machine.json").replace("kettle-1", "kettle-2");
    copy.write("data/kettle-2/machine.json", &other);
    copy.write("data/kettle-2/tea/boil.jsonl", &both.replace("kettle-1", "kettle-2"));
    copy.change("book.toml", "reference = \"kettle-1\"", "reference = \"kettle-2\"");
    copy.change(
        PAGE,
        "ratio = \"boil: pot, litres=1 / kettle\"",
        "value = \"boil: pot, litres=1\"",
    );
    let html = built(&copy, "book/tea.html");
    assert!(html.contains(">holds</span> kettle-1: value 361 s (mean "), "{html}");
}

/// A run that is known to be wrong is kept where it is.
#[test]
fn a_faulty_run_is_told_and_counts_for_nothing() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let (first, others) = text.split_once("\n{\"run\"").unwrap();
    // A kettle that takes forever.
    let faulty = first.replacen("\"load\"", "\"fault\": \"no lid & no fire\", \"load\"", 1);
    let faulty = faulty.replace("\"contender\": \"kettle\"", "\"contender\": \"samovar\"");
    copy.write(DATA, &format!("{faulty}\n{{\"run\"{others}"));
    let html = built(&copy, "book/tea.html");
    let told = "A run of 2026-11-30 is kept and counts for nothing: no lid &amp; no fire.";
    assert!(html.contains(told) && !html.contains("samovar"), "{html}");
    assert!(html.contains("kettle-1, 2 runs, 2026-11-30."), "{html}");
    copy.change(DATA, "no lid & no fire", " ");
    fs::remove_dir_all(copy.path("book")).unwrap();
    copy.refused(&["data/kettle-1/tea/boil.jsonl:1: ", "`fault` gives no reason"]);
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
    let files = "[package.metadata.measured.files]\nboil = [\"main\"]\n";
    copy.write("experiments/tea/Cargo.toml", files);
    copy.write("experiments/tea/src/main.rs", "fn main() {}\n");
    copy.write("rust-toolchain.toml", "[toolchain]\nchannel = \"1.96.0\"\n");
    let locked = "[[package]]\nname = \"water\"\nversion = \"2.0.0\"\nsource = \"registry\"\n";
    copy.write("Cargo.lock", locked);
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
