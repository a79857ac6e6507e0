//! The pages in a real browser. It needs Chromium or Chrome, see [`cdp::find`]; without it every test
//! is ignored and says so, unless `REQUIRE_BROWSER` is 1.
//!
//! `cargo test --test browser -- spawn-cost` reads one page; `cargo test --test browser -- --ignored`
//! prints what each page weighs and how long its first chart takes.

use std::collections::HashSet;
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use anyhow::Result;
use libtest_mimic::{Arguments, Trial};

#[path = "browser/calculator.rs"]
mod calculator;
#[path = "browser/cdp.rs"]
mod cdp;
#[path = "browser/charts.rs"]
mod charts;
mod common;
#[path = "browser/many.rs"]
mod many;
#[path = "browser/reading.rs"]
mod reading;
#[path = "browser/site.rs"]
mod site;
#[path = "browser/weight.rs"]
mod weight;

use cdp::Browser;
use reading::Reader;
use site::Site;

/// What is tested on a page, on the book that the reader sees.
type Test = fn(&Reader<'_>, &str) -> Result<()>;

/// A browser, the book, and the book with the reader's own runs.
struct Stage {
    browser: Browser,
    ours: Arc<Site>,
    yours: Site,
}

impl Stage {
    fn start(program: &Path, ours: Arc<Site>) -> Result<Stage> {
        Ok(Stage { browser: Browser::start(program)?, ours, yours: Site::with_yours()? })
    }
}

fn main() {
    if let Some(built) = many::build_if_asked() {
        return built.unwrap_or_else(|error| panic!("{error:#}"));
    }
    let arguments = Arguments::from_args();
    let ours = Site::ours().unwrap_or_else(|error| panic!("{error:#}"));
    let tests = tests(&ours).unwrap_or_else(|error| panic!("{error:#}"));
    let program = match cdp::find() {
        Ok(program) => program,
        Err(reason) if std::env::var_os("REQUIRE_BROWSER").is_some_and(|value| value == "1") => {
            eprintln!("The tests in a browser cannot run: {reason}");
            std::process::exit(1);
        }
        Err(reason) => {
            println!("The tests in a browser were skipped: {reason}.");
            let ignored = |(name, ..): (String, bool, Test, bool)| {
                Trial::test(name, || Ok(())).with_ignored_flag(true)
            };
            // What is ignored passes for nothing, even when ignored tests are asked for.
            let arguments = Arguments { ignored: false, include_ignored: false, ..arguments };
            libtest_mimic::run(&arguments, tests.into_iter().map(ignored).collect()).exit();
        }
    };
    // Started by the first test that runs.
    let (stage, ours) = (Arc::new(OnceLock::new()), Arc::new(ours));
    let trials = tests.into_iter().map(|(name, with_yours, test, is_ignored)| {
        let (stage, ours, program) = (Arc::clone(&stage), Arc::clone(&ours), program.clone());
        let page = name.split(' ').next().unwrap_or_default().to_owned();
        let run = move || {
            let start =
                || Stage::start(&program, Arc::clone(&ours)).map_err(|error| format!("{error:#}"));
            let stage = stage.get_or_init(start).as_ref()?;
            let site = if with_yours { &stage.yours } else { &stage.ours };
            let reader = Reader { browser: &stage.browser, site };
            test(&reader, &page).map_err(|error| format!("{error:#}").into())
        };
        Trial::test(name, run).with_ignored_flag(is_ignored)
    });
    // For much of its time a test waits for a frame: two a core keep a core busy.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let test_threads = arguments.test_threads.or(Some(2 * cores));
    let arguments = Arguments { test_threads, ..arguments };
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    // Ends the browser, which `exit` would not.
    drop(stage);
    conclusion.exit();
}

/// Every test: its name, which begins with the page's, whether it is of the book with the reader's
/// own runs, what it does, and whether it runs only when asked for.
fn tests(site: &Site) -> Result<Vec<(String, bool, Test, bool)>> {
    let mut tests: Vec<(String, bool, Test, bool)> = Vec::new();
    let (mut calculators, mut charts) = (0, 0);
    let mut seen = HashSet::new();
    for page in site.pages() {
        let html = site.text(&page)?;
        let has_predictions = html.contains("class=\"measured-predict\"");
        let has_calculator = html.contains("class=\"measured-calculator\"");
        let has_costs = html.contains("class=\"measured-costs\"");
        let has_charts = html.contains("class=\"plotly-graph-div\"");
        // mdBook writes the first page under two names.
        if !seen.insert(html) {
            continue;
        }
        let mut put = |topic: &str, with_yours: bool, test: Test| {
            let whose = if with_yours { " with yours" } else { "" };
            tests.push((format!("{page} {topic}{whose}"), with_yours, test, false));
        };
        put("is whole without script", false, reading::without_script);
        if page == "print.html" {
            put("is complete when it is printed", false, reading::prints);
            continue;
        }
        put(
            "can be read at each width, in each theme and by keyboard",
            false,
            reading::can_be_read,
        );
        if has_predictions {
            put("says how far off a guess is", false, reading::compares_guesses);
        }
        if has_calculator {
            calculators += 1;
            put("computes what so many take", false, calculator::computes_totals);
        }
        if has_costs {
            put("is sorted by a column", false, reading::sorts_costs);
        }
        if has_charts {
            charts += 1;
            put("can be read on a phone", true, reading::can_be_read_on_a_phone);
        }
    }
    anyhow::ensure!(calculators > 0, "no page has a calculator");
    anyhow::ensure!(charts > 0, "no page has a chart");
    let once: [(&str, Test); 6] = [
        ("index.html finds claims and pages", reading::finds),
        ("index.html leads to every page and back", reading::leads_on),
        ("404.html stands for what is not there", reading::not_there),
        ("index.html has an icon", reading::has_an_icon),
        ("index.html and every page weigh less than they may", weight::is_within_bounds),
        (
            "index.html and every page keep their bounds with many machines",
            weight::is_within_bounds_with_many,
        ),
    ];
    tests.extend(once.map(|(name, test)| (name.to_owned(), false, test, false)));
    tests.push(("weight and time of every page".to_owned(), false, weight::report, true));
    Ok(tests)
}
