//! Drawings: SVG files beside the pages, whose texts may ask for figures.

use std::fs;
use std::path::Path;

use measurement::LineError;

/// The lines of a drawing that say something, each with its number.
///
/// # Errors
///
/// If it cannot be read, or lacks what those need who cannot see it, or what lets it shrink to a phone.
pub(crate) fn read(file: &Path) -> Result<Vec<(usize, String)>, LineError> {
    let text = fs::read_to_string(file)
        .map_err(|error| LineError::new(0, format!("cannot be read: {error}")))?;
    let root = text.split('>').next().unwrap_or_default();
    let is_root = root.starts_with("<svg ")
        && [" viewBox=\"", " role=\"img\""].iter().all(|part| root.contains(part));
    if !is_root {
        let message = "a drawing begins with <svg viewBox=\"0 0 WIDTH HEIGHT\" role=\"img\">";
        return Err(LineError::new(1, message));
    }
    for element in ["title", "desc"] {
        if !has_words(&text, element) {
            let message = format!("a drawing has a <{element}> for those who cannot see it");
            return Err(LineError::new(1, message));
        }
    }
    // A blank line would end the block in Markdown.
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    Ok(lines.map(|(index, line)| (index + 1, line.to_owned())).collect())
}

fn has_words(svg: &str, element: &str) -> bool {
    let behind = svg.split_once(&format!("<{element}>")).map(|(_, behind)| behind);
    let words = behind.and_then(|behind| behind.split_once(&format!("</{element}>")));
    words.is_some_and(|(words, _)| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<(usize, String)>, LineError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        read(file.path())
    }

    #[test]
    fn a_drawing_can_be_read_by_everybody() {
        let good =
            "<svg viewBox=\"0 0 1 1\" role=\"img\">\n\n<title>A</title>\n<desc>B</desc></svg>\n";
        let lines: Vec<usize> =
            read_text(good).unwrap().into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 3, 4]);
        for (from, to, expected) in [
            (" role=\"img\"", "", "role=\"img\""),
            (" viewBox=\"0 0 1 1\"", "", "viewBox"),
            ("<title>A</title>", "", "<title>"),
            ("<desc>B</desc>", "<desc> </desc>", "<desc>"),
        ] {
            let wrong = read_text(&good.replace(from, to)).unwrap_err();
            assert!(wrong.message.contains(expected), "{wrong}");
        }
        assert!(read(Path::new("no/such.svg")).unwrap_err().message.contains("cannot be read"));
    }
}
