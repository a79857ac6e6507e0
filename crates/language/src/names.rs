//! Names that `figures` blocks define for measured rows, or for parts of the selectors that find
//! rows. Parses expressions that contain such names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexMap;
use measurement::{name_check::check_slug, unit_of};

use crate::block::{At, BlockError, from_toml};
use crate::selector::{Selector, Term, nearest};
use crate::subject::{Form, Subject};

/// The names for measured rows that a page may use: those that it defines, and those that the
/// chapter above it defines.
#[derive(Debug, Default)]
pub struct FigureNames {
    own: IndexMap<String, Name>,
    above: Option<Arc<FigureNames>>,
}

#[derive(Debug)]
struct Name {
    stands_for: Term,
    is_used: AtomicBool,
}

impl FigureNames {
    /// Parses a `figures` block. Returns the names that it defines, and the mistakes in it.
    /// `above` holds the names of the chapter above the page.
    pub fn read(block: &str, above: Option<Arc<FigureNames>>) -> (FigureNames, Vec<BlockError>) {
        let mut names = FigureNames { own: IndexMap::new(), above };
        let texts: IndexMap<String, String> = match from_toml(block) {
            Ok(texts) => texts,
            Err(wrong) => return (names, vec![wrong.into()]),
        };
        let mut mistakes = Vec::new();
        for name in texts.keys() {
            mistakes.extend(names.define(name, &texts).at(name.as_str()).err());
        }
        (names, mistakes)
    }

