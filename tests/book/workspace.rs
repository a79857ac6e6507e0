//! The workspace is whole: `cargo test` is everything, and a chapter has all its parts.

use std::collections::BTreeSet;

use ::book::measure;
use mdbook_measured::driver;
use toml::{Table, Value};

use crate::common::{files, read, root};
use crate::house::packages;
use crate::BOOK;

fn toml(path: &str) -> Table {
    read(path).parse().unwrap()
}

#[test]
fn every_member_is_a_default_member() {
    let workspace = toml("Cargo.toml");
    let named = workspace["workspace"]["default-members"].as_array().unwrap();
    let named: BTreeSet<&str> = named.iter().filter_map(Value::as_str).collect();
    let packages = packages();
    let members = packages.iter().map(|of| of.strip_prefix(root()).unwrap().to_str().unwrap());
    assert_eq!(named, members.chain(["."]).collect(), "default-members in Cargo.toml");
}

/// A library without tests of its own, or without examples in its documentation, says so: it is not compiled
/// once more for nothing. What comes to have some takes the line out.
#[test]
fn what_is_not_to_be_tested_has_nothing_to_test() {
    let mut untested = 0;
    for package in packages() {
        let manifest = package.join("Cargo.toml");
        let manifest = toml(manifest.to_str().unwrap());
        for (key, has_some) in [("test", has_tests as fn(&str) -> bool), ("doctest", has_examples)]
        {
            let is_on = manifest.get("lib").and_then(|of| of.get(key)?.as_bool()).unwrap_or(true);
            if is_on {
                continue;
            }
            untested += 1;
            for file in files(&package.join("src"), ".rs") {
                let file = package.join("src").join(file);
                let file = file.strip_prefix(root()).unwrap();
                let is_tested = has_some(&read(file));
                assert!(
                    !is_tested,
                    "{} would not be tested: take out `{key} = false`",
                    file.display()
                );
            }
        }
    }
    assert!(untested > 0);
}

fn has_tests(source: &str) -> bool {
    source.contains("#[test]") || source.contains("#[cfg(test)]")
}

/// Whether its documentation has a block of Rust, which is one of no other language.
fn has_examples(source: &str) -> bool {
    let lines = source.lines().map(str::trim_start);
    let comments = lines.filter_map(|line| line.strip_prefix("///").or(line.strip_prefix("//!")));
    // Every other fence opens a block.
    let fences = comments.filter_map(|comment| comment.trim_start().strip_prefix("```"));
    let of_rust = ["", "rust", "no_run", "should_panic", "compile_fail"];
    fences.step_by(2).any(|info| info.split(',').any(|word| of_rust.contains(&word.trim())))
}

#[test]
fn every_chapter_that_measures_has_a_page_and_data() {
    let summary = read("src/SUMMARY.md");
    let chapters = measure::chapters(root(), &driver::config(root()).unwrap());
    assert!(!chapters.is_empty());
    for chapter in chapters {
        assert!(
            summary.contains(&format!("({chapter}.md)")),
            "src/SUMMARY.md lists no {chapter}.md"
        );
        let mut machines = BOOK.analysis.data.machines.iter();
        let has_data = machines.any(|machine| machine.chapters.contains_key(&chapter));
        assert!(has_data, "no machine has anything of {chapter}");
        let bench = root().join(format!("experiments/{chapter}/benches/{chapter}.rs"));
        assert!(bench.is_file(), "{} is not there", bench.display());
    }
}

#[test]
fn a_citation_names_the_book_as_book_toml_does() {
    let book = toml("book.toml");
    let (title, authors) = (book["book"]["title"].as_str().unwrap(), &book["book"]["authors"]);
    let (citation, page) = (read("CITATION.cff"), read("src/how-to-cite.md"));
    assert!(citation.contains(&format!("\ntitle: {title}\n")), "{title} in CITATION.cff");
    assert!(page.contains(&format!("title  = {{{title}}}")), "{title} in src/how-to-cite.md");
    for author in authors.as_array().unwrap().iter().filter_map(Value::as_str) {
        assert!(citation.contains(&format!("\n  - name: {author}\n")), "{author} in CITATION.cff");
        assert!(page.contains(&format!("author = {{{{{author}}}}}")), "{author} on the page");
    }
}

/// The times in a text: a number and its unit, each with what it comes to in nanoseconds.
fn times(text: &str) -> Vec<(String, f64)> {
    let text = text.replace('\u{a0}', " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let time = |pair: &[&str]| {
        let unit = pair[1].trim_end_matches(|c: char| !c.is_alphanumeric());
        let factor = match unit {
            "ns" => 1.0,
            "µs" => 1e3,
            "ms" => 1e6,
            _ => return None,
        };
        let number = pair[0].trim_start_matches(|c: char| !c.is_ascii_digit());
        let value: f64 = number.replace(',', "").parse().ok()?;
        Some((format!("{number} {unit}"), value * factor))
    };
    words.windows(2).filter_map(time).collect()
}

#[test]
fn the_readme_tells_the_figures_of_the_introduction_and_every_experiment() {
    let readme = read("README.md");
    let page = read(BOOK.directory.join("introduction.html"));
    let (_, page) = page.split_once("<main>").unwrap();
    // Estimates, without their intervals.
    let page = page.replace("<span class=\"measured-interval\"> (", "<span (");
    let pieces = page.split('<').filter_map(|piece| Some(piece.split_once('>')?.1));
    let told = times(&pieces.collect::<Vec<_>>().join(" "));
    let found = readme.split("**What it found**").nth(1).expect("README.md says what it found");
    let found = times(found.split("\n\nThe code").next().unwrap_or_default());
    assert!(found.len() >= 3, "README.md tells {found:?} only");
    let wrong: Vec<String> = found
        .iter()
        .filter(|(figure, _)| told.iter().all(|(other, _)| other != figure))
        .map(|(figure, value)| {
            let far = |(_, other): &&(String, f64)| (other / value).ln().abs();
            let nearest = told.iter().min_by(|one, other| far(one).total_cmp(&far(other)));
            let (nearest, _) = nearest.expect("the Introduction tells figures");
            format!(
                "README.md tells {figure:?}, which the Introduction does not: write {nearest:?}"
            )
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    for chapter in measure::chapters(root(), &driver::config(root()).unwrap()) {
        let command = format!("\ncargo run -r -p {chapter} ");
        assert!(readme.contains(&command), "README.md has no line{command}");
    }
}

#[test]
fn links_within_the_repository_lead_to_files() {
    for file in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(file);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            assert!(root().join(target).exists(), "{file}: {target} does not exist");
        }
    }
}

#[test]
fn every_file_that_the_architecture_names_is_there() {
    let of = |folder: &'static str| {
        files(&root().join(folder), "").into_iter().map(move |path| root().join(folder).join(path))
    };
    let there: Vec<_> = ["crates", "experiments", "tests"].into_iter().flat_map(of).collect();
    let text = read("ARCHITECTURE.md");
    let spans = text.split('`').skip(1).step_by(2).filter(|span| !span.contains('<'));
    for file in spans.filter(|span| [".rs", ".js", ".css"].iter().any(|end| span.ends_with(end))) {
        assert!(
            there.iter().any(|path| path.ends_with(file)),
            "ARCHITECTURE.md: no file ends in {file}"
        );
    }
}
