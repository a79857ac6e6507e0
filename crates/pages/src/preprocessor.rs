//! Connects this crate with mdBook: implements mdBook's trait for preprocessors.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use findings::{Analysis, DataScope, at_once, once};
use language::Mistakes;
use language::config::{Config, in_book_toml};
use language::page::{Page, PageSource, read_all};

use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::config::Config as BookConfig;
use mdbook_preprocessor::errors::Result;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::assets::{self, Script};
use crate::render::render;

/// The preprocessor that mdBook knows as `measured`.
#[derive(Debug)]
pub struct MeasuredPreprocessor {
    /// The runs that the pages show.
    pub scope: DataScope,
    /// The analysis of the pages, once it has been made. All renderers share it.
    pub(crate) found: Rc<OnceCell<Analysis>>,
}

impl MeasuredPreprocessor {
    /// Creates a preprocessor whose pages show the runs in `scope`.
    pub fn new(scope: DataScope) -> MeasuredPreprocessor {
        MeasuredPreprocessor { scope, found: Rc::default() }
    }
}

impl Preprocessor for MeasuredPreprocessor {
    fn name(&self) -> &str {
        "measured"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let pages = read(&book, &context.config);
        let analysis = analyse(&context.root, &context.config, pages, self.scope)?;
        let (rendered, scripts) = rendered(&analysis)?;
        book.for_each_chapter_mut(|chapter| {
            let text = chapter.source_path.as_ref().and_then(|path| rendered.get(path));
            chapter.content = text.unwrap_or(&chapter.content).clone();
        });
        assets::write(&analysis.src, &scripts)?;
        self.found.get_or_init(|| analysis);
        Ok(book)
    }
}

/// Reads the pages of a book: all of its chapters that have a file.
pub(crate) fn read(book: &Book, config: &BookConfig) -> Vec<Page> {
    let source = |chapter: &Chapter| {
        let (source, path) = (chapter.source_path.clone()?, chapter.path.clone()?);
        let file = config.book.src.join(&source).to_string_lossy().replace('\\', "/");
        Some(PageSource { file, source, path, text: chapter.content.clone() })
    };
    read_all(book.chapters().filter_map(source).collect())
}

pub(crate) fn config(root: &Path, book: &BookConfig) -> Result<Config> {
    let own = book.get("preprocessor.measured").map_err(|error| format!("{error:#}"));
    own.and_then(Config::read)
        .map_err(|message| in_book_toml(root, "[preprocessor.measured]", message).into())
}

/// Analyses the pages of a book. If any page has a mistake, fails with the mistakes of all pages.
pub(crate) fn analyse(
    root: &Path,
    book: &BookConfig,
    pages: Vec<Page>,
    scope: DataScope,
) -> Result<Analysis> {
    let src = root.join(&book.book.src);
    let (analysis, mut mistakes) = Analysis::new(root, config(root, book)?, src, pages, scope)?;
    if mistakes.is_empty() {
        return Ok(analysis);
    }
    // Renders the pages anyway, to report more mistakes at once.
    if let Err(more) = rendered(&analysis) {
        mistakes.extend(more.0);
    }
    Err(Mistakes(mistakes).into())
}

/// Returns the rendered pages, by the paths of their sources, and the scripts for the charts.
fn rendered(analysis: &Analysis) -> Result<(HashMap<PathBuf, String>, Vec<Script>), Mistakes> {
    let pages = &analysis.pages;
    let (mut rendered, mut scripts) = (HashMap::new(), Vec::new());
    let (mut seen, mut mistakes) = (HashMap::new(), Vec::new());
    for (page, done) in pages.iter().zip(at_once(pages, |page| render(page, analysis))) {
        mistakes.extend(done.mistakes);
        for (id, line) in &done.charts {
            mistakes.extend(once(&mut seen, "chart", id, page, *line));
        }
        scripts.extend(done.scripts);
        rendered.insert(page.source.clone(), done.text);
    }
    // If the page has another mistake, a name may seem unused only because its use was not
    // parsed.
    if mistakes.is_empty() {
        mistakes.extend(pages.iter().flat_map(Page::unused_names));
    }
    Mistakes(mistakes).or((rendered, scripts))
}
