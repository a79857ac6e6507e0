//! `cargo xtask fmt`: formats Rust with rustfmt, and prose with dprint's Markdown formatter, as
//! configured in this file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use dprint_plugin_markdown::configuration::{ConfigurationBuilder, EmphasisKind, TextWrap};
use dprint_plugin_markdown::format_text;

use crate::programs;

/// The directories with prose, and whether to include their subdirectories.
const DIRECTORIES: [(&str, bool); 2] = [("", false), ("src", true)];

/// The list of pages. mdBook reads it line by line, so it isn't wrapped.
const SUMMARY: &str = "src/SUMMARY.md";

/// The maximum width of a line of prose, in characters.
const WIDTH: u32 = 120;

/// Formats Rust and prose in the workspace at `root`, and reports which pages were wrapped.
pub(crate) fn write(root: &Path) -> Result<()> {
    programs::cargo(root, &["fmt", "--all"])?;
    each_of_prose(root, |file, text, wrapped| {
        if wrapped != text {
            fs::write(root.join(file), &wrapped)
                .with_context(|| format!("{} cannot be written", file.display()))?;
            say!("Wrapped {}", file.display());
        }
        Ok(())
    })
}

/// Checks that [`write()`] would change nothing. Otherwise, the error lists the first differing
/// line of each page.
pub(crate) fn check(root: &Path) -> Result<()> {
    programs::cargo(root, &["fmt", "--all", "--check"])?;
    let mut wrong = String::new();
    each_of_prose(root, |file, text, wrapped| {
        if let Some(line) = first_difference(&text, &wrapped) {
            wrong += &format!("\n{}:{line}", file.display());
        }
        Ok(())
    })?;
    ensure!(
        wrong.is_empty(),
        "lines are not wrapped as they would be by `cargo xtask fmt`, which mends it:{wrong}"
    );
    Ok(())
}

/// Calls `take` for each file of prose, with the path relative to `root`, and the text before and
/// after wrapping.
fn each_of_prose(
    root: &Path,
    mut take: impl FnMut(&Path, String, String) -> Result<()>,
) -> Result<()> {
    for (directory, deep) in DIRECTORIES {
        for path in list(&root.join(directory), deep)? {
            let file = path.strip_prefix(root)?;
            if path.extension().is_some_and(|it| it == "md") && file != Path::new(SUMMARY) {
                let text = fs::read_to_string(&path)
                    .with_context(|| format!("{} cannot be read", path.display()))?;
                let wrapped = formatted(&text).with_context(|| file.display().to_string())?;
                take(file, text, wrapped)?;
            }
        }
    }
    Ok(())
}

/// Lists the files in a directory, including subdirectories if `deep`, in alphabetical order.
fn list(directory: &Path, deep: bool) -> Result<Vec<PathBuf>> {
    let failed = || format!("{} cannot be read", directory.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        if path.is_file() {
            found.push(path);
        } else if deep {
            found.extend(list(&path, deep)?);
        }
    }
    found.sort();
    Ok(found)
}

/// Stands for a space at which no line may be broken. No page contains this character.
const KEPT_SPACE: char = '\u{e000}';

/// Wraps Markdown to [`WIDTH`] columns. Leaves code, tables and HTML unchanged, and keeps each
/// directive on one line.
fn formatted(text: &str) -> Result<String> {
    // Pieces with odd indices are the contents of fenced blocks, which stay unchanged.
    let pieces = text.split("```").enumerate();
    let kept = pieces.map(|(place, piece)| match place % 2 {
        0 => with_kept_spaces(piece),
        _ => piece.to_owned(),
    });
    let kept = kept.collect::<Vec<_>>().join("```");
    let configuration = ConfigurationBuilder::new()
        .line_width(WIDTH)
        .text_wrap(TextWrap::Always)
        .wrap_code_spans(false)
        .emphasis_kind(EmphasisKind::Asterisks)
        .html_skip_format(true)
        .table_skip_format(true)
        .build();
    let formatted = format_text(&kept, &configuration, |_, _, _| Ok(None))?;
    Ok(formatted.unwrap_or(kept).replace(KEPT_SPACE, " "))
}

/// Replaces the spaces in directives, `{{…}}`, by [`KEPT_SPACE`], so that each directive stays on
/// one line.
fn with_kept_spaces(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("{{") {
        kept = kept + before + "{{";
        rest = behind;
        // Without closing braces, this isn't a directive.
        let directive = behind.split_once("}}").filter(|(inside, _)| !inside.contains("\n\n"));
        if let Some((inside, after)) = directive.filter(|(inside, _)| !inside.trim().is_empty()) {
            let words: Vec<&str> = inside.split_whitespace().collect();
            kept = kept + &words.join(&KEPT_SPACE.to_string()) + "}}";
            rest = after;
        }
    }
    kept + rest
}

/// Returns the number of the first line that differs, from 1.
fn first_difference(one: &str, other: &str) -> Option<usize> {
    let same = one.lines().zip(other.lines()).take_while(|(one, other)| one == other);
    (one != other).then(|| same.count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_filled_and_what_is_none_stays() {
        let words = |count: usize| vec!["word"; count].join(" ");
        let [three, ten, twenty, full, long] = [3, 10, 20, 24, 40].map(words);
        let directive = "{{number waiting: std::thread, kernel=socket, total time - baseline}}";
        let broken = directive.replace(" - ", "\n- ");
        let in_a_line = format!("{twenty},\n{directive}, {three}\n");
        for (text, expected) in [
            (format!("{ten}\n{twenty}\n"), format!("{full}\n{}\n", words(6))),
            // A directive stays on one line, and no line begins with a dash.
            (format!("{twenty}, {directive}, {three}\n"), in_a_line.clone()),
            (format!("{twenty}, {broken}, {three}\n"), in_a_line),
            (
                format!("{full} - 1. + {ten}\n"),
                format!("{} word - 1. + {ten}\n", words(23)).replace(" word -", "\nword -"),
            ),
        ] {
            assert_eq!(formatted(&text).unwrap(), expected);
        }
        for text in [
            format!("```claim\nsentence = \"{long}\"\n```\n"),
            format!("```rust\n{{{{#rustdoc_include ../{long}.rs}}}}\n# fn main() {{}}\n```\n"),
            "```rust\nformat!(\"{{\n}}\");\n```\n".to_owned(),
            format!("| a | `b` |\n|---|---|\n| {long} | {{{{number a: b}}}} |\n"),
            format!("<details>\n<summary>{long}</summary>\n\ntext\n\n</details>\n"),
            format!("# {long}\n"),
            "word\n: What it is. See [there](there.md).\n".to_owned(),
            "`{{ }}` and {{ are none\n".to_owned(),
            "- one\n- two\n\n1. *a*\n2. **b**\n".to_owned(),
        ] {
            assert_eq!(formatted(&text).unwrap(), text);
        }
    }
}
