//! The workspace is whole: `cargo test` is everything, and a chapter has all its parts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ::book::measure;
use mdbook_measured::data::Data;
use mdbook_measured::{driver, DataScope};
use serde::Deserialize;

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Workspace {
    default_members: BTreeSet<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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
