//! What a page weighs before its text can be read, in the book as it is and in one of more machines.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use flate2::Compression;
use mdbook_measured::{driver, DataScope};

use crate::common::{copy_with, files, read};
use crate::BOOK;

/// What HTML, style sheets and blocking scripts of a page may weigh together, compressed.
const BOUND: usize = 100_000;

/// Machines beside those that are there.
const MORE: [(&str, f64); 2] = [("machine-1", 1.1), ("machine-2", 0.9)];

/// Bytes as servers compress them.
fn compressed(file: &Path) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder
        .write_all(&fs::read(file).unwrap_or_else(|it| panic!("{}: {it}", file.display())))
        .unwrap();
    encoder.finish().unwrap().len()
}

/// What is loaded before the text of a page can be read: not the scripts behind the text, and deferred ones.
fn weight(page: &Path) -> usize {
    let html = read(page);
    let text_ends = html.find("</main>").expect("a page has text");
    let mut weight = compressed(page);
    let (mut styles, mut scripts) = (0, 0);
    for (at, _) in html.match_indices('<') {
        let tag = html[at..].split('>').next().unwrap_or_default();
        let attribute = |name: &str| tag.split_once(&format!(" {name}=\""))?.1.split('"').next();
        let is_style = tag.starts_with("<link") && tag.contains("rel=\"stylesheet\"");
        let is_script = tag.starts_with("<script") && attribute("src").is_some();
        let waits = [" defer", " async", "type=\"module\""];
        let is_later = at > text_ends || waits.iter().any(|word| tag.contains(word));
        styles += usize::from(is_style);
        scripts += usize::from(is_script);
        if is_style || (is_script && !is_later) {
            let file = attribute("href").or(attribute("src")).expect("it names a file");
            weight += compressed(&page.with_file_name(file));
        }
    }
    assert!(styles > 0 && scripts > 0, "{} has neither style nor script", page.display());
    weight
}

fn is_within_bounds(site: &Path) {
    let pages = files(site, ".html").into_iter();
    let single =
        pages.filter(|page| !["print.html", "toc.html"].iter().any(|name| page == Path::new(name)));
    let weights = single.map(|page| (weight(&site.join(&page)), page));
    let heavy: Vec<String> = weights
        .filter(|(weight, _)| *weight > BOUND)
        .map(|(weight, page)| format!("{} weighs {weight} bytes of {BOUND}", page.display()))
        .collect();
    assert!(heavy.is_empty(), "{}", heavy.join("\n"));
}

#[test]
fn no_page_weighs_more_than_it_may() {
    is_within_bounds(&BOOK.directory);
}

#[test]
fn no_page_weighs_more_with_many_machines() {
    let copy = copy_with(&MORE);
    let built =
        driver::build(copy.path(), DataScope::Committed).unwrap_or_else(|it| panic!("{it:#}"));
    is_within_bounds(&built.directory);
}
