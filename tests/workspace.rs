//! The workspace is whole: `cargo test` is everything, and a chapter has all its parts.

use std::collections::BTreeSet;
use std::fs;

use ::book::measure;
use mdbook_measured::data::Data;
use mdbook_measured::{driver, DataScope};
use serde::Deserialize;

#[path = "common/files.rs"]
mod tree;

use tree::root;

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Workspace {
    default_members: BTreeSet<String>,
}

#[test]
fn every_member_is_a_default_member() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: Manifest = toml::from_str(&manifest).unwrap();
    let mut members = BTreeSet::from([".".to_owned()]);
    for parent in ["crates", "experiments"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            let entry = entry.unwrap();
            if entry.path().join("Cargo.toml").is_file() {
                members.insert(format!("{parent}/{}", entry.file_name().to_string_lossy()));
            }
        }
    }
    assert_eq!(manifest.workspace.default_members, members, "default-members in Cargo.toml");
}

/// A library without tests of its own, or without examples in its documentation, says so: it is not compiled
/// once more for nothing. What comes to have some takes the line out.
#[test]
fn what_is_not_to_be_tested_has_nothing_to_test() {
    let mut untested = 0;
    for parent in ["crates", "experiments"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            let package = entry.unwrap().path();
            let Ok(manifest) = fs::read_to_string(package.join("Cargo.toml")) else { continue };
            let manifest: toml::Table = manifest.parse().unwrap();
            let is_off = |key| {
                let library = manifest.get("lib").and_then(|library| library.get(key));
                library.and_then(toml::Value::as_bool) == Some(false)
            };
            for (key, is_tested) in
                [("test", has_tests as fn(&str) -> bool), ("doctest", has_examples)]
            {
                if !is_off(key) {
                    continue;
                }
                untested += 1;
                for file in tree::files(&package.join("src"), "rs") {
                    let has_some = is_tested(&fs::read_to_string(&file).unwrap());
                    let (file, package) = (file.display(), package.display());
                    assert!(
                        !has_some,
                        "{file} would not be tested: take `{key} = false` out of {package}/Cargo.toml"
                    );
                }
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
    let comments = source.lines().filter_map(|line| {
        let line = line.trim_start();
        line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
    });
    // Every other fence opens a block.
    let fences = comments.filter_map(|comment| comment.trim_start().strip_prefix("```"));
    let of_rust = ["", "rust", "no_run", "should_panic", "compile_fail"];
    fences.step_by(2).any(|info| info.split(',').any(|word| of_rust.contains(&word.trim())))
}

#[test]
fn every_chapter_that_measures_has_a_page_and_data() {
    let config = driver::config(root()).unwrap();
    let data = Data::load(root(), &config, DataScope::Committed).unwrap();
    let summary = fs::read_to_string(root().join("src/SUMMARY.md")).unwrap();
    let chapters = measure::chapters(root(), &config);
    assert!(!chapters.is_empty());
    for chapter in chapters {
        let page = format!("{chapter}.md");
        assert!(summary.contains(&format!("({page})")), "src/SUMMARY.md lists no {page}");
        let has_data = data.machines.iter().any(|machine| machine.chapters.contains_key(&chapter));
        assert!(has_data, "no machine has anything of {chapter}");
        let bench = root().join(&config.experiments).join(&chapter).join("benches");
        assert!(
            bench.join(format!("{chapter}.rs")).is_file(),
            "{chapter} has no bench of its name"
        );
    }
}

#[test]
fn a_citation_names_the_book_as_book_toml_does() {
    let book = fs::read_to_string(root().join("book.toml")).unwrap();
    let book: toml::Table = book.parse().unwrap();
    let book = &book["book"];
    let (title, authors) = (book["title"].as_str().unwrap(), book["authors"].as_array().unwrap());
    let citation = fs::read_to_string(root().join("CITATION.cff")).unwrap();
    let page = fs::read_to_string(root().join("src/how-to-cite.md")).unwrap();
    assert!(citation.contains(&format!("\ntitle: {title}\n")), "{citation}");
    assert!(page.contains(&format!("title  = {{{title}}}")), "{page}");
    for author in authors {
        let author = author.as_str().unwrap();
        assert!(citation.contains(&format!("\n  - name: {author}\n")), "{citation}");
        assert!(page.contains(&format!("author = {{{{{author}}}}}")), "{page}");
    }
}

#[test]
fn links_within_the_repository_lead_to_files() {
    let mut checked = 0;
    for file in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(file)).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !target.contains("://") {
                assert!(root().join(target).exists(), "{file}: {target} does not exist");
                checked += 1;
            }
        }
    }
    assert!(checked > 0);
}
