//! What is drawn: each kind of chart, made from the rows of the fixture book.

use std::fmt;
use std::fs;
use std::ops::Deref;

use copy::{Copy, DATA, PAGE};
use serde_json::{Value, json};

mod copy;
mod timelines;

/// A built page, and what its first chart can show.
struct Page {
    html: String,
    views: Vec<View>,
}

struct View {
    machine: String,
    scale: String,
    /// As plotly.js gets it.
    plot: Value,
}

impl Deref for Page {
    type Target = str;

    fn deref(&self) -> &str {
        &self.html
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.html)
    }
}

/// The built page.
fn built(copy: &Copy) -> Page {
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    let attribute = |name: &str| {
        let value = html.split(&format!(" {name}=\"")).nth(1).expect("there is a chart");
        value.split('"').next().unwrap().to_owned()
    };
    let script = copy.read(&format!("book/{}", attribute("data-views")));
    let plots = script.trim().strip_prefix("measured.views(").unwrap().strip_suffix(");").unwrap();
    let plots: Vec<Value> = serde_json::from_str(plots).unwrap();
    let (machines, scales) = (attribute("data-machines"), attribute("data-scales"));
    let choices = machines.split('|').flat_map(|machine| {
        scales.split('|').map(move |scale| (machine.to_owned(), scale.to_owned()))
    });
    let choices: Vec<(String, String)> = choices.collect();
    assert_eq!(choices.len(), plots.len(), "{machines}, {scales}");
    let views = choices.into_iter().zip(plots);
    let views = views.map(|((machine, scale), plot)| View { machine, scale, plot }).collect();
    Page { html, views }
}

/// The first plot of a page.
fn plot(page: &Page) -> Value {
    page.views[0].plot.clone()
}

/// A copy whose chart is another one.
fn with_chart(chart: &str) -> Copy {
    let copy = Copy::new();
    let page = copy.read(PAGE);
    let start = page.find("```chart").unwrap();
    let end = start + page[start..].find("\n```\n").unwrap();
    copy.write(PAGE, &format!("{}```chart\n{chart}{}", &page[..start], &page[end..]));
    copy
}

/// The numbers of a list.
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

/// The headers of the three runs of a file, for an experiment.
fn headers(copy: &Copy, experiment: &str) -> Vec<String> {
    let text = copy.read(DATA);
    let headers = text.lines().filter(|line| line.starts_with("{\"run\""));
    headers.map(|header| header.replace("\"boil\"", &format!("{experiment:?}"))).collect()
}

/// Three runs of an experiment on the first machine, each of these rows.
fn with_runs(copy: &Copy, experiment: &str, rows: &[String]) {
    let runs = headers(copy, experiment).into_iter();
    let runs: String = runs.map(|header| format!("{header}\n{}\n", rows.join("\n"))).collect();
    copy.write(&format!("data/kettle-1/tea/{experiment}.jsonl"), &runs);
}

/// Adds a row to each run of a file.
fn add_row(copy: &Copy, file: &str, row: &str) {
    let text = copy.read(file);
    let more = text.replace("\n{\"run\"", &format!("\n{row}\n{{\"run\""));
    copy.write(file, &format!("{}\n{row}\n", more.trim_end()));
}

/// A row of a contender and one litre.
fn litre(contender: &str, points: &[f64]) -> String {
    let mut sorted = points.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let estimate = (sorted[middle - 1] + sorted[middle]) / 2.0;
    format!(
        "{{\"contender\":\"{contender}\",\"parameters\":{{\"litres\":1}},\
         \"quantity\":\"time to the boil\",\"unit\":\"ns\",\"estimate\":{estimate},\"low\":{},\
         \"high\":{},\"points\":{points:?},\"source\":\"criterion\"}}",
        sorted[0],
        sorted[sorted.len() - 1]
    )
}

/// A row of the pot and one of the kettle, the pot's visits in two modes.
fn with_modes(copy: &Copy) {
    let kettle = [1e9, 1.01e9, 1e9, 1.02e9, 1e9, 1.01e9];
    let pot = [2.4e9, 2.41e9, 1.2e9, 2.4e9, 1.21e9, 2.42e9];
    with_runs(copy, "boil", &[litre("kettle", &kettle), litre("pot", &pot)]);
}

/// The same, with visits of the pot that lie anywhere.
fn with_a_range(copy: &Copy) {
    let pot: Vec<f64> = (0..20).map(|step| 1e9 * 1.4_f64.powi(step)).collect();
    with_runs(copy, "boil", &[litre("kettle", &[1e9; 20]), litre("pot", &pot)]);
}

/// Runs of another machine and of the reader's own.
fn with_other_machines(copy: &Copy) {
    let files = fs::read_dir(copy.path("data/kettle-1/tea")).unwrap();
    let files = files.map(|file| format!("tea/{}", file.unwrap().file_name().display()));
    let files: Vec<String> = files.chain(["machine.json".to_owned()]).collect();
    for name in ["kettle-2", "local"] {
        for file in &files {
            let text = copy.read(&format!("data/kettle-1/{file}"));
            copy.write(&format!("data/{name}/{file}"), &text.replace("kettle-1", name));
        }
    }
}

#[test]
fn lines_have_bands_and_labels() {
    let html = built(&Copy::new());
    let plot = plot(&html);
    let lines = traces(&plot, None);
    assert_eq!(lines.len(), 2, "{plot}");
    assert_eq!(lines[0]["name"], "kettle");
    assert_eq!(lines[0]["x"], json!([1.0, 2.0]));
    near(&lines[0]["y"], &[180.0, 360.0]);
    assert_eq!(lines[0]["ids"][1], "boil: kettle, litres=2, time to the boil");
    assert_eq!(plot["layout"]["meta"]["divisor"], 1e9);
    assert_eq!(plot["layout"]["yaxis"]["title"]["text"], "time to the boil, s");
    // There along the upper ends, and back along the lower ones.
    let band = traces(&plot, Some("band"))[0];
    assert_eq!(band["x"], json!([1.0, 2.0, 2.0, 1.0]));
    near(&band["y"], &[181.0, 362.0, 357.0, 179.0]);
    let labels = plot["layout"]["annotations"].as_array().unwrap();
    let labelled = |name: &str| {
        let has_name = |label: &&Value| label["text"].as_str().unwrap().ends_with(name);
        labels.iter().find(has_name).unwrap()["y"].as_f64().unwrap()
    };
    assert!(labelled("pot") > labelled("kettle") + 0.05, "{labels:?}");
}

