//! Claims and figures that others published, from `data/published/claims.toml`.

use std::path::Path;

use indexmap::IndexMap;
use language::block::from_toml;
use language::selector::nearest;
use language::{Mistake, Mistakes, line_of};
use measurement::name_check::LARGEST;
use measurement::number_format::{self, Dimension};
use measurement::{LineError, Unit};
use serde::Deserialize;
use toml::Spanned;

use crate::data::paths::{read, relative};

/// The claims that others published, in the order of the file.
#[derive(Debug, Default)]
pub struct Published {
    /// The path of the file with the claims, relative to the book's root.
    pub file: String,
    /// The publications, keyed by the names that claims use for them.
    pub sources: IndexMap<String, PublishedSource>,
    /// The claims of all publications.
    pub claims: Vec<PublishedClaim>,
}

/// A publication, such as an article or the results of a benchmark.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSource {
    /// The title of the publication.
    pub title: String,
    /// Where to find the code that the author measured.
    pub code: String,
    /// The machine on which the author measured.
    pub machine: String,
    /// A remark about the publication.
    pub note: Option<String>,
}

/// A claim that somebody published.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedClaim {
    /// The permanent id of the claim.
    pub id: String,
    /// The key of the publication that makes the claim.
    pub source: String,
    /// The author's measurement, described in our words.
    pub quantity: String,
    /// The unit of the published figures, such as `ns` or `msg/s`.
    pub unit: String,
    /// The published figures, keyed by the names that directives use for them.
    pub figures: IndexMap<String, f64>,
    /// The author's conclusion from the figures. `None` if the author draws no conclusion, but
    /// asks the `open_question`.
    pub claim: Option<String>,
    /// The chapter of this book that tests the published claim.
    pub chapter: String,
    /// A remark, for example about a mistake in the source.
    pub note: Option<String>,
    /// A question that the author leaves open.
    pub open_question: Option<String>,
    /// Our own measurement, in the same form as the published figures. The text may contain
    /// directives.
    pub in_their_shape: Option<String>,
    /// Our own measurement, in the form that this book uses. The text may contain directives.
    pub in_ours: Option<String>,
    /// The outcome of our test of the claim: a sentence that may contain directives.
    #[serde(default)]
    pub outcome: String,
    /// The reason why this book can't test the claim. If there is a reason, no claim of the book
    /// may replicate this one.
    pub not_testable: Option<String>,
    /// Information about the measurement that the source doesn't give.
    pub missing_in_source: Option<String>,
    /// The line of the file on which the entry begins.
    #[serde(skip)]
    pub line: usize,
}

const UNITS: [&str; 16] = [
    "ns",
    "ns per iteration",
    "us",
    "ms",
    "s",
    "B",
    "KiB",
    "1/s",
    "msg/s",
    "ratio",
    "share",
    "calls",
    "allocations",
    "operations",
    "units",
    "behaviour",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    source: IndexMap<String, PublishedSource>,
    claim: Vec<Spanned<PublishedClaim>>,
}

impl Published {
    /// Reads and checks the file of published claims, `file`, which is relative to `root`.
    ///
    /// # Errors
    ///
    /// Fails, with file and line, for invalid TOML, an unknown key, an unlisted source, a
    /// duplicate id, a figure that is not a number, or a claim without an outcome.
    pub fn load(root: &Path, file: &Path) -> Result<Published, Mistakes> {
        let path = root.join(file);
        let name = relative(root, &path);
        let text = read(&path).map_err(|LineError { line, message }| {
            Mistakes(vec![Mistake { file: name.clone(), line, message }])
        })?;
        Published::parse(name, &text)
    }

