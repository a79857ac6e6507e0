//! What a reader does with a page, and what the page must do then.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use serde::Deserialize;
use serde_json::json;

use crate::cdp::{Browser, Key, Tab};
use crate::charts::{count, draw_all, draws_its_rows, draws_right, of_chart, settle, Views};
use crate::site::Site;

/// One who reads a book in a browser.
pub(crate) struct Reader<'a> {
    pub(crate) browser: &'a Browser,
    pub(crate) site: &'a Site,
}

/// A phone's, where labels have the least room: there each chart is seen in each of its views.
const PHONE: u32 = 400;
/// The first is a phone's. At the last one a page is read on in all themes and by keyboard.
const WIDTHS: [u32; 3] = [PHONE, 1600, 1000];
/// What is left of a sheet of A4 between its margins.
const PAPER: u32 = 718;
const THEMES: [&str; 5] = ["light", "rust", "coal", "navy", "ayu"];

/// Instead of the print dialogue, notes what would be printed.
const PRINT: &str = include_str!("print.js");

impl Reader<'_> {
    /// A tab in which nothing is printed, and that remembers nothing.
    pub(crate) fn tab(&self) -> Result<Tab<'_>> {
        let tab = self.browser.tab()?;
        let forget = json!({"origin": self.site.address, "storageTypes": "local_storage"});
        tab.send("Storage.clearDataForOrigin", forget)?;
        tab.before_each_page(PRINT)?;
        Ok(tab)
    }

    /// Opens a page of the book.
    pub(crate) fn open(&self, page: &str) -> Result<Tab<'_>> {
        let tab = self.tab()?;
        tab.open(&self.site.url(page))?;
        Ok(tab)
    }

    /// Fails on whatever went wrong in a tab: errors, exceptions, requests that failed or that leave
    /// the book.
    pub(crate) fn complain(&self, tab: &Tab<'_>) -> Result<()> {
        let mistakes = self.mistakes(tab);
        ensure!(mistakes.is_empty(), "{}", mistakes.join("\n"));
        Ok(())
    }

    fn mistakes(&self, tab: &Tab<'_>) -> Vec<String> {
        let own = [self.site.address.as_str(), "data:", "blob:", "about:blank"];
        let events = tab.events().into_iter();
        let mistake = |event: crate::cdp::Event| {
            let said = &event.parameters;
            match event.method.as_str() {
                "Runtime.exceptionThrown" => {
                    let details = &said["exceptionDetails"];
                    Some(format!("exception: {}", details["exception"]["description"]))
                }
                "Runtime.consoleAPICalled"
                    if said["type"] == "error" || said["type"] == "assert" =>
                {
                    Some(format!("on the console: {}", said["args"]))
                }
                "Log.entryAdded" if said["entry"]["level"] == "error" => {
                    Some(format!("in the log: {} {}", said["entry"]["text"], said["entry"]["url"]))
                }
                "Network.requestWillBeSent" => {
                    let url = said["request"]["url"].as_str().unwrap_or_default();
                    let is_own = own.iter().any(|own| url.starts_with(own));
                    (!is_own).then(|| format!("{url} is requested, which is not of the book"))
                }
                "Network.loadingFailed" if said["canceled"] != true => {
                    Some(format!("a request failed: {}", said["errorText"]))
                }
                "Network.responseReceived" => {
                    let response = &said["response"];
                    let status = response["status"].as_u64().unwrap_or(0);
                    (status >= 400).then(|| format!("{}: status {status}", response["url"]))
                }
                _ => None,
            }
        };
        events.filter_map(mistake).collect()
    }
}

/// How often plotly.js was requested, and how often the script of a chart.
fn requests_for_charts(tab: &Tab<'_>) -> (usize, usize) {
    let events = tab.events();
    let requests = events.iter().filter(|event| event.method == "Network.requestWillBeSent");
    let urls: Vec<&str> =
        requests.filter_map(|event| event.parameters["request"]["url"].as_str()).collect();
    let count = |part: &str| urls.iter().filter(|url| url.contains(part)).count();
    (count("/measured/plotly-"), count("/measured/charts/"))
}

