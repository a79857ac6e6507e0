//! `cargo xtask new-chapter`: a chapter after the pattern of `crates/example-chapter`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use measurement::name_check::check_slug;

use crate::files;

/// The package that is the pattern.
const EXAMPLE: &str = "example-chapter";

/// What lies in it for the book: the page, and what follows there once there are data.
const PAGE: &str = "page.md";
const EVIDENCE: &str = "evidence.md";

/// The list in Cargo.toml, and the part of the book, into which a chapter is put.
const MEMBERS: &str = "default-members = [";
const PART: &str = "# What it costs";

/// Makes the chapter in the workspace at `root`, and says what comes next.
///
/// # Errors
///
/// As [`make`].
pub fn execute(root: &Path, name: &str) -> Result<()> {
    for file in make(root, name)? {
        println!("Wrote {}", file.display());
    }
    println!(
        "\nNext:\n  \
         cargo test -p {name}                  do all contenders give the right answer?\n  \
         cargo run -r -p {name} -- --list      what is measured?\n  \
         cargo book --open                     the page as it is\n\
         Commit, measure (CONTRIBUTING.md, \"Data\"), and put such a thing at the page's end:\n\n{}",
        evidence(root, name)?
    );
    Ok(())
}

/// Makes a chapter from the example: a package under experiments/, a page, and a line for each in
/// Cargo.toml and in src/SUMMARY.md. Returns the files that were written, relative to `root`.
///
/// # Errors
///
/// If the name is none, if there is such a chapter, or if a file cannot be read or written.
pub fn make(root: &Path, name: &str) -> Result<Vec<PathBuf>> {
    check_slug("chapter", name).map_err(anyhow::Error::msg)?;
    let package = Path::new("experiments").join(name);
    let page = Path::new("src").join(format!("{name}.md"));
    for path in [&package, &page] {
        ensure!(
            !root.join(path).exists(),
            "{} is there already: choose another name",
            path.display()
        );
    }
    let example = root.join("crates").join(EXAMPLE);
    let mut written = Vec::new();
    for file in files::below(&example)? {
        let text = renamed(&files::read(&example.join(&file))?, name);
        let target = match file.to_str() {
            // The chapters have one rustfmt.toml together.
            Some(EVIDENCE | "rustfmt.toml") => continue,
            Some(PAGE) => page.clone(),
            _ => package.join(file.to_string_lossy().replace(EXAMPLE, name)),
        };
        written.push((target, text));
    }
    let line = format!("    \"experiments/{name}\",");
    written.push(with_line(root, "Cargo.toml", MEMBERS, |line| line == "]", &line)?);
    let line = format!("- [{}]({name}.md)", title(name));
    let summary = with_line(root, "src/SUMMARY.md", PART, |line| line.starts_with('#'), &line)?;
    written.push(summary);
    for (file, text) in &written {
        let path = root.join(file);
        let failed = || format!("{} cannot be written", path.display());
        fs::create_dir_all(path.parent().unwrap_or(root)).with_context(failed)?;
        fs::write(&path, text).with_context(failed)?;
    }
    Ok(written.into_iter().map(|(file, _)| file).collect())
}

/// What the page may show of the chapter's data: a claim, a chart and a number.
///
/// # Errors
///
/// If the example cannot be read.
pub fn evidence(root: &Path, name: &str) -> Result<String> {
    Ok(renamed(&files::read(&root.join("crates").join(EXAMPLE).join(EVIDENCE))?, name))
}

/// A text of the example as one of the chapter: by its name, as Rust writes it, and as a title.
fn renamed(text: &str, name: &str) -> String {
    let text = text.replace(EXAMPLE, name).replace(&in_rust(EXAMPLE), &in_rust(name));
    text.replace(&title(EXAMPLE), &title(name))
}

fn in_rust(name: &str) -> String {
    name.replace('-', "_")
}

/// `spawn-cost` as `Spawn cost`.
fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A file with one more line: at the end of the block that begins behind a line, before blank lines.
fn with_line(
    root: &Path,
    file: &str,
    begins: &str,
    ends: impl Fn(&str) -> bool,
    line: &str,
) -> Result<(PathBuf, String)> {
    let text = files::read(&root.join(file))?;
    let mut lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|line| *line == begins);
    let start = start.with_context(|| format!("{file} has no line {begins:?}"))? + 1;
    let length = lines[start..].iter().position(|line| ends(line));
    let mut end = length.map_or(lines.len(), |length| start + length);
    while lines[end - 1].is_empty() {
        end -= 1;
    }
    lines.insert(end, line);
    Ok((PathBuf::from(file), lines.join("\n") + "\n"))
}
