//! What is drawn: each kind of chart, made from the rows of the fixture book; and what a page says of its rows.

use std::fs;

use copy::{Copy, DATA, PAGE};
use serde_json::{Value, json};

mod copy;
mod timelines;

/// A built page, and what its first chart can show.
struct Page {
    html: String,
    /// The views: machine, scale, and what plotly.js gets.
    views: Vec<(String, String, Value)>,
}

impl Page {
    fn of(copy: &Copy) -> Page {
        copy.build().unwrap();
        let html = copy.read("book/tea.html");
        let mut views = Vec::new();
        if html.contains("data-views") {
            let attribute = |name: &str| part(&html, &format!(" {name}=\""), "\"").to_owned();
            let script = copy.read(&format!("book/{}", attribute("data-views")));
            let plots: Vec<Value> =
                serde_json::from_str(part(&script, "measured.views(", ");\n")).unwrap();
            let (machines, scales) = (attribute("data-machines"), attribute("data-scales"));
            let mut plots = plots.into_iter();
            for machine in machines.split('|') {
                for scale in scales.split('|') {
                    let plot = plots.next().expect("each machine has each scale");
                    views.push((machine.to_owned(), scale.to_owned(), plot));
                }
            }
            assert_eq!(plots.next(), None);
        }
        Page { html, views }
    }

    /// The first view of a machine.
    fn view(&self, machine: &str) -> &Value {
        &self.views.iter().find(|(name, ..)| name == machine).expect("it is there").2
    }

    fn plot(&self) -> &Value {
        &self.views[0].2
    }

    fn machines(&self) -> Vec<&str> {
        let mut machines: Vec<&str> = self.views.iter().map(|(name, ..)| &**name).collect();
        machines.dedup();
        machines
    }

    fn scales(&self) -> Vec<&str> {
        self.views.iter().map(|(_, scale, _)| &**scale).collect()
    }

    /// The still picture: its legend, and the picture.
    fn still(&self) -> (&str, &str) {
        part(&self.html, "class=\"measured-still\"", "</figure>").split_once("</div>").unwrap()
    }

    /// What stands for the picture.
    fn label(&self) -> &str {
        part(&self.html, "role=\"img\" aria-label=\"", "\"")
    }

    fn shows(&self, expected: &[&str]) {
        shows(&self.html, expected);
    }
}

/// What stands between two texts.
fn part<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from:?} in {text}"));
    rest.split(to).next().unwrap()
}

fn shows(text: &str, expected: &[&str]) {
    for expected in expected {
        assert!(text.contains(expected), "no {expected:?} in {text}");
    }
}

/// A copy whose page is another one.
fn changed(changes: &[(&str, &str)]) -> Copy {
    let copy = Copy::new();
    changes.iter().for_each(|(from, to)| copy.change(PAGE, from, to));
    copy
}

/// A copy whose chart is another one.
fn with_chart(chart: &str) -> Copy {
    let page = Copy::new().read(PAGE);
    let old = part(&page, "```chart\n", "\n```\n");
    changed(&[(old, chart)])
}

/// A copy whose chart is of another kind.
fn of_kind(kind: &str) -> Copy {
    changed(&[("kind = \"lines\"", &format!("kind = {kind}"))])
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn near(found: &Value, expected: &[f64]) {
    let found = numbers(found);
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 0.03 * b.abs();
    let all = found.len() == expected.len() && found.iter().zip(expected).all(is_near);
    assert!(all, "{found:?}, not {expected:?}");
}

/// The traces that play a role: none for the rows themselves.
fn traces<'a>(plot: &'a Value, role: Option<&str>) -> Vec<&'a Value> {
    let all = plot["data"].as_array().unwrap().iter();
    all.filter(|trace| trace["meta"]["role"].as_str() == role).collect()
}

/// What each of these has under a key.
fn each<'a>(of: &[&'a Value], key: &str) -> Vec<&'a Value> {
    of.iter().map(|value| value.pointer(key).unwrap()).collect()
}

fn annotations(plot: &Value) -> Vec<&Value> {
    plot["layout"]["annotations"].as_array().unwrap().iter().collect()
}

/// The headers of the three runs of a file, for an experiment.
fn headers(copy: &Copy, experiment: &str) -> Vec<String> {
    let text = copy.read(DATA);
    let headers = text.lines().filter(|line| line.starts_with("{\"run\""));
    headers.map(|header| header.replace("\"boil\"", &format!("{experiment:?}"))).collect()
}

/// Three runs of an experiment on the first machine, each of these rows.
fn with_runs(copy: &Copy, experiment: &str, rows: &[Value]) {
    let rows: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let runs = headers(copy, experiment).into_iter().map(|header| format!("{header}\n{rows}"));
    copy.write(&format!("data/kettle-1/tea/{experiment}.jsonl"), &runs.collect::<String>());
}

fn row(contender: &str, parameters: Value, quantity: &str, unit: &str, points: &[f64]) -> Value {
    let mut sorted = points.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (middle, last) = (sorted.len() / 2, sorted.len() - 1);
    json!({
        "contender": contender, "parameters": parameters, "quantity": quantity, "unit": unit,
        "estimate": (sorted[(sorted.len() - 1) / 2] + sorted[middle]) / 2.0, "low": sorted[0],
        "high": sorted[last], "points": points, "source": "criterion",
    })
}

/// A row of a contender and so many litres.
fn litres(contender: &str, litres: u32, points: &[f64]) -> Value {
    row(contender, json!({"litres": litres}), "time to the boil", "ns", points)
}

/// A row of the kettle and one of the pot, each of one litre.
fn with_pot(copy: &Copy, kettle: &[f64], pot: &[f64]) {
    with_runs(copy, "boil", &[litres("kettle", 1, kettle), litres("pot", 1, pot)]);
}

/// The visits of the pot in two modes.
fn with_modes(copy: &Copy) {
    with_pot(copy, &[1e9, 1.01e9, 1e9, 1.02e9, 1e9, 1.01e9], &MODES.map(|visit| visit * 1e9));
}

const MODES: [f64; 6] = [2.4, 2.41, 1.2, 2.4, 1.21, 2.42];

/// Runs of another machine and of the reader's own.
fn with_other_machines(copy: &Copy) {
    let files = fs::read_dir(copy.path("data/kettle-1/tea")).unwrap();
    let files = files.map(|file| format!("tea/{}", file.unwrap().file_name().display()));
    for file in files.chain(["machine.json".to_owned()]) {
        let text = copy.read(&format!("data/kettle-1/{file}"));
        for name in ["kettle-2", "local"] {
            copy.write(&format!("data/{name}/{file}"), &text.replace("kettle-1", name));
        }
    }
}

/// Keeps these lines of a file.
fn retain(copy: &Copy, file: &str, mut is_kept: impl FnMut(&str) -> bool) {
    let lines = copy.read(file);
    let kept: String =
        lines.lines().filter(|line| is_kept(line)).map(|line| format!("{line}\n")).collect();
    copy.write(file, &kept);
}

