//! The preprocessor: all pages at once, since the ledger needs every page's claims.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::config::Config as BookConfig;
use mdbook_preprocessor::errors::{Error, Result};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::assets::Script;
use crate::claim::records::ClaimRecords;
use crate::claim::judged::JudgedClaim;
use crate::config::Config;
use crate::data::Data;
use crate::data::published::Published;
use crate::data::read::DataScope;
use crate::figure::selector::nearest;
use crate::page::context::RenderContext;
use crate::page::render::render;
use crate::page::{Page, PageSource, read_all};
use crate::{Mistake, Mistakes, assets};

/// How many claims of a chapter a quick run judges at most.
const MOST_QUICK: usize = 8;

/// The preprocessor `measured`.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredPreprocessor {
    /// Whose runs it shows.
    pub scope: DataScope,
}

impl Preprocessor for MeasuredPreprocessor {
    fn name(&self) -> &str {
        "measured"
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        self.put_in(context, &mut book)?;
        Ok(book)
    }
}

impl MeasuredPreprocessor {
    /// Puts data into the pages, and returns what they say.
    pub(crate) fn put_in(
        &self,
        context: &PreprocessorContext,
        book: &mut Book,
    ) -> Result<Analysis> {
        let pages = read(book, &context.config);
        let analysis = Analysis::new(&context.root, &context.config, &pages, self.scope)?;
        let src = context.root.join(&context.config.book.src);
        let (rendered, scripts) = analysis.render(&pages, &src)?;
        book.for_each_chapter_mut(|chapter| {
            if let Some(text) = source(chapter).and_then(|path| rendered.get(path)) {
                chapter.content = text.clone();
            }
        });
        assets::write(&src, &scripts)?;
        Ok(analysis)
    }
}

fn source(chapter: &Chapter) -> Option<&Path> {
    chapter.source_path.as_deref()
}

/// The pages of a book: all chapters that have a file.
pub(crate) fn read(book: &Book, config: &BookConfig) -> Vec<Page> {
    let source = |chapter: &Chapter| {
        let (source, path) = (source(chapter)?.to_owned(), chapter.path.clone()?);
        let file = config.book.src.join(&source).to_string_lossy().replace('\\', "/");
        Some(PageSource { file, source, path, text: chapter.content.clone() })
    };
    read_all(book.chapters().filter_map(source).collect())
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
    /// Since when each claim has stood as it stands, in a book that records it.
    pub records: Option<ClaimRecords>,
    /// The claims of all pages, judged.
    pub claims: Vec<JudgedClaim>,
}

