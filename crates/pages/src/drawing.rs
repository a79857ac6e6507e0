//! Inserts drawings, which are SVG files next to the pages. Their labels may contain directives.

use std::fs;
use std::path::Path;

use findings::figure::FigureText;
use language::page::replaced;
use measurement::LineError;

use crate::html::{Html, escape};
use crate::rich_text::RichText;

/// Returns one or more drawings as a figure. `tell` renders the directives in the labels of the
/// drawings.
pub(crate) fn figure(
    files: &[String],
    directory: &Path,
    tell: &dyn Fn(&str) -> Result<RichText, String>,
) -> Result<Html, String> {
    let mut svg = String::new();
    for file in files {
        svg += &read(&directory.join(file), tell).map_err(|wrong| format!("{file}:{wrong}"))?;
    }
    Ok(Html(format!("\n<figure class=\"measured-drawing\">\n{svg}</figure>\n")))
}

/// Reads a drawing and renders its directives. Fails if the drawing has no description for
/// readers who can't see it, or if it lacks the attribute that makes it shrink to fit a phone.
fn read(file: &Path, tell: &dyn Fn(&str) -> Result<RichText, String>) -> Result<String, LineError> {
    let text = fs::read_to_string(file);
    let text = text.map_err(|error| LineError::new(0, format!("cannot be read: {error}")))?;
    let text = text.trim_start_matches('\u{feff}');
    let root = text.split('>').next().unwrap_or_default();
    let needed = ["<svg ", " viewBox=\"", " role=\"img\""];
    if !root.starts_with(needed[0]) || !needed.iter().all(|part| root.contains(part)) {
        let message = "a drawing begins with <svg viewBox=\"0 0 WIDTH HEIGHT\" role=\"img\">";
        return Err(LineError::new(1, message));
    }
    for element in ["title", "desc"] {
        let behind = text.split(&format!("<{element}>")).nth(1).unwrap_or_default();
        let words = behind.split_once(&format!("</{element}>")).map(|(words, _)| words.trim());
        if words.unwrap_or_default().is_empty() {
            let message = format!("a drawing has a <{element}> for those who cannot see it");
            return Err(LineError::new(1, message));
        }
    }
    let mut svg = String::new();
    // A blank line would end the block of HTML in Markdown.
    for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let told = replaced(text, |directive| {
            let told = tell(directive)?;
            told.plain_without_intervals().map(escape).map_err(misleads)
        });
        svg += &told.map_err(|message| LineError::new(line, message))?;
        svg.push('\n');
    }
    Ok(svg)
}

fn misleads(FigureText { of, figure, range, .. }: &FigureText) -> String {
    format!(
        "{of:?} is {figure} ({range}), and misleads without its interval, for which a drawing has no room: \
         tell it in prose"
    )
}
