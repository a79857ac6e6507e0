//! The preprocessor: all pages at once, since the ledger needs every page's claims.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use mdbook_preprocessor::book::{Book, Chapter};
use mdbook_preprocessor::config::Config as BookConfig;
use mdbook_preprocessor::errors::Result;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};

use crate::analysis::Analysis;
use crate::assets::Script;
use crate::claim::JudgedClaim;
use crate::claim::records::ClaimRecords;
use crate::config::Config;
use crate::data::{Data, DataScope, Published};
use crate::figure::nearest;
use crate::page::render::render;
use crate::page::{Page, PageSource, read_all};
use crate::{Mistake, Mistakes, assets};

/// How many claims of a chapter a quick run judges at most.
const MOST_QUICK: usize = 8;

/// The preprocessor `measured`.
#[derive(Debug)]
pub struct MeasuredPreprocessor {
    /// Whose runs it shows.
    pub scope: DataScope,
    /// What the pages say, when it has run; each renderer's turn finds the same.
    pub(crate) found: Rc<OnceCell<Analysis>>,
}

impl MeasuredPreprocessor {
    /// One that shows these runs.
    pub fn new(scope: DataScope) -> MeasuredPreprocessor {
        MeasuredPreprocessor { scope, found: Rc::default() }
    }
}

impl Preprocessor for MeasuredPreprocessor {
    fn name(&self) -> &str {
        "measured"
    }

    /// Puts data into the pages.
    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        let pages = read(&book, &context.config);
        let analysis = Analysis::new(&context.root, &context.config, pages, self.scope)?;
        let (rendered, scripts) = analysis.render()?;
        book.for_each_chapter_mut(|chapter| {
            let text = chapter.source_path.as_ref().and_then(|path| rendered.get(path));
            chapter.content = text.unwrap_or(&chapter.content).clone();
        });
        assets::write(&analysis.src, &scripts)?;
        self.found.get_or_init(|| analysis);
        Ok(book)
    }
}

/// The pages of a book: all chapters that have a file.
pub(crate) fn read(book: &Book, config: &BookConfig) -> Vec<Page> {
    let source = |chapter: &Chapter| {
        let (source, path) = (chapter.source_path.clone()?, chapter.path.clone()?);
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

impl Analysis {
    /// Reads data and published claims, and judges the claims on the pages.
    pub(crate) fn new(
        root: &Path,
        book: &BookConfig,
        pages: Vec<Page>,
        scope: DataScope,
    ) -> Result<Analysis> {
        let config = Config::read(book)
            .map_err(|message| in_book_toml(root, "[preprocessor.measured]", message))?;
        let published = config.published.as_ref().map(|file| Published::load(root, file));
        let published = published.unwrap_or_else(|| Ok(Published::default()));
        let data = Data::load(root, &config, scope);
        let records = ClaimRecords::load(root, &config);
        let (data, published, records) = match (data, published, records) {
            (Ok(data), Ok(published), Ok(records)) => (data, published, records),
            (data, published, records) => {
                let all = [data.err(), published.err(), records.err()].into_iter().flatten();
                return Err(Mistakes(all.flat_map(|wrong| wrong.0).collect()).into());
            }
        };
        let known: Vec<&str> = data.machines.iter().map(|machine| machine.name()).collect();
        let reference = &config.reference;
        if !known.contains(&reference.as_str()) {
            let near = nearest(reference, &known);
            let message = format!("there are no data of the reference machine {reference:?}{near}");
            return Err(in_book_toml(root, "reference", message).into());
        }
        let src = root.join(&book.book.src);
        let (mut claims, mut mistakes) = (Vec::<JudgedClaim>::new(), Vec::new());
        let mut seen = HashMap::new();
        let contenders = data.contenders();
        for (page, (of_page, wrong)) in
            pages.iter().zip(at_once(&pages, |page| page.judged(&data, &published)))
        {
            mistakes.extend(page.missing_includes(&src));
            mistakes.extend(page.ambiguous_names(&contenders));
            mistakes.extend(wrong);
            for judged in of_page {
                let (claim, line) = (&judged.claim, judged.claim.place.line);
                mistakes.extend(once(&mut seen, "claim", &claim.id, page, line));
                let differs = records.as_ref().and_then(|records| records.differs(claim));
                mistakes.extend(differs.map(|message| page.mistake(line, message)));
                let is_quick = |JudgedClaim { claim: other, .. }: &&JudgedClaim| {
                    other.quick && other.chapter == claim.chapter
                };
                if claim.quick && claims.iter().filter(is_quick).count() == MOST_QUICK {
                    let message = format!(
                        "a quick run judges {MOST_QUICK} claims of a chapter at most, and {:?} is one \
                         more: take `quick` from another one",
                        claim.id
                    );
                    mistakes.push(page.mistake(line, message));
                }
                claims.push(judged);
            }
        }
        // A claim that could not be read has not vanished.
        if let (Some(records), true) = (&records, mistakes.is_empty()) {
            let ids = claims.iter().map(|judged| judged.claim.id.as_str()).collect();
            mistakes.extend(records.vanished(&ids));
        }
        let analysis = Analysis { config, data, published, records, claims, pages, src };
        if mistakes.is_empty() {
            return Ok(analysis);
        }
        // Report what else is wrong with the pages in the same go.
        if let Err(more) = analysis.render() {
            mistakes.extend(more.0);
        }
        Err(Mistakes(mistakes).into())
    }

    /// The pages with data put in, by their source, and the scripts of their charts.
    fn render(&self) -> Result<(HashMap<PathBuf, String>, Vec<Script>), Mistakes> {
        let pages = &self.pages;
        let (mut rendered, mut scripts) = (HashMap::new(), Vec::new());
        let (mut seen, mut mistakes) = (HashMap::new(), Vec::new());
        for (page, done) in pages.iter().zip(at_once(pages, |page| render(page, self))) {
            mistakes.extend(done.mistakes);
            for (id, line) in &done.charts {
                mistakes.extend(once(&mut seen, "chart", id, page, *line));
            }
            scripts.extend(done.scripts);
            rendered.insert(page.source.clone(), done.text);
        }
        // Where something else is wrong, what asks for a name may not have been read.
        if mistakes.is_empty() {
            mistakes.extend(pages.iter().flat_map(Page::unused_names));
        }
        Mistakes(mistakes).or((rendered, scripts))
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
    let earlier = seen.insert(id.to_owned(), format!("{}:{line}", page.file))?;
    Some(page.mistake(line, format!("the {kind} {id:?} stands at {earlier} already")))
}