/// One visit to a page, which is opened once for all that is looked at: how it loads, at each width
/// each chart in each of its views, the themes, and the keyboard.
pub(crate) fn can_be_read(reader: &Reader<'_>, page: &str) -> Result<()> {
    let tab = reader.tab()?;
    all([
        ("when it is loaded", is_quiet(reader, &tab, page)),
        ("at each width", fits(reader, &tab, &WIDTHS, Views::All)),
        ("in each theme", has_contrast(&tab)),
        ("by keyboard", works_by_keyboard(reader, &tab, page)),
        ("on the whole", reader.complain(&tab)),
    ])
}

/// A shorter one to a page with the reader's own runs, where it is tightest: on a phone.
pub(crate) fn can_be_read_on_a_phone(reader: &Reader<'_>, page: &str) -> Result<()> {
    let tab = reader.tab()?;
    all([
        ("when it is loaded", is_quiet(reader, &tab, page)),
        ("on a phone", fits(reader, &tab, &[PHONE], Views::Yours)),
        ("on the whole", reader.complain(&tab)),
    ])
}

/// Fails with all that failed.
fn all<const N: usize>(looks: [(&str, Result<()>); N]) -> Result<()> {
    let failed = looks.into_iter().filter_map(|(when, result)| Some((when, result.err()?)));
    let mistakes: Vec<String> = failed.map(|(when, error)| format!("{when}: {error:#}")).collect();
    ensure!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    Ok(())
}

/// Opens a page on a phone and draws its charts: plotly.js is requested only when one of them comes
/// near the view.
fn is_quiet(reader: &Reader<'_>, tab: &Tab<'_>, page: &str) -> Result<()> {
    tab.resize(PHONE, 900)?;
    // Whatever is on the page is far below the view.
    tab.before_each_page(
        "addEventListener('readystatechange', () => { \
         document.querySelector('main')?.style.setProperty('padding-top', '10000px'); }, true)",
    )?;
    tab.open(&reader.site.url(page))?;
    let charts = count(tab)?;
    if charts > 0 {
        // Time enough for what does not wait.
        thread::sleep(Duration::from_millis(300));
        let requests = requests_for_charts(tab);
        ensure!(requests == (0, 0), "plotly.js and charts are requested before they are needed");
    }
    tab.run("document.querySelector('main').style.removeProperty('padding-top')")?;
    draw_all(tab)?;
    settle(tab)?;
    let (of_plotly, of_charts) = requests_for_charts(tab);
    ensure!(of_plotly == charts.min(1), "{charts} charts, {of_plotly} requests of plotly.js");
    ensure!(of_charts == charts, "{charts} charts, {of_charts} requests of their scripts");
    Ok(())
}

/// The texts of a chart.
#[derive(Debug, Deserialize)]
struct Labels {
    id: String,
    width: f64,
    height: f64,
    texts: Vec<Text>,
}