const OF_OTHER: &str = "data/kettle-2/tea/boil.jsonl";
const OF_READER: &str = "data/local/tea/boil.jsonl";

#[test]
fn lines_have_bands_and_labels() {
    let page = Page::of(&Copy::new());
    let plot = page.plot();
    let lines = traces(plot, None);
    assert_eq!(each(&lines, "/name"), ["kettle", "pot"]);
    assert_eq!(lines[0]["x"], json!([1.0, 2.0]));
    near(&lines[0]["y"], &[180.0, 360.0]);
    assert_eq!(lines[0]["ids"][1], "boil: kettle, litres=2, time to the boil");
    assert_eq!(plot["layout"]["meta"]["divisor"], 1e9);
    assert_eq!(plot["layout"]["yaxis"]["title"]["text"], "time to the boil, s");
    // There along the upper ends, and back along the lower ones.
    let band = traces(plot, Some("band"))[0];
    assert_eq!(band["x"], json!([1.0, 2.0, 2.0, 1.0]));
    near(&band["y"], &[181.0, 362.0, 357.0, 179.0]);
    let labels = annotations(plot);
    let at = |place: usize| labels[place]["y"].as_f64().unwrap();
    assert!(labels[1]["text"].as_str().unwrap().ends_with("pot") && at(1) > at(0) + 0.05);
    // Until it is drawn, a still picture stands there: two lines and two bands, and the grid.
    let (_, still) = page.still();
    shows(still, &[">time to the boil, s</text>", "kettle</text>", ">200</text>"]);
    assert!(still.matches("<path").count() >= 5, "{still}");
    // A button offers the other scale.
    assert_eq!(page.scales(), ["linear", "log"]);
    assert_eq!(page.views[1].2["layout"]["yaxis"]["type"], "log");
}

const FORMULA: &str = "id = \"tea.pour\"
title = \"A kettle that is asked for much is late\"
kind = \"lines\"
experiment = \"pour\"
quantity = \"latency p99\"
x = \"load_percent\"
y-scale = \"log\"
m-d-1 = \"kettle, load_percent=50\"";

