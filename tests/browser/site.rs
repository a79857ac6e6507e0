//! Builds the book, and serves it on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result};
use findings::data::LOCAL;
use findings::{Analysis, DataScope};
use measurement::EvidenceRow;
use pages::driver;

use crate::common::{copy_with, files, root};

/// A built book, with a server for it that runs until this process ends.
pub(crate) struct Site {
    /// The address of the server, such as `http://127.0.0.1:1234`.
    pub(crate) address: String,
    pub(crate) analysis: Analysis,
    built: tempfile::TempDir,
    /// The measured rows, keyed first by machine and chapter, then by the name of the row.
    rows: BTreeMap<(String, String), BTreeMap<String, EvidenceRow>>,
}

impl Site {
    pub(crate) fn ours() -> Result<Site> {
        Site::serve(root(), DataScope::Committed)
    }

    /// Builds the book for a reader who has measured every chapter on a machine on which
    /// everything takes a quarter longer.
    pub(crate) fn with_yours() -> Result<Site> {
        let copy = copy_with(&[(LOCAL, 1.25)]);
        Site::serve(copy.path(), DataScope::WithLocal)
    }

    fn serve(root: &Path, scope: DataScope) -> Result<Site> {
        let built = tempfile::tempdir()?;
        let analysis = driver::build_into(root, scope, built.path())?.analysis;
        let mut rows = BTreeMap::new();
        for machine in &analysis.data.machines {
            for (chapter, found) in &machine.chapters {
                let of = found.evidence.rows.iter().map(|row| (row.name(), row.clone())).collect();
                rows.insert((machine.name().to_owned(), chapter.clone()), of);
            }
        }
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}", listener.local_addr()?);
        let directory = built.path().to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let directory = directory.clone();
                // Answering fails if the browser disconnects early, which does no harm.
                thread::spawn(move || drop(answer(&directory, stream)));
            }
        });
        Ok(Site { address, analysis, built, rows })
    }

    /// Returns the pages to test. Leaves out toc.html (the sidebar for browsers without scripts),
    /// print.html (which contains all pages), the copy of the first page, and pages that redirect
    /// from old addresses.
    pub(crate) fn pages(&self) -> Vec<String> {
        let pages = files(self.built.path(), ".html").into_iter();
        let pages = pages.map(|page| page.to_string_lossy().into_owned());
        pages
            .filter(|page| !["toc.html", "print.html", "index.html"].contains(&page.as_str()))
            .filter(|page| {
                self.text(page).is_ok_and(|html| !html.contains("http-equiv=\"refresh\""))
            })
            .collect()
    }

    /// Returns the features of a page: the kinds of our elements and of the charts on it.
    pub(crate) fn features(&self, page: &str) -> Result<BTreeSet<String>> {
        let html = self.text(page)?;
        let classes = html.split("class=\"").skip(1).filter_map(|rest| rest.split('"').next());
        let classes = classes.flat_map(str::split_whitespace);
        let ours = classes.filter(|it| it.starts_with("measured-") || *it == "plotly-graph-div");
        let source = PathBuf::from("src").join(page).with_extension("md");
        let source = fs::read_to_string(root().join(source)).unwrap_or_default();
        let kinds = source.lines().filter(|line| line.starts_with("kind "));
        // Ignore how the author aligned keys and values.
        let kinds = kinds.map(|line| line.replace(' ', ""));
        Ok(ours.map(str::to_owned).chain(kinds).collect())
    }

    fn text(&self, file: &str) -> Result<String> {
        let path = self.built.path().join(file);
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    }

    pub(crate) fn charts(&self, page: &str) -> Result<usize> {
        Ok(self.text(page)?.matches("class=\"plotly-graph-div\"").count())
    }

    /// Looks up the row that a machine measured in a chapter, by the row's name.
    pub(crate) fn row(&self, machine: &str, chapter: &str, name: &str) -> Result<&EvidenceRow> {
        let rows = self.rows.get(&(machine.to_owned(), chapter.to_owned()));
        let rows = rows.with_context(|| format!("{machine} has no {chapter}"))?;
        rows.get(name).with_context(|| format!("no row is {name:?}"))
    }

    pub(crate) fn url(&self, file: &str) -> String {
        format!("{}/{file}", self.address)
    }
}

fn answer(directory: &Path, mut stream: TcpStream) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let path = first.split([' ', '?', '#']).nth(1).unwrap_or_default().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let file = directory.join(path);
    let (status, body) = match fs::read(&file) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    let kinds = [
        ("html", "text/html; charset=utf-8"),
        ("css", "text/css"),
        ("js", "text/javascript"),
        ("svg", "image/svg+xml"),
        ("png", "image/png"),
        ("woff2", "font/woff2"),
    ];
    let kind = kinds.iter().find(|(end, _)| file.extension().is_some_and(|found| found == *end));
    let (kind, length) = (kind.map_or("application/octet-stream", |(_, kind)| kind), body.len());
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: max-age=600\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}
