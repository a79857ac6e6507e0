//! The rendered book: the same tree gives the same bytes, links lead somewhere, and nothing on a page
//! comes from the network.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use mdbook_measured::{driver, DataScope};

/// The book, built into a directory of its own.
static BOOK: LazyLock<tempfile::TempDir> = LazyLock::new(render);

fn render() -> tempfile::TempDir {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directory = tempfile::tempdir().unwrap();
    driver::build_into(root, DataScope::Committed, directory.path()).unwrap();
    directory
}

fn files(directory: &Path, extension: Option<&str>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if extension.is_none() || path.extension().and_then(|e| e.to_str()) == extension {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn the_same_tree_gives_the_same_bytes() {
    let contents = |directory: &Path| -> BTreeMap<PathBuf, Vec<u8>> {
        let named = |file: PathBuf| {
            let name = file.strip_prefix(directory).unwrap().to_owned();
            (name, fs::read(file).unwrap())
        };
        files(directory, None).into_iter().map(named).collect()
    };
    let again = render();
    let (first, second) = (contents(BOOK.path()), contents(again.path()));
    assert!(first.keys().eq(second.keys()), "{:?}", first.keys());
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{} differs", name.display());
    }
}

/// The values of an attribute on a page, as they stand.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    html.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_local_link_leads_to_a_file_and_an_anchor() {
    let mut checked = 0;
    // The anchors of each page that is linked to, so that it is read once.
    let mut anchors: HashMap<PathBuf, HashSet<String>> = HashMap::new();
    for page in files(BOOK.path(), Some("html")) {
        let html = fs::read_to_string(&page).unwrap();
        let mut links = attributes(&html, "href");
        links.extend(attributes(&html, "src"));
        // What measured.js loads, from the book's root.
        for link in [attributes(&html, "data-plotly"), attributes(&html, "data-views")].concat() {
            assert!(BOOK.path().join(link).exists(), "{}: {link} leads nowhere", page.display());
        }
        let is_print = page.ends_with("print.html");
        for link in links {
            // 404.html has a base, which is where the site's root will be.
            if link.contains("://") || link.starts_with("mailto:") || link == "/" {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            // mdBook's page for print rewrites what `a` and `img` name, not what we load: what a page
            // below another has loaded stays as it is there, and chapters above it load the same.
            let as_above =
                file.strip_prefix("../").filter(|it| is_print && it.starts_with("measured/"));
            let file = as_above.unwrap_or(file);
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link} leads nowhere", page.display());
            if !anchor.is_empty() {
                let target = target.canonicalize().unwrap();
                let ids = anchors.entry(target.clone()).or_insert_with(|| {
                    let html = fs::read_to_string(&target).unwrap();
                    attributes(&html, "id").into_iter().map(str::to_owned).collect()
                });
                let found = ids.contains(anchor);
                assert!(found, "{}: no {anchor:?} in {}", page.display(), target.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 50, "only {checked} links were found");
}

#[test]
fn nothing_is_loaded_from_the_network() {
    for page in files(BOOK.path(), Some("html")) {
        let html = fs::read_to_string(&page).unwrap();
        for link in attributes(&html, "src") {
            assert!(!link.contains("//"), "{}: {link}", page.display());
        }
        for tag in html.split("<link ").skip(1) {
            let tag = tag.split('>').next().unwrap_or_default();
            assert!(!tag.contains("://"), "{}: <link {tag}>", page.display());
        }
    }
}

#[test]
fn every_chart_has_its_figures_as_text() {
    let html = fs::read_to_string(BOOK.path().join("spawn-cost.html")).unwrap();
    let charts = html.matches("class=\"plotly-graph-div\"").count();
    assert!(charts > 0);
    assert_eq!(html.matches("<details class=\"measured-table\" open").count(), charts);
    assert_eq!(html.matches("role=\"img\" aria-label=\"").count(), charts);
}
