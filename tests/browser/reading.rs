//! A reader's actions on a page, and their required effects.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use serde_json::{json, Value};
use sha2::{Digest, Sha256};

use crate::cdp::{Key, Tab};
use crate::charts::{draws_its_rows, labels, unreadable, Views};
use crate::site::Site;

/// The width of a phone in pixels, where labels have the least room.
const PHONE: u32 = 400;
/// The other widths, in pixels, at which a page is tested. The last one is also tested in all
/// themes and with the keyboard.
const WIDTHS: [u32; 2] = [1600, 1000];
/// The width of an A4 page between its margins, in pixels.
const PAPER: u32 = 718;
const THEMES: [&str; 5] = ["light", "rust", "coal", "navy", "ayu"];
/// The first eight bytes of the SHA-256 of `axe.min.js`, as published on npm.
const AXE: [u8; 8] = 0x2934_8999_450c_df28_u64.to_be_bytes();

/// Fails if anything went wrong in a tab: an error, an exception, a request that failed, or a
/// request to another site.
pub(crate) fn complain(tab: &Tab, site: &Site) -> Result<()> {
    let own = [site.address.as_str(), "data:", "blob:", "about:blank"];
    let mistake = |event: &Value| {
        let said = &event["params"];
        let url = said["request"]["url"].as_str().unwrap_or_default();
        let is_wrong = match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => said["type"] == "error" || said["type"] == "assert",
            "Log.entryAdded" => said["entry"]["level"] == "error",
            // The request goes to another site.
            "Network.requestWillBeSent" => !own.iter().any(|own| url.starts_with(own)),
            "Network.loadingFailed" => said["canceled"] != true,
            "Network.responseReceived" => said["response"]["status"].as_u64() >= Some(400),
            _ => false,
        };
        is_wrong.then(|| format!("{}: {said:.2000}", event["method"]))
    };
    none_of(tab.events.iter().filter_map(mistake).collect())
}

/// Returns the number of requests for plotly.js, and the number of requests for scripts with
/// chart data.
fn requests_for_charts(tab: &Tab) -> [usize; 2] {
    ["/measured/plotly-", "/measured/charts/"].map(|part| {
        let is_it = |event: &&Value| {
            let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
            event["method"] == "Network.requestWillBeSent" && url.contains(part)
        };
        tab.events.iter().filter(is_it).count()
    })
}

pub(crate) fn on_a_phone(tab: &mut Tab, site: &Site, page: &str, views: Views) -> Result<()> {
    tab.resize(PHONE)?;
    tab.open(&site.url(page))?;
    draw_all(tab)?;
    fits(tab, site, page, PHONE, views)?;
    complain(tab, site)
}

/// Runs all checks on a page: how it loads, its charts at each width and (on a phone) in each
/// view, the themes, and the keyboard.
pub(crate) fn can_be_read_in_full(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    loads_late(tab, site, page).context("when it is loaded")?;
    fits(tab, site, page, PHONE, Views::All)?;
    for width in WIDTHS {
        fits(tab, site, page, width, Views::First)?;
    }
    has_contrast(tab)?;
    works_by_keyboard(tab)?;
    has_nothing_serious(tab)?;
    complain(tab, site)
}

/// When everything on the page is unfolded, axe-core must find no serious or critical problem,
/// neither in light nor in dark themes. `tests/browser/axe-core/README.md` explains the rules of
/// axe-core.
pub(crate) fn is_accessible(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    tab.open(&site.url(page))?;
    has_nothing_serious(tab)?;
    complain(tab, site)
}

fn has_nothing_serious(tab: &mut Tab) -> Result<()> {
    let axe = include_str!("axe-core/axe.min.js");
    ensure!(Sha256::digest(axe).starts_with(&AXE), "axe.min.js is not that of npm");
    tab.run(&format!("(0, eval)({})", Value::from(axe)))?;
    in_each_theme(tab, &["light", "navy"], |tab| tab.evaluate(include_str!("axe.js")))
}

