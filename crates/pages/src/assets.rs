//! Writes the scripts and styles that the pages load.
//!
//! mdBook copies the files in `src/` into the site, and a preprocessor has no other way to add a
//! file. So this module writes its files to `src/measured/`, which git ignores, and only if they
//! differ, because `mdbook serve` watches `src/`.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use measurement::workload::hex;
use plotly::Plot;
use sha2::{Digest, Sha256};

use crate::replace_file::persist;

/// The directory, below `src/`, for the scripts and styles that the pages load.
pub const DIRECTORY: &str = "measured";

/// The path of plotly.js, relative to `src/`. It includes the version of plotly.js that the
/// plotly crate bundles.
pub(crate) const PLOTLY: &str = "measured/plotly-3.0.1.min.js";

const STYLE: &str = include_str!("../assets/measured.css");
const SCRIPT: &str = include_str!("../assets/measured.js");

const CHARTS: &str = "measured/charts";

/// A script with a chart's data, loaded when the chart is drawn.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    /// The script's path relative to the root of the site. The file name includes a hash of the
    /// content, so that no browser uses an old version.
    pub name: String,
    text: String,
}

impl Script {
    pub(crate) fn new(id: &str, text: String) -> Script {
        let hash = Sha256::digest(&text);
        Script { name: format!("{CHARTS}/{id}-{}.js", hex(&hash[..4])), text }
    }
}

/// Writes the files that are missing or out of date to `src`, and removes the scripts of charts
/// that no longer exist.
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
    // The file name contains the version, so an existing file is up to date.
    if plotly.is_file() { Ok(()) } else { put(&plotly, plotly_js(&Plot::offline_js_sources())) }
}

/// Returns the HTML tags that load the style sheet and the script, for the top of a page.
/// `to_root` is the path from the page to the root of the site.
pub(crate) fn tags(to_root: &str) -> String {
    format!(
        "<link rel=\"stylesheet\" href=\"{to_root}{DIRECTORY}/measured.css\">\
         <script src=\"{to_root}{DIRECTORY}/measured.js\" defer></script>"
    )
}

/// Returns the first of the scripts in `sources`, which is plotly.js. (The second one is
/// MathJax.)
fn plotly_js(sources: &str) -> &str {
    let script = sources.split("<script type=\"text/javascript\">").nth(1).unwrap_or_default();
    script.split("</script>").next().unwrap_or_default()
}

/// Replaces `file` atomically unless its content is already `text`.
fn put(file: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(file).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let directory = file.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    io::Write::write_all(&mut temporary, text.as_bytes())?;
    persist(temporary, file)
}