const RUG: &str = "id = \"tea.boil\"
title = \"A jug holds less than a pot\"
kind = \"lines\"
experiment = \"boil\"
quantity = \"time to the boil\"
x = \"litres\"
rug = [{ name = \"a jug\", rows = \"sizes: jug\" }]";

/// A kettle's latency over its loads, and its capacity of 250,000 a second: four microseconds each; and a row
/// whose figure is a number of litres.
fn with_latencies_and_a_jug(copy: &Copy, loads: [u32; 2]) {
    let rows = loads.map(|load| {
        let row = |quantity, unit, figure| {
            row("kettle", json!({"load_percent": load}), quantity, unit, &[figure; 6])
        };
        [row("latency p99", "ns", 1e3 * f64::from(load)), row("capacity", "1/s", 250_000.0)]
    });
    with_runs(copy, "pour", rows.as_flattened());
    let points = [1.2, 1.5, 1.5, 1.5, 1.5, 1.8];
    with_runs(copy, "sizes", &[row("jug", json!({}), "bytes per level", "B", &points)]);
}

#[test]
fn a_formula_is_drawn_beside_what_was_measured_and_is_told_from_it() {
    let copy = with_chart(FORMULA);
    with_latencies_and_a_jug(&copy, [50, 80]);
    with_other_machines(&copy);
    // It may have measured no capacity.
    retain(&copy, "data/kettle-2/tea/pour.jsonl", |row| !row.contains("\"capacity\""));
    let page = Page::of(&copy);
    let plot = page.view("kettle-1");
    near(&traces(plot, None)[0]["y"], &[50.0, 80.0]);
    let [formula] = traces(plot, Some("formula"))[..] else { panic!("{plot}") };
    let (x, y) = (numbers(&formula["x"]), numbers(&formula["y"]));
    assert_eq!((x[0], x[x.len() - 1]), (50.0, 80.0));
    // 4.34 and 11.36 services, as tables of this queue say.
    near(&json!([y[0], y[y.len() - 1]]), &[17.36, 45.4]);
    assert!(y.is_sorted(), "{y:?}");
    assert_eq!(each(&[formula], "/name"), ["formula, not measured"]);
    assert_eq!((&formula["mode"], &formula["line"]["dash"]), (&json!("lines"), &json!("longdash")));
    assert!(numbers(&plot["layout"]["yaxis"]["range"])[0] < 17.36_f64.log10(), "{plot}");
    assert!(traces(page.view("kettle-2"), Some("formula")).is_empty());
    assert_eq!(traces(page.view("yours beside kettle-1"), Some("formula")).len(), 2);
    let (legend, picture) = page.still();
    shows(legend, &["dasharray:15 15"]);
    let words = "The dashed line is computed, not measured: the latency p99 of an M/D/1 queue";
    shows(picture, &["dasharray:15 15", ">╌ formula, not measured</text>", words]);
    shows(page.label(), &[words]);
}

#[test]
fn a_rug_stands_along_the_axis() {
    let copy = with_chart(RUG);
    with_other_machines(&copy);
    // The others have no jug.
    with_latencies_and_a_jug(&copy, [50, 80]);
    let page = Page::of(&copy);
    let plot = page.view("kettle-1");
    let [rug] = traces(plot, Some("rug"))[..] else { panic!("{plot}") };
    assert_eq!((&rug["name"], &rug["x"]), (&json!("a jug"), &json!([1.48983])));
    assert_eq!(
        (&rug["mode"], &rug["marker"]["symbol"]),
        (&json!("markers"), &json!("triangle-up"))
    );
    let range = numbers(&plot["layout"]["yaxis"]["range"]);
    let height = numbers(&rug["y"])[0];
    assert!(range[0] < height && height < range[1] / 10.0, "{height} in {range:?}");
    assert!(traces(page.view("kettle-2"), Some("rug")).is_empty());
    // Below its note and for who does not see it.
    let words = "Along the axis, a jug on kettle-1: ";
    shows(page.still().1, &[">▲ a jug</text>", words]);
    shows(page.label(), &[words]);
}

#[test]
fn what_reaches_zero_has_no_logarithm() {
    let number = "{{number boil: pot, litres=1}}";
    // No ratio can be taken of it.
    let without_ratios = |copy: &Copy| {
        let page = copy.read(PAGE);
        let chart = &page[page.find("```chart").unwrap()..];
        copy.write(PAGE, &chart.replace("{{ratio boil: pot, litres=1 / kettle}}", number));
    };
    let copy = Copy::new();
    let second = copy.read(DATA).lines().nth(1).unwrap().to_owned();
    copy.change(DATA, &second, &litres("kettle", 1, &[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]).to_string());
    without_ratios(&copy);
    assert_eq!(Page::of(&copy).scales(), ["linear"]);
    // So has a distribution whose visits lie far below the interval, which begins above zero.
    let copy = of_kind("\"distribution\"\ny-scale = \"log\"");
    copy.change(DATA, "\"points\": [178683711279.0", "\"points\": [0.0");
    copy.change(DATA, "\"low\": 178683711279.0", "\"low\": 179118248493.0");
    without_ratios(&copy);
    assert_eq!(Page::of(&copy).scales(), ["linear"]);
}

#[test]
fn each_machine_can_be_chosen_and_yours_stands_beside_ours() {
    let copy = Copy::new();
    with_other_machines(&copy);
    let page = Page::of(&copy);
    let beside = "yours beside kettle-1";
    assert_eq!(page.machines(), [beside, "kettle-1", "kettle-2", "yours"]);
    let names = |machine: &str| each(&traces(page.view(machine), None), "/name");
    assert_eq!(names(beside), ["kettle", "kettle, yours", "pot", "pot, yours"]);
    assert_eq!(names("kettle-2"), ["kettle", "pot"]);
    let machine = |machine: &str| &traces(page.view(machine), None)[0]["meta"]["machine"];
    assert_eq!((machine("kettle-2"), machine("yours")), (&json!("kettle-2"), &json!("local")));
    // The axes stay as they are, so that what changes is what was measured.
    let range = |machine: &str| &page.view(machine)["layout"]["yaxis"]["range"];
    assert!(page.machines().into_iter().all(|machine| range(machine) == range(beside)));
    page.shows(&["<th>machine</th>"]);
}

#[test]
fn bars_have_a_place_for_every_row() {
    let copy = of_kind("\"bars\"\nseries = \"litres\"");
    copy.change(PAGE, "x = \"litres\"", "x = \"contender\"");
    let page = Page::of(&copy);
    let groups = &page.plot()["layout"]["yaxis"]["ticktext"];
    assert_eq!(*groups, json!(["kettle", "pot", "microwave"]));
    let bars = traces(page.plot(), None);
    assert_eq!(each(&bars, "/name"), ["1", "2"]);
    // One and two litres, in kettle and pot: each in a lane of its own.
    for (bars, values) in bars.iter().zip([[180.0, 360.0], [360.0, 720.0]]) {
        assert_eq!((&bars["type"], &bars["orientation"]), (&json!("bar"), &json!("h")), "{bars}");
        near(&bars["x"], &values);
    }
    assert_ne!(bars[0]["y"], bars[1]["y"]);
    // On a logarithmic scale they are points.
    let page = Page::of(&of_kind("\"bars\"\ny-scale = \"log\""));
    assert_eq!(page.plot()["data"][0]["mode"], "markers");
    assert_eq!(page.plot()["layout"]["xaxis"]["type"], "log");
    assert_eq!(page.views[1].2["data"][0]["type"], "bar");
}

#[test]
fn two_modes_are_shown_with_their_shares_and_visits() {
    for (kind, value) in [("\"lines\"", "y"), ("\"bars\"", "x")] {
        let copy = of_kind(kind);
        with_modes(&copy);
        let page = Page::of(&copy);
        page.shows(&["measured-depends\">depends</span>", "2.40 s (67 % of visits) or 1.2"]);
        let [crosses] = traces(page.plot(), Some("second mode"))[..] else { panic!("{kind}") };
        near(&crosses[value], &[1.2]);
        // The kettle's visits are near its figure, and stay behind it.
        let [visits] = traces(page.plot(), Some("visits"))[..] else { panic!("{kind}") };
        near(&visits[value], &MODES.repeat(3));
    }
}

#[test]
fn an_interval_that_tells_nothing_is_not_drawn() {
    // Nobody can tell that, so no title does.
    let title = "{{ratio boil: pot, litres=1 / kettle}} times as long as a kettle";
    let copy = changed(&[(title, "{{number boil: kettle, litres=1}}")]);
    let note = "An interval that tells next to nothing is not drawn";
    assert!(!Page::of(&copy).html.contains(note));
    // A run took a thousandth of the next one, and that of the last.
    let runs = headers(&copy, "boil").into_iter().zip([1e6, 1e9, 1e12]).map(|(header, time)| {
        let [kettle, pot] =
            [("kettle", 1e9), ("pot", time)].map(|(of, time)| litres(of, 1, &[time; 6]));
        format!("{header}\n{kettle}\n{pot}\n")
    });
    copy.write(DATA, &runs.collect::<String>());
    let page = Page::of(&copy);
    page.shows(&["<td>not known within a factor of 1,000</td>", note]);
    near(&traces(page.plot(), None)[1]["y"], &[1.0]);
    assert!(numbers(&page.plot()["layout"]["yaxis"]["range"])[1] < 2.0);
}

#[test]
fn a_title_tells_the_larger_mode_and_prose_both() {
    let title =
        "title = \"{{number boil: pot, litres=1}}, {{ratio boil: pot, litres=1 / kettle}} A";
    let copy = changed(&[("title = \"A", title)]);
    with_modes(&copy);
    let page = Page::of(&copy);
    let title = part(&page.html, "<figcaption>", "</figcaption>");
    // From where to where its visits lie is told with the other one's.
    shows(title, &[">mostly 2.40\u{a0}s<", ">mostly 2.3", "s or 1.2"]);
    assert!(!title.contains('%') && title.matches("mostly").count() == 3, "{title}");
    let label = page.label();
    assert!(label.starts_with("mostly 2.40\u{a0}s, mostly 2.3"), "{label}");
    shows(label, &["pot on kettle-1: mostly 2.40 s at 1."]);
    assert!(!label.contains('%') && !label.contains(" or "), "{label}");
    let prose = page.html.split("<figure").next().unwrap().replace('\u{a0}', " ");
    shows(&prose, &[">2.39 (67 % of links) or 1.21"]);
}

#[test]
fn where_visits_lie_anywhere_it_is_told_from_where_to_where() {
    let figures = "{{number boil: pot, litres=1}} {{ratio boil: pot, litres=1 / kettle}}";
    let copy = changed(&[("has been claimed.", figures)]);
    let pot: Vec<f64> = (0..20).map(|step| 1e9 * 1.4_f64.powi(step)).collect();
    with_pot(&copy, &[1e9; 20], &pot);
    let page = Page::of(&copy);
    let figures = page.html.split("data-of=\"boil: pot, litres=1\">").nth(1).unwrap();
    let time = "1\u{a0}to 430\u{a0}s<span class=\"measured-interval\"> (nine of ten visits)</span>";
    assert!(figures.starts_with(time), "{figures}");
    shows(
        figures,
        &[">1\u{a0}to 430<span class=\"measured-interval\"> (nine of ten links)</span>"],
    );
    assert_eq!(numbers(&traces(page.plot(), Some("visits"))[0]["y"]).len(), 40);
    assert!(traces(page.plot(), Some("second mode")).is_empty());
}

#[test]
fn a_distribution_shows_every_visit() {
    let page = Page::of(&of_kind("\"distribution\""));
    let visits = traces(page.plot(), Some("visits"));
    assert_eq!(visits.len(), 4);
    assert_eq!(visits[0]["meta"]["row"], "boil: kettle, litres=1, time to the boil");
    assert_eq!(numbers(&visits[0]["x"]).len(), 18);
    assert_eq!(traces(page.plot(), None).len(), 2);
}

#[test]
fn what_another_machine_lacks_is_said_and_breaks_nothing() {
    // Not measured in one run, so no factor on a ladder; and a contender that the reference never met.
    let copy = with_chart(LADDER);
    with_other_machines(&copy);
    let mut run = 0;
    retain(&copy, OF_READER, |line| {
        let is_header = line.starts_with("{\"run\"");
        run += usize::from(is_header);
        is_header || line.contains("\"kettle\"") == (run == 1)
    });
    assert_eq!(annotations(Page::of(&copy).view("yours"))[0]["text"], "no ratio");

    let copy = Copy::new();
    with_other_machines(&copy);
    let text = copy.read(OF_READER);
    copy.write(OF_READER, &text.replace("\"kettle\"", "\"samovar\""));
    Page::of(&copy);
    copy.write(OF_READER, &text.replace("\"time to the boil\"", "\"time to cool\""));
    Page::of(&copy).shows(&["yours is not drawn: no row is"]);
}

#[test]
fn a_claim_may_name_what_the_reference_lacks_if_another_machine_has_it() {
    let copy = changed(&[("ratio = \"boil: pot, litres=1", "ratio = \"boil: samovar, litres=1")]);
    with_other_machines(&copy);
    let refused = ["src/tea.md:6: ", "no row is \"boil: samovar, litres=1\""];
    copy.refused(&refused);
    let text = copy.read(OF_READER).replace("\"pot\"", "\"samovar\"");
    copy.write(OF_READER, &text);
    copy.refused(&refused);
    copy.write(OF_OTHER, &text.replace("local", "kettle-2"));
    // In a family as well, whose table has no figure then.
    let family = "```claims\nid = \"tea.{row}\"\nsentence = \"A {row} takes longer.\"\n\
                  ratio = \"boil: {row}, litres=1 / kettle\"\npredicate = \"above 1\"\n\
                  [rows.samovar]\nof = \"samovar\"\n```\n\n{{ledger}}";
    copy.change(PAGE, "{{ledger}}", family);
    Page::of(&copy).shows(&["A samovar takes longer."]);
}

#[test]
fn a_verdict_is_told_with_what_it_is_judged_by() {
    // A table of claims with a line for a pan, which is the pot. No chart is titled by that ratio.
    let family = "```claims\nid = \"tea.{row}\"\nsentence = \"A {row} takes longer.\"\n\
                  ratio = \"boil: {row}, litres=1 / kettle\"\npredicate = \"above 1\"\n\
                  [rows.pan]\nof = \"pot\"\n```\n\n{{ledger}}";
    let title = "{{ratio boil: pot, litres=1 / kettle}} times as long as a kettle";
    let copy = changed(&[(title, "{{number boil: pot, litres=1}}"), ("{{ledger}}", family)]);
    let page = Page::of(&copy);
    // It holds, and so the figure before it is a link, and the sentence goes on.
    let sentence = part(&page.html, "A litre boils in", "</p>");
    shows(
        sentence,
        &["href=\"#claim-tea.pot\"><span class=\"measured-number\" data-of=\"boil: pot"],
    );
    let behind = sentence.split("in a pot").nth(1);
    assert!(behind.is_some_and(|behind| behind.starts_with("; ")), "{sentence}");
    let card = part(&page.html, "id=\"claim-tea.pot\"", "</ul>");
    shows(card, &["ratio 2.00 (mean 1.98 to 2.02)</li>"]);
    shows(part(&page.html, ">pan<", "</tr>"), &["href=\"#claim-tea.pan\"", "× 2.00"]);
    // Both cards fold at the end of their section, and the table stays where it was.
    let fold = part(&page.html, "<details class=\"measured-claims\">", "</details>");
    shows(fold, &["<summary>2 predictions: both right</summary>"]);
    assert!(page.html.find("<details class=\"measured-claims\">") > page.html.find(">pan<"));
    // A mere direction is judged by the order of full runs, of which three are wholly separated.
    let card = part(&page.html, "id=\"claim-tea.pan\"", "</ul>");
    shows(card, &["holds</span> kettle-1: ratio 2.00 (by order of 3 runs, 1.9"]);
    // Quick ones have no say.
    copy.change(PAGE, "predicate = \"above 1.5\"", "predicate = \"above 1\"\nquick = true");
    copy.write(DATA, &copy.read(DATA).replace("\"full\"", "\"quick\""));
    Page::of(&copy).shows(&["not measured</span> kettle-1: full only"]);
}

#[test]
fn what_does_not_simply_hold_is_told_in_words() {
    let told = |changes: &[(&str, &str)]| {
        let title = "{{ratio boil: pot, litres=1 / kettle}} times as long as a kettle";
        let untitled = [(title, "{{number boil: pot, litres=1}}")];
        let page = Page::of(&changed(&[&untitled, changes].concat()));
        part(&page.html, "A litre boils in", "</p>").to_owned()
    };
    let words = |words: &str| {
        format!(
            " in a pot (<a class=\"measured-exception\" href=\"#claim-tea.pot\" title=\"A pot takes more than one \
             and a half times as long.\">{words}</a>); "
        )
    };
    // There is an effect, whose size is open.
    let close = words("1.98 to 2.02 here, too close to two to call");
    let sentence = told(&[("above 1.5", "above 2")]);
    shows(&sentence, &[&close]);
    assert!(!sentence.contains("measured-claimed"), "{sentence}");
    shows(&told(&[("above 1.5", "above 3")]), &[&words("not reproduced here")]);
    let ours = ("replicates = \"grandma.tea\"\n", "");
    shows(&told(&[("above 1.5", "above 3"), ours]), &[&words("we expected otherwise")]);
    // The same of two claims is said once, and of one that holds nothing.
    let more = "```claim\nid = \"tea.more\"\nsentence = \"A pot takes more.\"\nratio = \"boil: pot, litres=1 / kettle\"\n\
                predicate = \"above 1.2\"\n```\n\n{{ledger}}";
    let both = ("({{claim tea.pot}})", "({{claim tea.pot}}, {{claim more}})");
    let sentence = told(&[("above 1.5", "above 3"), ours, both, ("{{ledger}}", more)]);
    shows(&sentence, &[&words("we expected otherwise"), "href=\"#claim-tea.more\"><span"]);
    // What was measured and may be nothing was measured.
    let less = "boil: kettle, litres=1 - pot, litres=1 / kettle, litres=1";
    let nothing = ("ratio = \"boil: pot, litres=1 / kettle\"", format!("ratio = \"{less}\""));
    let asked =
        ("{{ratio boil: pot, litres=1 / kettle}} times\n", format!("{{{{ratio {less}}}}} times\n"));
    let sentence = told(&[(nothing.0, &nothing.1), (asked.0, &asked.1)]);
    shows(&sentence, &[&words("too close to call here"), ">can't be told<"]);
    assert!(!sentence.contains("not measured"), "{sentence}");
    // A figure of another sentence stays as it is.
    let apart = ("a pot ({{claim tea.pot}})", "a pot. It is slow ({{claim tea.pot}})");
    let sentence = told(&[apart]);
    shows(&sentence, &["It is slow; "]);
    assert!(!sentence.contains("measured-claimed"), "{sentence}");
}

/// Makes the kettle of the other machine take as long as its pot.
fn boils_as_slowly_as_a_pot(copy: &Copy) {
    let is_of = |line: &str, who: &str| line.contains(&format!("\"contender\": \"{who}\""));
    let text = copy.read(OF_OTHER);
    let lines = text.lines().filter(|line| !is_of(line, "kettle")).flat_map(|line| {
        let as_pot = is_of(line, "pot").then(|| line.replace("\"pot\"", "\"kettle\""));
        [Some(line.to_owned()), as_pot].into_iter().flatten()
    });
    copy.write(OF_OTHER, &(lines.collect::<Vec<_>>().join("\n") + "\n"));
}

#[test]
fn another_machine_that_contradicts_is_told() {
    let copy = changed(&[]);
    with_other_machines(&copy);
    fs::remove_dir_all(copy.path("data/local")).unwrap();
    let page = Page::of(&copy);
    assert!(!page.html.contains("measured-exception"), "all agree");
    boils_as_slowly_as_a_pot(&copy);
    Page::of(&copy).shows(&[">kettle-2: not so</a>)"]);
}

/// Another machine, whose quick run has these of the reference's rows.
fn with_quick_machine(copy: &Copy, has: impl Fn(&str) -> bool) {
    with_other_machines(copy);
    fs::remove_dir_all(copy.path("data/local")).unwrap();
    copy.write(OF_OTHER, &copy.read(OF_OTHER).replace("\"full\"", "\"quick\""));
    retain(copy, OF_OTHER, |line| line.starts_with("{\"run\"") || has(line));
}

#[test]
fn a_machine_that_was_measured_quickly_is_drawn_if_it_has_half_of_the_rows() {
    let copy = Copy::new();
    with_quick_machine(&copy, |row| !row.contains("\"litres\": 2"));
    let page = Page::of(&copy);
    assert_eq!(page.machines(), ["kettle-1", "kettle-2"]);
    // Its runs stand behind the fold, and the note names the reference alone.
    let (note, behind) = page.html.split_once("<details class=\"measured-table\"").unwrap();
    shows(note, &["Measured on kettle-1 in the kitchen, in 3 runs, the last on 2026-11-30."]);
    assert!(!note.contains("kettle-2 in"), "{note}");
    shows(behind, &["in 3 runs on 2026-11-30, quick profile", "It lacks 2 of the 5 rows."]);

    let copy = Copy::new();
    with_quick_machine(&copy, |row| row.contains("\"kettle\""));
    let page = Page::of(&copy);
    assert_eq!(page.machines(), ["kettle-1"]);
    page.shows(&["kettle-2 is not drawn: it was measured quickly, and has 2 of 5 rows."]);

    // A rung that it lacks keeps its place.
    let copy = with_chart(LADDER);
    with_quick_machine(&copy, |row| row.contains("\"kettle\""));
    let page = Page::of(&copy);
    let quick = page.view("kettle-2");
    assert_eq!(quick["layout"]["yaxis"]["ticktext"][0], "a pot<br>not measured");
    assert_eq!(traces(quick, None)[0]["y"], json!([1.0, 2.0]));
    assert_eq!(annotations(quick).len(), 1);
    page.shows(&["On kettle-2: a kettle 180 s, then again 180 s"]);
}

#[test]
fn what_two_processors_are_stands_with_the_machine() {
    let copy = changed(&[("{{ledger}}", "{{ledger}}\n\n{{machines}}")]);
    copy.change(DATA, "\"load\": 0.02", "\"load\": 0.02, \"host\": {\"siblings\": 1.02}");
    let expected = "1.02 times as long as on one alone: two cores, at least at times";
    Page::of(&copy).shows(&[">Kettle-1 in the kitchen</h2>", "data/kettle-1/", expected]);
}

#[test]
fn other_machines_are_told_in_a_word_or_not_at_all() {
    let aside = " ({{elsewhere number boil: kettle, litres=1}}), and";
    let copy = changed(&[("litres=1}}, {{", &format!("litres=1}}}}{aside} {{{{"))]);
    // The interval of the figure before stands between.
    let told = |copy: &Copy| {
        let page = Page::of(copy);
        let behind = part(&page.html, "(178 to 182 s)</span></span>", ", and").to_owned();
        behind.replace('\u{a0}', " ")
    };
    assert_eq!(told(&copy), "", "no other machine has it");
    with_other_machines(&copy);
    fs::remove_dir_all(copy.path("data/local")).unwrap();
    assert_eq!(told(&copy), " (kettle-2: the same)");
    boils_as_slowly_as_a_pot(&copy);
    shows(&told(&copy), &[" (kettle-2: <span", ">360 s<"]);
    // A second one of that maker which agrees is told with it, and one that does not by itself.
    for (name, short) in [("kettle-2", "Pan, old"), ("kettle-3", "Pan, new")] {
        let of = |file: &str| copy.read(&file.replace("kettle-3", "kettle-2"));
        let file = OF_OTHER.replace("kettle-2", name);
        let text = of(&file).replace("kettle-2", name);
        copy.write(&file, &text);
        let file = format!("data/{name}/machine.json");
        let machine = copy
            .read("data/kettle-1/machine.json")
            .replace("\"short\": \"kettle-1\"", &format!("\"short\": \"{short}\""));
        copy.write(&file, &machine.replace("kettle-1", name));
    }
    shows(&told(&copy), &[" (Pan: <span", ">360 s<"]);
    // A third that does not is told by itself, and the two together.
    let machine = copy.read("data/kettle-3/machine.json").replace("kettle-3", "kettle-4");
    copy.write("data/kettle-4/machine.json", &machine.replace("Pan, new", "Pan, newest"));
    let file = OF_OTHER.replace("kettle-2", "kettle-4");
    copy.write(&file, &copy.read(DATA).replace("kettle-1", "kettle-4"));
    shows(&told(&copy), &[" (Pan, newest: the same; Pan, old and new: <span"]);
}

#[test]
fn only_what_is_listed_is_drawn() {
    let copy = changed(&[("x = \"litres\"", "x = \"litres\"\nwhere = { contender = [\"pot\"] }")]);
    assert_eq!(each(&traces(Page::of(&copy).plot(), None), "/name"), ["pot"]);
}

#[test]
fn a_heat_map_has_a_field_for_every_row() {
    let page = Page::of(&of_kind("\"heat-map\"\ny = \"contender\""));
    let (plot, map) = (page.plot(), &page.plot()["data"][0]);
    assert_eq!(map["type"], "heatmap");
    assert_eq!(plot["layout"]["yaxis"]["ticktext"], json!(["kettle", "pot", "microwave"]));
    near(&map["z"][0], &[180.0, 360.0]);
    near(&map["z"][1], &[360.0, 720.0]);
    // It failed with one litre, and was never tried with two.
    assert_eq!(map["z"][2], json!([null, null]));
    assert_eq!((&map["text"][0], &map["text"][2][0]), (&json!(["180 s", "360 s"]), &json!("–")));
    assert_eq!(page.views.len(), 1);
}

#[test]
fn a_single_field_is_a_figure_and_no_map() {
    let copy = with_chart(
        "id = \"tea.boil\"\ntitle = \"A samovar boils\"\nkind = \"heat-map\"\nexperiment = \"boil\"\n\
         quantity = \"time to the boil\"\nwhere = { contender = \"samovar\" }\nx = \"litres\"\ny = \"contender\"",
    );
    // A row of a samovar with so many litres, in each run.
    let with_samovar = |file: &str, of: u32| {
        let more = format!("\n{}\n{{\"run\"", litres("samovar", of, &[6e11; 6]));
        let text =
            format!("{}\n{{\"run\"", copy.read(file).trim_end()).replace("\n{\"run\"", &more);
        copy.write(file, &format!("{}\n", text.strip_suffix("\n{\"run\"").unwrap()));
    };
    with_samovar(DATA, 1);
    let page = Page::of(&copy);
    assert_eq!(page.views.len(), 0);
    let figure = part(&page.html, "class=\"measured-figure\"", "</figure>");
    let told = "<p>kettle-1, contender samovar, litres 1: <strong>600 s";
    shows(figure, &[told, "cargo book measure tea"]);
    // Who has more gets a map, and says who has none.
    with_other_machines(&copy);
    with_samovar(OF_OTHER, 2);
    let page = Page::of(&copy);
    assert_eq!(page.machines(), ["kettle-2"]);
    assert_eq!(page.plot()["data"][0]["text"], json!([["600 s", "600 s"]]));
    page.shows(&["kettle-1 is not drawn: it has one field"]);
}

const LADDER: &str = r#"id = "tea.boil"
title = "A pot takes {{ratio boil: pot, litres=1 / kettle}} times as long"
kind = "ladder"
experiment = "boil"
quantity = "time to the boil"
where = { litres = 1 }
rungs = [{ name = "a pot", row = "pot" }, { name = "a kettle", row = "kettle" }, { name = "again", row = "kettle" }]"#;

#[test]
fn a_ladder_names_the_factor_of_each_step() {
    let page = Page::of(&with_chart(LADDER));
    let plot = page.plot();
    near(&plot["data"][0]["x"], &[360.0, 180.0, 180.0]);
    let factors = each(&annotations(plot), "/text");
    assert!(factors[0].as_str().unwrap().starts_with("÷ 2.0"), "{factors:?}");
    // A phone has no room for the words, which the note and the table have.
    assert_eq!(factors[1..], ["≈"]);
    assert_eq!(plot["layout"]["yaxis"]["ticktext"][0], "a pot<br><b>360 s</b>");
    // The title takes its figure from the data, and so does what stands for the picture.
    page.shows(&[
        "≈ stands for no difference detected.",
        "from a kettle to again: no difference detected",
        "from a pot to a kettle: ÷ 2.0",
        "<figcaption>A pot takes <span class=\"measured-number\"",
        "aria-label=\"A pot takes 2.0",
    ]);
}

#[test]
fn rungs_that_are_alternatives_are_held_against_the_first() {
    let rungs = LADDER.replace(
        "\"a kettle\", row = \"kettle\" }, {",
        "\"a kettle\", row = \"kettle\" }, { name = \"none\", row = \"microwave\" }, {",
    );
    let against_first =
        |chart: &str| Page::of(&with_chart(&format!("{chart}\nagainst = \"first\"")));
    let page = against_first(&rungs);
    let plot = page.plot();
    near(&traces(plot, None)[0]["x"], &[360.0, 180.0, 180.0]);
    let factors = each(&annotations(plot), "/text");
    let are_halves = factors.iter().all(|factor| factor.as_str().unwrap().starts_with("÷ 2.0"));
    assert!(factors.len() == 2 && are_halves, "{factors:?}");
    // From the first one's figure across to each, and back.
    let across = traces(plot, Some("distances"))[0];
    near(&across["x"], &[360.0, 360.0, 360.0, 360.0, 180.0, 360.0, 360.0, 180.0, 360.0]);
    page.shows(&[
        "Ratios of means, each rung to the first: ",
        "from a pot to again: ÷ 2.0",
        "each rung against the first. On kettle-1: a pot",
    ]);
    // Where the first was not measured, there is nothing to hold the others against.
    let page = against_first(&LADDER.replace("row = \"pot\"", "row = \"microwave\""));
    assert!(annotations(page.plot()).is_empty());
    assert!(traces(page.plot(), Some("distances")).is_empty());
    assert!(!page.html.contains("Ratios of means"));
}

/// What a pot takes to brew, by its cups and its lid.
fn with_brews(copy: &Copy, rows: &[(u32, &str, f64)]) {
    let brew = |&(cups, lid, time): &(u32, &str, f64)| {
        let parameters = json!({"cups": cups, "lid": lid});
        row("pot", parameters, "time to the boil", "ns", &[time; 6])
    };
    with_runs(copy, "brew", &rows.iter().map(brew).collect::<Vec<_>>());
}

const MULTIPLES: &str = r#"id = "tea.brew"
title = "A lid counts"
kind = "multiples"
experiment = "brew"
quantity = "time to the boil"
where = { cups = 1, lid = "on" }
vary = ["cups", "lid"]"#;

#[test]
fn small_multiples_change_one_thing_at_a_time() {
    let copy = with_chart(MULTIPLES);
    // The last differs from what is held in two things.
    let brews =
        [(10, "on", 50e9), (1, "on", 10e9), (2, "on", 20e9), (1, "off", 30e9), (2, "off", 90e9)];
    with_brews(&copy, &brews);
    let page = Page::of(&copy);
    let plot = page.plot();
    let rows = traces(plot, None);
    // Numbers are in their order and joined; what has no order is not.
    assert_eq!(numbers(&rows[0]["x"]), [0.0, 1.0, 2.0]);
    near(&rows[0]["y"], &[10.0, 20.0, 50.0]);
    near(&rows[1]["x"], &[4.0, 5.0]);
    near(&rows[1]["y"], &[10.0, 30.0]);
    assert_eq!(each(&rows, "/mode"), ["lines+markers", "markers"]);
    assert_eq!(each(&rows, "/showlegend"), [true, false]);
    assert_eq!(plot["layout"]["xaxis"]["ticktext"], json!(["1", "2", "10", "on", "off"]));
    assert_eq!(each(&annotations(plot), "/text"), ["<b>cups</b>", "<b>lid</b>"]);
    page.shows(&[
        "Panels of time to the boil, each over one of cups, lid. pot on kettle-1: 50.0 s (cups=10), 10.0 s (as held), \
         20.0 s (cups=2), 30.0 s (lid=off).",
    ]);
    for (from, to, expected) in [
        ("\"multiples\"", "\"lines\"\nx = \"cups\"", "only multiples have a panel"),
        (", \"lid\"]", "]", "two parameters at least that `vary`"),
        ("cups = 1, ", "", "cups is held in the other panels: give it a value under `where`"),
        ("cups = 1", "cups = 3", "no row is in the panel of lid"),
    ] {
        let copy = with_chart(&MULTIPLES.replace(from, to));
        with_brews(&copy, &brews);
        copy.refused(&["src/tea.md:", expected]);
    }
}

#[test]
fn a_chart_that_cannot_be_drawn_is_refused() {
    let page = Copy::new().read(PAGE);
    let chart = part(&page, "```chart\n", "\n```\n");
    let (x, lines, line) = ("x = \"litres\"", "kind = \"lines\"", "src/tea.md:");
    let others =
        ", { name = \"a kettle\", row = \"kettle\" }, { name = \"again\", row = \"kettle\" }";
    for (chart, from, to, expected) in [
        (chart, x, "", [line, "an `x` is missing"]),
        (chart, x, "x = \"litres\"\ny = \"contender\"", [line, "only a heat map has a y"]),
        (chart, x, "x = \"litres\"\nagainst = \"first\"", [line, "only a ladder"]),
        (
            chart,
            x,
            "x = \"litres\"\nrungs = [{ name = \"a\", row = \"pot\" }]",
            [line, "only a ladder"],
        ),
        (chart, lines, "kind = \"heat-map\"", [line, "a heat map needs a `y`"]),
        (chart, lines, "kind = \"pie\"", [line, "unknown variant `pie`"]),
        (
            chart,
            x,
            "x = \"litres\"\nwhere = { liters = 1 }",
            ["src/tea.md:21: ", "no row of \"boil\" has a parameter \"liters\""],
        ),
        (
            chart,
            x,
            "x = \"litres\"\nwhere = { contender = [\"pot\", \"pan\"] }",
            ["src/tea.md:21: ", "no row has contender=pan"],
        ),
        (LADDER, others, "", ["src/tea.md:17: ", "two `rungs` at least"]),
        (
            LADDER,
            "row = \"pot\"",
            "row = \"pan\"",
            ["src/tea.md:21: ", "no row is \"boil: pan, litres=1"],
        ),
        (LADDER, "ratio boil: pot", "ratio boil: pan", [line, "no row is \"boil: pan, litres=1\""]),
        (FORMULA, lines, "kind = \"bars\"", [line, "only lines have a formula"]),
        (FORMULA, "\"latency p99\"", "\"capacity\"", [line, "of \"capacity\" there is no formula"]),
        (FORMULA, "=50", "=60", [line, "no row is \"pour: kettle, load_percent=60"]),
        (RUG, lines, "kind = \"bars\"", [line, "only lines have a rug"]),
        (RUG, "sizes: jug", "sizes: bowl", [line, "no row is \"sizes: bowl\""]),
    ] {
        let copy = with_chart(&chart.replace(from, to));
        with_latencies_and_a_jug(&copy, [50, 80]);
        copy.refused(&expected);
    }
    let copy = with_chart(FORMULA);
    with_latencies_and_a_jug(&copy, [50, 100]);
    copy.refused(&[line, "load_percent is to be per cent of a capacity"]);
    // Rows of unlike settings would stand in one place.
    let copy = Copy::new();
    let pot = "\"contender\": \"pot\", \"parameters\": {\"litres\": 1";
    copy.write(DATA, &copy.read(DATA).replace(pot, &format!("{pot}, \"lid\": \"on\"")));
    copy.refused(&["src/tea.md:18: ", "has no parameter \"lid\", which other rows have"]);
}

/// A copy with these lines under the styles in book.toml.
fn styled(styles: &str) -> Copy {
    let copy = Copy::new();
    let toml = copy.read("book.toml");
    copy.write("book.toml", &format!("{toml}\n[preprocessor.measured.styles]\n{styles}"));
    copy
}

#[test]
fn a_contender_looks_the_same_everywhere_and_like_no_other() {
    let style = "pot = { colour = \"#112233\", symbol = \"star\" }\n";
    let page = Page::of(&styled(style));
    let pot = &traces(page.plot(), None)[1]["marker"];
    assert_eq!((&pot["color"], &pot["symbol"]), (&json!("#112233"), &json!("star")));
    let alike = ["src/tea.md:", "\"kettle\" and \"pot\" would look alike"];
    styled(&format!("{style}{}", style.replace("pot", "kettle"))).refused(&alike);
    styled(&style.replace("#112233", "blue")).refused(&["book.toml:", "\"blue\"", "#0072b2"]);

    // Lines of one colour are told apart by more than their marks.
    let styles = "kettle = { colour = \"#112233\" }\n\
                  pot = { colour = \"#112233\", symbol = \"square\", line = \"dotted\" }\n";
    let copy = styled(styles);
    with_other_machines(&copy);
    let page = Page::of(&copy);
    let dashes = each(&traces(page.plot(), None), "/line/dash");
    assert_eq!(dashes, ["solid", "dash", "dot", "dashdot"]);
    let (legend, picture) = page.still();
    for dashes in ["dasharray:3 3\"", "dasharray:9 9\"", "dasharray:9 3 3 3\""] {
        for part in [legend, picture] {
            assert_eq!(part.matches(dashes).count(), 1, "{dashes} in {part}");
        }
    }
    // What looks alike but for its line cannot be told apart where there is none.
    styled(&styles.replace(", symbol = \"square\"", "")).refused(&alike);
}

/// What stands in prose, and what becomes of it.
#[test]
fn figures_stand_in_prose_as_their_intervals_allow() {
    let claimed = "has been claimed.";
    let as_long = "{{ratio boil: pot, litres=1 / kettle, litres=2}}";
    for (prose, expected) in [
        // What may be one, or none, has its interval beside it.
        ("{{ratio boil: pot, litres=1 / kettle}}.", &[">2.0"][..]),
        (as_long, &[">1.00<span class=\"measured-open\"> ("]),
        (
            "{{number boil: pot, litres=1 - kettle, litres=2}}",
            &["<span class=\"measured-open\"> (-"],
        ),
        ("{{number boil: pot, litres=1 - kettle, litres=1}}", &[">180\u{a0}s<"]),
    ] {
        let page = Page::of(&changed(&[(claimed, &format!("{claimed} {prose}"))]));
        shows(part(&page.html, claimed, "</p>"), expected);
    }
}

#[test]
fn claims_are_listed_and_judged_as_far_as_they_were_measured() {
    let index = "## A `pot` & a kettle\n\n{{claims}}\n\n```claim";
    let question = "<a href=\"tea.html#claim-tea.pot\">A pot &amp; a kettle</a>";
    let agreement = "{{agreement}}\n\n{{agreement holds}}\n\n{{ledger}}";
    for (from, to, expected) in [
        (
            "```claim",
            index,
            &[
                question,
                "<small>On kettle-1: ratio 2.0",
                "<th>kettle-1</th>",
                "holds</span>",
                "#published-grandma.tea",
            ][..],
        ),
        // One stands on the page before its experiment has been run.
        (
            "ratio = \"boil: pot",
            "ratio = \"brew: pot",
            &[
                "measured-not-measured\">not measured</span>",
                "there is no run of the experiment yet",
            ],
        ),
        // One machine agrees with nobody.
        (
            "{{ledger}}",
            agreement,
            &["Of 1 claims, 0 were judged on two machines or more", "So far there is none."],
        ),
    ] {
        let page = Page::of(&changed(&[(from, to)]));
        let index = page.html.split("measured-index").nth(1);
        let index = index.map(|index| index.split("</table>").next().unwrap());
        shows(index.unwrap_or(&page.html), expected);
    }
}

#[test]
fn behind_a_chart_stand_its_run_its_code_and_its_command() {
    let copy = Copy::new();
    shows(
        part(&Page::of(&copy).html, "<details class=\"measured-table\"", "</details>"),
        &[
            "<th>points</th>",
            "<td>criterion</td>",
            "Measured in 3 runs on 2026-11-30, full profile, with water 1.0.0, rustc 1.95.0",
            "<code>experiments/tea</code> at commit <code>0123abc</code>",
            "cargo book measure tea",
        ],
    );
    let template = "code-url-template = \"https://example.org/tree/{commit}/{path}\"\n";
    copy.write("book.toml", &(copy.read("book.toml") + template));
    Page::of(&copy).shows(&["<a href=\"https://example.org/tree/0123abc/experiments/tea\">"]);
}

const COSTS: &str = r#"```costs
id = "tea.prices"
title = "A litre takes {{number boil: kettle, litres=1}}"
[price."Boil in a pot"]
group = "A stove"
cost = "boil: pot, litres=1"
to-do = "{{number boil: kettle, litres=1}} in a kettle"
claim = "tea.pot"
[price."Boil two in a kettle"]
group = "A socket"
cost = "boil: kettle, litres=2"
to-do = "nothing"
claim = "pot"
[price."Boil in a kettle"]
group = "A socket"
cost = "boil: kettle, litres=1"
to-do = "nothing"
claim = "pot"
```

{{ledger}}"#;

/// The fixture's page with prices in place of its chart.
fn prices() -> Copy {
    let copy = changed(&[("{{ledger}}", COSTS)]);
    let page = copy.read(PAGE);
    let (before, rest) = page.split_once("```chart").unwrap();
    let (_, behind) = rest.split_once("```\n").unwrap();
    copy.write(PAGE, &format!("{before}{behind}"));
    copy
}

#[test]
fn prices_stand_at_their_rows_on_one_axis_group_by_group() {
    let page = Page::of(&prices());
    assert_eq!((page.machines(), page.scales()), (vec!["kettle-1"], vec!["log"]));
    let plot = page.plot();
    let texts = |of: &Value| of.as_str().unwrap().replace("<br>", " ");
    let labels: Vec<String> = plot["layout"]["annotations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| texts(&it["text"]))
        .collect();
    // The cheapest first, whatever the order on the page.
    for (at, expected) in [
        "<b>A stove</b>",
        ">Boil in a pot</a>",
        "<b>A socket</b>",
        ">Boil in a kettle</a>",
        ">Boil two in a kettle</a>",
    ]
    .iter()
    .enumerate()
    {
        assert!(labels[at].contains(expected), "{labels:?}");
    }
    assert!(labels[1].contains("<a href=\"tea.html\">"), "{labels:?}");
    let traces = plot["data"].as_array().unwrap();
    assert_eq!(traces.len(), 2, "one of each group");
    let points: Vec<(&str, f64)> = traces
        .iter()
        .flat_map(|trace| {
            let ids = trace["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap());
            ids.zip(trace["x"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()))
        })
        .collect();
    assert!(points[0].0.starts_with("tea/boil: pot, litres=1"), "{points:?}");
    // Seconds, told in nanoseconds.
    assert!((points[1].1 - 180e9).abs() < 10e9 && points[1].1 < points[2].1, "{points:?}");
    let (axis, ends) = (&plot["layout"]["xaxis"], |at: usize| {
        plot["layout"]["xaxis"]["range"][at].as_f64().unwrap()
    });
    assert_eq!(axis["type"], "log");
    assert!(points.iter().all(|(_, x)| (ends(0)..ends(1)).contains(&x.log10())), "{points:?}");
    assert!(page.label().contains("A socket: Boil in a kettle"), "{}", page.label());
    // The rows that are drawn, and only these.
    let behind = part(&page.html, "<details class=\"measured-table\" open", "</table>");
    assert_eq!(behind.matches("<tr>").count(), 1 + points.len());
}

#[test]
fn a_price_has_its_request_its_advice_and_the_machines_that_agree() {
    let page = Page::of(&prices());
    shows(
        part(&page.html, "measured-costs", "</table>"),
        &[
            "<th colspan=\"5\" scope=\"rowgroup\">A stove</th>",
            "<th scope=\"row\"><a href=\"tea.html\">Boil in a pot</a></th>",
            "<td data-head=\"Matters in a request under\">1,800,000,000\u{a0}µs</td>",
            ">180\u{a0}s<",
            "href=\"#claim-tea.pot\" title=\"A pot takes more than",
            ">only one judged</a>",
        ],
    );
    let settled = |html: &str| html.split("isn't settled").count() == 1;
    assert!(settled(&page.html));
    // With a bound that its runs may lie on either side of, it folds away.
    let copy = prices();
    copy.change(PAGE, "above 1.5", "above 2");
    copy.change(PAGE, "one and a half", "two");
    let page = Page::of(&copy);
    shows(&page.html, &["3 more, where it isn't settled how much the advice saves"]);
}

#[test]
fn the_ledger_tells_what_was_measured_and_what_became_of_it() {
    let copy = Copy::new();
    let page = Page::of(&copy);
    let entry = part(&page.html, "<tr id=\"published-grandma.tea\"", "</tr>");
    shows(
        entry,
        &[
            " data-outcome=\"reproduced\"",
            "<p>A watched pot never boils.</p>",
            "As published, in s: pot 600.",
            "<em>In ours</em>: <span class=\"measured-number\"",
            "<strong>Reproduced.</strong> It boils all the same.",
            "<summary>1 of our claims, machine by machine</summary>",
            "#claim-tea.pot",
        ],
    );
    for (from, to, outcome) in [
        ("above 1.5", "above 3", "not reproduced here"),
        ("replicates = \"grandma.tea\"\n", "", "not measured yet"),
    ] {
        Page::of(&changed(&[(from, to)])).shows(&[&format!(" data-outcome=\"{outcome}\"")]);
    }
    let copy = prices();
    copy.change(PAGE, "above 1.5", "above 2");
    Page::of(&copy).shows(&[" data-outcome=\"too close to call here\""]);
    // Who asks is answered.
    copy.change("data/published/claims.toml", "claim = \"a", "open_question = \"a");
    Page::of(&copy).shows(&[" data-outcome=\"answered\"", "<p>A watched pot never boils.</p>"]);
}