/// Opens a page on a phone and draws its charts. plotly.js must be requested only when a chart is
/// about to become visible.
fn loads_late(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    tab.resize(PHONE)?;
    // Shift the page down, so that all of it is far below the visible part.
    tab.before_each_page(
        "addEventListener('readystatechange', () => { \
         document.querySelector('main')?.style.setProperty('padding-top', '10000px'); }, true)",
    )?;
    tab.open(&site.url(page))?;
    // Wait long enough for anything that loads too early.
    thread::sleep(Duration::from_millis(300));
    tab.run("0")?;
    ensure!(requests_for_charts(tab) == [0, 0], "charts are requested before they are needed");
    tab.run("document.querySelector('main').style.removeProperty('padding-top')")?;
    draw_all(tab)?;
    let (charts, requests) = (site.charts(page)?, requests_for_charts(tab));
    ensure!(requests == [charts.min(1), charts], "{charts} charts, but {requests:?} requests");
    Ok(())
}

fn draw_all(tab: &mut Tab) -> Result<()> {
    let undrawn: Vec<String> = tab.evaluate(include_str!("draw.js"))?;
    ensure!(undrawn.is_empty(), "not drawn: {}", undrawn.join(", "));
    settle(tab)
}

/// Waits until the browser has painted all changes.
fn settle(tab: &mut Tab) -> Result<()> {
    tab.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))",
    )
}

/// Checks that, at this width, no element is wider than the page, the charts draw their rows, and
/// labels are readable.
fn fits(tab: &mut Tab, site: &Site, page: &str, width: u32, views: Views) -> Result<()> {
    let mut mistakes = sticks_out(tab, width)?;
    let script = format!(
        "[...document.querySelectorAll('.measured-drawing svg')].map({})",
        include_str!("labels.js")
    );
    let drawings: Vec<Value> = tab.evaluate(&script)?;
    mistakes.extend(drawings.iter().flat_map(unreadable));
    for at in 0..site.charts(page)? {
        mistakes.extend(draws_its_rows(tab, site, at, views)?);
    }
    none_of(mistakes).with_context(|| format!("at {width}"))
}

fn none_of(mut mistakes: Vec<String>) -> Result<()> {
    mistakes.sort();
    mistakes.dedup();
    ensure!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
    Ok(())
}

fn sticks_out(tab: &mut Tab, width: u32) -> Result<Vec<String>> {
    tab.resize(width)?;
    // plotly.js takes a moment to resize charts.
    tab.until(include_str!("filled.js"), &format!("the charts fill the width at {width}"))?;
    settle(tab)?;
    let wide: Vec<String> = tab.evaluate(include_str!("sideways.js"))?;
    Ok(wide.into_iter().map(|wide| format!("{wide} sticks out")).collect())
}

pub(crate) fn fits_a_phone(tab: &mut Tab) -> Result<()> {
    none_of(sticks_out(tab, PHONE)?)
}

/// Checks that the charts change their colours with the theme, and that everything has enough
/// contrast.
pub(crate) fn has_contrast(tab: &mut Tab) -> Result<()> {
    in_each_theme(tab, &THEMES, |tab| {
        let mut found: Vec<Value> = tab.evaluate(include_str!("contrast.js"))?;
        found.retain(|found| found["contrast"].as_f64() < found["least"].as_f64());
        Ok(found.iter().map(Value::to_string).collect())
    })
}

/// Switches to each theme, and fails if `find` returns anything there.
fn in_each_theme(
    tab: &mut Tab,
    themes: &[&str],
    find: impl Fn(&mut Tab) -> Result<Vec<String>>,
) -> Result<()> {
    let mut mistakes = Vec::new();
    for theme in themes {
        tab.run(&format!("document.getElementById('mdbook-theme-{theme}').click()"))?;
        let is_there = format!("document.documentElement.classList.contains('{theme}')");
        tab.until(&is_there, "the theme changes")?;
        // On a busy machine, the charts may take a while to change their colours.
        let deadline = Instant::now() + Duration::from_secs(10);
        mistakes.extend(loop {
            settle(tab)?;
            let found = find(tab)?;
            if found.is_empty() || Instant::now() > deadline {
                break found.into_iter().map(|it| format!("{theme}: {it}"));
            }
        });
    }
    none_of(mistakes)
}

