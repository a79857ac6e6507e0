//! Bad input: the build refuses it, names file and line and what to do, and what was built before
//! stays. Each case changes one thing in a copy of the fixture book, which has a page more with every block.

use std::fs;

use copy::{Copy, DATA, PAGE};

mod copy;

const BLOCKS: &str = "src/tea/blocks.md";
const DRAWING: &str = "src/tea/pot.svg";

fn book() -> Copy {
    let copy = Copy::new();
    copy.write(BLOCKS, include_str!("blocks.md"));
    copy.write(DRAWING, include_str!("pot.svg"));
    copy.change("src/SUMMARY.md", "[Tea](tea.md)", "- [Tea](tea.md)\n  - [Blocks](tea/blocks.md)");
    copy
}

/// What is changed into what, on which line that is wrong, and what is said of it.
type Case<'a> = (&'a str, &'a str, usize, &'a [&'a str]);

/// Changes one thing in a file at a time, and expects an error there.
fn refused(file: &str, cases: &[Case<'_>]) {
    use std::io::Write;
    let mut out = fs::OpenOptions::new().create(true).append(true).open("/tmp/gen.txt").unwrap();
    for (from, to, line, expected) in cases {
        let copy = book();
        copy.change(file, from, to);
        copy.refused(&[&[format!("{file}:{line}: ").as_str()], *expected].concat());
        let mut case = String::from("#\n");
        if file.starts_with("src/tea/") { case += "blocks\n"; }
        if file != PAGE { case += &format!("in {file}\n"); }
        for l in from.split('\n') { case += &format!("- {l}\n"); }
        for l in to.split('\n') { case += &format!("+ {l}\n"); }
        for l in copy.build().unwrap_err().lines() { case += &format!("! {l}\n"); }
        out.write_all((case + "\n").as_bytes()).unwrap();
    }
}

/// A page of the built book, which has all of these.
fn built(copy: &Copy, page: &str, expected: &[&str]) -> String {
    copy.build().unwrap();
    let html = copy.read(page);
    for expected in expected {
        assert!(html.contains(expected), "no {expected:?} in {html}");
    }
    fs::remove_dir_all(copy.path("book")).unwrap();
    html
}

#[test]
fn the_fixture_itself_is_good() {
    let copy = book();
    let expected = [
        ">180\u{a0}s<span class=\"measured-interval\"> (178 to 182 s)</span></span>",
        "<a class=\"measured-claimed\" href=\"#claim-tea.pot\">",
        "<summary>1 prediction: right</summary>",
        "id=\"chart-tea.boil\"",
        "not measured: there is no socket",
        "600 s",
        "A watched pot never boils.",
    ];
    built(&copy, "book/tea.html", &expected);
    assert!(copy.path("src/measured/plotly-3.0.1.min.js").is_file());
    let expected = [
        "data-of=\"boil: pot, litres=1, time to the boil\"",
        "data-of=\"boil: pot, litres=1, time to the boil / boil: kettle, litres=1, time to the boil\"",
        "<th>a <code>litre</code></th><th scope=\"col\">&lt;1&gt;</th>",
        "<th scope=\"row\">a <code>pot</code></th>",
        "<td><span class=\"measured-number\" data-of=\"boil: kettle, litres=1\">",
        "<fieldset data-measured=\"35985",
        "<legend>How long do two <code>litres</code> take?</legend>",
        "name=\"predict-tea-blocks.html-22-1\" value=\"2\"",
        "<p>Measured: <span class=\"measured-number\" data-of=\"boil: kettle, litres=2\">360\u{a0}s",
        // A `why` is prose.
        "<p>Each <em>litre</em> takes <span class=\"measured-number\" data-of=\"boil: kettle, litres=1\">",
        "as <a href=\"../tea.html\">tea</a> says.</p>",
        "<label><input type=\"radio\" name=\"predict-tea-blocks.html-22-2\" value=\"0\"",
        "<strong>A pot has a <code>handle</code></strong>: no.",
        "<label class=\"measured-right\"><input type=\"radio\" name=\"predict-tea-blocks.html-22-2\" value=\"1\"",
        "<strong>Steam leaves a pot</strong>: right.",
        "<th scope=\"col\">2,000</th>",
        "<tr data-each=\"",
        "data-of=\"2000 x boil: kettle, litres=1 + boil: pot, litres=1\"",
        "<th scope=\"row\"><a href=\"../tea.html\">boil a litre</a></th>",
        "id=\"chart-tea.prices\"",
        "<th scope=\"row\">pot</th><td><a class=\"measured-claimed\" href=\"#claim-tea.slow-quick\">",
        "id=\"claim-tea.slow-quick\"",
        "A pot takes more than one and a half times as long as a &lt;kettle&gt;.",
        "id=\"chart-tea.two-litres\"",
        "<tr><td>&lt;kettle&gt;</td><td>kettle</td><td>kettle-1</td><td>two</td><td>360 s (356 to 363 s)</td><td>× 2.00</td></tr>",
        // Ten pots of one litre take as long as five of two.
        "<td>≈</td>",
        "<div class=\"measured-slider\" data-formula=\"wait\" hidden=\"\">",
        "<th scope=\"row\">90\u{a0}%</th><td>4.5</td><td>9</td><td>33</td>",
        "<div class=\"measured-slider\" data-formula=\"share\" hidden=\"\">",
        "<tr data-cost=\"",
        "<figure class=\"measured-drawing\">",
        "<text>360\u{a0}s</text>",
    ];
    built(&copy, "book/tea/blocks.html", &expected);
}

#[test]
fn a_page_that_asks_for_what_is_not_there() {
    refused(
        PAGE,
        &[
            (
                "boil: kettle, litres=1}}, {{",
                "boil: kettel, litres=1}}, {{",
                3,
                &[
                    "no row is \"boil: kettel, litres=1\"",
                    "boil: kettle, litres=1, time to the boil",
                ],
            ),
            (
                "number boil: kettle, litres=1",
                "number boil: kettle",
                3,
                &["2 rows, say which", "boil: kettle, litres=2, time to the boil"],
            ),
            (
                "litres=1 / kettle}}",
                "litres=1 / kettles}}",
                3,
                &["no row is \"boil: kettles, litres=1\"", "boil: kettle, litres=1"],
            ),
            (
                "number boil: kettle",
                "number coffee/boil: kettle",
                3,
                &["data/kettle-1 has no run of coffee", "cargo book measure coffee"],
            ),
            ("{{ledger}}", "{{ledgre}}", 23, &["no directive is \"ledgre\"", "ledger"]),
            ("{{ledger}}", "{{ledger", 23, &["never closed"]),
            ("{{claim tea.pot}}", "{{claim tea.pit}}", 4, &["no claim is \"tea.pit\"", "tea.pot"]),
            ("({{claim tea.pot}})", "({{claim tea.pot}} so)", 4, &["write `({{claim a}})`"]),
            (
                "a pot ({{claim tea.pot}})",
                "a pot, {{claim tea.pot}}",
                4,
                &["write `({{claim a}})`"],
            ),
            ("grandma.tea pot", "grandma.tea kettle", 4, &["no figure \"kettle\"", "pot"]),
            (
                "{{ledger}}",
                "```rust\n{{#include ../kettle.rs}}\n```",
                24,
                &["\"../kettle.rs\" cannot be included"],
            ),
            ("{{ledger}}", "```rust\n{{#include tea.md:lid}}\n```", 24, &["no `ANCHOR: lid`"]),
            ("{{ledger}}", "{{number}}", 23, &["a row is asked for as"]),
            ("{{ledger}}", "{{number thread}}", 23, &["or by a name of a `figures` block"]),
            (
                "{{ledger}}",
                "{{number boil: pot * boil: pot}}",
                23,
                &["a share is `row * row / row`"],
            ),
            (
                "{{ledger}}",
                "{{number boil: pot, litres=1 * boil: pot, litres=1 / boil: pot, litres=1}}",
                23,
                &["is no share of \"boil: pot, litres=1"],
            ),
            (
                "{{ledger}}",
                "{{ratio boil: pot}}",
                23,
                &["a ratio is `experiment: contender, ... / contender, ...`"],
            ),
            (
                "{{ledger}}",
                "{{least boil: pot, litres=3}}",
                23,
                &["no row is \"boil: pot, litres=3\""],
            ),
            ("{{ledger}}", "{{published grandma.tea}}", 23, &["write it as {{published "]),
            ("{{ledger}}", "{{parameter boil: pot}}", 23, &["write it as {{parameter "]),
            (
                "{{ledger}}",
                "{{fact 512 KiB}}",
                23,
                &["write it as {{fact \"512 KiB\" where it is from}}"],
            ),
            (
                "{{ledger}}",
                "{{fact \"3\"}}",
                23,
                &["write it as {{fact \"512 KiB\" where it is from}}"],
            ),
            ("{{ledger}}", "{{drawing}}", 23, &["write it as {{drawing "]),
            ("{{ledger}}", "{{agreement nowhere}}", 23, &["write it as {{agreement "]),
            ("{{ledger}}", "{{claims all}}", 23, &["write it as {{claims}}"]),
            ("{{ledger}}", "{{ledger all}}", 23, &["write it as {{ledger}}"]),
            ("{{ledger}}", "{{machines all}}", 23, &["write it as {{machines}}"]),
            ("{{ledger}}", "{{conditions all}}", 23, &["write it as {{conditions}}"]),
            ("{{ledger}}", "{{runs all}}", 23, &["write it as {{runs}}"]),
        ],
    );
}

#[test]
fn every_directive_can_be_written_as_it_is_documented() {
    let language = mdbook_measured::language();
    let forms = language.lines().filter_map(|line| line.strip_prefix("| `{{")?.split("}}").next());
    for form in forms {
        let copy = book();
        copy.change(PAGE, "{{ledger}}", &format!("{{{{{form}}}}}"));
        let wrong = copy.build().err().unwrap_or_default();
        for no_form in ["write it as", "is asked for as", "no directive", "a ratio is"] {
            assert!(!wrong.contains(no_form), "{form}: {wrong}");
        }
    }
}

#[test]
fn a_malformed_claim() {
    let fence = "```claim\n";
    let again = "```claim\nid = \"tea.pot\"\nsentence = \"It is {bound}.\"\nvalue = \"boil: pot, litres=1\"\npredicate = \"above 1\"\n```\n\n```claim\n";
    refused(
        PAGE,
        &[
            (
                "ratio = \"boil: pot, litres=1",
                "ratio = \"boil: pot, litres=3",
                6,
                &["no row is \"boil: pot, litres=3\"", "boil: pot, litres=1"],
            ),
            ("above 1.5", "over 1.5", 10, &["above x"]),
            ("id = \"tea.pot\"", "id = \"pot\"", 7, &["is no id"]),
            (
                "\"grandma.tea\"",
                "\"grandma.tee\"",
                6,
                &["nobody published \"grandma.tee\"", "grandma.tea"],
            ),
            ("ratio = \"boil: pot, litres=1 / kettle\"", "", 7, &["`value` or a `ratio`"]),
            (fence, again, 13, &["the claim \"tea.pot\" stands at src/tea.md:6 already"]),
        ],
    );
}

#[test]
fn a_malformed_chart() {
    let again = "```chart\nid = \"tea.boil\"\ntitle = \"It boils\"\nkind = \"lines\"\nexperiment = \"boil\"\nquantity = \"time to the boil\"\nx = \"litres\"\n```";
    refused(
        PAGE,
        &[
            (
                "experiment = \"boil\"",
                "experiment = \"boill\"",
                18,
                &["no row is \"boill: time to the boil\"", "boil: kettle"],
            ),
            ("experiment = \"boil\"", "", 15, &["an `experiment` and a `quantity` are missing"]),
            ("experiment = \"boil\"", "context = \"watr\"", 18, &["a name of a `figures` block"]),
            ("x = \"litres\"", "x = \"liters\"", 20, &["no parameter", "litres"]),
            ("kind = \"lines\"", "kind = \"lines", 17, &[]),
            ("kind = \"lines\"", "kind = \"pies\"", 17, &["pies", "lines"]),
            ("kind = \"lines\"", "colour = \"red\"\nkind = \"lines\"", 17, &["colour"]),
            (
                "kind = \"lines\"",
                "kind = \"bars\"\nx-scale = \"log\"",
                18,
                &["only lines have a scale of x"],
            ),
            ("id = \"tea.boil\"", "id = \"boil\"", 15, &["is no id"]),
            ("above 1.5", "above 2", 16, &["the claim \"tea.pot\" calls undecided"]),
            ("{{ledger}}", again, 23, &["the chart \"tea.boil\" stands at src/tea.md:14 already"]),
        ],
    );
    let copy = book();
    copy.change(PAGE, "kind = \"lines\"", "kind = \"bars\"");
    copy.change(PAGE, "x = \"litres\"", "x = \"contender\"");
    copy.refused(&["src/tea.md:18: ", "the rows also differ in litres (1, 2)"]);
}

#[test]
fn a_chart_of_a_context() {
    let copy = book();
    copy.change(PAGE, "# Tea\n", "# Tea\n\n```figures\nwater = \"boil: time to the boil\"\n```\n");
    let common = "experiment = \"boil\"\nquantity = \"time to the boil\"";
    copy.change(PAGE, common, "context = \"water\"");
    built(&copy, "book/tea.html", &["id=\"chart-tea.boil\""]);
    // The names of a chapter hold on the pages below it.
    copy.change(BLOCKS, "least litre: kettle", "least water: kettle, litres=1");
    built(&copy, "book/tea/blocks.html", &["data-of=\"boil: kettle, litres=1, time to the boil\""]);
    copy.change(BLOCKS, "least water: kettle, litres=1", "least watr");
    copy.refused(&["src/tea/blocks.md:8: ", "a name of a `figures` block", "water"]);
}

#[test]
fn a_logarithmic_scale_of_zero() {
    let copy = book();
    copy.change(PAGE, "x = \"litres\"", "x = \"litres\"\nx-scale = \"log\"");
    built(&copy, "book/tea.html", &[]);
    copy.write(DATA, &copy.read(DATA).replace("\"litres\": 2", "\"litres\": 0"));
    copy.refused(&["src/tea.md:21: ", "litres reaches zero"]);
}

#[test]
fn a_malformed_block() {
    let blocks = include_str!("blocks.md");
    let questions = blocks.split("```predict\n").nth(1).unwrap().split("```").next().unwrap();
    let kinds = "\"a kettle\" = \"boil: kettle, litres=1 + boil: pot, litres=1\"\n";
    let columns = "cell = \"number boil: {row}, {column}\"\n\n[columns]\n\"<1>\" = \"litres=1\"";
    refused(
        BLOCKS,
        &[
            // figures
            (
                "boil: litres=1, time to the boil",
                "a-pot: litres=1",
                4,
                &["litre → a-pot → litre goes round in a circle"],
            ),
            (
                "a-pot = \"litre: pot\"",
                "a-pot = \"litre: pot\"\nb = \"boil: pot\"",
                6,
                &["nothing asks for \"b\""],
            ),
            (
                "a-pot = \"litre: pot\"",
                "a-pot = \"litre: pot\"\na-pot = \"boil: pot\"",
                6,
                &["duplicate key"],
            ),
            ("a-pot = ", "pot = ", 5, &["\"pot\" is a contender"]),
            ("litre: pot", "litre: pott", 8, &["boil: pot, litres=1"]),
            (
                "number a-pot",
                "number a-pott",
                8,
                &["a name of a `figures` block; the nearest:\n    a-pot"],
            ),
            (
                "{{drawing pot.svg}}",
                "```figures\nb = \"boil: pot\"\n```",
                77,
                &["names are given at src/tea/blocks.md:3 already"],
            ),
            // table
            ("{row}", "{raw}", 18, &["nothing stands for \"{raw}"]),
            ("\"number", "\"nummer", 18, &["no directive is \"nummer\""]),
            ("= \"kettle\"\n", "= \"kettel\"\n", 19, &["no row is \"boil: kettel, litres=1\""]),
            ("cell", "cel", 12, &["unknown field `cel`"]),
            ("kettle = \"kettle\"", "\"a `pot`\" = \"kettle\"", 19, &["duplicate key"]),
            ("\"<1>\" = \"litres=1\"", "", 11, &["one of each at least"]),
            (
                columns,
                "[columns]\n\"<1>\" = [\"number boil: pot\"]",
                16,
                &["a column is one directive"],
            ),
            ("<1>", "{{x}}", 15, &["no directive is \"x\""]),
            // predict
            (questions, "", 23, &["nothing is asked"]),
            (
                "number boil: kettle, litres=2",
                "least boil: kettle, litres=2",
                23,
                &["a number or a ratio does"],
            ),
            (
                "\"number boil: kettle, litres=2",
                "\"number boil: kettel, litres=2",
                23,
                &["no row is \"boil: kettel"],
            ),
            (
                "And how many times as long in a pot",
                "How long do two `litres` take",
                27,
                &["duplicate key"],
            ),
            ("why = \"It has no lid.\"", "", 27, &["an `answer` and a `why`, or `choices`"]),
            ("It has no lid.", "It takes 3 times as long.", 27, &["\"3 times\" is typed by hand"]),
            ("It has no lid.", "{{nummer a}}", 27, &["no directive is \"nummer\""]),
            (", right = true", "", 31, &["one is `right = true`"]),
            (
                "{ says = \"A pot has a `handle`\", why = \"So has a kettle.\" },",
                "",
                31,
                &["of two `choices` or more"],
            ),
            // What is told above: in prose, whatever it is called, in a table, as both numbers of a ratio, in a `why`.
            (
                "number boil: kettle, litres=2",
                "number a-pot",
                23,
                &["stands above the question already, on line 8"],
            ),
            ("number boil: kettle, litres=2", "number boil: kettle, litres=1", 23, &["on line 10"]),
            (
                "ratio boil: pot, litres=2 / kettle",
                "ratio litre: kettle / pot",
                27,
                &["on line 10"],
            ),
            ("Each *litre*", "{{ratio boil: pot, litres=2 / kettle}}", 27, &["on line 23"]),
            // calculator
            (
                " = \"boil: kettle, litres=1",
                " = \"boil: kettel, litres=1",
                43,
                &["no row is \"boil: kettel"],
            ),
            (" = \"boil: kettle, litres=1 ", " = \"boil ", 43, &["a row is asked for as"]),
            ("[10, 2000]", "[]", 40, &["no count is given"]),
            ("[10", "[-1", 40, &["-1"]),
            ("counts", "count", 40, &["unknown field `count`"]),
            (kinds, "", 39, &["nothing is counted under [kinds]"]),
            // costs
            ("cost = \"boil: pot, litres=1\"", "cost = \"boil\"", 49, &["a row is asked for as"]),
            (
                "cost = \"boil: pot, litres=1\"",
                "cost = \"boil: pot, litres=1 - kettle\"",
                49,
                &["is no row's time, which a price is"],
            ),
            ("to-do", "todo", 52, &["unknown field `todo`"]),
            ("\"wait\"", "\"{{x}}\"", 49, &["no directive is \"x\""]),
            ("claim = \"pot\"", "claim = \"pit\"", 49, &["no claim is \"tea.pit\""]),
            ("tea.prices", "prices", 47, &["is no id"]),
            ("A litre takes {{number", "{{nummer", 48, &["no directive is \"nummer"]),
            // claims
            ("tea.{row}", "tea.{raw}", 63, &["is no id"]),
            ("{bound}", "{bond}", 64, &["nothing stands for \"{bond}\""]),
            ("above", "over", 66, &["above x"]),
            ("of = \"kettle\"", "of = \"kettel\"", 62, &["no row is \"boil: kettel, litres=1\""]),
            ("head = \"pot\"", "haed = \"pot\"", 73, &["unknown field `haed`"]),
            (
                "tea.{row}-{column}",
                "tea.pot",
                62,
                &["the claim \"tea.pot\" stands at src/tea.md:6 already"],
            ),
            // pairs
            ("id = \"tea.two-litres\"", "id = \"two\"", 80, &["is no id"]),
            ("[\"one litre\", \"two\"]", "[\"one litre\"]", 82, &[]),
            (
                "[\"boil: kettle, litres=1\"",
                "[\"boil: kettel, litres=1\"",
                85,
                &["no row is \"boil: kettel"],
            ),
            ("\"boil: kettle, litres=2\"]", "\"boil: kettle\"]", 85, &["2 rows, say which"]),
            (
                "\"5 x boil: pot, litres=2\"]",
                "\"5 x boil: pot, litres=2 + pot, litres=1\"]",
                86,
                &["is no row, and not so many of one"],
            ),
            // slider
            ("formula = \"wait\"", "formula = \"weight\"", 90, &["unknown variant `weight`"]),
            // drawing
            ("pot.svg", "pan.svg", 77, &["pan.svg:0: cannot be read"]),
        ],
    );
    for (from, to, expected) in [
        ("boil: pot", "boil: pott", "pot.svg:5: no row is \"boil: pott"),
        (
            "litres=1",
            "litres=1 - kettle, litres=2",
            "pot.svg:5: \"boil: pot, litres=1 - kettle, litres=2\" is ",
        ),
        (
            "}}",
            " - kettle, litres=2}}",
            "misleads without its interval, for which a drawing has no room",
        ),
    ] {
        let copy = book();
        copy.change(DRAWING, from, to);
        copy.refused(&["src/tea/blocks.md:77: ", expected]);
    }
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
fn everything_that_is_wrong_is_said_at_once() {
    let copy = book();
    copy.change(PAGE, "number boil: kettle", "number boil: kettel");
    copy.change(PAGE, "above 1.5", "over 1.5");
    copy.refused(&["src/tea.md:3: ", "src/tea.md:10: "]);
}

#[test]
fn a_row_that_cannot_be_true() {
    refused(
        DATA,
        &[
            ("\"estimate\": 179900867073.5", "\"estimate\": NaN", 2, &["NaN", "`failed`"]),
            (
                "\"estimate\": 179900867073.5",
                "\"estimate\": 178683711280.0",
                2,
                &["median of the points"],
            ),
            ("\"low\": 178683711279.0", "\"low\": -1.0", 2, &["low is -1", "negative"]),
            ("\"low\": 178683711279.0", "\"low\": 190e9", 2, &["a wrong interval"]),
            ("\"high\": 181250761453.0", "\"high\": 900e9", 2, &["beyond the points"]),
            ("\"unit\": \"ns\", ", "", 2, &["unit"]),
            ("\"unit\": \"ns\"", "\"unit\": \"B\"", 2, &["measured in ns"]),
            ("\"unit\": \"ns\"", "\"unit\": \"ms\"", 2, &["ms"]),
            ("kettle-1", "../kettle-1", 1, &["is not a name"]),
            ("\"kettle\"", "\"<script>alert(1)</script>\"", 2, &["is not a name"]),
            ("time to the boil", "time to the <i>", 2, &["is not a name"]),
            ("\"litres\"", "\"<b>\"", 2, &["is not a name"]),
        ],
    );
}

#[test]
fn other_files_that_are_wrong() {
    refused(
        "data/published/claims.toml",
        &[
            ("source = \"grandma\"", "source = \"grandpa\"", 6, &["grandma"]),
            ("unit = \"s\"", "unit = \"sec\"", 6, &["\"sec\" is not known"]),
            ("unit = \"s\"", "units = \"s\"", 10, &["units"]),
            ("600.0", "nan", 6, &["\"pot\" is NaN"]),
            ("claim = \"a", "note = \"a", 6, &["\"grandma.tea\" says nothing"]),
            ("outcome = \"It boils", "outcome = \"\" # ", 6, &["has no outcome: write a sentence"]),
            ("code = \"none\"", "code = none", 3, &[]),
        ],
    );
    refused(
        "data/kettle-1/machine.json",
        &[("\"machine\": \"kettle-1", "\"machine\": \"../kettle-1", 1, &["is not a name"])],
    );
    let (from, other, outside) = ("\"kettle-1", "\"kettle-2", "\"../data/kettle-1");
    let no_data = ["no data of the reference machine \"kettle-2\"", "kettle-1"];
    refused("book.toml", &[(from, other, 4, &no_data)]);
    let copy = book();
    copy.change("book.toml", from, outside);
    copy.refused(&["book.toml:1: ", "is not a name"]);
    let copy = book();
    fs::remove_file(copy.path("data/kettle-1/machine.json")).unwrap();
    copy.refused(&["data/kettle-1/machine.json:1: "]);
    let copy = book();
    copy.write("data/local/tea/boil.jsonl", "{\"run\": 1}\n");
    copy.refused(&["data/local/tea/boil.jsonl:1: ", "remove data/local"]);
}

#[test]
fn a_truncated_file() {
    let copy = book();
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
    let copy = book();
    let text = copy.read(DATA);
    let first: Vec<&str> = text.lines().take(6).collect();
    copy.write(DATA, &format!("{}\n{}\n", first.join("\n"), first[1]));
    copy.refused(&["data/kettle-1/tea/boil.jsonl:7: ", "stands on line 2 already"]);
}

#[test]
fn a_file_in_the_wrong_place() {
    let copy = book();
    fs::rename(copy.path(DATA), copy.path("data/kettle-1/tea/brew.jsonl")).unwrap();
    copy.refused(&["data/kettle-1/tea/brew.jsonl:1: ", "holds the run of \"tea/boil\""]);
    // A chapter's file, as there were before method 3.
    let copy = book();
    fs::rename(copy.path(DATA), copy.path("data/kettle-1/tea.jsonl")).unwrap();
    copy.refused(&[
        "data/kettle-1/tea.jsonl:1: ",
        "data/<machine>/<chapter>/<experiment>.jsonl",
        "move or remove it",
    ]);
}

#[test]
fn machines_and_how_quiet_they_were_are_tables() {
    let copy = Copy::new();
    copy.change(PAGE, "{{ledger}}", "{{machines}}\n\n{{conditions}}");
    let boots = copy.read(DATA).replacen("\"load\"", "\"host\": {\"boot\": \"a\"}, \"load\"", 2);
    copy.write(DATA, &boots);
    let expected = [
        "<h2 id=\"machine-kettle-1\">",
        "<td>Logical processors</td>",
        "<th>slowed</th>",
        "<tr><td>tea/boil, kettle-1</td><td>2026-11-30 11:12</td><td>1</td><td>2 × 1</td><td>2.0\u{a0}%</td>",
        "<td>2026-11-30 12:12</td><td>2</td>",
        "<td>not logged</td>",
    ];
    built(&copy, "book/tea.html", &expected);
}

/// Titles and sentences are free text: what looks like HTML or Markdown is shown as it is written.
#[test]
fn html_in_free_text_is_shown_as_text() {
    let copy = Copy::new();
    copy.change(PAGE, "as long as a kettle", "<img src=x onerror=alert(1)> *a* & \\\"b\\\"");
    copy.change(DATA, "there is no socket", "<script>alert(2)</script>");
    let expected = [
        "&lt;img src=x onerror=alert(1)&gt; *a* &amp; \"b\"</figcaption>",
        "not measured: &lt;script&gt;alert(2)&lt;/script&gt;",
    ];
    let html = built(&copy, "book/tea.html", &expected);
    assert!(!html.contains("<img src=x") && !html.contains("<script>alert"));
}

#[test]
fn a_published_claim_that_nobody_can_test() {
    let copy = Copy::new();
    let (chapter, why) = ("chapter = \"tea\"", "not testable here, since nobody may watch");
    let not_testable = format!("{chapter}\nnot_testable = \"nobody may watch\"");
    copy.change("data/published/claims.toml", chapter, &not_testable);
    copy.refused(&["src/tea.md:6: ", why]);
    copy.change(PAGE, "replicates = \"grandma.tea\"\n", "");
    let expected =
        ["<strong>Not testable here.</strong>", "<li>Not testable here: Nobody may watch.</li>"];
    built(&copy, "book/tea.html", &expected);
}

#[test]
fn what_became_of_a_published_claim_asks_for_rows_that_are_there() {
    let copy = Copy::new();
    copy.change("data/published/claims.toml", "boil: pot", "boil: pott");
    let place = "src/tea.md:23: data/published/claims.toml:6: `in_ours`: no row is \"boil: pott";
    copy.refused(&[place]);
}

/// One run knows nothing of others. A machine that has several lends what it knows of them, if it is the
/// reference.
#[test]
fn one_run_judges_nothing_unless_it_can_borrow() {
    let copy = Copy::new();
    let text = copy.read(DATA);
    let (one, _) = text.split_once("\n{\"run\"").unwrap();
    copy.write(DATA, one);
    let alone = "measured-one-run\">one run</span> kettle-1: ratio 2.01 (one run)</li>";
    built(
        &copy,
        "book/tea.html",
        &[alone, "Measured on kettle-1 in the kitchen, in one run on 2026-11-30."],
    );
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
    built(&copy, "book/tea.html", &[">holds</span> kettle-1: value 361 s (mean "]);
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
    let told = "A run of 2026-11-30 is kept and counts for nothing: no lid &amp; no fire.";
    let html = built(
        &copy,
        "book/tea.html",
        &[told, "Measured on kettle-1 in the kitchen, in 2 runs, the last on 2026-11-30."],
    );
    assert!(!html.contains("samovar"), "{html}");
    copy.change(DATA, "no lid & no fire", " ");
    copy.refused(&["data/kettle-1/tea/boil.jsonl:1: ", "`fault` gives no reason"]);
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
    let expected = [
        "measured with rustc 1.95.0, the tree has 1.96.0",
        "measured with water 1.0.0, the tree has 2.0.0",
        "the workload has changed since it was measured",
    ];
    built(&copy, "book/tea.html", &expected);
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
