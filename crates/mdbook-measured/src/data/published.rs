//! What others published, as figures: `data/published/claims.toml`.

use std::path::Path;

use indexmap::IndexMap;
use measurement::Unit;
use serde::Deserialize;
use toml::Spanned;

use crate::data::paths::relative;
use crate::figure::number_format::{self, Dimension};
use crate::figure::selector::nearest;
use crate::{Mistake, Mistakes, line_of};

/// All published claims, in the order of the file.
#[derive(Debug, Default)]
pub struct Published {
    /// Where they were published, by key.
    pub sources: IndexMap<String, PublishedSource>,
    /// The claims.
    pub claims: Vec<PublishedClaim>,
}

/// A publication.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSource {
    /// Its title.
    pub title: String,
    /// Where its code is.
    pub code: String,
    /// On what it was measured.
    pub machine: String,
    /// What else one should know.
    pub note: Option<String>,
}

/// One claim of a publication.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedClaim {
    /// Stable id.
    pub id: String,
    /// Key of the publication.
    pub source: String,
    /// What was measured, in our words.
    pub quantity: String,
    /// The unit of the figures.
    pub unit: String,
    /// The published figures.
    pub figures: IndexMap<String, f64>,
    /// The relation that the author draws from them.
    pub claim: String,
    /// The chapter of this book that answers it.
    pub chapter: String,
    /// What is wrong with it or should be known.
    pub note: Option<String>,
    /// What the author leaves open.
    pub open_question: Option<String>,
    /// Why nobody can test it with what this book has, so that no claim answers it.
    pub not_testable: Option<String>,
    /// What the source does not say.
    pub missing_in_source: Option<String>,
}

/// The units in which figures are published.
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
    /// Reads and checks the file.
    ///
    /// # Errors
    ///
    /// With file and line: what is no TOML, an unknown key, a source that is not listed, an id that
    /// stands twice, a figure that is no number.
    pub fn load(root: &Path, file: &Path) -> Result<Published, Mistakes> {
        let path = root.join(file);
        let name = relative(root, &path);
        let mistake = |line, message| Mistake { file: name.clone(), line, message };
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Mistakes(vec![mistake(1, format!("cannot be read: {error}"))]))?;
        let parsed: File = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(&text, span.start));
            Mistakes(vec![mistake(line, error.message().to_owned())])
        })?;
        let mut mistakes = Mistakes::default();
        let mut claims: Vec<PublishedClaim> = Vec::new();
        for claim in parsed.claim {
            let line = line_of(&text, claim.span().start);
            let claim = claim.into_inner();
            if !parsed.source.contains_key(&claim.source) {
                let known: Vec<&String> = parsed.source.keys().collect();
                let message =
                    format!("no [source.{}]{}", claim.source, nearest(&claim.source, &known));
                mistakes.0.push(mistake(line, message));
            }
            if claims.iter().any(|other| other.id == claim.id) {
                mistakes.0.push(mistake(line, format!("the id {:?} stands twice", claim.id)));
            }
            if let Some((key, figure)) =
                claim.figures.iter().find(|(_, figure)| !figure.is_finite())
            {
                mistakes.0.push(mistake(line, format!("the figure {key:?} is {figure}")));
            }
            if !UNITS.contains(&claim.unit.as_str()) {
                let message = format!(
                    "the unit {:?} is not known{}",
                    claim.unit,
                    nearest(&claim.unit, &UNITS)
                );
                mistakes.0.push(mistake(line, message));
            }
            claims.push(claim);
        }
        let published = Published { sources: parsed.source, claims };
        if mistakes.0.is_empty() { Ok(published) } else { Err(mistakes) }
    }

    /// A claim by its id.
    ///
    /// # Errors
    ///
    /// In words, with the nearest ids.
    pub fn claim(&self, id: &str) -> Result<&PublishedClaim, String> {
        self.claims.iter().find(|claim| claim.id == id).ok_or_else(|| {
            let ids: Vec<&str> = self.claims.iter().map(|claim| claim.id.as_str()).collect();
            format!("nobody published {id:?}{}", nearest(id, &ids))
        })
    }
}

impl PublishedClaim {
    /// A figure for people, in the unit that suits it.
    ///
    /// # Errors
    ///
    /// In words, with the nearest keys.
    pub fn figure(&self, key: &str) -> Result<String, String> {
        let Some(&figure) = self.figures.get(key) else {
            let keys: Vec<&String> = self.figures.keys().collect();
            return Err(format!("{:?} has no figure {key:?}{}", self.id, nearest(key, &keys)));
        };
        Ok(match self.base_unit() {
            Some((factor, unit)) => number_format::value(figure * factor, Dimension::Of(unit)),
            None => number_format::value(figure, Dimension::Count),
        })
    }

    /// The figures as they were published, with their digits and their unit; `None` if there are none.
    pub fn as_published(&self) -> Option<String> {
        let unit = match self.unit.as_str() {
            "us" => "in µs",
            "ratio" => "as a ratio",
            "share" => "as a share",
            "units" | "operations" | "allocations" | "calls" => "as a count",
            unit => &format!("in {unit}"),
        };
        let figure = |(key, figure): (&String, &f64)| {
            format!("{key} {}", number_format::thousands(&figure.to_string()))
        };
        let figures: Vec<String> = self.figures.iter().map(figure).collect();
        (!figures.is_empty()).then(|| format!("{unit}: {}", figures.join("; ")))
    }

    /// By what a figure is multiplied to be in one of our units, and which; `None` for a count.
    fn base_unit(&self) -> Option<(f64, Unit)> {
        Some(match self.unit.as_str() {
            "ns" | "ns per iteration" => (1.0, Unit::Nanoseconds),
            "us" => (1e3, Unit::Nanoseconds),
            "ms" => (1e6, Unit::Nanoseconds),
            "s" => (1e9, Unit::Nanoseconds),
            "B" => (1.0, Unit::Bytes),
            "KiB" => (1024.0, Unit::Bytes),
            "msg/s" | "1/s" => (1.0, Unit::PerSecond),
            _ => return None,
        })
    }
}