/// A CSS query for the controls that a reader without a mouse must be able to reach.
const CONTROLS: &str =
    "[...document.querySelectorAll(\".right-buttons .measured-switch, main .measured-views button, \
     main summary, main a[class*='measured-'], main .measured-claim a[href]\")]";

/// How many controls of each kind are tried on a page. Some pages have hundreds of controls, and
/// trying one takes a frame.
const TRIED: usize = 4;

/// The key Tab must reach our buttons, folds and links, and the keys Enter and Space must work on
/// buttons and folds. Only the first few of each kind on a page are tried; the others must at
/// least be able to take the focus, and show it.
fn works_by_keyboard(tab: &mut Tab) -> Result<()> {
    // Controls in a fold can be reached by the key Tab only if the fold is open.
    tab.run(
        "document.querySelectorAll('main details').forEach((details) => { details.open = true; })",
    )?;
    let all: Vec<Value> =
        tab.evaluate(&format!("{CONTROLS}.map({})", include_str!("control.js")))?;
    let put_in = |script: &str| {
        script.replace("CONTROLS", CONTROLS).replace("SHOWS", include_str!("shows.js"))
    };
    let ask = put_in(include_str!("focus.js"));
    // Start to the right of the sidebar and the left half of the menu. These come from mdBook and
    // are the same on all pages.
    tab.run("Object.assign(document.querySelector('.right-buttons'), { tabIndex: -1 }).focus()")?;
    let (mut tried, mut next) = (BTreeMap::new(), 0);
    for (place, control) in all.iter().enumerate() {
        let alike = tried.entry(control["kind"].to_string()).or_insert(0);
        *alike += 1;
        if *alike > TRIED {
            continue;
        }
        if place != next {
            // Skip the controls whose kind was tried often enough.
            tab.run(&format!("{CONTROLS}[{}].focus()", place - 1))?;
        }
        next = place + 1;
        reach(tab, &ask, place).with_context(|| format!("with Tab to {}", control["name"]))?;
        works(tab, &ask, place, control).with_context(|| control["name"].to_string())?;
    }
    let unseen: Vec<usize> = tab.evaluate(&put_in(include_str!("unfocused.js")))?;
    let unseen: Vec<&Value> = unseen.iter().map(|&place| &all[place]["name"]).collect();
    ensure!(unseen.is_empty(), "these take no focus, or don't show it: {unseen:?}");
    Ok(())
}

/// Presses Tab until the control at index `place` has the focus. Fails if a later control gets it
/// first.
fn reach(tab: &mut Tab, ask: &str, place: usize) -> Result<()> {
    // Between two of our controls there are fewer stops than this. The loop therefore ends even
    // if the focus is trapped.
    for _ in 0..500 {
        tab.press(Key::Tab)?;
        let focus: Value = tab.evaluate(ask)?;
        if focus["place"] == place {
            ensure!(focus["visible"] == true, "it cannot be seen that it has the focus");
            return Ok(());
        }
        if focus["left"] == true || focus["place"].as_u64() > Some(place as u64) {
            break;
        }
    }
    bail!("it is not reached")
}

fn works(tab: &mut Tab, ask: &str, place: usize, control: &Value) -> Result<()> {
    let this = format!("{CONTROLS}[{place}]");
    let presses: &[(Key, &str)] = match control["element"].as_str() {
        Some("summary") => &[
            (Key::Enter, "parentElement.open === false"),
            (Key::Enter, "parentElement.open"),
            (Key::Space, "parentElement.open === false"),
            (Key::Space, "parentElement.open"),
        ],
        Some("button") if place.is_multiple_of(2) => &[(Key::Enter, "ariaPressed === 'true'")],
        Some("button") => &[(Key::Space, "ariaPressed === 'true'")],
        _ => &[],
    };
    for (key, then) in presses {
        tab.press(*key)?;
        tab.until(&format!("{this}.{then}"), &format!("{key:?} works"))?;
        let kept: Value = tab.evaluate(ask)?;
        ensure!(kept["place"] == place, "it loses the focus when {key:?} is pressed");
    }
    Ok(())
}

