//! Tests the pages in a real browser, Chromium or Chrome (see [`cdp::find`]). If there is none,
//! the tests are skipped with a message, unless the environment variable `REQUIRE_BROWSER` is 1.
//!
//! A page is tested in full if it has a kind of chart or an element that no earlier page has: at
//! each width, in each view and theme, by keyboard, and with the reader's own runs. Every other
//! page is read once, on a phone. `cargo test --test browser -- spawn-cost` reads the pages of
//! one chapter.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use anyhow::{anyhow, ensure, Result};
use libtest_mimic::{Arguments, Trial};

mod cdp;
mod charts;
#[path = "../common/mod.rs"]
mod common;
mod controls;
mod reading;
mod site;

use cdp::Tab;
use charts::Views;
use reading::on_a_phone;
use site::Site;

/// A function that tests a page. It gets a new tab, and has to open the page itself.
type Test = fn(&mut Tab, &Site, &str) -> Result<()>;

fn main() {
    let arguments = Arguments::from_args();
    let program = match cdp::find() {
        Ok(program) => program,
        Err(reason) => {
            println!("The tests in a browser were skipped: {reason}.");
            let is_required = std::env::var_os("REQUIRE_BROWSER").is_some_and(|it| it == "1");
            assert!(!is_required, "they are required");
            return;
        }
    };
    let ours = Arc::new(Site::ours().unwrap_or_else(|error| panic!("{error:#}")));
    let tests = tests(&ours).unwrap_or_else(|error| panic!("{error:#}"));
    let yours = Arc::new(OnceLock::new());
    // Tabs that are not in use. Each has a browser of its own.
    let idle = Arc::new(Mutex::new(Vec::new()));
    let trials = tests.into_iter().map(|(name, with_yours, test)| {
        let (ours, yours, idle) = (Arc::clone(&ours), Arc::clone(&yours), Arc::clone(&idle));
        let (program, page) =
            (program.clone(), name.split(' ').next().unwrap_or_default().to_owned());
        let run = move || -> Result<()> {
            let site =
                if with_yours { yours.get_or_init(Site::with_yours).as_ref() } else { Ok(&*ours) };
            let site = site.map_err(|error| anyhow!("{error:#}"))?;
            let kept = idle.lock().unwrap().pop();
            let mut tab = kept.map_or_else(|| Tab::start(&program), Ok)?;
            tab.renew(&site.address)?;
            test(&mut tab, site, &page)?;
            idle.lock().unwrap().push(tab);
            Ok(())
        };
        Trial::test(name, move || run().map_err(|error| format!("{error:#}").into()))
    });
    // Tests often wait for the browser to draw, so two tests per core are needed to keep the
    // cores busy.
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let test_threads = arguments.test_threads.or(Some(2 * cores));
    let arguments = Arguments { test_threads, ..arguments };
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    // Stop the browsers and remove the built books, because `exit` runs no destructors.
    idle.lock().unwrap().clear();
    drop((ours, yours));
    conclusion.exit();
}

/// Returns all tests. Each has a name (which begins with the page's name), a flag that is true if
/// it uses the book with the reader's own runs, and a function.
fn tests(site: &Site) -> Result<Vec<(String, bool, Test)>> {
    let special: [(&str, &str, Test); 4] = [
        ("measured-predict", "says how far off a guess is", controls::compares_guesses),
        ("measured-ledger", "is filtered by outcome", controls::filters_the_ledger),
        ("measured-bill", "adds up what a reader types", controls::adds_up),
        ("measured-claimed", "opens a claim that is linked to", controls::opens_claims),
    ];
    let mut tests: Vec<(String, bool, Test)> = Vec::new();
    let mut known = BTreeSet::new();
    for page in site.pages() {
        let fresh: BTreeSet<String> = site.features(&page)?.difference(&known).cloned().collect();
        let mut put = |topic: &str, with_yours: bool, test: Test| {
            tests.push((format!("{page} {topic}"), with_yours, test));
        };
        if fresh.is_empty() {
            if ["404.html", "decide.html", "glossary.html"].contains(&&*page) {
                put("is accessible", false, reading::is_accessible);
            }
            put("can be read", false, |tab, site, page| on_a_phone(tab, site, page, Views::First));
            continue;
        }
        put(
            "can be read at each width, in each theme and by keyboard",
            false,
            reading::can_be_read_in_full,
        );
        put("is whole without script", false, reading::without_script);
        let with_yours: Test = |tab, site, page| on_a_phone(tab, site, page, Views::Yours);
        put("can be read on a phone with yours", true, with_yours);
        for (feature, topic, test) in special {
            if fresh.contains(feature) {
                put(topic, false, test);
            }
        }
        known.extend(fresh);
    }
    for feature in special.map(|(feature, ..)| feature).into_iter().chain(["plotly-graph-div"]) {
        ensure!(known.contains(feature), "no page has {feature}");
    }
    let once: [(&str, Test); 2] = [
        ("print.html is complete when it is printed", reading::prints),
        ("index.html finds claims and pages", reading::finds),
    ];
    tests.extend(once.map(|(name, test)| (name.to_owned(), false, test)));
    Ok(tests)
}
