//! Analyses all pages of a book together. Pages can't be analysed one by one, because the ledger
//! of published claims needs the claims of every page.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use language::config::{Config, in_book_toml};
use language::page::Page;
use language::selector::nearest;
use language::{Mistake, Mistakes};

use crate::at_once::at_once;
use crate::claim::records::ClaimRecords;
use crate::claim::{JudgedClaim, on_page};
use crate::data::{Data, DataScope, Published};

const MOST_QUICK: usize = 8;

/// The pages of a book with the data, the published claims and the verdicts that they show.
#[derive(Debug)]
pub struct Analysis {
    /// The settings of the preprocessor, from book.toml.
    pub config: Config,
    /// The data of all runs that the pages show.
    pub data: Data,
    /// The published claims that the book tries to replicate.
    pub published: Published,
    /// The history of the claims, or `None` if the book doesn't record it.
    pub records: Option<ClaimRecords>,
    /// The claims on all pages, with their verdicts.
    pub claims: Vec<JudgedClaim>,
    /// The parsed pages, in the order of the book.
    pub pages: Vec<Page>,
    /// The directory that contains the pages.
    pub src: PathBuf,
}

impl Analysis {
    /// Reads data and published claims, and judges the claims on `pages`. `src` is the directory
    /// of the pages. Also returns the mistakes on the pages.
    ///
    /// # Errors
    ///
    /// Fails if files of data have mistakes, since claims can't be judged then.
    pub fn new(
        root: &Path,
        config: Config,
        src: PathBuf,
        pages: Vec<Page>,
        scope: DataScope,
    ) -> Result<(Analysis, Vec<Mistake>), Mistakes> {
        let published = config.published.as_ref().map(|file| Published::load(root, file));
        let published = published.unwrap_or_else(|| Ok(Published::default()));
        let data = Data::load(root, &config, scope);
        let records = ClaimRecords::load(root);
        let (data, published, records) = match (data, published, records) {
            (Ok(data), Ok(published), Ok(records)) => (data, published, records),
            (data, published, records) => {
                let all = [data.err(), published.err(), records.err()].into_iter().flatten();
                return Err(Mistakes(all.flat_map(|wrong| wrong.0).collect()));
            }
        };
        let known: Vec<&str> = data.machines.iter().map(|machine| machine.name()).collect();
        let reference = &config.reference;
        if !known.contains(&reference.as_str()) {
            let near = nearest(reference, &known);
            let message = format!("there are no data of the reference machine {reference:?}{near}");
            return Err(in_book_toml(root, "reference", message));
        }
        let (mut claims, mut mistakes) = (Vec::<JudgedClaim>::new(), Vec::new());
        let mut seen = HashMap::new();
        let contenders = data.contenders();
        for (page, (of_page, wrong)) in
            pages.iter().zip(at_once(&pages, |page| on_page(page, &data, &published)))
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
        // A claim may seem to be missing only because a mistake on its page kept it from being
        // parsed.
        if let (Some(records), true) = (&records, mistakes.is_empty()) {
            let ids = claims.iter().map(|judged| judged.claim.id.as_str()).collect();
            mistakes.extend(records.vanished(&ids));
        }
        let analysis = Analysis { config, data, published, records, claims, pages, src };
        Ok((analysis, mistakes))
    }
}

/// Remembers in `seen` where an id is used. Returns a mistake if it was already used elsewhere.
pub fn once(
    seen: &mut HashMap<String, String>,
    kind: &str,
    id: &str,
    page: &Page,
    line: usize,
) -> Option<Mistake> {
    let earlier = seen.insert(id.to_owned(), format!("{}:{line}", page.file))?;
    Some(page.mistake(line, format!("the {kind} {id:?} stands at {earlier} already")))
}
