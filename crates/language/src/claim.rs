//! Claims: sentences whose truth is decided by a predicate on measured rows.

mod family;

pub use family::Family;

use measurement::number_format::{self, Dimension};
use measurement::{Predicate, unit_of};
use serde::Deserialize;

use crate::block::{At, BlockError, check_id, from_toml};
use crate::names::FigureNames;
use crate::subject::{Form, Subject};
use crate::wrong;

/// The TOML of a `claim` block, with which an author states a claim.
///
/// ```toml
/// id         = "spawn-cost.threads"
/// sentence   = "Creating 1,000 threads costs more than {bound} times what 1,000 tasks cost."
/// ratio      = "units: std::thread, units=1000, arm=ours / tokio multi-thread"
/// predicate  = "above 10"
/// replicates = "spawning.spawn-overhead"
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimBlock {
    id: String,
    /// The sentence that states the claim. In it, `{bound}` stands for the number or numbers of
    /// the predicate.
    sentence: String,
    /// The ratio that the predicate judges. A claim has either this or `value`.
    ratio: Option<String>,
    /// The quantity that the predicate judges, in the unit of its row.
    value: Option<String>,
    predicate: String,
    replicates: Option<String>,
    #[serde(default)]
    quick: bool,
}

/// The place of a claim in the book.
#[derive(Debug, Clone)]
pub struct ClaimPlace {
    /// The path of the claim's page, relative to `src/`, with the extension `html`.
    pub page: String,
    /// The line of the page's source on which the claim's block begins.
    pub line: usize,
    /// The heading above the claim, which is the question that the claim answers. Empty if the
    /// page's title is the only heading above it.
    pub question: String,
    /// The chapter that the claim's rows are from, unless they name another one.
    pub chapter: String,
}

/// A parsed claim. The rows that it names are well-formed, but may not exist.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The permanent id: the name of the chapter, a dot, and a few words.
    pub id: String,
    /// The sentence that the reader sees.
    pub sentence: String,
    /// The ratio or the value that the predicate judges.
    pub subject: Subject,
    /// The condition that decides whether the claim holds.
    pub predicate: Predicate,
    /// The id of the published claim that this claim replicates.
    pub replicates: Option<String>,
    /// True if a quick run judges the claim. Only a few claims per chapter should set this: the
    /// more claims a run judges by wide intervals, the more verdicts are due to chance.
    pub quick: bool,
    /// The place of the claim's block.
    pub place: ClaimPlace,
    /// The chapter that the claim's rows are from.
    pub chapter: String,
}

impl Claim {
    /// Parses a `claim` block at `place`. `names` lists the names that the page defines. An error
    /// gives the line number within the block.
    pub fn parse(block: &str, names: &FigureNames, place: ClaimPlace) -> Result<Claim, BlockError> {
        Claim::of(from_toml(block)?, names, place)
    }

    fn of(block: ClaimBlock, names: &FigureNames, place: ClaimPlace) -> Result<Claim, BlockError> {
        let ClaimBlock { id, sentence, ratio, value, predicate, replicates, quick } = block;
        let subject = match (value, ratio) {
            (Some(value), None) => names.value(&value).at("value")?,
            (None, Some(ratio)) => names.ratio(&ratio).at("ratio")?,
            _ => wrong!(1, "a claim is about either a `value` or a `ratio`"),
        };
        let predicate = predicate.parse::<Predicate>().at("predicate")?;
        if !subject.is_ratio() && matches!(predicate, Predicate::Within(_)) {
            wrong!("predicate", "`within m %` is for a ratio");
        }
        check_id(&id).at("id")?;
        let sentence = sentence.replace("{bound}", &bound(&subject, predicate));
        if sentence.trim().is_empty() {
            wrong!("sentence", "the sentence is empty");
        }
        if let Some((_, behind)) = sentence.split_once('{') {
            let open = behind.split_inclusive('}').next().unwrap_or_default();
            let open = format!("{{{open}");
            wrong!("sentence", "nothing stands for {open:?}: write {{bound}}");
        }
        let chapter = subject.chapter().unwrap_or(&place.chapter).to_owned();
        Ok(Claim { id, sentence, subject, predicate, replicates, quick, place, chapter })
    }

    /// Returns the experiment that the claim's first row is from.
    pub fn experiment(&self) -> &str {
        self.subject.experiment()
    }

    /// Returns the predicate together with its subject, such as `ratio above 10`.
    pub fn in_words(&self) -> String {
        format!("{} {}", self.subject.noun(), self.predicate_in_words())
    }

