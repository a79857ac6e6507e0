//! What a figure or a claim is about: a measured row, or a combination of several rows.

use std::iter;

use crate::selector::{Selector, Term};

/// The subject of a figure or a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// How the figure is computed from the terms.
    pub form: Form,
    /// The operands, at least one. Each is a row or a difference of rows.
    pub terms: Vec<Term>,
}

/// How a figure is computed from its terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// The figure of the only term.
    Value,
    /// The first term divided by the second.
    Ratio,
    /// The product of two terms relative to a third, such as how often something happens times
    /// its cost, as a share of the total cost. The terms may be from different runs.
    Share,
    /// The sum of the terms, multiplied by this number.
    Total(u64),
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let terms: Vec<String> = self.terms.iter().map(Term::to_string).collect();
        match (self.form, &terms[..]) {
            (Form::Share, [one, other, all]) => write!(f, "{one} * {other} / {all}"),
            (Form::Total(count), terms) => write!(f, "{count} x {}", terms.join(" + ")),
            (_, terms) => f.write_str(&terms.join(" / ")),
        }
    }
}

impl Subject {
    /// Returns the row and the number by which it is multiplied, or `None` if several rows are
    /// combined.
    pub fn row(&self) -> Option<(u64, &Selector)> {
        match (self.form, &self.terms[..]) {
            (Form::Value, [Term { row, less: None }]) => Some((1, row)),
            (Form::Total(count), [Term { row, less: None }]) => Some((count, row)),
            _ => None,
        }
    }

    /// Returns true if the figure is a ratio of two terms.
    pub fn is_ratio(&self) -> bool {
        self.form == Form::Ratio
    }

    /// Returns the same subject with its chapter named and its parameters sorted, so that equal
    /// requests compare as equal.
    pub fn in_full(&self, chapter: &str) -> Subject {
        let mut full = self.clone();
        for term in &mut full.terms {
            for row in iter::once(&mut term.row).chain(term.less.as_deref_mut()) {
                row.chapter.get_or_insert_with(|| chapter.to_owned());
                row.parameters.sort();
            }
        }
        full
    }

    /// Returns the selectors of all rows involved.
    pub fn selectors(&self) -> impl Iterator<Item = &Selector> {
        self.terms.iter().flat_map(Term::selectors)
    }

    /// Returns the chapter that the first row names, or `None` if the row is from the page's own
    /// chapter.
    pub fn chapter(&self) -> Option<&str> {
        self.terms[0].row.chapter.as_deref()
    }

    /// Returns the experiment that the first row is from.
    pub fn experiment(&self) -> &str {
        &self.terms[0].row.experiment
    }

    /// Returns the quantity of the first row, if its selector names one.
    pub fn quantity(&self) -> Option<&str> {
        self.terms[0].row.quantity.as_deref()
    }

    /// Returns the word for the subject of a verdict, such as `ratio`.
    pub fn noun(&self) -> &'static str {
        match self.form {
            Form::Value => "value",
            Form::Ratio => "ratio",
            Form::Share => "share",
            Form::Total(_) => "total",
        }
    }
}