/// Without scripts, the text must be visible, tables must be open, and no space may be reserved
/// for charts.
pub(crate) fn without_script(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    tab.send("Emulation.setScriptExecutionDisabled", json!({"value": true}))?;
    tab.open(&site.url(page))?;
    let plain: Value = tab.evaluate(include_str!("plain.js"))?;
    let (count, charts) = (|of: &str| plain[of].as_u64().unwrap_or(0), site.charts(page)?);
    for (is_so, what) in [
        (count("letters") > 100, "hardly a letter can be read"),
        (count("tables") >= charts as u64, "not every chart has a table"),
        (count("folded") == 0, "tables are folded, and no script unfolds them"),
        (plain["boxes"] == json!([]), "charts have no still picture"),
        (count("buttons") == 0, "buttons do nothing"),
    ] {
        ensure!(is_so, "{what}, of {charts} charts: {plain}");
    }
    for width in [PHONE].into_iter().chain(WIDTHS) {
        tab.resize(width)?;
        for at in 0..charts {
            none_of(labels(tab, at)?).with_context(|| format!("still, at {width}"))?;
        }
    }
    complain(tab, site)
}

/// When print.html is printed, all charts must be drawn, all tables must be open, and everything
/// must fit on the paper. (On a screen, the other tests read each page separately.)
pub(crate) fn prints(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    tab.open(&site.url(page))?;
    tab.until("window.printed", "print.html prints itself")?;
    let printed: Value = tab.evaluate("window.printed")?;
    ensure!(printed["undrawn"] == json!([]), "printed without {}", printed["undrawn"]);
    ensure!(printed["folded"] == 0, "{} tables are folded in print", printed["folded"]);
    let expected = site.pages().iter().map(|page| site.charts(page)).sum::<Result<usize>>()?;
    let charts = printed["charts"].as_array().map_or(0, Vec::len);
    ensure!(charts == expected, "{charts} charts are printed, the pages have {expected}");
    let [requests, _] = requests_for_charts(tab);
    ensure!(requests == 1, "{requests} requests of plotly.js");
    tab.send("Emulation.setEmulatedMedia", json!({"media": "print"}))?;
    none_of(sticks_out(tab, PAPER)?)?;
    complain(tab, site)
}

/// The search of mdBook must find claims and published claims by their ids, and pages by their
/// words.
pub(crate) fn finds(tab: &mut Tab, site: &Site, page: &str) -> Result<()> {
    const LEDGER: &str = "replication-ledger.html";
    let claim = &site.analysis.claims.first().context("the book has claims")?.claim;
    let published = site.analysis.published.claims.first().context("the ledger has entries")?;
    for (words, expected) in
        [(&*claim.id, &*claim.place.page), (&*published.id, LEDGER), ("replication ledger", LEDGER)]
    {
        tab.renew(&site.address)?;
        tab.open(&site.url(page))?;
        tab.run("document.getElementById('mdbook-search-toggle').click()")?;
        tab.until("document.activeElement.id === 'mdbook-searchbar'", "the search is opened")?;
        tab.send("Input.insertText", json!({"text": words}))?;
        // The search starts when a key is released, or once the search index has been loaded.
        tab.press(Key::Right)?;
        let results = "[...document.querySelectorAll('#mdbook-searchresults li a')]";
        tab.until(&format!("{results}.length > 0"), &format!("something is found for {words:?}"))?;
        let found: Vec<String> =
            tab.evaluate(&format!("{results}.map((a) => new URL(a.href).pathname.slice(1))"))?;
        let is_found = found.iter().any(|found| found == expected);
        ensure!(is_found, "{words:?}: {expected} is expected, found {found:?}");
        complain(tab, site)?;
    }
    Ok(())
}
