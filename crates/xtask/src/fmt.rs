//! `cargo xtask fmt`: Rust by rustfmt, prose by dprint's Markdown formatter, which this file configures.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use dprint_plugin_markdown::configuration::{
    Configuration, ConfigurationBuilder, EmphasisKind, TextWrap,
};
use dprint_plugin_markdown::format_text;

use crate::{files, programs};

/// Where prose lies: pages, and the pattern of a new one. Beside them, what stands at the root.
const DIRECTORIES: [&str; 2] = ["src", "crates/example-chapter"];

/// The list of the pages, which is no prose: mdBook reads it by lines.
const SUMMARY: &str = "src/SUMMARY.md";

/// The columns that a line of prose may have.
const WIDTH: u32 = 120;

/// Formats Rust and prose in the workspace at `root`, and says which pages were wrapped anew.
///
/// # Errors
///
/// If rustfmt fails, or a file cannot be read, formatted or written.
pub fn execute(root: &Path) -> Result<()> {
    programs::cargo(root, &["fmt", "--all"])?;
    for file in prose(root)? {
        let text = files::read(&root.join(&file))?;
        let wrapped = formatted(&text).with_context(|| file.display().to_string())?;
        if wrapped != text {
            fs::write(root.join(&file), wrapped)
                .with_context(|| format!("{} cannot be written", file.display()))?;
            println!("Wrapped {}", file.display());
        }
    }
    Ok(())
}

/// Checks that [`execute`] would change nothing.
///
/// # Errors
///
/// If it would, with the first such line of each page.
pub fn check(root: &Path) -> Result<()> {
    programs::cargo(root, &["fmt", "--all", "--check"])?;
    let mut wrong = Vec::new();
    for file in prose(root)? {
        let text = files::read(&root.join(&file))?;
        let wrapped = formatted(&text).with_context(|| file.display().to_string())?;
        if let Some(line) = first_difference(&text, &wrapped) {
            wrong.push(format!("{}:{line}", file.display()));
        }
    }
    ensure!(
        wrong.is_empty(),
        "lines are not wrapped as they would be by `cargo xtask fmt`, which mends it:\n{}",
        wrong.join("\n")
    );
    Ok(())
}

/// The files of prose, relative to `root`.
fn prose(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = files::here(root)?;
    for directory in DIRECTORIES {
        let below = files::below(&root.join(directory))?;
        found.extend(below.into_iter().map(|file| Path::new(directory).join(file)));
    }
    let is_prose = |file: &Path| {
        file.extension().is_some_and(|extension| extension == "md") && file != Path::new(SUMMARY)
    };
    found.retain(|file| is_prose(file));
    Ok(found)
}

/// Stands for a space at which no line is broken: a character that no text has.
const KEPT_SPACE: char = '\u{e000}';

/// Markdown in lines of [`WIDTH`] columns. Code, tables and HTML stay as they are, and so do
/// directives, each in one line.
fn formatted(text: &str) -> Result<String> {
    // Every other piece is in a fenced block.
    let pieces = text.split("```").enumerate();
    let kept = pieces.map(|(place, piece)| match place % 2 {
        0 => with_kept_spaces(piece),
        _ => piece.to_owned(),
    });
    let kept = kept.collect::<Vec<_>>().join("```");
    let formatted = format_text(&kept, &configuration(), |_, _, _| Ok(None))?;
    Ok(formatted.unwrap_or(kept).replace(KEPT_SPACE, " "))
}

fn configuration() -> Configuration {
    ConfigurationBuilder::new()
        .line_width(WIDTH)
        .text_wrap(TextWrap::Always)
        .wrap_code_spans(false)
        .emphasis_kind(EmphasisKind::Asterisks)
        .html_skip_format(true)
        .table_skip_format(true)
        .build()
}

/// The text with its directives, `{{…}}`, as words: who looks for one finds it in one line.
fn with_kept_spaces(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once("{{") {
        kept = kept + before + "{{";
        rest = behind;
        // One that is never closed is none.
        let directive = behind.split_once("}}").filter(|(inside, _)| !inside.contains("\n\n"));
        if let Some((inside, after)) = directive.filter(|(inside, _)| !inside.trim().is_empty()) {
            let words: Vec<&str> = inside.split_whitespace().collect();
            kept = kept + &words.join(&KEPT_SPACE.to_string()) + "}}";
            rest = after;
        }
    }
    kept + rest
}

/// The number of the first line that differs.
fn first_difference(one: &str, other: &str) -> Option<usize> {
    let same = one.lines().zip(other.lines()).take_while(|(one, other)| one == other);
    (one != other).then(|| same.count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(count: usize) -> String {
        vec!["word"; count].join(" ")
    }

    #[test]
    fn lines_are_filled_and_no_longer_than_they_may_be() {
        let text = format!("{}\n{}\n", words(10), words(30));
        let formatted = formatted(&text).unwrap();
        assert_eq!(formatted, format!("{}\n{}\n", words(24), words(16)));
        assert!(formatted.lines().all(|line| line.len() <= WIDTH as usize));
    }

    #[test]
    fn a_directive_stands_in_one_line() {
        let directive = "{{number waiting: std::thread, kernel=socket, total time - baseline}}";
        let broken = directive.replace(" - ", "\n- ");
        for written in [directive, &broken] {
            let text = format!("{}, {written}, {}\n", words(20), words(3));
            let expected = format!("{},\n{directive}, {}\n", words(20), words(3));
            assert_eq!(formatted(&text).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_no_prose_stays() {
        let long = words(40);
        for text in [
            format!("```claim\nsentence = \"{long}\"\n```\n"),
            format!("```rust\n{{{{#rustdoc_include ../{long}.rs}}}}\n# fn main() {{}}\n```\n"),
            "```rust\nformat!(\"{{\n}}\");\n```\n".to_owned(),
            format!("| a | `b` |\n|---|---|\n| {long} | {{{{number a: b}}}} |\n"),
            format!("<details>\n<summary>{long}</summary>\n\ntext\n\n</details>\n"),
            format!("# {long}\n"),
            "word\n: What it is.\n  See [there](there.md).\n".replace(".\n  See", ". See"),
            "`{{ }}` and {{ are none\n".to_owned(),
            "- one\n- two\n\n1. *a*\n2. **b**\n".to_owned(),
        ] {
            assert_eq!(formatted(&text).unwrap(), text);
        }
    }

    #[test]
    fn a_dash_never_begins_a_line() {
        let text = format!("{} - 1. + {}\n", words(24), words(10));
        let formatted = formatted(&text).unwrap();
        assert!(formatted.lines().all(|line| line.starts_with("word")), "{formatted}");
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }
}