    /// Defines `name` as its text in `texts`. The text may use names that are already defined.
    fn define(&mut self, name: &str, texts: &IndexMap<String, String>) -> Result<(), String> {
        check_slug("name", name)?;
        if unit_of(name).is_ok() {
            return Err(format!("{name:?} is a quantity, and no name for a figure"));
        }
        if self.find(name).is_some() {
            return Err(format!("the chapter above has the name {name:?} already"));
        }
        let text = &texts[name];
        let first = text.split(": ").next().unwrap_or_default();
        let first = first.split(" - ").next().unwrap_or_default().trim();
        if texts.contains_key(first) && !self.own.contains_key(first) {
            return Err(format!(
                "{first:?} stands for nothing yet: its line is further down, or is wrong itself"
            ));
        }
        let stands_for = self.term(text)?;
        let found = Name { stands_for, is_used: AtomicBool::new(false) };
        self.own.insert(name.to_owned(), found);
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&Name> {
        self.own.get(name).or_else(|| self.above.as_ref()?.find(name))
    }

    fn used(&self, name: &str) -> Option<&Term> {
        let found = self.find(name.trim())?;
        found.is_used.store(true, Ordering::Relaxed);
        Some(&found.stands_for)
    }

    /// Returns the names that this page defines, each with a flag that is true if the name has
    /// been used.
    pub fn own(&self) -> impl Iterator<Item = (&str, bool)> {
        self.own.iter().map(|(name, of)| (name.as_str(), of.is_used.load(Ordering::Relaxed)))
    }

    /// Parses a selector of rows: `experiment: contender, parameter=value, quantity`. Items may
    /// be left out. A name can stand for the whole selector, or for its beginning (`name: ...`).
    pub fn selector(&self, text: &str) -> Result<Selector, String> {
        whole(text, self.operand(text, None)?)
    }

    /// Parses a row, or the difference between two rows of an experiment, `row - contender, ...`.
    /// The second row inherits the items of the first that it doesn't replace.
    pub fn term(&self, text: &str) -> Result<Term, String> {
        self.side(text, None)
    }

    /// Parses an expression that has a value. This is a row or a difference; a share, `row * row
    /// / row` (the product of two rows relative to a third); or a total, `1000 x row + row` (a
    /// multiple of a sum). Each row is given in full or by a name.
    pub fn value(&self, text: &str) -> Result<Subject, String> {
        if let Some((one, rest)) = text.split_once(" * ") {
            let (other, all) = rest.split_once(" / ").ok_or_else(|| {
                let text = text.trim();
                format!("{text:?}: a share is `row * row / row`, each as `experiment: ...`")
            })?;
            let terms = [one, other, all].into_iter().map(|row| self.term(row));
            return Ok(Subject { form: Form::Share, terms: terms.collect::<Result<_, _>>()? });
        }
        let times = text.split_once(" x ");
        match times.and_then(|(n, rest)| Some((n.trim().parse().ok()?, rest))) {
            Some((count, sum)) => Ok(Subject { form: Form::Total(count), terms: self.sum(sum)? }),
            None => Ok(Subject { form: Form::Value, terms: vec![self.term(text)?] }),
        }
    }

    /// Parses a sum such as `row + row`. A row after a plus inherits the items of the first row
    /// that it doesn't replace, unless it names an experiment.
    fn sum(&self, text: &str) -> Result<Vec<Term>, String> {
        let mut all: Vec<Term> = Vec::new();
        for term in text.split(" + ") {
            let first = all.first().filter(|_| !term.contains(": "));
            all.push(self.side(term, first.map(|first| &first.row))?);
        }
        Ok(all)
    }

    /// Parses a ratio, `left / right`. The right side inherits the items of the left row that it
    /// doesn't replace. Either side may be a difference: `contender - baseline / contender -
    /// baseline`.
    pub fn ratio(&self, text: &str) -> Result<Subject, String> {
        let (left, right) = text.split_once(" / ").ok_or_else(|| {
            let text = text.trim();
            format!("{text:?}: a ratio is `experiment: contender, ... / contender, ...`")
        })?;
        let left = self.term(left)?;
        let right = self.side(right, Some(&left.row))?;
        Ok(Subject { form: Form::Ratio, terms: vec![left, right] })
    }

    fn side(&self, text: &str, left: Option<&Selector>) -> Result<Term, String> {
        let Some((row, less)) = text.split_once(" - ") else { return self.operand(text, left) };
        let row = whole(row, self.operand(row, left)?)?;
        let less = whole(less, self.operand(less, Some(&row))?)?;
        Ok(Term { row, less: Some(Box::new(less)) })
    }

    /// Parses an operand. This is a name, optionally followed by more items; or an experiment
    /// with items; or only items. Items alone replace those of `left`, the operand to the left.
    fn operand(&self, text: &str, left: Option<&Selector>) -> Result<Term, String> {
        let text = text.trim();
        if let Some(named) = self.used(text) {
            return Ok(named.clone());
        }
        let named =
            text.split_once(": ").and_then(|(name, items)| Some((self.used(name)?, name, items)));
        let row = match (named, left) {
            (Some((named, name, items)), _) => whole(name, named.clone())?.refined(items)?,
            (None, Some(left)) => left.refined(text)?,
            (None, None) => Selector::parse(text).map_err(|message| {
                let above = self.above.iter().flat_map(|above| above.own.keys());
                let known: Vec<&String> = self.own.keys().chain(above).collect();
                let near = nearest(text, &known);
                format!("{message}, or by a name of a `figures` block{near}")
            })?,
        };
        Ok(row.into())
    }
}

/// Returns the row that `term` consists of. Fails if it is a difference of rows. `text` is for
/// the error message.
fn whole(text: &str, term: Term) -> Result<Selector, String> {
    match term.less {
        None => Ok(term.row),
        Some(_) => Err(format!("{:?} is a difference: a row is needed here", text.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(block: &str) -> FigureNames {
        let (names, mistakes) = FigureNames::read(block, None);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        names
    }

    #[test]
    fn what_is_asked_for_inherits_and_may_be_a_difference() {
        let names = names("line = \"hops: n=5, time per hop\"\nthread = \"line: std::thread\"\n");
        let value = |text: &str| names.value(text);
        let ratio = |text: &str| names.ratio(text);
        let total = "1000 x units: rayon, units=1, bytes per unit + units: rayon, units=1, kernel memory per unit";
        for (read, expected) in [
            (value("units: rayon - baseline"), "units: rayon - baseline"),
            (value("hops: smol, n=5 - baseline"), "hops: smol, n=5 - baseline, n=5"),
            (value("1000 x units: rayon, units=1, bytes per unit + kernel memory per unit"), total),
            (value(total), total),
            (ratio("units: a, n=1 / rayon, n=100"), "units: a, n=1 / units: rayon, n=100"),
            (
                ratio("hops: smol, n=5 - baseline / b - baseline, n=6"),
                "hops: smol, n=5 - baseline, n=5 / hops: b, n=5 - baseline, n=6",
            ),
            (value("thread"), "hops: std::thread, n=5, time per hop"),
            (value("line: smol, n=6"), "hops: smol, n=6, time per hop"),
            (
                value("thread - baseline"),
                "hops: std::thread, n=5, time per hop - baseline, n=5, time per hop",
            ),
            (
                ratio("line: smol / thread"),
                "hops: smol, n=5, time per hop / hops: std::thread, n=5, time per hop",
            ),
        ] {
            assert_eq!(read.unwrap().to_string(), expected);
        }
    }
}