impl Analysis {
    /// Reads data and published claims, and judges the claims on the pages.
    pub(crate) fn new(
        root: &Path,
        book: &BookConfig,
        pages: &[Page],
        scope: DataScope,
    ) -> Result<Analysis> {
        let config = Config::read(book)
            .map_err(|message| in_book_toml(root, "[preprocessor.measured]", message))?;
        let published = match &config.published {
            Some(file) => Published::load(root, file),
            None => Ok(Published::default()),
        };
        let data = Data::load(root, &config, scope);
        let records = ClaimRecords::load(root, &config);
        let (data, published, records) = match (data, published, records) {
            (Ok(data), Ok(published), Ok(records)) => (data, published, records),
            (data, published, records) => {
                let all = [data.err(), published.err(), records.err()];
                let all = all.into_iter().flatten().flat_map(|mistakes| mistakes.0);
                return Err(Mistakes(all.collect()).into());
            }
        };
        let known: Vec<&str> = data.machines.iter().map(|machine| machine.name()).collect();
        if let Some(reference) = config.reference.as_deref().filter(|name| !known.contains(name)) {
            let near = nearest(reference, &known);
            let message = format!("there are no data of the reference machine {reference:?}{near}");
            return Err(in_book_toml(root, "reference", message).into());
        }
        let mut mistakes: Vec<Mistake> =
            pages.iter().flat_map(|page| page.missing_includes(root, &book.book.src)).collect();
        mistakes.extend(pages.iter().flat_map(|page| page.ambiguous_names(&data)));
        let judge = |page: &Page| page.judged(&data, &published);
        let mut claims: Vec<JudgedClaim> = Vec::new();
        let mut seen = HashMap::new();
        for (page, (of_page, wrong)) in pages.iter().zip(at_once(pages, judge)) {
            mistakes.extend(wrong);
            for JudgedClaim { claim, .. } in &of_page {
                let line = claim.place.line;
                mistakes.extend(once(&mut seen, "claim", &claim.id, page, line));
                let differs = records.as_ref().and_then(|records| records.differs(claim));
                mistakes.extend(differs.map(|message| page.mistake(line, message)));
            }
            claims.extend(of_page);
        }
        let mut quick: HashMap<&str, usize> = HashMap::new();
        for claim in claims.iter().map(|judged| &judged.claim).filter(|claim| claim.quick) {
            let count = quick.entry(&claim.chapter).or_default();
            *count += 1;
            if *count == MOST_QUICK + 1 {
                let page = pages.iter().find(|page| page.html() == claim.place.page);
                let message = format!(
                    "a quick run judges {MOST_QUICK} claims of a chapter at most, and {:?} is one more: \
                     take `quick` from another one",
                    claim.id
                );
                mistakes.extend(page.map(|page| page.mistake(claim.place.line, message)));
            }
        }
        // A claim that could not be read has not vanished.
        if let (Some(records), true) = (&records, mistakes.is_empty()) {
            let ids = claims.iter().map(|judged| judged.claim.id.as_str()).collect();
            mistakes.extend(records.vanished(&ids));
        }
        let analysis = Analysis { config, data, published, records, claims };
        if mistakes.is_empty() {
            return Ok(analysis);
        }
        // Report what else is wrong with the pages in the same go.
        if let Err(more) = analysis.render(pages, &root.join(&book.book.src)) {
            match more.downcast::<Mistakes>() {
                Ok(more) => mistakes.extend(more.0),
                Err(other) => return Err(other),
            }
        }
        Err(Error::new(Mistakes(mistakes)))
    }

    /// The pages in `src` with data put in, by their source, and the scripts of their charts.
    fn render(
        &self,
        pages: &[Page],
        src: &Path,
    ) -> Result<(HashMap<PathBuf, String>, Vec<Script>)> {
        let Analysis { config, data, published, records, claims } = self;
        let ledger = pages.iter().find(|page| page.holds_ledger()).map(Page::html);
        let titles = pages.iter().map(|page| (page.html(), page.title().to_owned())).collect();
        let ledger = ledger.as_deref();
        let records = records.as_ref();
        let context = RenderContext {
            src,
            data,
            config,
            published,
            records,
            claims,
            ledger,
            titles: &titles,
        };
        let (mut rendered, mut scripts) = (HashMap::new(), Vec::new());
        let (mut seen, mut mistakes) = (HashMap::new(), Vec::new());
        for (page, done) in pages.iter().zip(at_once(pages, |page| render(page, &context))) {
            mistakes.extend(done.mistakes);
            for (id, line) in &done.charts {
                mistakes.extend(once(&mut seen, "chart", id, page, *line));
            }
            scripts.extend(done.scripts);
            rendered.insert(page.source().to_owned(), done.text);
        }
        // Where something else is wrong, what asks for a name may not have been read.
        if mistakes.is_empty() {
            mistakes.extend(pages.iter().flat_map(Page::unused_names));
        }
        if mistakes.is_empty() { Ok((rendered, scripts)) } else { Err(Mistakes(mistakes).into()) }
    }
}

/// What each page gives, in the order of the pages. They know nothing of each other, and each takes
/// long, so all are worked on at once.
fn at_once<T: Send>(pages: &[Page], work: impl Fn(&Page) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(move || work(page))).collect();
        let done = threads.into_iter().map(|thread| thread.join());
        done.map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

/// Notes that an id stands on a line of a page, and says so if it has been `seen` before.
fn once(
    seen: &mut HashMap<String, String>,
    kind: &str,
    id: &str,
    page: &Page,
    line: usize,
) -> Option<Mistake> {
    let earlier = seen.insert(id.to_owned(), format!("{}:{line}", page.file()))?;
    Some(page.mistake(line, format!("the {kind} {id:?} stands at {earlier} already")))
}