/// Rows of a kettle's latency over its loads, and of a capacity of 250,000 a second: four microseconds each.
fn with_latencies(copy: &Copy) {
    let row = |load: u32, quantity: &str, unit: &str, figure: f64| {
        format!(
            "{{\"contender\":\"kettle\",\"parameters\":{{\"load_percent\":{load}}},\
             \"quantity\":\"{quantity}\",\"unit\":\"{unit}\",\"estimate\":{figure},\"low\":{figure},\
             \"high\":{figure},\"points\":[{figure},{figure}],\"source\":\"histogram\"}}"
        )
    };
    let rows = [50, 80].map(|load| {
        let latency = row(load, "latency p99", "ns", 1e3 * f64::from(load));
        [latency, row(load, "capacity", "1/s", 250_000.0)]
    });
    with_runs(copy, "pour", rows.as_flattened());
}

const FORMULA: &str = "id = \"tea.pour\"
title = \"A kettle that is asked for much is late\"
kind = \"lines\"
experiment = \"pour\"
quantity = \"latency p99\"
x = \"load_percent\"
y-scale = \"log\"
m-d-1 = \"kettle, load_percent=50\"";

#[test]
fn a_formula_is_drawn_beside_what_was_measured_and_is_told_from_it() {
    let copy = with_chart(FORMULA);
    with_latencies(&copy);
    with_other_machines(&copy);
    // It may have measured no capacity.
    let other = "data/kettle-2/tea/pour.jsonl";
    let text = copy.read(other);
    let rows: Vec<&str> = text.lines().filter(|row| !row.contains("\"capacity\"")).collect();
    copy.write(other, &(rows.join("\n") + "\n"));
    let html = built(&copy);
    let view = |machine: &str| {
        let found = html.views.iter().find(|view| view.machine == machine);
        &found.expect("it is there").plot
    };
    let plot = view("kettle-1");
    near(&traces(plot, None)[0]["y"], &[50.0, 80.0]);
    let [formula] = traces(plot, Some("formula"))[..] else { panic!("{plot}") };
    let (x, y) = (numbers(&formula["x"]), numbers(&formula["y"]));
    assert_eq!((x[0], x[x.len() - 1]), (50.0, 80.0));
    // 4.34 and 11.36 services, as tables of this queue say.
    near(&json!([y[0], y[y.len() - 1]]), &[17.36, 45.4]);
    assert!(y.is_sorted(), "{y:?}");
    assert_eq!(formula["name"], "formula, not measured");
    assert_eq!((&formula["mode"], &formula["line"]["dash"]), (&json!("lines"), &json!("longdash")));
    let low = plot["layout"]["yaxis"]["range"][0].as_f64().unwrap();
    assert!(low < 17.36_f64.log10(), "{low}");
    assert!(traces(view("kettle-2"), Some("formula")).is_empty());
    assert_eq!(traces(view("yours beside kettle-1"), Some("formula")).len(), 2);
    let still = html.split("class=\"measured-still\"").nth(1).unwrap();
    let still = still.split("</figure>").next().unwrap();
    let (legend, picture) = still.split_once("</div>").unwrap();
    assert!(legend.contains("dasharray:15 15") && picture.contains("dasharray:15 15"), "{still}");
    assert!(picture.contains(">╌ formula, not measured</text>"), "{picture}");
    let label = html.split("role=\"img\" aria-label=\"").nth(1).unwrap();
    let label = label.split('"').next().unwrap();
    let words = "The dashed line is computed, not measured: the latency p99 of an M/D/1 queue";
    assert!(label.contains(words) && still.contains(words), "{label}, {still}");
}

#[test]
fn a_formula_needs_a_percentile_over_shares_of_a_capacity() {
    let refused = |from: &str, to: &str, expected: &str| {
        let copy = with_chart(&FORMULA.replace(from, to));
        with_latencies(&copy);
        copy.refused(&["src/tea.md:", expected]);
    };
    refused("kind = \"lines\"", "kind = \"bars\"", "only lines have a formula");
    refused("\"latency p99\"", "\"capacity\"", "of \"capacity\" there is no formula");
    refused("load_percent=50", "load_percent=60", "no row is \"pour: kettle, load_percent=60");
    let copy = with_chart(FORMULA);
    with_latencies(&copy);
    let pour = "data/kettle-1/tea/pour.jsonl";
    copy.write(pour, &copy.read(pour).replace("\"load_percent\":80", "\"load_percent\":100"));
    copy.refused(&["src/tea.md:", "load_percent is to be per cent of a capacity"]);
}