#[derive(Debug, Deserialize)]
struct Text {
    text: String,
    oblique: bool,
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Labels {
    /// What cannot be read: what is cut off, oblique, or lies on another text.
    fn mistakes(&self) -> Vec<String> {
        // Boxes are a little larger than letters.
        const TOLERANCE: f64 = 1.0;
        let mut mistakes = Vec::new();
        if self.texts.is_empty() {
            mistakes.push("has no text".to_owned());
        }
        for (index, text) in self.texts.iter().enumerate() {
            let Text { text: name, left, top, right, bottom, .. } = text;
            let (width, height) = (self.width + TOLERANCE, self.height + TOLERANCE);
            if *left < -TOLERANCE || *top < -TOLERANCE || *right > width || *bottom > height {
                mistakes.push(format!(
                    "{name:?} is cut off: {left:.0} to {right:.0} of {width:.0}, {top:.0} to {bottom:.0} of {height:.0}"
                ));
            }
            if text.oblique {
                mistakes.push(format!("{name:?} is oblique"));
            }
            for other in &self.texts[index + 1..] {
                let across = text.right.min(other.right) - text.left.max(other.left);
                let along = text.bottom.min(other.bottom) - text.top.max(other.top);
                if across > TOLERANCE && along > TOLERANCE {
                    mistakes.push(format!("{name:?} lies on {:?}", other.text));
                }
            }
        }
        mistakes
    }
}

/// At each width nothing sticks out sideways, the charts draw their rows, and their labels can be read:
/// on a phone in each of these views, elsewhere in the one that is shown at first.
fn fits(reader: &Reader<'_>, tab: &Tab<'_>, widths: &[u32], views: Views) -> Result<()> {
    let mut mistakes = BTreeSet::new();
    for &width in widths {
        mistakes.extend(sticks_out(tab, width)?);
        let drawings: Vec<Labels> = tab.evaluate(&format!(
            "[...document.querySelectorAll('.measured-drawing svg')].map({})",
            include_str!("labels.js")
        ))?;
        for labels in drawings {
            let found = labels.mistakes().into_iter();
            mistakes.extend(found.map(|wrong| format!("at {width}: in a drawing: {wrong}")));
        }
        for at in 0..count(tab)? {
            let mut read_labels = || {
                let labels: Labels = of_chart(tab, at, include_str!("labels.js"))?;
                let found = labels.mistakes().into_iter();
                mistakes.extend(found.map(|wrong| format!("at {width}: {}: {wrong}", labels.id)));
                Ok(())
            };
            if width == PHONE {
                draws_its_rows(tab, reader.site, at, views, read_labels)?;
            } else {
                draws_right(tab, reader.site, at)?;
                read_labels()?;
            }
        }
    }
    let mistakes: Vec<String> = mistakes.into_iter().collect();
    ensure!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
    Ok(())
}

/// What sticks out sideways of a page at a width.
fn sticks_out(tab: &Tab<'_>, width: u32) -> Result<Vec<String>> {
    tab.resize(width, 900)?;
    // plotly.js waits a moment before it follows.
    tab.until(include_str!("filled.js"), &format!("the charts fill the width at {width}"))?;
    settle(tab)?;
    let wide: Vec<String> = tab.evaluate(include_str!("sideways.js"))?;
    Ok(wide.into_iter().map(|wide| format!("at {width}: {wide} sticks out")).collect())
}

/// The contrast of something with what lies behind it.
#[derive(Debug, Deserialize)]
struct Contrast {
    what: String,
    least: f64,
    contrast: f64,
}

/// When the theme changes while the page is read, the charts follow, and everything can be read.
fn has_contrast(tab: &Tab<'_>) -> Result<()> {
    let mut mistakes = Vec::new();
    for theme in THEMES {
        tab.run(&format!("document.getElementById('mdbook-theme-{theme}').click()"))?;
        tab.until(
            &format!("document.documentElement.classList.contains('{theme}')"),
            "the theme changes",
        )?;
        // The charts follow soon after; on a busy machine, later.
        let deadline = Instant::now() + Duration::from_secs(10);
        let faint = loop {
            settle(tab)?;
            let found: Vec<Contrast> = tab.evaluate(include_str!("contrast.js"))?;
            let faint: BTreeSet<String> = found
                .iter()
                .filter(|found| found.contrast < found.least)
                .map(|f| format!("{theme}: {:.2} of {}: {}", f.contrast, f.least, f.what))
                .collect();
            if faint.is_empty() || Instant::now() > deadline {
                break faint;
            }
        };
        mistakes.extend(faint);
    }
    ensure!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
    Ok(())
}

/// What a reader without a mouse must be able to reach.
const CONTROLS: &str =
    "main .measured-switch, main .measured-views button, main summary, main a[class*='measured-'], main .measured-claim a[href]";

/// How many controls of a kind are tried on a page: claims.html has hundreds of one kind, and a stop costs a frame.
const TRIED: usize = 4;

/// Something that a keyboard must reach.
#[derive(Debug, Deserialize)]
struct Control {
    name: String,
    /// `button`, `summary` or `a`.
    element: String,
    /// Its element and classes, and those and the label of what it stands in.
    kind: String,
}

/// What has the focus.
#[derive(Debug, Deserialize)]
struct Focus {
    /// Its place among [`CONTROLS`].
    place: Option<usize>,
    /// Whether it can be seen that it is focused.
    visible: bool,
    /// Whether the keyboard has left the page.
    left: bool,
}

/// Buttons and tables of ours are reached with Tab and work with Enter and Space, links are reached: the first few of
/// each kind on a page. Of the others it is seen that they take the focus and show it.
fn works_by_keyboard(reader: &Reader<'_>, tab: &Tab<'_>, page: &str) -> Result<()> {
    // What is folded is reached when it is open.
    tab.run(
        "document.querySelectorAll('main details').forEach((details) => { details.open = true; })",
    )?;
    let controls = format!("[...document.querySelectorAll(\"{CONTROLS}\")]");
    let all: Vec<Control> =
        tab.evaluate(&format!("{controls}.map({})", include_str!("control.js")))?;
    let put_in = |script: &str| {
        script.replace("CONTROLS", &controls).replace("SHOWS", include_str!("shows.js"))
    };
    let ask = put_in(include_str!("focus.js"));
    let mut tried: BTreeMap<&str, usize> = BTreeMap::new();
    let mut before = None;
    for (place, control) in all.iter().enumerate() {
        let alike = tried.entry(&control.kind).or_default();
        *alike += 1;
        if *alike > TRIED {
            continue;
        }
        if place == 0 {
            // Behind the menu and the sidebar, which are mdBook's and on all pages the same.
            tab.run("Object.assign(document.querySelector('main'), { tabIndex: -1 }).focus()")?;
        } else if before != Some(place - 1) {
            // Those between were tried often enough.
            tab.run(&format!("{controls}[{}].focus()", place - 1))?;
        }
        reach(tab, &ask, place, control)?;
        works(tab, &ask, &controls, place, control)?;
        before = Some(place);
    }
    let unseen: Vec<usize> = tab.evaluate(&put_in(include_str!("unfocused.js")))?;
    let unseen: Vec<&str> = unseen.iter().map(|&place| all[place].name.as_str()).collect();
    ensure!(unseen.is_empty(), "these take no focus, or don't show it: {unseen:?}");
    follows_links(reader, tab, page)
}

/// Presses Tab until this control has the focus; no later one of ours may have it first.
fn reach(tab: &Tab<'_>, ask: &str, place: usize, control: &Control) -> Result<()> {
    // More stops than there are between two of ours: a focus that is caught ends it, too.
    for _ in 0..500 {
        tab.press(Key::Tab)?;
        let focus: Focus = tab.evaluate(ask)?;
        if focus.place == Some(place) {
            ensure!(focus.visible, "it cannot be seen when {} has the focus", control.name);
            return Ok(());
        }
        if focus.left || focus.place > Some(place) {
            break;
        }
    }
    bail!("not reached with Tab: {}", control.name)
}

/// The control that has the focus does what it is for when a key is pressed.
fn works(tab: &Tab<'_>, ask: &str, controls: &str, place: usize, control: &Control) -> Result<()> {
    let Control { name, element, .. } = control;
    let this = format!("{controls}[{place}]");
    match element.as_str() {
        "summary" => {
            let open = format!("{this}.parentElement.open");
            for (key, opens) in
                [(Key::Enter, false), (Key::Enter, true), (Key::Space, false), (Key::Space, true)]
            {
                tab.press(key)?;
                tab.until(&format!("{open} === {opens}"), &format!("{key:?} turns {name}"))?;
            }
        }
        "button" => {
            let key = if place.is_multiple_of(2) { Key::Enter } else { Key::Space };
            tab.press(key)?;
            let pressed = format!("{this}.getAttribute('aria-pressed') === 'true'");
            tab.until(&pressed, &format!("{key:?} presses {name}"))?;
            let kept: Focus = tab.evaluate(ask)?;
            ensure!(kept.place == Some(place), "{name} loses the focus when it is pressed");
        }
        _ => {}
    }
    Ok(())
}

/// Enter follows permalinks: the first few within the page, and to the first few other pages. That every link leads to
/// an anchor is tested without a browser.
fn follows_links(reader: &Reader<'_>, tab: &Tab<'_>, page: &str) -> Result<()> {
    let permalinks = "[...document.querySelectorAll('main .measured-permalink')]";
    let targets: Vec<String> = tab.evaluate(&format!("{permalinks}.map((link) => link.href)"))?;
    let here = reader.site.url(page);
    let page_of = |target: &str| target.split('#').next().unwrap_or_default().to_owned();
    let (within, mut others): (Vec<_>, Vec<_>) =
        targets.iter().enumerate().partition(|(_, target)| page_of(target) == here);
    let mut pages = BTreeSet::new();
    others.retain(|(_, target)| pages.insert(page_of(target)));
    for (index, target) in within.into_iter().take(TRIED).chain(others.into_iter().take(TRIED)) {
        tab.run(&format!("{permalinks}[{index}].focus()"))?;
        tab.press(Key::Enter)?;
        let arrived = format!("location.href === {target:?} && document.querySelector(':target')");
        tab.until(&arrived, &format!("Enter follows the link to {target}"))?;
        if page_of(target) != here {
            tab.open(&here)?;
        }
    }
    Ok(())
}

/// A reader with a keyboard alone guesses, and opens the answer: beside it stand its interval and how
/// far off the guess was. All of it can be read on a phone, in each theme.
pub(crate) fn compares_guesses(reader: &Reader<'_>, page: &str) -> Result<()> {
    const QUESTIONS: &str = "[...document.querySelectorAll('.measured-predict [data-measured]')]";
    let tab = reader.open(page)?;
    let questions: usize = tab.evaluate(&format!("{QUESTIONS}.length"))?;
    ensure!(questions > 0, "nothing can be guessed on {page}");
    let here: String = tab.evaluate("location.href")?;
    for at in 0..questions {
        let question = format!("{QUESTIONS}[{at}]");
        tab.run(&format!("{question}.querySelector('input').focus()"))?;
        tab.press(Key::Space)?;
        let chosen =
            |place: usize| format!("{question}.querySelectorAll('input')[{place}].checked");
        tab.until(&chosen(0), "Space chooses")?;
        tab.press(Key::Right)?;
        tab.until(&chosen(1), "an arrow chooses the next")?;
        tab.press(Key::Tab)?;
        tab.press(Key::Enter)?;
        let open = format!("{question}.querySelector('details').open");
        tab.until(&open, "Enter opens the answer")?;
        let said = format!("{question}.querySelector('[role=status]').innerText");
        let words: String = tab.evaluate(&said)?;
        let choice: String =
            tab.evaluate(&format!("{question}.querySelectorAll('label')[1].innerText.trim()"))?;
        ensure!(words.starts_with(&format!("You guessed {choice}")), "{choice:?}: {words:?}");
        let interval = format!("{question}.querySelector('.measured-interval, .measured-open')");
        let is_wide: bool =
            tab.evaluate(&format!("{interval}.getBoundingClientRect().width > 20"))?;
        ensure!(is_wide, "the interval cannot be seen");
    }
    let still: String = tab.evaluate("location.href")?;
    ensure!(still == here, "a key led from {here} to {still}");
    let wide = sticks_out(&tab, PHONE)?;
    ensure!(wide.is_empty(), "\n{}", wide.join("\n"));
    has_contrast(&tab)?;
    reader.complain(&tab)
}

/// A press on the head of a column puts the costs in its order, another one turns it round; the first
/// column has the order of the page. On a phone as well.
pub(crate) fn sorts_costs(reader: &Reader<'_>, page: &str) -> Result<()> {
    const HEADS: &str = "document.querySelectorAll('.measured-costs thead button')";
    let tab = reader.open(page)?;
    let keys = |column: usize| -> Result<Vec<String>> {
        tab.evaluate(&format!(
            "[...document.querySelector('.measured-costs').tBodies[0].rows].map((row) => \
             row.cells[{column}].dataset.place ?? row.cells[{column}].textContent.trim())"
        ))
    };
    let columns: usize = tab.evaluate(&format!("{HEADS}.length"))?;
    let as_written = keys(0)?;
    ensure!(columns > 1 && as_written.len() > 1, "{columns} columns, {} rows", as_written.len());
    for column in (1..columns).chain([0]) {
        for (key, direction) in [(Key::Enter, "ascending"), (Key::Space, "descending")] {
            tab.run(&format!("{HEADS}[{column}].focus()"))?;
            tab.press(key)?;
            let sorted = format!(
                "{HEADS}[{column}].closest('th').ariaSort === '{direction}' && \
                 document.querySelectorAll('.measured-costs [aria-sort]').length === 1"
            );
            tab.until(&sorted, &format!("{key:?} sorts by column {column}"))?;
            let mut found = keys(column)?;
            if direction == "descending" {
                found.reverse();
            }
            // Places are numbers; of texts, the browser knows the order.
            let places: Result<Vec<usize>, _> = found.iter().map(|key| key.parse()).collect();
            ensure!(places.map_or(true, |places| places.is_sorted()), "{direction}: {found:?}");
        }
    }
    tab.run(&format!("{HEADS}[0].click()"))?;
    ensure!(keys(0)? == as_written, "the first column has not the order of the page");
    let wide = sticks_out(&tab, PHONE)?;
    ensure!(wide.is_empty(), "\n{}", wide.join("\n"));
    has_contrast(&tab)?;
    reader.complain(&tab)
}

/// Without script the text is there, the tables stand open, and no place is kept for charts.
pub(crate) fn without_script(reader: &Reader<'_>, page: &str) -> Result<()> {
    #[derive(Debug, Deserialize)]
    struct Plain {
        letters: usize,
        tables: usize,
        folded: usize,
        boxes: Vec<String>,
        buttons: usize,
    }
    let tab = reader.tab()?;
    tab.send("Emulation.setScriptExecutionDisabled", json!({"value": true}))?;
    tab.open(&reader.site.url(page))?;
    let plain: Plain = tab.evaluate(include_str!("plain.js"))?;
    let charts = reader.site.text(page)?.matches("class=\"plotly-graph-div\"").count();
    ensure!(plain.letters > 100, "only {} letters can be read", plain.letters);
    ensure!(plain.tables >= charts, "{charts} charts, but {} tables", plain.tables);
    ensure!(plain.folded == 0, "{} tables are folded, and no script unfolds them", plain.folded);
    ensure!(plain.boxes.is_empty(), "charts without a still picture: {:?}", plain.boxes);
    ensure!(plain.buttons == 0, "{} buttons do nothing", plain.buttons);
    if page == "print.html" {
        // Its still pictures are those of the other pages, each of which is looked at.
        return reader.complain(&tab);
    }
    let mut mistakes = Vec::new();
    for width in WIDTHS {
        tab.resize(width, 900)?;
        for at in 0..count(&tab)? {
            let labels: Labels = of_chart(&tab, at, include_str!("labels.js"))?;
            ensure!(!labels.texts.is_empty(), "the still picture of {} has no texts", labels.id);
            let found = labels.mistakes().into_iter();
            mistakes.extend(found.map(|wrong| format!("at {width}: {}: {wrong}", labels.id)));
        }
    }
    ensure!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
    reader.complain(&tab)
}

/// When print.html is printed, all charts of all pages are drawn and all tables stand open. It fits
/// paper; on a screen each of its pages is read by itself.
pub(crate) fn prints(reader: &Reader<'_>, page: &str) -> Result<()> {
    #[derive(Debug, Deserialize)]
    struct Printed {
        charts: Vec<String>,
        undrawn: Vec<String>,
        folded: usize,
    }
    let tab = reader.open(page)?;
    tab.until("window.printed", "print.html prints itself")?;
    let printed: Printed = tab.evaluate("window.printed")?;
    ensure!(printed.undrawn.is_empty(), "printed without {:?}", printed.undrawn);
    ensure!(printed.folded == 0, "{} tables are folded in print", printed.folded);
    let mut expected = 0;
    for page in reader.site.pages() {
        // mdBook writes the first page twice.
        if page != "print.html" && page != "index.html" {
            expected += reader.site.text(&page)?.matches("class=\"plotly-graph-div\"").count();
        }
    }
    let charts = printed.charts.len();
    ensure!(charts == expected, "{charts} charts are printed, the pages have {expected}");
    let (requests, _) = requests_for_charts(&tab);
    ensure!(requests == 1, "{requests} requests of plotly.js");
    tab.send("Emulation.setEmulatedMedia", json!({"media": "print"}))?;
    let wide = sticks_out(&tab, PAPER)?;
    ensure!(wide.is_empty(), "\n{}", wide.join("\n"));
    reader.complain(&tab)
}

/// mdBook's search finds claims and published claims by their ids, and pages by their words.
pub(crate) fn finds(reader: &Reader<'_>, page: &str) -> Result<()> {
    let analysis = &reader.site.analysis;
    let claim = &analysis.claims.first().context("the book has claims")?.claim;
    let published = analysis.published.claims.first().context("the ledger has entries")?;
    let ledger = reader.site.pages().into_iter().find(|page| {
        let anchor = format!("id=\"published-{}\"", published.id);
        page != "print.html" && reader.site.text(page).is_ok_and(|text| text.contains(&anchor))
    });
    let ledger = ledger.context("a page holds the ledger")?;
    for (words, expected) in [
        (claim.id.as_str(), claim.place.page.as_str()),
        (published.id.as_str(), ledger.as_str()),
        ("replication ledger", ledger.as_str()),
    ] {
        let tab = reader.open(page)?;
        tab.run("document.getElementById('mdbook-search-toggle').click()")?;
        let ready = "document.activeElement.id === 'mdbook-searchbar'";
        tab.until(ready, "the search is opened")?;
        tab.send("Input.insertText", json!({"text": words}))?;
        let results = "[...document.querySelectorAll('#mdbook-searchresults li a')]";
        tab.until(&format!("{results}.length > 0"), &format!("something is found for {words:?}"))?;
        let found: Vec<String> =
            tab.evaluate(&format!("{results}.map((a) => new URL(a.href).pathname.slice(1))"))?;
        let is_found = found.iter().any(|found| found == expected);
        ensure!(is_found, "{words:?}: {expected} is expected, found {found:?}");
        reader.complain(&tab)?;
    }
    Ok(())
}

/// The arrow keys lead from the first page to every other, and back.
pub(crate) fn leads_on(reader: &Reader<'_>, page: &str) -> Result<()> {
    let tab = reader.open(page)?;
    let numbered = mdbook_driver::MDBook::load(&reader.site.root)?;
    let pages = numbered.book.chapters().filter(|chapter| chapter.path.is_some()).count();
    let follow = |key: Key, link: &str| -> Result<Vec<String>> {
        let mut visited = vec![tab.evaluate("location.pathname")?];
        while tab.evaluate(&format!("document.querySelector('.nav-chapters.{link}') !== null"))? {
            let here: String = tab.evaluate("location.pathname")?;
            tab.press(key)?;
            let there =
                format!("location.pathname !== {here:?} && document.readyState === 'complete'");
            tab.until(&there, &format!("{key:?} leads on from {here}"))?;
            visited.push(tab.evaluate("location.pathname")?);
            ensure!(visited.len() <= pages, "pages without end: {visited:?}");
        }
        Ok(visited)
    };
    let there = follow(Key::Right, "next")?;
    ensure!(there.len() == pages, "{pages} pages in the summary, visited {there:?}");
    let back = follow(Key::Left, "previous")?;
    ensure!(back.len() == pages, "{pages} pages in the summary, back {back:?}");
    reader.complain(&tab)
}

/// What is not there is answered by a page of the book, with its style and ways out.
pub(crate) fn not_there(reader: &Reader<'_>, _page: &str) -> Result<()> {
    for address in ["no-such-page.html", "no/such/page.html"] {
        let tab = reader.open(address)?;
        let links: usize = tab.evaluate(
            "[...document.querySelectorAll('a[href]')].filter((a) => a.pathname.endsWith('.html')).length",
        )?;
        ensure!(links > 5, "only {links} links lead on from 404.html");
        let styled: bool = tab.evaluate(
            "getComputedStyle(document.documentElement).getPropertyValue('--bg') !== ''",
        )?;
        ensure!(styled, "404.html has no style at {address}");
        // That the page itself is not there is what it is about.
        let mistakes = reader.mistakes(&tab).into_iter();
        let mistakes: Vec<String> = mistakes.filter(|found| !found.contains(address)).collect();
        ensure!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    }
    Ok(())
}

/// The icon that the pages name can be loaded and drawn.
pub(crate) fn has_an_icon(reader: &Reader<'_>, page: &str) -> Result<()> {
    let tab = reader.open(page)?;
    let icons: Vec<u32> = tab.evaluate(
        "Promise.all([...document.querySelectorAll('link[rel~=icon]')].map(async (link) => { \
         const image = new Image(); image.src = link.href; await image.decode(); return image.width; }))",
    )?;
    ensure!(!icons.is_empty() && icons.iter().all(|width| *width > 0), "icons: {icons:?}");
    reader.complain(&tab)
}