    /// Returns the bounds of the predicate as text, such as `10`, `0.75 and 1` or `20 %`.
    pub fn bounds(&self) -> String {
        let words = self.predicate_in_words();
        words.split_once(' ').map_or(String::new(), |(_, bounds)| bounds.to_owned())
    }

    fn predicate_in_words(&self) -> String {
        match dimension(&self.subject) {
            None | Some(Dimension::Count) => self.predicate.to_string(),
            Some(dimension) => {
                self.predicate.in_words(|bound| number_format::value(bound, dimension))
            }
        }
    }
}

/// Returns the dimension of a value. Returns `None` for a ratio, and for a value whose selector
/// doesn't name the quantity.
fn dimension(subject: &Subject) -> Option<Dimension> {
    let is_value = !matches!(subject.form, Form::Ratio | Form::Share);
    let quantity = subject.quantity().filter(|_| is_value)?;
    Some(Dimension::of(quantity, unit_of(quantity).ok()?))
}

/// If all bounds are below this value, they are given in the unit of the row, as in most
/// publications.
const IN_OWN_UNIT: f64 = 1e5;

/// Returns the bounds of a predicate, for use in a sentence: `ten` and `a tenth` for a ratio,
/// `1.5 and 3`, `210 and 840 ns`, `20 %`.
fn bound(subject: &Subject, predicate: Predicate) -> String {
    let bounds = match predicate {
        Predicate::Above(bound) | Predicate::Below(bound) => vec![bound],
        Predicate::Between(low, high) => vec![low, high],
        Predicate::Within(share) => return format!("{} %", share * 100.0),
    };
    let is_factor = matches!(subject.form, Form::Ratio | Form::Share) && bounds.len() == 1;
    let (dimension, unit) = match dimension(subject) {
        Some(Dimension::Of(unit)) if bounds.iter().all(|bound| *bound < IN_OWN_UNIT) => {
            (None, format!(" {unit}"))
        }
        dimension => (dimension, String::new()),
    };
    let told = bounds.iter().map(|bound| match (dimension, factor(*bound)) {
        (Some(dimension @ (Dimension::Of(_) | Dimension::Share)), _) => {
            number_format::value(*bound, dimension)
        }
        (_, Some(words)) if is_factor => words.to_owned(),
        _ => number_format::thousands(&bound.to_string()),
    });
    told.collect::<Vec<_>>().join(" and ") + &unit
}

/// Returns a number in words, if it is a common factor or fraction.
fn factor(factor: f64) -> Option<&'static str> {
    let words = [
        (0.05, "a twentieth"),
        (0.1, "a tenth"),
        (0.2, "a fifth"),
        (0.25, "a quarter"),
        (0.5, "half"),
        (0.8, "four fifths"),
        (1.5, "one and a half"),
        (2.0, "two"),
        (3.0, "three"),
        (4.0, "four"),
        (5.0, "five"),
        (10.0, "ten"),
    ];
    words.iter().find(|(known, _)| *known == factor).map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a claim of a chapter named Tea. `block` is the text of the block without the
    /// claim's id.
    fn claim(block: &str) -> Claim {
        let (page, question) = ("tea.html".to_owned(), String::new());
        let place = ClaimPlace { page, line: 1, question, chapter: "tea".to_owned() };
        let block = format!("id = 'tea.pot'\n{block}");
        Claim::parse(&block, &FigureNames::default(), place).unwrap()
    }

    #[test]
    fn the_bound_of_a_sentence_is_that_of_its_predicate() {
        for (of, predicate, expected) in [
            ("ratio = \"units: a, time per unit / b\"", "above 10", "ten"),
            ("ratio = \"units: a, time per unit / b\"", "below 0.1", "a tenth"),
            ("ratio = \"units: a, time per unit / b\"", "above 1.04", "1.04"),
            ("ratio = \"units: a, time per unit / b\"", "between 17 and 68", "17 and 68"),
            ("ratio = \"units: a, time per unit / b\"", "within 25 %", "25 %"),
            (
                "value = \"units: a, time per unit\"",
                "between 7120 and 28480",
                "7,120 and 28,480 ns",
            ),
            ("value = \"units: a, time per unit\"", "above 25000000", "25 ms"),
            ("value = \"units: a, share\"", "above 0.15", "15 %"),
            ("value = \"units: a, system calls per hop\"", "between 1.9 and 2.1", "1.9 and 2.1"),
        ] {
            let claim = claim(&format!("sentence = '{{bound}}'\n{of}\npredicate = '{predicate}'"));
            assert_eq!(claim.sentence, expected);
        }
    }
}
