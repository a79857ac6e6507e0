//! The built book, and a server of it on this machine.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result};
use mdbook_measured::data::{Data, LOCAL};
use mdbook_measured::{driver, Analysis, DataScope};
use measurement::machine::Machine;
use measurement::Row;

use crate::common;

/// The rows of a run, by their names.
type Rows = BTreeMap<String, Row>;

/// A book, built and served until the process ends.
pub(crate) struct Site {
    /// Where its book.toml and its data are.
    pub(crate) root: PathBuf,
    /// `http://127.0.0.1:1234`.
    pub(crate) address: String,
    /// What its pages say.
    pub(crate) analysis: Analysis,
    built: tempfile::TempDir,
    /// The rows that have been asked for, by machine and chapter.
    runs: Mutex<BTreeMap<(String, String), Arc<Rows>>>,
    _copy: Option<tempfile::TempDir>,
}

impl Site {
    /// The book as it is published.
    pub(crate) fn ours() -> Result<Site> {
        Site::serve(common::root().to_owned(), DataScope::Committed, None)
    }

    /// The book as readers see it who have measured every chapter once, on a machine that takes a
    /// quarter longer for everything.
    pub(crate) fn with_yours() -> Result<Site> {
        let copy = common::copy_of_the_book()?;
        let root = copy.path();
        let data = Data::load(root, &driver::config(root)?, DataScope::Committed)?;
        let reference = data.machines[0].name().to_owned();
        let directory = root.join("data").join(&reference);
        let machine = fs::read_to_string(directory.join("machine.json"))?;
        let machine = Machine::parse(&machine).map_err(anyhow::Error::msg)?;
        let yours = root.join("data").join(LOCAL);
        fs::create_dir(&yours)?;
        let machine = Machine { machine: LOCAL.to_owned(), ..machine };
        fs::write(yours.join("machine.json"), machine.to_json())?;
        let sources = data.machines[0].chapters.values().flat_map(|chapter| &chapter.sources);
        for source in sources {
            let mut run = source.runs.last().context("a file shows a run")?.clone();
            run.header.machine = LOCAL.to_owned();
            run.rows.iter_mut().for_each(|row| common::multiply(row, 1.25));
            let copy = yours.join(root.join(&source.file).strip_prefix(&directory)?);
            fs::create_dir_all(copy.parent().context("it is in a directory")?)?;
            common::write(&copy, &[run])?;
        }
        Site::serve(root.to_owned(), DataScope::WithLocal, Some(copy))
    }

    fn serve(root: PathBuf, scope: DataScope, copy: Option<tempfile::TempDir>) -> Result<Site> {
        let built = tempfile::tempdir()?;
        let analysis = driver::build_into(&root, scope, built.path())?.analysis;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = format!("http://{}", listener.local_addr()?);
        let directory = built.path().to_owned();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let directory = directory.clone();
                // A browser that goes away while it is answered is none of our business.
                thread::spawn(move || drop(answer(&directory, stream)));
            }
        });
        Ok(Site { root, address, analysis, built, runs: Mutex::default(), _copy: copy })
    }

    /// The files of the site.
    pub(crate) fn directory(&self) -> &Path {
        self.built.path()
    }

    /// The pages, by file name.
    pub(crate) fn pages(&self) -> Vec<String> {
        pages(self.directory())
    }

    /// The text of one of its files.
    pub(crate) fn text(&self, file: &str) -> Result<String> {
        let path = self.directory().join(file);
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    }

    /// The rows that a machine measured in a chapter. Charts ask for the same ones in each view, so
    /// a run is read once.
    pub(crate) fn rows(&self, machine: &str, chapter: &str) -> Result<Arc<Rows>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let name = (machine.to_owned(), chapter.to_owned());
        if let Some(rows) = runs.get(&name) {
            return Ok(Arc::clone(rows));
        }
        let data = self.analysis.data.chapter(machine, chapter);
        let rows = &data.with_context(|| format!("{machine} has no {chapter}"))?.evidence.rows;
        let rows: Arc<Rows> = Arc::new(rows.iter().map(|row| (row.name(), row.clone())).collect());
        runs.insert(name, Arc::clone(&rows));
        Ok(rows)
    }

    /// The address of one of its files.
    pub(crate) fn url(&self, file: &str) -> String {
        format!("{}/{file}", self.address)
    }
}

/// The pages of a built book, by file name; toc.html is the sidebar where no script runs.
pub(crate) fn pages(directory: &Path) -> Vec<String> {
    let files = common::files(directory, "html");
    let relative = files.iter().filter_map(|file| file.strip_prefix(directory).ok());
    let names = relative.map(|file| file.to_string_lossy().into_owned());
    names.filter(|name| name != "toc.html").collect()
}

/// Answers one request as a server of static pages does: a file, or 404.html.
fn answer(directory: &Path, mut stream: TcpStream) -> io::Result<()> {
    let mut request = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    request.read_line(&mut first)?;
    let mut header = String::new();
    while request.read_line(&mut header)? > 2 {
        header.clear();
    }
    let path = first.split_whitespace().nth(1).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let (status, file) = match directory.join(path) {
        file if file.is_file() && !path.contains("..") => ("200 OK", file),
        _ => ("404 Not Found", directory.join("404.html")),
    };
    let body = fs::read(&file)?;
    let kind = match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: max-age=600\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&body)
}
