//! Files that the pages load.
//!
//! mdBook copies what stands in `src/` into the site, and gives a preprocessor no other way to add a
//! file. So these are written to `src/measured/`, which git ignores, and only when they differ:
//! `mdbook serve` watches `src/`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use measurement::workload::hex;
use plotly::Plot;
use sha2::{Digest, Sha256};

use crate::replace_file::persist;

/// The directory below src/.
pub const DIRECTORY: &str = "measured";

/// plotly.js, in the version that the plotly crate carries.
pub(crate) const PLOTLY: &str = "measured/plotly-3.0.1.min.js";

const STYLE: &str = include_str!("../assets/measured.css");
const SCRIPT: &str = include_str!("../assets/measured.js");

/// Where the scripts of the charts are.
const CHARTS: &str = "measured/charts";

/// A script that holds what a chart needs when it is drawn.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    /// Relative to the root of the site. What it holds is part of its name, so that no browser keeps an
    /// old one.
    pub name: String,
    text: String,
}

impl Script {
    /// The script of the chart with this id.
    pub(crate) fn new(id: &str, text: String) -> Script {
        let hash = Sha256::digest(&text);
        Script { name: format!("{CHARTS}/{id}-{}.js", hex(&hash[..4])), text }
    }
}

/// Writes what is missing or differs, and removes the scripts of charts that are no more.
///
/// # Errors
///
/// If a file cannot be written or removed.
pub(crate) fn write(src: &Path, scripts: &[Script]) -> io::Result<()> {
    let directory = src.join(DIRECTORY);
    fs::create_dir_all(src.join(CHARTS))?;
    for script in scripts {
        put(&src.join(&script.name), &script.text)?;
    }
    let known: BTreeSet<_> = scripts.iter().map(|script| src.join(&script.name)).collect();
    for entry in fs::read_dir(src.join(CHARTS))? {
        let path = entry?.path();
        if !known.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    for (name, text) in [("measured.css", STYLE), ("measured.js", SCRIPT)] {
        put(&directory.join(name), text)?;
    }
    let plotly = src.join(PLOTLY);
    // The version is in its name.
    if plotly.is_file() { Ok(()) } else { put(&plotly, plotly_js(&Plot::offline_js_sources())) }
}

/// The tags that load style and script, for the top of a page.
pub(crate) fn tags(to_root: &str) -> String {
    format!(
        "<link rel=\"stylesheet\" href=\"{to_root}{DIRECTORY}/measured.css\">\
         <script src=\"{to_root}{DIRECTORY}/measured.js\" defer></script>"
    )
}

/// The first of the scripts, which is plotly.js; MathJax follows.
fn plotly_js(sources: &str) -> &str {
    let script = sources.split("<script type=\"text/javascript\">").nth(1).unwrap_or_default();
    script.split("</script>").next().unwrap_or_default()
}

/// Replaces a file as a whole, if it differs.
fn put(file: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(file).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    io::Write::write_all(&mut temporary, text.as_bytes())?;
    persist(temporary, file)
}
