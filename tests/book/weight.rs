//! Checks how much a page loads before its text can be read, in this book and in a book with more
//! machines.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use findings::DataScope;
use flate2::write::GzEncoder;
use flate2::Compression;
use pages::driver;
use regex::{Captures, Regex};

use crate::common::{copy_with, files, read};
use crate::BOOK;

/// The maximum size of a page's HTML, style sheets and blocking scripts together, in compressed
/// bytes.
const BOUND: usize = 100_000;

fn compressed(file: &Path) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&fs::read(file).unwrap()).unwrap();
    encoder.finish().unwrap().len()
}

/// Returns the compressed size of everything that a browser loads before a page's text can be
/// read. Deferred scripts, and scripts after the text, are left out.
fn weight(page: &Path) -> usize {
    let html = read(page);
    let text = html.find("</main>").expect("a page has text");
    let tag = Regex::new(r#"<(?:link|script)[^>]* (?:href|src)="([^"]*)"[^>]*>"#).unwrap();
    let waits = Regex::new(r#" defer| async|type="module""#).unwrap();
    let is_loaded = |of: &Captures<'_>| match &of[0] {
        tag if tag.starts_with("<link") => tag.contains("rel=\"stylesheet\""),
        tag => of.get_match().start() < text && !waits.is_match(tag),
    };
    let loaded = tag.captures_iter(&html).filter(is_loaded).map(|of| of[1].to_owned());
    let loaded: Vec<String> = loaded.collect();
    let ends = |end| loaded.iter().any(|file| file.ends_with(end));
    assert!(ends(".js") && ends(".css"), "{}: {loaded:?}", page.display());
    compressed(page)
        + loaded.iter().map(|file| compressed(&page.with_file_name(file))).sum::<usize>()
}

fn is_within_bounds(site: &Path) {
    let pages = files(site, ".html").into_iter();
    let pages = pages.filter(|page| !page.ends_with("print.html") && !page.ends_with("toc.html"));
    let leads_elsewhere = |page: &PathBuf| read(site.join(page)).contains("http-equiv=\"refresh\"");
    for page in pages.filter(|page| !leads_elsewhere(page)) {
        let weight = weight(&site.join(&page));
        assert!(weight <= BOUND, "{} weighs {weight} bytes of {BOUND}", page.display());
    }
}

#[test]
fn no_page_weighs_more_than_it_may() {
    is_within_bounds(&BOOK.directory);
}

#[test]
fn no_page_weighs_more_with_two_more_machines() {
    let copy = copy_with(&[("machine-1", 1.1), ("machine-2", 0.9)]);
    let built = driver::build(copy.path(), DataScope::Committed).unwrap();
    is_within_bounds(&built.directory);
}