    /// Parses and checks the text of the file named `name`. Fails like [`Published::load`].
    pub fn parse(name: String, text: &str) -> Result<Published, Mistakes> {
        let mistake = |line, message| Mistake { file: name.clone(), line, message };
        let whole = |error: LineError| Mistakes(vec![mistake(error.line, error.message)]);
        let File { source: sources, claim: spanned } = from_toml(text).map_err(whole)?;
        let (mut claims, mut mistakes) = (Vec::<PublishedClaim>::new(), Vec::new());
        for claim in spanned {
            let line = line_of(text, claim.span().start);
            let claim = PublishedClaim { line, ..claim.into_inner() };
            let PublishedClaim { id, source, unit, figures, outcome, .. } = &claim;
            let mut wrong = |is_wrong: bool, message: &dyn Fn() -> String| {
                mistakes.extend(is_wrong.then(|| mistake(line, message())));
            };
            wrong(!sources.contains_key(source), &|| {
                format!("no [source.{source}]{}", nearest(source, sources.keys()))
            });
            wrong(claims.iter().any(|other| other.id == *id), &|| {
                format!("the id {id:?} stands twice")
            });
            for (key, figure) in figures {
                let most = if unit == "share" { 1.0 } else { LARGEST };
                wrong(!(0.0..=most).contains(figure), &|| {
                    format!("the figure {key:?} is {figure}: in this unit it is from 0 to {most:e}")
                });
            }
            wrong(!UNITS.contains(&unit.as_str()), &|| {
                format!("the unit {unit:?} is not known{}", nearest(unit, UNITS))
            });
            wrong(claim.claim.is_none() && claim.open_question.is_none(), &|| {
                format!(
                    "{id:?} says nothing: write its `claim`, or the `open_question` that it asks"
                )
            });
            wrong(outcome.trim().is_empty(), &|| {
                format!(
                    "{id:?} has no outcome: write a sentence under `outcome`, what became of it when this book \
                     measured it, or that nothing has measured it yet"
                )
            });
            claims.push(claim);
        }
        Mistakes(mistakes).or(Published { file: name.clone(), sources, claims })
    }

    /// Looks up a published claim by its id.
    ///
    /// # Errors
    ///
    /// Fails with a message that lists the nearest ids.
    pub fn claim(&self, id: &str) -> Result<&PublishedClaim, String> {
        self.claims.iter().find(|claim| claim.id == id).ok_or_else(|| {
            let ids = self.claims.iter().map(|claim| &claim.id);
            format!("nobody published {id:?}{}", nearest(id, ids))
        })
    }
}

impl PublishedClaim {
    /// Returns the published figure with this key in a suitable unit, for readers.
    ///
    /// # Errors
    ///
    /// Fails with a message that lists the nearest keys.
    pub fn figure(&self, key: &str) -> Result<String, String> {
        let figure = self.figures.get(key).ok_or_else(|| {
            let nearest = nearest(key, self.figures.keys());
            format!("{:?} has no figure {key:?}{nearest}", self.id)
        })?;
        let (factor, unit) = match self.unit.as_str() {
            "ns" | "ns per iteration" => (1.0, Unit::Nanoseconds),
            "us" => (1e3, Unit::Nanoseconds),
            "ms" => (1e6, Unit::Nanoseconds),
            "s" => (1e9, Unit::Nanoseconds),
            "B" => (1.0, Unit::Bytes),
            "KiB" => (1024.0, Unit::Bytes),
            "msg/s" | "1/s" => (1.0, Unit::PerSecond),
            _ => return Ok(number_format::value(*figure, Dimension::Count)),
        };
        Ok(number_format::value(figure * factor, Dimension::Of(unit)))
    }

    /// Returns what the author concluded, or the question that the author left open.
    pub fn said(&self) -> &str {
        self.claim.as_ref().or(self.open_question.as_ref()).map_or("", String::as_str)
    }

    /// Returns all figures with the published digits and unit, or `None` if there are none.
    pub fn as_published(&self) -> Option<String> {
        let unit = match self.unit.as_str() {
            "us" => "in µs",
            "ratio" => "as a ratio",
            "share" => "as a share",
            "units" | "operations" | "allocations" | "calls" => "as a count",
            unit => &format!("in {unit}"),
        };
        let figures = self.figures.iter().map(|(key, figure)| {
            format!("{key} {}", number_format::thousands(&figure.to_string()))
        });
        let figures = figures.collect::<Vec<_>>().join("; ");
        (!figures.is_empty()).then(|| format!("{unit}: {figures}"))
    }
}
