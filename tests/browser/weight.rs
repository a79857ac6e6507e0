//! What a page weighs before its text can be read, and how long its first chart takes, beside the
//! same page as mdbook-plotly alone would make it.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{ensure, Context, Result};
use flate2::write::GzEncoder;
use flate2::Compression;
use serde_json::Value;

use crate::cdp::Browser;
use crate::many;
use crate::reading::Reader;
use crate::site::{self, Site};

/// What HTML, style sheets and blocking scripts of a page may weigh together, compressed.
const BOUND: usize = 100_000;

/// How often each page is loaded to time it.
const LOADS: usize = 7;

/// Bytes as they are, and compressed as servers do it.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    raw: usize,
    gzip: usize,
}

impl Weight {
    fn of(bytes: &[u8]) -> Result<Weight> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes)?;
        Ok(Weight { raw: bytes.len(), gzip: encoder.finish()?.len() })
    }

    fn in_words(self) -> String {
        format!("{:.1} ({:.1})", self.gzip as f64 / 1e3, self.raw as f64 / 1e3)
    }
}

/// What is loaded with a page.
#[derive(Debug, Default)]
struct Parts {
    html: Weight,
    /// All style sheets, also those for print and for other themes.
    css: Weight,
    /// Scripts that stop the page where they stand, before its text.
    blocking: Weight,
    /// Scripts behind the text, and deferred ones; without plotly.js.
    later: Weight,
}

impl Parts {
    fn of(site: &Path, page: &str) -> Result<Parts> {
        let html = fs::read_to_string(site.join(page))?;
        let mut parts = Parts { html: Weight::of(html.as_bytes())?, ..Parts::default() };
        let text_ends = html.find("</main>").with_context(|| format!("{page} has no main"))?;
        for (at, _) in html.match_indices('<') {
            let tag = html[at..].split('>').next().unwrap_or_default();
            let attribute = |name: &str| {
                let rest = tag.split_once(&format!(" {name}=\""))?.1;
                rest.split('"').next()
            };
            let (part, file) = if tag.starts_with("<link") && tag.contains("rel=\"stylesheet\"") {
                (&mut parts.css, attribute("href"))
            } else if tag.starts_with("<script") && attribute("src").is_some() {
                let waits = [" defer", " async", "type=\"module\""];
                let is_later = at > text_ends || waits.iter().any(|word| tag.contains(word));
                let part = if is_later { &mut parts.later } else { &mut parts.blocking };
                (part, attribute("src"))
            } else {
                continue;
            };
            let file = file.with_context(|| format!("{page}: {tag}> names no file"))?;
            // From the page, or from the root.
            let from = site.join(page);
            let path = match file.strip_prefix('/') {
                Some(file) => site.join(file),
                None => from.parent().context("a page is in a directory")?.join(file),
            };
            let weight = Weight::of(&fs::read(&path).with_context(|| path.display().to_string())?)?;
            part.raw += weight.raw;
            part.gzip += weight.gzip;
        }
        ensure!(parts.css.raw > 0 && parts.later.raw > 0, "{page} has neither style nor script");
        Ok(parts)
    }

    /// What has to be loaded before the text can be read.
    fn sum(&self) -> Weight {
        let Parts { html, css, blocking, .. } = self;
        Weight {
            raw: html.raw + css.raw + blocking.raw,
            gzip: html.gzip + css.gzip + blocking.gzip,
        }
    }
}

/// The views that a chart's script holds.
fn views(script: &str) -> Result<Value> {
    let list = script.trim().strip_prefix("measured.views(").and_then(|s| s.strip_suffix(");"));
    Ok(serde_json::from_str(list.context("a script gives its views to measured.js")?)?)
}

/// The pages of a built book that are read one by one.
fn pages(site: &Path) -> Vec<String> {
    site::pages(site).into_iter().filter(|page| page != "print.html").collect()
}

/// No page weighs more than it may.
pub(crate) fn is_within_bounds(reader: &Reader<'_>, _page: &str) -> Result<()> {
    keeps_bounds(reader.site.directory())
}

/// The same of a book of many machines.
pub(crate) fn is_within_bounds_with_many(_reader: &Reader<'_>, _page: &str) -> Result<()> {
    let copy = many::copy_with_many()?;
    many::build_apart(copy.path())?;
    keeps_bounds(&copy.path().join("book"))
}

/// Fails on every page of a built book that is too heavy.
fn keeps_bounds(site: &Path) -> Result<()> {
    let mut heavy = Vec::new();
    for page in pages(site) {
        let sum = Parts::of(site, &page)?.sum();
        if sum.gzip > BOUND {
            heavy.push(format!("{page} weighs {} bytes of {BOUND}", sum.gzip));
        }
    }
    ensure!(heavy.is_empty(), "{}", heavy.join("\n"));
    Ok(())
}

