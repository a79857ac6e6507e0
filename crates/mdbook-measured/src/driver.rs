//! Drives mdBook: builds a book with the preprocessor inside, and looks into it.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::builtin_renderers::MarkdownRenderer;
use mdbook_preprocessor::book::Book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::Mistakes;
use crate::claim::Claim;
use crate::config::Config;
use crate::data::read::DataScope;
use crate::page::{Page, read_all};
use crate::preprocessor::{Analysis, MeasuredPreprocessor, in_book_toml, read};

pub use crate::page::{PageSource, chapter_above};

/// A book that has been built.
#[derive(Debug)]
pub struct Built {
    /// Where it is.
    pub directory: PathBuf,
    /// What its pages say.
    pub analysis: Analysis,
}

/// Builds the book whose book.toml is in `root`, into the directory that it names. If anything is wrong,
/// what was built before stays as it was.
///
/// # Errors
///
/// [`Mistakes`], or what mdBook says.
pub fn build(root: &Path, scope: DataScope) -> Result<Built> {
    built(MDBook::load(root)?, scope)
}

/// Builds the book into another directory than the one that book.toml names.
///
/// # Errors
///
/// As [`build`].
pub fn build_into(root: &Path, scope: DataScope, directory: &Path) -> Result<Built> {
    let mut book = MDBook::load(root)?;
    book.config.build.build_dir = directory.to_owned();
    built(book, scope)
}

fn built(mut book: MDBook, scope: DataScope) -> Result<Built> {
    let analysis = Rc::default();
    book.with_preprocessor(Telling {
        measured: MeasuredPreprocessor { scope },
        analysis: Rc::clone(&analysis),
    });
    book.build()?;
    let directory = book.build_dir_for("html");
    drop(book);
    let analysis = Rc::into_inner(analysis).and_then(OnceCell::into_inner);
    let analysis = analysis.context("book.toml has no renderer, so nothing was built")?;
    Ok(Built { directory, analysis })
}

/// The preprocessor, which leaves behind what it found.
struct Telling {
    measured: MeasuredPreprocessor,
    analysis: Rc<OnceCell<Analysis>>,
}

impl Preprocessor for Telling {
    fn name(&self) -> &str {
        self.measured.name()
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let analysis = self.measured.put_in(context, &mut book)?;
        // Each renderer's turn finds the same.
        self.analysis.get_or_init(|| analysis);
        Ok(book)
    }
}

/// What the pages claim and what they rest on.
///
/// # Errors
///
/// As [`build`].
pub fn analyse(root: &Path, scope: DataScope) -> Result<Analysis> {
    let book = load(root, scope)?;
    let pages = read(&book.book, &book.config);
    Analysis::new(root, &book.config, &pages, scope)
}

/// What a book claims, not held against any data.
#[derive(Debug)]
pub struct Stated {
    /// Where its pages are, relative to its root.
    pub src: PathBuf,
    /// The claims, in the order of the pages; an id may stand twice.
    pub claims: Vec<Claim>,
}

/// Reads the claims of a book's pages, and looks at no data.
///
/// # Errors
///
/// What is wrong with a claim.
pub fn stated(root: &Path) -> Result<Stated> {
    let book = MDBook::load(root)?;
    let pages = read(&book.book, &book.config);
    let (claims, mistakes): (Vec<_>, Vec<_>) = pages.iter().map(Page::stated).unzip();
    let mistakes: Vec<_> = mistakes.into_iter().flatten().collect();
    if !mistakes.is_empty() {
        return Err(Mistakes(mistakes).into());
    }
    Ok(Stated { src: book.config.book.src, claims: claims.into_iter().flatten().collect() })
}

/// The claims that the first of these pages states, as far as they can be read. Another one may be the
/// chapter above it, whose names it uses.
pub fn stated_on(pages: Vec<PageSource>) -> Vec<Claim> {
    let page = read_all(pages).into_iter().next();
    page.map(|page| page.stated().0).unwrap_or_default()
}

/// A page before and after all preprocessors.
#[derive(Debug, Clone)]
pub struct ExpandedPage {
    /// Relative to src/.
    pub path: PathBuf,
    /// As it stands in the source.
    pub source: String,
    /// As the renderer gets it: rows put in, includes included.
    pub expanded: String,
}

/// The pages as the renderer gets them.
///
/// # Errors
///
/// As [`build`].
pub fn expand(root: &Path, scope: DataScope) -> Result<Vec<ExpandedPage>> {
    let book = load(root, scope)?;
    let (expanded, _) = book.preprocess_book(&MarkdownRenderer::new())?;
    let after = |path: &Path| {
        let page = expanded.chapters().find(|chapter| chapter.source_path.as_deref() == Some(path));
        page.map(|chapter| chapter.content.clone())
    };
    let pages = Book::chapters(&book.book).filter_map(|chapter| {
        let path = chapter.source_path.clone()?;
        Some(ExpandedPage { expanded: after(&path)?, source: chapter.content.clone(), path })
    });
    Ok(pages.collect())
}

fn load(root: &Path, scope: DataScope) -> Result<MDBook> {
    let mut book = MDBook::load(root)?;
    // Replaces the command of the same name in book.toml, and keeps its place in the order.
    book.with_preprocessor(MeasuredPreprocessor { scope });
    Ok(book)
}

/// The preprocessor's settings of the book in `root`.
///
/// # Errors
///
/// If book.toml cannot be read or lacks them.
pub fn config(root: &Path) -> Result<Config> {
    let book = mdbook_driver::config::Config::from_disk(root.join("book.toml"))?;
    Config::read(&book)
        .map_err(|message| in_book_toml(root, "[preprocessor.measured]", message).into())
}