const RUG: &str = "id = \"tea.boil\"
title = \"A jug holds less than a pot\"
kind = \"lines\"
experiment = \"boil\"
quantity = \"time to the boil\"
x = \"litres\"
rug = [{ name = \"a jug\", rows = \"sizes: jug\" }]";

/// A row whose figure is a number of litres.
fn with_a_jug(copy: &Copy) {
    let row = "{\"contender\":\"jug\",\"quantity\":\"bytes per level\",\"unit\":\"B\",\
               \"estimate\":1.5,\"low\":1.2,\"high\":1.8,\"points\":[1.2,1.5,1.5,1.5,1.5,1.8],\
               \"source\":\"harness\"}";
    with_runs(copy, "sizes", &[row.to_owned()]);
}

#[test]
fn a_rug_stands_along_the_axis() {
    let copy = with_chart(RUG);
    with_other_machines(&copy);
    // The others have no jug.
    with_a_jug(&copy);
    let html = built(&copy);
    let view = |machine: &str| {
        let found = html.views.iter().find(|view| view.machine == machine);
        &found.expect("it is there").plot
    };
    let plot = view("kettle-1");
    let [rug] = traces(plot, Some("rug"))[..] else { panic!("{plot}") };
    assert_eq!((&rug["name"], &rug["x"]), (&json!("a jug"), &json!([1.48983])));
    assert_eq!(
        (&rug["mode"], &rug["marker"]["symbol"]),
        (&json!("markers"), &json!("triangle-up"))
    );
    let range = numbers(&plot["layout"]["yaxis"]["range"]);
    let height = numbers(&rug["y"])[0];
    assert!(range[0] < height && height < range[1] / 10.0, "{height} in {range:?}");
    assert!(traces(view("kettle-2"), Some("rug")).is_empty());
    let still = html.split("class=\"measured-still\"").nth(1).unwrap();
    assert!(still.contains(">▲ a jug</text>"), "{still}");
    let words = "Along the axis, a jug on kettle-1: ";
    assert_eq!(html.matches(words).count(), 2, "in the note and for who does not see it: {html}");
}

#[test]
fn a_rug_is_of_lines_and_of_rows() {
    let refused = |from: &str, to: &str, expected: &str| {
        let copy = with_chart(&RUG.replace(from, to));
        with_a_jug(&copy);
        copy.refused(&["src/tea.md:", expected]);
    };
    refused("kind = \"lines\"", "kind = \"bars\"", "only lines have a rug");
    refused("sizes: jug", "sizes: bowl", "no row is \"sizes: bowl\"");
}

#[test]
fn a_button_offers_the_other_scale() {
    let views = built(&Copy::new()).views;
    let scales: Vec<&str> = views.iter().map(|view| view.scale.as_str()).collect();
    assert_eq!(scales, ["linear", "log"]);
    assert_eq!(views[1].plot["layout"]["yaxis"]["type"], "log");
    // A quantity that reaches zero has no logarithm.
    let copy = Copy::new();
    let points = "[0.0, 1.0, 1.0, 1.0, 1.0, 1.0]";
    let row = copy.read(DATA).lines().nth(1).unwrap().to_owned();
    let start = row.find("\"estimate\"").unwrap();
    let zero = format!(
        "{}\"estimate\": 1.0, \"low\": 0.0, \"high\": 1.0, \"points\": {points}, \"source\": \"criterion\"}}",
        &row[..start]
    );
    copy.change(DATA, &row, &zero);
    // Nor can a ratio be taken of it.
    let page = copy.read(PAGE);
    let start = page.find("```chart").unwrap();
    copy.write(PAGE, &page[start..]);
    let scales: Vec<String> = built(&copy).views.into_iter().map(|view| view.scale).collect();
    assert_eq!(scales, ["linear"]);
}

#[test]
fn each_machine_can_be_chosen_and_yours_stands_beside_ours() {
    let copy = Copy::new();
    with_other_machines(&copy);
    let html = built(&copy);
    let views = &html.views;
    assert_eq!(machines(&html), ["yours beside kettle-1", "kettle-1", "kettle-2", "yours"]);
    let names = |view: usize| -> Vec<String> {
        let lines = traces(&views[view].plot, None);
        lines.iter().map(|line| line["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(0), ["kettle", "kettle, yours", "pot", "pot, yours"]);
    assert_eq!(names(4), ["kettle", "pot"]);
    let machine = |view: usize| &traces(&views[view].plot, None)[0]["meta"]["machine"];
    assert_eq!((machine(4), machine(6)), (&json!("kettle-2"), &json!("local")));
    // The axes stay as they are, so that what changes is what was measured.
    let range = |view: usize| &views[view].plot["layout"]["yaxis"]["range"];
    assert!((2..8).step_by(2).all(|view| range(view) == range(0)));
    assert!(html.contains("<th>machine</th>"), "{html}");
}

#[test]
fn bars_have_a_place_for_every_row() {
    let copy = Copy::new();
    copy.change(PAGE, "kind = \"lines\"", "kind = \"bars\"\nseries = \"litres\"");
    copy.change(PAGE, "x = \"litres\"", "x = \"contender\"");
    let plot = plot(&built(&copy));
    let groups = &plot["layout"]["yaxis"]["ticktext"];
    assert_eq!(*groups, json!(["kettle", "pot", "microwave"]));
    let bars = traces(&plot, None);
    assert_eq!(bars.len(), 2, "{plot}");
    // One and two litres, in kettle and pot: each in a lane of its own.
    for (bars, name, values) in [(bars[0], "1", [180.0, 360.0]), (bars[1], "2", [360.0, 720.0])] {
        assert_eq!((&bars["type"], &bars["orientation"]), (&json!("bar"), &json!("h")), "{bars}");
        assert_eq!(bars["name"], name, "{bars}");
        near(&bars["x"], &values);
    }
    assert_ne!(bars[0]["y"], bars[1]["y"]);
}

#[test]
fn bars_on_a_logarithmic_scale_are_points() {
    let copy = Copy::new();
    copy.change(PAGE, "kind = \"lines\"", "kind = \"bars\"\ny-scale = \"log\"");
    let html = built(&copy);
    let plot = plot(&html);
    assert_eq!(plot["data"][0]["mode"], "markers", "{plot}");
    assert_eq!(plot["layout"]["xaxis"]["type"], "log", "{plot}");
    assert_eq!(html.views[1].plot["data"][0]["type"], "bar");
}

#[test]
fn two_modes_are_shown_with_their_shares_and_visits() {
    for kind in ["lines", "bars"] {
        let copy = Copy::new();
        copy.change(PAGE, "kind = \"lines\"", &format!("kind = \"{kind}\""));
        with_modes(&copy);
        let html = built(&copy);
        assert!(html.contains("measured-depends\">depends</span>"), "{html}");
        assert!(html.contains("2.40 s (67 % of visits) or 1.2"), "{html}");
        let plot = plot(&html);
        let value = if kind == "lines" { "y" } else { "x" };
        let crosses = traces(&plot, Some("second mode"));
        assert_eq!(crosses.len(), 1, "{plot}");
        near(&crosses[0][value], &[1.2]);
        // The kettle's visits are near its figure, and stay behind it.
        let visits = traces(&plot, Some("visits"));
        assert_eq!(visits.len(), 1, "{plot}");
        near(&visits[0][value], &[2.4, 2.41, 1.2, 2.4, 1.21, 2.42].repeat(3));
    }
}

#[test]
fn an_interval_that_tells_nothing_is_not_drawn() {
    let copy = Copy::new();
    // Nobody can tell that, so no title does.
    let title = "{{ratio boil: pot, litres=1 / kettle}} times as long as a kettle";
    copy.change(PAGE, title, "{{number boil: kettle, litres=1}}");
    let text = copy.read(DATA);
    // A run took a thousandth of the next one, and that of the last.
    let runs = headers(&copy, "boil").into_iter().zip([1e6, 1e9, 1e12]).map(|(header, time)| {
        format!("{header}\n{}\n{}\n", litre("kettle", &[1e9; 6]), litre("pot", &[time; 6]))
    });
    copy.write(DATA, &runs.collect::<String>());
    let html = built(&copy);
    assert!(html.contains("<td>not known within a factor of 1,000</td>"), "{html}");
    assert!(html.contains("An interval that tells next to nothing is not drawn"), "{html}");
    let plot = plot(&html);
    near(&traces(&plot, None)[1]["y"], &[1.0]);
    assert!(numbers(&plot["layout"]["yaxis"]["range"])[1] < 2.0, "{plot}");
    copy.write(DATA, &text);
    assert!(!built(&copy).contains("tells next to nothing"));
}

#[test]
fn a_title_tells_the_larger_mode_and_prose_both() {
    let copy = Copy::new();
    let title = "title = \"{{number boil: pot, litres=1}}, {{ratio boil: pot, litres=1 / kettle}}";
    copy.change(PAGE, "title = \"A", &format!("{title} A"));
    with_modes(&copy);
    let html = built(&copy);
    let title = html.split("<figcaption>").nth(1).unwrap().split("</figcaption>").next().unwrap();
    for brief in [">mostly 2.40\u{a0}s<", ">mostly 2.3"] {
        assert!(title.contains(brief), "no {brief:?} in {title}");
    }
    assert!(!title.contains('%') && title.matches("mostly").count() == 3, "{title}");
    // From where to where its visits lie is told with the other one's.
    assert!(title.contains("s or 1.2"), "{title}");
    let (label, _) =
        html.split("role=\"img\" aria-label=\"").nth(1).unwrap().split_once('"').unwrap();
    assert!(label.starts_with("mostly 2.40\u{a0}s, mostly 2.3"), "{label}");
    assert!(label.contains("pot on kettle-1: mostly 2.40 s at 1."), "{label}");
    assert!(!label.contains('%') && !label.contains(" or "), "{label}");
    let prose = html.split("<figure").next().unwrap().replace('\u{a0}', " ");
    assert!(prose.contains(">2.39 (67 % of links) or 1.21"), "{prose}");
}

#[test]
fn where_visits_lie_anywhere_it_is_told_from_where_to_where() {
    let copy = Copy::new();
    copy.change(
        PAGE,
        "has been claimed.",
        "{{number boil: pot, litres=1}} {{ratio boil: pot, litres=1 / kettle}}",
    );
    with_a_range(&copy);
    let html = built(&copy);
    let figures = html.split("data-of=\"boil: pot, litres=1\">").nth(1).unwrap();
    let time = "1\u{a0}to 430\u{a0}s<span class=\"measured-interval\"> (nine of ten visits)</span>";
    assert!(figures.starts_with(time), "{figures}");
    let ratio = ">1\u{a0}to 430<span class=\"measured-interval\"> (nine of ten links)</span>";
    assert!(figures.contains(ratio), "{figures}");
    let plot = plot(&html);
    let visits = traces(&plot, Some("visits"));
    assert_eq!(numbers(&visits[0]["y"]).len(), 40, "{plot}");
    assert!(traces(&plot, Some("second mode")).is_empty(), "{plot}");
}

#[test]
fn a_distribution_shows_every_visit() {
    let copy = Copy::new();
    copy.change(PAGE, "kind = \"lines\"", "kind = \"distribution\"");
    let plot = plot(&built(&copy));
    let visits = traces(&plot, Some("visits"));
    assert_eq!(visits.len(), 4, "{plot}");
    assert_eq!(visits[0]["meta"]["row"], "boil: kettle, litres=1, time to the boil");
    assert_eq!(numbers(&visits[0]["x"]).len(), 18);
    assert_eq!(traces(&plot, None).len(), 2);
}

#[test]
fn a_distribution_that_reaches_zero_has_no_logarithm() {
    let copy = Copy::new();
    copy.change(PAGE, "kind = \"lines\"", "kind = \"distribution\"");
    // Far below the interval, which begins above zero.
    copy.change(DATA, "\"points\": [178683711279.0", "\"points\": [0.0");
    copy.change(DATA, "\"low\": 178683711279.0", "\"low\": 179118248493.0");
    let page = copy.read(PAGE);
    copy.write(
        PAGE,
        &page[page.find("```chart").unwrap()..]
            .replace("{{ratio boil: pot, litres=1 / kettle}}", "{{number boil: pot, litres=1}}"),
    );
    let html = built(&copy);
    assert_eq!(html.views.len(), 1);
    copy.change(PAGE, "kind = \"distribution\"", "kind = \"distribution\"\ny-scale = \"log\"");
    fs::remove_dir_all(copy.path("book")).unwrap();
    let scales: Vec<String> = built(&copy).views.into_iter().map(|view| view.scale).collect();
    assert_eq!(scales, ["linear"]);
}

#[test]
fn what_another_machine_lacks_is_said_and_breaks_nothing() {
    // Not measured in one run, so no factor on a ladder; and a contender that the reference never met.
    let copy = with_chart(LADDER);
    with_other_machines(&copy);
    let local = "data/local/tea/boil.jsonl";
    let text = copy.read(local);
    let mut run = 0;
    let is_kept = |line: &&str| {
        let is_header = line.starts_with("{\"run\"");
        run += usize::from(is_header);
        is_header || line.contains("\"kettle\"") == (run == 1)
    };
    let rows: String = text.lines().filter(is_kept).map(|line| line.to_owned() + "\n").collect();
    copy.write(local, &rows);
    let html = built(&copy);
    let yours = html.views.last().unwrap();
    assert_eq!(yours.machine, "yours");
    let factor = &yours.plot["layout"]["annotations"][0]["text"];
    assert_eq!(*factor, "no ratio");

    let copy = Copy::new();
    with_other_machines(&copy);
    let text = copy.read(local);
    copy.write(local, &text.replace("\"kettle\"", "\"samovar\""));
    built(&copy);
    copy.write(local, &text.replace("\"time to the boil\"", "\"time to cool\""));
    let html = built(&copy);
    assert!(html.contains("yours is not drawn: no row is"), "{html}");
}

#[test]
fn a_claim_may_name_what_the_reference_lacks_if_another_machine_has_it() {
    let copy = Copy::new();
    with_other_machines(&copy);
    copy.change(PAGE, "ratio = \"boil: pot, litres=1", "ratio = \"boil: samovar, litres=1");
    copy.refused(&["src/tea.md:6: ", "no row is \"boil: samovar, litres=1\""]);
    let of_reader = "data/local/tea/boil.jsonl";
    let text = copy.read(of_reader);
    copy.write(of_reader, &text.replace("\"pot\"", "\"samovar\""));
    copy.refused(&["src/tea.md:6: ", "no row is \"boil: samovar, litres=1\""]);
    let other = "data/kettle-2/tea/boil.jsonl";
    let text = copy.read(other);
    copy.write(other, &text.replace("\"pot\"", "\"samovar\""));
    // In a family as well, whose table has no figure then.
    let family = "```claims\nid = \"tea.{row}\"\nsentence = \"A {row} takes longer.\"\n\
                  ratio = \"boil: {row}, litres=1 / kettle\"\npredicate = \"above 1\"\n\
                  [rows.samovar]\nof = \"samovar\"\n```\n\n{{ledger}}";
    copy.change(PAGE, "{{ledger}}", family);
    let html = built(&copy);
    assert!(html.contains("A samovar takes longer."), "{html}");
}

/// A table of claims with a line for a pan, which is the pot. No chart is titled by that ratio.
fn with_a_family_of_one(copy: &Copy, predicate: &str) {
    let title = "{{ratio boil: pot, litres=1 / kettle}} times as long as a kettle";
    copy.change(PAGE, title, "{{number boil: pot, litres=1}}");
    let family = format!(
        "```claims\nid = \"tea.{{row}}\"\nsentence = \"A {{row}} takes longer.\"\n\
         ratio = \"boil: {{row}}, litres=1 / kettle\"\npredicate = \"{predicate}\"\n\
         [rows.pan]\nof = \"pot\"\n```\n\n{{{{ledger}}}}"
    );
    copy.change(PAGE, "{{ledger}}", &family);
}

#[test]
fn a_verdict_is_told_with_what_it_is_judged_by() {
    let copy = Copy::new();
    with_a_family_of_one(&copy, "above 1");
    let html = built(&copy).html;
    let of = |start: &str, end: &str| {
        let from = html.find(start).unwrap_or_else(|| panic!("no {start:?} in {html}"));
        html[from..].split(end).next().unwrap().to_owned()
    };
    let link = of("<a href=\"#claim-tea.pot\" title=\"A pot takes more than", "</a>");
    assert!(link.ends_with(">holds</span>"), "{link}");
    let (card, cell) = (of("id=\"claim-tea.pot\"", "</ul>"), of(">pan<", "</tr>"));
    assert!(card.contains("ratio 2.00 (mean 1.98 to 2.02)</li>"), "{card}");
    assert!(cell.contains("× 2.00") && cell.contains(">holds</span>"), "{cell}");
    // A mere direction is judged by the order of full runs, of which three are wholly separated.
    let card = of("id=\"claim-tea.pan\"", "</ul>");
    assert!(card.contains("holds</span> kettle-1: ratio 2.00 (by order of 3 runs, 1.9"), "{card}");
    // Quick ones have no say.
    copy.change(PAGE, "predicate = \"above 1.5\"", "predicate = \"above 1\"\nquick = true");
    copy.write(DATA, &copy.read(DATA).replace("\"full\"", "\"quick\""));
    let html = built(&copy).html;
    assert!(html.contains("not measured</span> kettle-1: full only"), "{html}");
}

/// A machine whose quick run has these of the reference's rows.
fn with_quick_machine(copy: &Copy, has: impl Fn(&str) -> bool) {
    with_other_machines(copy);
    fs::remove_dir_all(copy.path("data/local")).unwrap();
    let quick = "data/kettle-2/tea/boil.jsonl";
    let text = copy.read(quick).replace("\"profile\": \"full\"", "\"profile\": \"quick\"");
    let is_left = |line: &&str| line.starts_with("{\"run\"") || has(line);
    let lines: Vec<&str> = text.lines().filter(is_left).collect();
    copy.write(quick, &format!("{}\n", lines.join("\n")));
}

fn machines(page: &Page) -> Vec<&str> {
    let mut machines: Vec<&str> = page.views.iter().map(|view| view.machine.as_str()).collect();
    machines.dedup();
    machines
}

#[test]
fn a_machine_that_was_measured_quickly_is_drawn_if_it_has_half_of_the_rows() {
    let copy = Copy::new();
    with_quick_machine(&copy, |row| !row.contains("\"litres\": 2"));
    let html = built(&copy);
    assert_eq!(machines(&html), ["kettle-1", "kettle-2 (quick)"]);
    let note = "kettle-2 (quick), 3 runs, 2026-11-30; it lacks 2 of the 5 rows.";
    assert!(html.contains(note), "{html}");

    let copy = Copy::new();
    with_quick_machine(&copy, |row| row.contains("\"kettle\""));
    let html = built(&copy);
    assert_eq!(machines(&html), ["kettle-1"]);
    let note = "kettle-2 is not drawn: it was measured quickly, and has 2 of 5 rows.";
    assert!(html.contains(note), "{html}");
}

#[test]
fn a_rung_that_a_quick_machine_lacks_keeps_its_place() {
    let copy = with_chart(LADDER);
    with_quick_machine(&copy, |row| row.contains("\"kettle\""));
    let html = built(&copy);
    let quick = html.views.last().unwrap();
    assert_eq!(quick.machine, "kettle-2 (quick)");
    let names = &quick.plot["layout"]["yaxis"]["ticktext"];
    assert_eq!(names[0], "a pot<br>not measured");
    assert_eq!(traces(&quick.plot, None)[0]["y"], json!([1.0, 2.0]));
    let factors = quick.plot["layout"]["annotations"].as_array().unwrap();
    assert_eq!(factors.len(), 1, "{factors:?}");
    assert!(html.contains("On kettle-2 (quick): a kettle 180 s, then again 180 s"), "{html}");
}

#[test]
fn where_units_ran_side_by_side_it_is_said_what_the_processors_are() {
    let copy = Copy::new();
    let litre = "\"litres\": 1}";
    copy.write(
        DATA,
        &copy
            .read(DATA)
            .replace(litre, "\"litres\": 1, \"placement\": \"neighbours\"}")
            .replace("\"litres\": 2}", "\"litres\": 2, \"placement\": \"neighbours\"}"),
    );
    let table = "```table\n[columns]\n\"time\" = \"number boil: {row}, litres=1\"\n[rows]\n\"a pot\" = \"pot\"\n```\n\n{{ledger}}";
    copy.change(PAGE, "{{ledger}}", table);
    let remark = |are: &str| {
        let remark = format!("As the runs found out, these are: {are} (kettle-1).");
        built(&copy).matches(&remark).count()
    };
    // Once at the chart, and once at the table.
    assert_eq!(remark("not tried"), 2);
    copy.change(DATA, "\"load\": 0.02", "\"load\": 0.02, \"host\": {\"siblings\": 1.02}");
    assert_eq!(remark("two cores, at least at times"), 2);
}

#[test]
fn rows_of_unlike_settings_are_not_drawn_in_one_place() {
    let copy = Copy::new();
    let pot = "\"contender\": \"pot\", \"parameters\": {\"litres\": 1";
    copy.write(DATA, &copy.read(DATA).replace(pot, &format!("{pot}, \"lid\": \"on\"")));
    copy.refused(&["src/tea.md:18: ", "has no parameter \"lid\", which other rows have"]);
    let copy = Copy::new();
    copy.change(PAGE, "x = \"litres\"", "x = \"litres\"\nwhere = { liters = 1 }");
    copy.refused(&["src/tea.md:21: ", "no row of \"boil\" has a parameter \"liters\""]);
}

#[test]
fn only_what_is_listed_is_drawn() {
    let copy = Copy::new();
    let list = "x = \"litres\"\nwhere = { contender = [\"pot\"] }";
    copy.change(PAGE, "x = \"litres\"", list);
    let plot = plot(&built(&copy));
    let names: Vec<&Value> = traces(&plot, None).iter().map(|trace| &trace["name"]).collect();
    assert_eq!(names, ["pot"]);
    copy.change(PAGE, "[\"pot\"]", "[\"pot\", \"pan\"]");
    fs::remove_dir_all(copy.path("book")).unwrap();
    copy.refused(&["src/tea.md:21: ", "no row has contender=pan"]);
}

#[test]
fn a_still_picture_stands_where_plotly_will_draw() {
    let html = built(&Copy::new());
    let still = html.split("class=\"measured-still\"").nth(1).expect("there is one");
    let still = still.split("</figure>").next().unwrap();
    assert!(still.contains(">time to the boil, s</text>"), "{still}");
    assert!(still.contains("kettle</text>") && still.contains(">200</text>"), "{still}");
    // Two lines and two bands, and the grid.
    assert!(still.matches("<path").count() >= 5, "{still}");
}

#[test]
fn a_heat_map_has_a_field_for_every_row() {
    let copy = Copy::new();
    copy.change(PAGE, "kind = \"lines\"", "kind = \"heat-map\"\ny = \"contender\"");
    let html = built(&copy);
    let plot = plot(&html);
    let map = &plot["data"][0];
    assert_eq!(map["type"], "heatmap");
    assert_eq!(plot["layout"]["yaxis"]["ticktext"], json!(["kettle", "pot", "microwave"]));
    near(&map["z"][0], &[180.0, 360.0]);
    near(&map["z"][1], &[360.0, 720.0]);
    // It failed with one litre, and was never tried with two.
    assert_eq!(map["z"][2], json!([null, null]));
    assert_eq!(map["text"][0], json!(["180 s", "360 s"]));
    assert_eq!(map["text"][2][0], "–");
    assert_eq!(html.views.len(), 1);
}

const SAMOVAR: &str = "id = \"tea.boil\"
title = \"A samovar boils\"
kind = \"heat-map\"
experiment = \"boil\"
quantity = \"time to the boil\"
where = { contender = \"samovar\" }
x = \"litres\"
y = \"contender\"";

/// A row of a samovar with so many litres.
fn with_samovar(copy: &Copy, data: &str, litres: u64) {
    let row = litre("samovar", &[6e11; 6]).replace("\"litres\":1", &format!("\"litres\":{litres}"));
    add_row(copy, data, &row);
}

#[test]
fn a_single_field_is_a_figure_and_no_map() {
    let copy = with_chart(SAMOVAR);
    with_samovar(&copy, DATA, 1);
    copy.build().unwrap();
    let html = copy.read("book/tea.html");
    assert!(!html.contains("data-views"), "{html}");
    let figure = html.split("class=\"measured-figure\"").nth(1).expect("there is one");
    let figure = figure.split("</figure>").next().unwrap();
    let told = "<p>kettle-1, contender samovar, litres 1: <strong>600 s";
    assert!(figure.contains(told) && figure.contains("cargo book measure tea"), "{figure}");
    // Who has more gets a map, and says who has none.
    with_other_machines(&copy);
    with_samovar(&copy, "data/kettle-2/tea/boil.jsonl", 2);
    let html = built(&copy);
    let machines: Vec<&str> = html.views.iter().map(|view| &*view.machine).collect();
    assert_eq!(machines, ["kettle-2"]);
    assert_eq!(plot(&html)["data"][0]["text"], json!([["600 s", "600 s"]]));
    assert!(html.contains("kettle-1 is not drawn: it has one field"), "{html}");
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
    let html = built(&with_chart(LADDER));
    let plot = plot(&html);
    near(&plot["data"][0]["x"], &[360.0, 180.0, 180.0]);
    let factors: Vec<&Value> =
        plot["layout"]["annotations"].as_array().unwrap().iter().map(|a| &a["text"]).collect();
    assert_eq!(factors.len(), 2);
    assert!(factors[0].as_str().unwrap().starts_with("÷ 2.0"), "{factors:?}");
    // A phone has no room for the words, which the note and the table have.
    assert_eq!(factors[1], "≈");
    assert!(html.contains("≈ stands for no difference detected."), "{html}");
    assert!(html.contains("from a kettle to again: no difference detected"), "{html}");
    assert!(html.contains("from a pot to a kettle: ÷ 2.0"), "{html}");
    assert_eq!(plot["layout"]["yaxis"]["ticktext"][0], "a pot<br><b>360 s</b>");
    // The title takes its figure from the data, and so does what stands for the picture.
    assert!(html.contains("<figcaption>A pot takes <span class=\"measured-number\""), "{html}");
    assert!(html.contains("aria-label=\"A pot takes 2.0"), "{html}");
}

#[test]
fn rungs_that_are_alternatives_are_held_against_the_first() {
    let rungs = LADDER.replace(
        "\"a kettle\", row = \"kettle\" }, {",
        "\"a kettle\", row = \"kettle\" }, { name = \"none\", row = \"microwave\" }, {",
    );
    let html = built(&with_chart(&format!("{rungs}\nagainst = \"first\"")));
    let plot = plot(&html);
    near(&traces(&plot, None)[0]["x"], &[360.0, 180.0, 180.0]);
    let factors = plot["layout"]["annotations"].as_array().unwrap();
    assert_eq!(factors.len(), 2, "{factors:?}");
    for factor in factors {
        assert!(factor["text"].as_str().unwrap().starts_with("÷ 2.0"), "{factors:?}");
    }
    // From the first one's figure across to each, and back.
    let across = traces(&plot, Some("distances"))[0];
    near(&across["x"], &[360.0, 360.0, 360.0, 360.0, 180.0, 360.0, 360.0, 180.0, 360.0]);
    assert!(html.contains("Ratios of means, each rung to the first: "), "{html}");
    assert!(html.contains("from a pot to again: ÷ 2.0"), "{html}");
    assert!(html.contains("each rung against the first. On kettle-1: a pot"), "{html}");
    // Where the first was not measured, there is nothing to hold the others against.
    let first = LADDER.replace("row = \"pot\"", "row = \"microwave\"");
    let html = built(&with_chart(&format!("{first}\nagainst = \"first\"")));
    let plot = self::plot(&html);
    assert_eq!(plot["layout"]["annotations"], json!([]), "{plot}");
    assert!(traces(&plot, Some("distances")).is_empty(), "{plot}");
    assert!(!html.contains("Ratios of means"), "{html}");
}

#[test]
fn keys_that_do_not_fit_the_kind() {
    let refused = |from: &str, to: &str, expected: &str| {
        let copy = Copy::new();
        copy.change(PAGE, from, to);
        copy.refused(&["src/tea.md:", expected]);
    };
    let x = "x = \"litres\"";
    refused(x, "", "an `x` is missing");
    refused(x, "x = \"litres\"\ny = \"contender\"", "only a heat map has a y");
    refused(x, "x = \"litres\"\nagainst = \"first\"", "only a ladder");
    refused(x, "x = \"litres\"\nrungs = [{ name = \"a\", row = \"pot\" }]", "only a ladder");
    refused("kind = \"lines\"", "kind = \"heat-map\"", "a heat map needs a `y`");
    refused("kind = \"lines\"", "kind = \"pie\"", "unknown variant `pie`");
    let one = LADDER.replace(", { name = \"a kettle\", row = \"kettle\" }", "");
    let one = one.replace(", { name = \"again\", row = \"kettle\" }", "");
    with_chart(&one).refused(&["src/tea.md:17: ", "two `rungs` at least"]);
    let unknown = LADDER.replace("row = \"pot\"", "row = \"pan\"");
    with_chart(&unknown).refused(&["src/tea.md:21: ", "no row is \"boil: pan, litres=1"]);
    let unknown = LADDER.replace("{{ratio boil: pot", "{{ratio boil: pan");
    with_chart(&unknown).refused(&["src/tea.md:", "no row is \"boil: pan, litres=1\""]);
}

#[test]
fn a_contender_looks_the_same_everywhere_and_like_no_other() {
    let style =
        "\n[preprocessor.measured.styles]\npot = { colour = \"#112233\", symbol = \"star\" }\n";
    let copy = Copy::new();
    let toml = copy.read("book.toml");
    copy.write("book.toml", &format!("{toml}{style}"));
    let plot = plot(&built(&copy));
    let pot = traces(&plot, None)[1]["marker"].clone();
    assert_eq!((&pot["color"], &pot["symbol"]), (&json!("#112233"), &json!("star")));

    let twin =
        style.replace("pot =", "kettle = { colour = \"#112233\", symbol = \"star\" }\npot =");
    copy.write("book.toml", &format!("{toml}{twin}"));
    fs::remove_dir_all(copy.path("book")).unwrap();
    copy.refused(&["src/tea.md:", "\"kettle\" and \"pot\" would look alike"]);
    copy.write("book.toml", &format!("{toml}{}", style.replace("#112233", "blue")));
    copy.refused(&["book.toml:", "\"blue\"", "#0072b2"]);
}

#[test]
fn lines_of_one_colour_are_told_apart_by_more_than_their_marks() {
    let styles = "\n[preprocessor.measured.styles]\nkettle = { colour = \"#112233\" }\n\
                  pot = { colour = \"#112233\", symbol = \"square\", line = \"dotted\" }\n";
    let copy = Copy::new();
    let toml = copy.read("book.toml");
    copy.write("book.toml", &format!("{toml}{styles}"));
    with_other_machines(&copy);
    let html = built(&copy);
    let plot = plot(&html);
    let dashes: Vec<&Value> =
        traces(&plot, None).iter().map(|line| &line["line"]["dash"]).collect();
    assert_eq!(dashes, ["solid", "dash", "dot", "dashdot"]);
    let still = html.split("class=\"measured-still\"").nth(1).unwrap();
    let (legend, picture) = still.split_once("</div>").unwrap();
    for dashes in ["dasharray:3 3\"", "dasharray:9 9\"", "dasharray:9 3 3 3\""] {
        for part in [legend, picture] {
            let part = part.split("</figure>").next().unwrap();
            assert_eq!(part.matches(dashes).count(), 1, "{dashes} in {part}");
        }
    }
    // What looks alike but for its line cannot be told apart where there is none.
    let alike = styles.replace(", symbol = \"square\"", "");
    copy.write("book.toml", &format!("{toml}{alike}"));
    fs::remove_dir_all(copy.path("book")).unwrap();
    copy.refused(&["src/tea.md:", "\"kettle\" and \"pot\" would look alike"]);
}

#[test]
fn a_ratio_that_may_be_one_is_told_with_its_interval() {
    let copy = Copy::new();
    let factors =
        "{{ratio boil: pot, litres=1 / kettle}}, {{ratio boil: pot, litres=1 / kettle, litres=2}}.";
    copy.change(PAGE, "has been claimed.", &format!("has been claimed. {factors}"));
    let html = built(&copy);
    assert!(html.contains(">2.0"), "{html}");
    assert!(html.contains(">1.00<span class=\"measured-open\"> ("), "{html}");
}

#[test]
fn a_difference_that_may_be_none_is_told_with_its_interval() {
    let copy = Copy::new();
    let numbers = "{{number boil: pot, litres=1 - kettle, litres=2}}, {{number boil: pot, litres=1 - kettle, litres=1}}.";
    copy.change(PAGE, "has been claimed.", &format!("has been claimed. {numbers}"));
    let html = built(&copy);
    let figures = html.split("has been claimed. ").nth(1).unwrap();
    let (first, second) = figures.split_once("</span></span>, ").unwrap();
    assert!(first.contains("<span class=\"measured-open\"> (-"), "{first}");
    assert!(second.contains(">180\u{a0}s<"), "{second}");
}

#[test]
fn the_index_lists_every_claim() {
    let copy = Copy::new();
    copy.change(PAGE, "{{ledger}}", "{{claims}}\n\n{{ledger}}");
    copy.change(PAGE, "```claim", "## A `pot` & a kettle\n\n```claim");
    let html = built(&copy);
    let index = html.split("measured-index").nth(1).expect("there is an index");
    let index = index.split("</table>").next().unwrap();
    assert!(index.contains("href=\"tea.html#claim-tea.pot\""), "{index}");
    let question = "<a href=\"tea.html#claim-tea.pot\">A pot &amp; a kettle</a>";
    assert!(index.contains(question), "{index}");
    assert!(index.contains("<small>On kettle-1: ratio 2.0"), "{index}");
    assert!(index.contains("<th>kettle-1</th>") && index.contains("holds</span>"), "{index}");
    assert!(index.contains("#published-grandma.tea"), "{index}");
}

#[test]
fn a_claim_stands_on_the_page_before_its_experiment_has_been_run() {
    let copy = Copy::new();
    copy.change(PAGE, "ratio = \"boil: pot", "ratio = \"brew: pot");
    let html = built(&copy);
    assert!(html.contains("measured-not-measured\">not measured</span>"), "{html}");
    assert!(html.contains("there is no run of the experiment yet"), "{html}");
}

#[test]
fn behind_a_chart_stand_its_run_its_code_and_its_command() {
    let copy = Copy::new();
    let html = built(&copy);
    let behind = html.split("<details class=\"measured-table\"").nth(1).unwrap();
    let behind = behind.split("</details>").next().unwrap();
    for expected in [
        "<th>points</th>",
        "<td>criterion</td>",
        "Measured in 3 runs on 2026-11-30, full profile, with water 1.0.0, rustc 1.95.0",
        "<code>experiments/tea</code> at commit <code>0123abc</code>",
        "cargo book measure tea",
    ] {
        assert!(behind.contains(expected), "no {expected:?} in {behind}");
    }
    let toml = copy.read("book.toml");
    let template = "code-url-template = \"https://example.org/tree/{commit}/{path}\"\n";
    copy.write("book.toml", &format!("{toml}{template}"));
    let html = built(&copy);
    assert!(
        html.contains("<a href=\"https://example.org/tree/0123abc/experiments/tea\">"),
        "{html}"
    );
}

#[test]
fn a_cost_has_its_place_its_requests_and_its_claim() {
    let copy = Copy::new();
    let costs = "```costs\n[\"boil in a pot\"]\ncost = \"boil: pot, litres=1\"\nmade-of = \"heat\"\n\
                 to-do = \"{{number boil: kettle, litres=1}} in a kettle\"\nclaim = \"tea.pot\"\n\
                 [\"boil in a kettle\"]\ncost = \"boil: kettle, litres=1\"\nmade-of = \"current\"\n\
                 to-do = \"nothing\"\nclaim = \"pot\"\n```\n\n{{ledger}}";
    copy.change(PAGE, "{{ledger}}", costs);
    let html = built(&copy);
    let table = html.split("measured-costs").nth(1).expect("there is a table");
    let (table, behind) = table.split_once("</table>").unwrap();
    for expected in [
        "<th scope=\"row\" data-place=\"0\">boil in a pot <a class=\"measured-more\" href=\"tea.html\">Tea</a></th>",
        "<td class=\"measured-cost\" data-head=\"Cost\" data-place=\"1\">",
        "data-place=\"0\">1, 10 and 100\u{a0}µs</td>",
        ">180\u{a0}s<",
        "href=\"#claim-tea.pot\"",
        "<small>tea.<wbr>pot<wbr></small>",
    ] {
        assert!(table.contains(expected), "no {expected:?} in {table}");
    }
    assert!(behind.contains("<details class=\"measured-table\" open"), "{behind}");
    assert!(behind.contains("<th scope=\"col\">kettle-1</th>"), "{behind}");
}

#[test]
fn one_machine_agrees_with_nobody() {
    let copy = Copy::new();
    copy.change(PAGE, "{{ledger}}", "{{agreement}}\n\n{{agreement holds}}\n\n{{ledger}}");
    let html = built(&copy);
    assert!(html.contains("Of 1 claims, 0 were judged on two machines or more"), "{html}");
    assert!(html.contains("So far there is none."), "{html}");
}
