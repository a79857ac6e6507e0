//! Drives mdBook: builds a book with this crate's preprocessor, or analyses it without building.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};
use findings::{Analysis, DataScope};
use language::claim::Claim;
use language::config::Config;
use language::page::{Page, PagePart, PageSource, read_all};
use language::{Mistake, Mistakes};
use mdbook_driver::MDBook;
use mdbook_driver::builtin_renderers::MarkdownRenderer;
use mdbook_preprocessor::book::Book;

use crate::preprocessor::{self, MeasuredPreprocessor, read};

/// A built book, and the result of examining its pages.
#[derive(Debug)]
pub struct Built {
    /// The directory that contains the built pages.
    pub directory: PathBuf,
    /// The book's parsed pages, its data, and the verdicts on its claims.
    pub analysis: Analysis,
}

/// Builds the book whose book.toml is in `root`, into the directory that book.toml names. If the
/// book has mistakes, the previous build is kept. The errors are [`Mistakes`], or mdBook's.
pub fn build(root: &Path, scope: DataScope) -> Result<Built> {
    built(MDBook::load(root)?, scope)
}

/// Builds the book in `root`, but into `directory` instead of the one in book.toml.
pub fn build_into(root: &Path, scope: DataScope, directory: &Path) -> Result<Built> {
    let mut book = MDBook::load(root)?;
    book.config.build.build_dir = directory.to_owned();
    built(book, scope)
}

fn built(mut book: MDBook, scope: DataScope) -> Result<Built> {
    let measured = MeasuredPreprocessor::new(scope);
    let analysis = Rc::clone(&measured.found);
    book.with_preprocessor(measured);
    book.build()?;
    let directory = book.build_dir_for("html");
    let analysis = found(book, analysis)?;
    Ok(Built { directory, analysis })
}

/// Drops `book`, and returns the analysis that its preprocessor made. The book shares the
/// analysis, so it has to be dropped first.
fn found(book: MDBook, analysis: Rc<OnceCell<Analysis>>) -> Result<Analysis> {
    drop(book);
    let analysis = Rc::into_inner(analysis).and_then(OnceCell::into_inner);
    analysis.context("book.toml has no renderer, so nothing was built")
}

/// Analyses the pages of the book in `root` without building it. Fails like
/// [`build`].
pub fn analyse(root: &Path, scope: DataScope) -> Result<Analysis> {
    let book = MDBook::load(root)?;
    preprocessor::analyse(root, &book.config, read(&book.book, &book.config), scope)
}

/// Parses the claims on a book's pages, in the order of the pages, without reading data. The
/// errors are mistakes in claims; duplicate ids are allowed.
pub fn stated(root: &Path) -> Result<Vec<Claim>> {
    let book = MDBook::load(root)?;
    let (mut claims, mut mistakes) = (Vec::new(), Vec::new());
    for page in read(&book.book, &book.config) {
        claims.extend(page.claims);
        mistakes.extend(page.wrong);
    }
    Ok(Mistakes(mistakes).or(claims)?)
}

/// Returns the mistakes that can be found without data: in claims, in names, and in directives
/// that aren't closed.
pub fn wrong_on(pages: Vec<PageSource>) -> Vec<Mistake> {
    let wrong = |page: Page| {
        let unclosed = page.parts.iter().filter_map(|part| match part {
            PagePart::Directive(_, line, Err(message)) => {
                Some(page.mistake(*line, message.clone()))
            }
            _ => None,
        });
        let unclosed: Vec<Mistake> = unclosed.collect();
        page.wrong.into_iter().chain(unclosed)
    };
    read_all(pages).into_iter().flat_map(wrong).collect()
}

/// A page before and after the preprocessors of the book have run.
#[derive(Debug, Clone)]
pub struct ExpandedPage {
    /// The path of the page's source, relative to `src/`.
    pub path: PathBuf,
    /// The page before preprocessing, as Markdown.
    pub source: String,
    /// The page after preprocessing, as Markdown, with measured data and included files.
    pub expanded: String,
}

/// Returns the pages that the renderer receives, and their analysis. The errors are those of
/// [`build`].
pub fn expand(root: &Path, scope: DataScope) -> Result<(Vec<ExpandedPage>, Analysis)> {
    let mut book = MDBook::load(root)?;
    let measured = MeasuredPreprocessor::new(scope);
    let analysis = Rc::clone(&measured.found);
    // Replaces the preprocessor of the same name that book.toml lists, and keeps its place in the
    // order.
    book.with_preprocessor(measured);
    let (expanded, _) = book.preprocess_book(&MarkdownRenderer::new())?;
    let pages = Book::chapters(&book.book).filter_map(|chapter| {
        let after = expanded.chapters().find(|after| after.source_path == chapter.source_path)?;
        let (source, expanded) = (chapter.content.clone(), after.content.clone());
        Some(ExpandedPage { path: chapter.source_path.clone()?, source, expanded })
    });
    let pages = pages.collect();
    Ok((pages, found(book, analysis)?))
}

/// Returns the preprocessor's settings for the book in `root`. Fails if book.toml has none.
pub fn config(root: &Path) -> Result<Config> {
    let book = mdbook_driver::config::Config::from_disk(root.join("book.toml"))?;
    preprocessor::config(root, &book)
}
