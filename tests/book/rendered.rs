//! Checks the rendered book: links lead somewhere, and pages load nothing from the network.
//! (`cargo xtask check mdbook` checks that rendering is reproducible.)

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use regex::Regex;

use crate::common::{files, read};
use crate::BOOK;

fn pages() -> impl Iterator<Item = (PathBuf, String)> {
    let pages = files(&BOOK.directory, ".html").into_iter();
    pages.map(|page| (page.clone(), read(BOOK.directory.join(page))))
}

/// Returns the values that an attribute has in a page's HTML. Entities such as `&amp;` remain as
/// they are.
fn attributes<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    let start = format!(" {name}=\"");
    let mut rest = html;
    std::iter::from_fn(move || {
        let (_, behind) = rest.split_once(&start)?;
        let (value, behind) = behind.split_once('"')?;
        rest = behind;
        Some(value)
    })
}

#[test]
fn every_local_link_leads_to_a_file_and_an_anchor() {
    let mut checked = 0;
    let anchors: HashMap<PathBuf, HashSet<String>> = pages()
        .map(|(page, html)| {
            let ids = attributes(&html, "id").map(str::to_owned).collect();
            (BOOK.directory.join(page).canonicalize().unwrap(), ids)
        })
        .collect();
    for (page, html) in pages() {
        // measured.js loads the files that these attributes name. Their paths are relative to the
        // root of the book.
        for link in attributes(&html, "data-plotly").chain(attributes(&html, "data-views")) {
            assert!(BOOK.directory.join(link).exists(), "{}: {link} leads nowhere", page.display());
        }
        for link in attributes(&html, "href").chain(attributes(&html, "src")) {
            // 404.html sets a base URL: the root of the published site.
            if link.contains("://") || link.starts_with("mailto:") || link == "/" {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            // In print.html, mdBook adapts the links of `a` and `img`, but not the paths in our
            // attributes. A path from a page in a subdirectory is therefore wrong. This is
            // harmless, because the chapter above loads the same files.
            let is_ours = page.ends_with("print.html") && file.starts_with("../measured/");
            let file = if is_ours { &file[3..] } else { file };
            let place = BOOK.directory.join(&page);
            let target = if file.is_empty() { place } else { place.with_file_name(file) };
            let found = target.canonicalize().ok().filter(|it| it.is_file());
            let found = found.unwrap_or_else(|| panic!("{}: {link} leads nowhere", page.display()));
            let is_there =
                anchor.is_empty() || anchors.get(&found).is_some_and(|ids| ids.contains(anchor));
            assert!(is_there, "{}: {link}: no {anchor:?} there", page.display());
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} links were found");
}

#[test]
fn nothing_is_loaded_from_the_network() {
    for (page, html) in pages() {
        let links = html.split("<link ").skip(1).filter_map(|tag| tag.split('>').next());
        for loaded in attributes(&html, "src").chain(links) {
            assert!(!loaded.contains("//"), "{}: {loaded}", page.display());
        }
    }
}

const DENIES: &str = r"\bmay be (no|as)\b|\bnothing that we\b|\bfrom none\b|\bno difference\b|\bwe (can )?detect\b|\bbe told apart\b|\bcan.t tell\b";

#[test]
fn no_sentence_denies_the_ratio_that_it_tells() {
    // Matches only ratios that differ measurably from 1, and differences that differ measurably
    // from 0. All others show their interval.
    let ratio = r#"<span class="measured-number" data-of="[^"*]* [/-] [^"*]*">([^<]*)<span class="measured-interval">"#;
    let [ratio, tag, denies] = [ratio, "<[^>]*>", DENIES].map(|it| Regex::new(it).unwrap());
    let mut told = 0;
    for (page, html) in pages() {
        let paragraphs = html.split("<p>").skip(1).filter_map(|it| it.split_once("</p>"));
        for (paragraph, _) in paragraphs {
            let marked = ratio.replace_all(paragraph, "§$1");
            let text = tag.replace_all(&marked, "").replace('\n', " ");
            for sentence in text.split(". ").filter(|it| it.contains('§')) {
                told += 1;
                assert!(!denies.is_match(sentence), "{}: {sentence}", page.display());
            }
        }
    }
    assert!(told > 100, "{told} sentences tell a ratio");
}
