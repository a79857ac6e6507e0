//! Building the book, and looking into it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::builtin_renderers::MarkdownRenderer;
use mdbook_preprocessor::book::Book;

use crate::Mistakes;
use crate::config::Config;
use crate::data::Data;
use crate::preprocessor::{Analysis, Measured, Scope, in_book_toml, read};
use crate::record::record;

/// Builds the book whose book.toml is in `root`, into the directory that it names, and returns that
/// directory. If anything is wrong, what was built before stays as it was.
///
/// # Errors
///
/// [`crate::Mistakes`], or what mdBook says.
pub fn build(root: &Path, scope: Scope) -> Result<PathBuf> {
    let book = load(root, scope)?;
    book.build()?;
    Ok(book.build_dir_for("html"))
}

/// Builds the book into another directory than the one that book.toml names.
///
/// # Errors
///
/// As [`build`].
pub fn build_into(root: &Path, scope: Scope, directory: &Path) -> Result<()> {
    let mut book = load(root, scope)?;
    book.config.build.build_dir = directory.to_owned();
    book.build()
}

/// What the pages claim and what they rest on.
///
/// # Errors
///
/// As [`build`].
pub fn analyse(root: &Path, scope: Scope) -> Result<Analysis> {
    let book = load(root, scope)?;
    let pages = read(&book.book, &book.config);
    Analysis::new(root, &book.config, &pages, scope)
}

/// Brings the record of its claims up to date, and returns what was done: a hash that is new gets the
/// time and no commit, which is found the next time.
///
/// # Errors
///
/// What is wrong with a claim, or with the record.
pub fn record_claims(root: &Path) -> Result<Vec<String>> {
    let config = config(root)?;
    let book = load(root, Scope::Committed)?;
    let pages = read(&book.book, &book.config);
    let (mut claims, mut mistakes) = (Vec::new(), Vec::new());
    for page in pages {
        let (of_page, wrong) = page.stated();
        claims.extend(of_page);
        mistakes.extend(wrong);
    }
    if !mistakes.is_empty() {
        return Err(Mistakes(mistakes).into());
    }
    let data = Data::load(root, &config, Scope::Committed)?;
    record(root, &config, &book.config.book.src, &claims, &data)
}

/// The book's root, which is where its book.toml is, at or above a directory.
///
/// # Errors
///
/// If there is none.
pub fn root_above(directory: &Path) -> Result<PathBuf> {
    let found = directory.ancestors().find(|directory| directory.join("book.toml").is_file());
    let found = found.with_context(|| format!("no book.toml in or above {}", directory.display()));
    found.map(Path::to_path_buf)
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
pub fn expand(root: &Path, scope: Scope) -> Result<Vec<ExpandedPage>> {
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

fn load(root: &Path, scope: Scope) -> Result<MDBook> {
    let mut book = MDBook::load(root)?;
    // Replaces the command of the same name in book.toml, and keeps its place in the order.
    book.with_preprocessor(Measured { scope });
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