/// Prints a table of weights and times, and what a book of many machines costs.
pub(crate) fn report(reader: &Reader<'_>, _page: &str) -> Result<()> {
    // The plain pages are written beside the others, so into a book of their own.
    let site = Site::ours()?;
    println!(
        "\nkB as gzip (raw). The sum is what is loaded before the text can be read; it may be {:.0}.\n\
         Time: from the start of the navigation, to the chart's anchor, until the first frame with the\n\
         first chart is painted; median of {LOADS} loads each, in turn, with an empty cache. Ours is a still\n\
         picture at first, and then drawn by plotly.js, which has a column of its own. \"Plain\" is the page as mdbook-plotly 0.3.0 makes it, with the same plotly.js from the same server, and\n\
         without MathJax, which it would load as well.\n",
        BOUND as f64 / 1e3
    );
    println!(
        "{:<26} {:>15} {:>13} {:>13} {:>15} {:>16} {:>8} {:>8} {:>8} {:>6}",
        "page",
        "HTML",
        "CSS",
        "blocking",
        "sum",
        "later script",
        "ours ms",
        "drawn",
        "plain ms",
        "ratio"
    );
    for page in pages(site.directory()) {
        let parts = Parts::of(site.directory(), &page)?;
        print!(
            "{page:<26} {:>15} {:>13} {:>13} {:>15} {:>16}",
            parts.html.in_words(),
            parts.css.in_words(),
            parts.blocking.in_words(),
            parts.sum().in_words(),
            parts.later.in_words(),
        );
        match plain(&site, &page)? {
            Some(plain) => {
                let [ours, plain] = times(reader.browser, [&page, &plain], &site)?;
                let [[ours, drawn], [plain, _]] = [ours, plain];
                println!(" {ours:>8.0} {drawn:>8.0} {plain:>8.0} {:>6.2}", ours / plain);
            }
            None => println!(),
        }
    }
    let many = many::copy_with_many()?;
    if let Some(seconds) = many::build_apart(many.path())? {
        println!(
            "\nBuilding the book of five machines of four runs took {seconds:.1} s of CPU time."
        );
    }
    Ok(())
}

/// Median times of two pages, loaded in turn: until the first chart is seen, and until plotly.js has
/// drawn it.
fn times(browser: &Browser, pages: [&str; 2], site: &Site) -> Result<[[f64; 2]; 2]> {
    let anchor = {
        let html = site.text(pages[0])?;
        let figure = html.split_once("<figure class=\"measured-chart\"").context("a chart")?.1;
        let id = figure.split_once(" id=\"").context("a chart has an id")?.1;
        id.split('"').next().unwrap_or_default().to_owned()
    };
    let mut times = [const { [Vec::new(), Vec::new()] }; 2];
    for load in 0..LOADS * 2 {
        // Ours, plain, plain, ours, and so on.
        let which = (load + load / 2) % 2;
        let tab = browser.new_tab()?;
        tab.before_each_page(include_str!("first.js"))?;
        tab.open(&format!("{}#{anchor}", site.url(pages[which])))?;
        tab.until("window.firstDrawn", "the first chart is drawn")?;
        for (times, name) in times[which].iter_mut().zip(["firstChart", "firstDrawn"]) {
            times.push(tab.evaluate::<f64>(&format!("window.{name}"))?);
        }
    }
    Ok(times.map(|page| {
        page.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[LOADS / 2]
        })
    }))
}

/// Writes a page as mdbook-plotly 0.3.0 would make it, and gives its name; none for a page without
/// charts.
///
/// Its `inject_header` puts blocking scripts before the text, and `to_inline_html` a script behind
/// each chart that draws it at once (plotly 0.14.1, templates/inline_plot.html). The tables are folded,
/// as ours are.
fn plain(site: &Site, page: &str) -> Result<Option<String>> {
    const CHART: &str = "<div class=\"plotly-graph-div\"";
    let html =
        site.text(page)?.replace("<details class=\"measured-table\" open=\"\">", "<details>");
    let mut parts = html.split(CHART);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    let mut charts = 0;
    for part in parts {
        let script = part.split_once(" data-views=\"").context("a chart has views")?.1;
        let views = views(&site.text(script.split('"').next().unwrap_or_default())?)?;
        let (_, rest) = part.split_once("</div>").context("a chart ends")?;
        charts += 1;
        plain += &format!(
            "<div id=\"plain-{charts}\" class=\"plotly-graph-div\" style=\"height:100%; width:100%;\"></div>\n\
             <script type=\"text/javascript\">\n    Plotly.newPlot(\"plain-{charts}\", {});\n</script>{rest}",
            views[0]
        );
    }
    if charts == 0 {
        return Ok(None);
    }
    let ours = "<script src=\"measured/measured.js\" defer=\"\"></script>";
    ensure!(plain.contains(ours), "{page} does not load measured.js where it is expected");
    let plain = plain.replace(ours, "<script src=\"measured/plotly-3.0.1.min.js\"></script>");
    let name = format!("plain-{page}");
    fs::write(site.directory().join(&name), plain)?;
    Ok(Some(name))
}
