//! Checks that the documents at the root of the repository agree with the book and with the files
//! in the repository.

use std::path::Path;

use regex::Regex;

use crate::common::{files, read, root};
use crate::BOOK;

#[test]
fn a_citation_names_the_book_as_book_toml_does() {
    let book: toml::Table = read("book.toml").parse().unwrap();
    let (title, authors) = (book["book"]["title"].as_str().unwrap(), &book["book"]["authors"]);
    let (citation, page) = (read("CITATION.cff"), read("src/how-to-cite.md"));
    let authors = authors.as_array().unwrap().iter().filter_map(toml::Value::as_str);
    let author = |of: &str| [format!("\n  - name: {of}\n"), format!("author = {{{{{of}}}}}")];
    let title = [format!("\ntitle: {title}\n"), format!("title  = {{{title}}}")];
    for [in_citation, on_page] in authors.map(author).chain([title]) {
        assert!(citation.contains(&in_citation), "CITATION.cff has no {in_citation}");
        assert!(page.contains(&on_page), "src/how-to-cite.md has no {on_page}");
    }
}

/// In README.md, each figure is followed by a comment that contains the corresponding directive
/// in the introduction.
#[test]
fn the_readme_tells_the_figures_of_the_introduction() {
    let readme = read("README.md");
    let found = readme.split("**What it found**").nth(1).expect("README.md says what it found");
    let found = found.split("\n\nThe code").next().unwrap_or_default();
    let found = found.split_whitespace().collect::<Vec<_>>().join(" ");
    let figure = Regex::new(r"(\d\S* (?:ns|µs|ms))\b(?:<!-- (.*?) -->)?").unwrap();
    let figures: Vec<_> = figure.captures_iter(&found).collect();
    assert!(figures.len() >= 3, "README.md tells {found:?} only");
    for figure in figures {
        let asked = figure.get(2).map_or("", |asked| asked.as_str());
        let told = pages::in_letters(&BOOK.analysis, "introduction.html", asked);
        let told = told.map(|told| told.replace('\u{a0}', " "));
        assert_eq!(told.as_deref(), Ok(&figure[1]), "README.md: {asked:?}, in the introduction");
    }
}

#[test]
fn what_is_named_is_there() {
    for file in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = read(file);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            assert!(root().join(target).exists(), "{file}: {target} does not exist");
        }
    }
    let below =
        |of| files(&root().join(of), "").into_iter().map(move |file| Path::new(of).join(file));
    let there: Vec<_> = ["crates", "experiments", "tests"].into_iter().flat_map(below).collect();
    let text = read("ARCHITECTURE.md");
    let spans = text.split('`').skip(1).step_by(2).filter(|span| !span.contains('<'));
    for file in spans.filter(|span| [".rs", ".js", ".css"].iter().any(|end| span.ends_with(end))) {
        let is_there = there.iter().any(|path| path.ends_with(file));
        assert!(is_there, "ARCHITECTURE.md: no file ends in {file}");
    }
}
