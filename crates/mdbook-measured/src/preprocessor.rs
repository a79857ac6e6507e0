//! The preprocessor: all pages at once, since the ledger needs every page's claims.

use std::collections::HashMap;
use std::path::Path;

use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::config::Config as BookConfig;
use mdbook_preprocessor::errors::{Error, Result};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::claim::Claim;
use crate::config::Config;
use crate::data::Data;
use crate::page::{self, Page};
use crate::published::Published;
use crate::select::nearest;
use crate::{Mistake, Mistakes, assets};

/// Whose runs the pages show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those in the repository: what tests judge.
    Committed,
    /// Those and the reader's own, data/local/.
    WithLocal,
}

/// The preprocessor `measured`.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// Whose runs it shows.
    pub scope: Scope,
}

impl Preprocessor for Measured {
    fn name(&self) -> &str {
        "measured"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let read = Book::chapters(&book).filter_map(|chapter| read(chapter, &context.config));
        let pages: Vec<Page> = read.collect();
        let analysis = Analysis::new(&context.root, &context.config, &pages, self.scope)?;
        let rendered = analysis.render(&pages)?;
        book.for_each_chapter_mut(|chapter| {
            if let Some(text) = source(chapter).and_then(|path| rendered.get(path)) {
                chapter.content = text.clone();
            }
        });
        assets::write(&context.root.join(&context.config.book.src))?;
        Ok(book)
    }
}

fn source(chapter: &Chapter) -> Option<&Path> {
    chapter.source_path.as_deref()
}

/// A chapter as a page; none for a chapter without a file.
pub(crate) fn read(chapter: &Chapter, config: &BookConfig) -> Option<Page> {
    let (source, path) = (source(chapter)?, chapter.path.clone()?);
    let file = config.book.src.join(source).to_string_lossy().replace('\\', "/");
    Some(Page::read(file, source.to_owned(), path, chapter.content.clone()))
}

/// A mistake in book.toml, on the line that begins with these words.
pub(crate) fn in_book_toml(root: &Path, begins: &str, message: String) -> Mistakes {
    let text = std::fs::read_to_string(root.join("book.toml")).unwrap_or_default();
    let index = text.lines().position(|line| line.trim_start().starts_with(begins)).unwrap_or(0);
    Mistakes(vec![Mistake { file: "book.toml".to_owned(), line: index + 1, message }])
}

/// What all pages together say.
#[derive(Debug)]
pub struct Analysis {
    /// The preprocessor's settings.
    pub config: Config,
    /// The runs.
    pub data: Data,
    /// What others published.
    pub published: Published,
    /// The claims of all pages, judged.
    pub claims: Vec<Claim>,
}

impl Analysis {
    /// Reads data and published claims, and judges the claims on the pages.
    pub(crate) fn new(
        root: &Path,
        book: &BookConfig,
        pages: &[Page],
        scope: Scope,
    ) -> Result<Analysis> {
        let config = Config::read(book)
            .map_err(|message| in_book_toml(root, "[preprocessor.measured]", message))?;
        let published = match &config.published {
            Some(file) => Published::load(root, file),
            None => Ok(Published::default()),
        };
        let (data, published) = match (Data::load(root, &config, scope), published) {
            (Ok(data), Ok(published)) => (data, published),
            (data, published) => {
                let all = [data.err(), published.err()].into_iter().flatten().flat_map(|m| m.0);
                return Err(Mistakes(all.collect()).into());
            }
        };
        if data.machines.iter().all(|machine| machine.name() != config.reference) {
            let known: Vec<&str> = data.machines.iter().map(|machine| machine.name()).collect();
            let message = format!(
                "there are no data of the reference machine {:?}{}",
                config.reference,
                nearest(&config.reference, &known)
            );
            return Err(in_book_toml(root, "reference", message).into());
        }
        let mut mistakes: Vec<Mistake> =
            pages.iter().flat_map(|page| page.missing_includes(root, &book.book.src)).collect();
        let mut claims: Vec<Claim> = Vec::new();
        let mut seen: HashMap<String, String> = HashMap::new();
        for page in pages {
            for claim in page.claims(&data, &config.reference, &published, &mut mistakes) {
                let line = claim.line;
                let place = format!("{}:{line}", page.file());
                if let Some(earlier) = seen.insert(claim.id.clone(), place) {
                    let message = format!("the claim {:?} stands at {earlier} already", claim.id);
                    mistakes.push(Mistake { file: page.file().to_owned(), line, message });
                }
                claims.push(claim);
            }
        }
        let analysis = Analysis { config, data, published, claims };
        if mistakes.is_empty() {
            return Ok(analysis);
        }
        // Report what else is wrong with the pages in the same go.
        if let Err(more) = analysis.render(pages) {
            match more.downcast::<Mistakes>() {
                Ok(more) => mistakes.extend(more.0),
                Err(other) => return Err(other),
            }
        }
        Err(Error::new(Mistakes(mistakes)))
    }

    /// The pages with data put in, by their source.
    fn render(&self, pages: &[Page]) -> Result<HashMap<std::path::PathBuf, String>> {
        let Analysis { config, data, published, claims } = self;
        let ledger = pages.iter().find(|page| page.holds_ledger()).map(Page::html);
        let titles = pages.iter().map(|page| (page.html(), page.title().to_owned())).collect();
        let ledger = ledger.as_deref();
        let book = page::Book { data, config, published, claims, ledger, titles: &titles };
        let (mut charts, mut mistakes) = (HashMap::new(), Vec::new());
        let render = |page: &Page| {
            (page.source().to_owned(), page.render(&book, &mut charts, &mut mistakes))
        };
        let rendered = pages.iter().map(render).collect();
        if mistakes.is_empty() { Ok(rendered) } else { Err(Mistakes(mistakes).into()) }
    }
}
