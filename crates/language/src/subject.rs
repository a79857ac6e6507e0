//! The subject of a figure: a term, or a combination of several.

use std::iter;

use crate::selector::{Selector, Term};

/// The subject of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// How its terms are combined.
    pub form: Form,
    /// Rows and differences of rows, at least one.
    pub terms: Vec<Term>,
}

/// The way in which terms are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// A term.
    Value,
    /// One divided by another.
    Ratio,
    /// The product of two as a share of a third: how often something happens, times its cost,
    /// relative to the total cost. They can be from different runs.
    Share,
    /// This many times the sum of the terms.
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
    /// Returns its only row, and how many times it counts; `None` if it has several.
    pub fn row(&self) -> Option<(u64, &Selector)> {
        match (self.form, &self.terms[..]) {
            (Form::Value, [Term { row, less: None }]) => Some((1, row)),
            (Form::Total(count), [Term { row, less: None }]) => Some((count, row)),
            _ => None,
        }
    }

    /// Returns whether it compares two terms.
    pub fn is_ratio(&self) -> bool {
        self.form == Form::Ratio
    }

    /// Returns the same with its chapter named and its parameters in order: equal for the same
    /// request.
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

    /// Returns the selectors of its rows.
    pub fn selectors(&self) -> impl Iterator<Item = &Selector> {
        self.terms.iter().flat_map(Term::selectors)
    }

    /// Returns the chapter of its rows, if it is not the page's own.
    pub fn chapter(&self) -> Option<&str> {
        self.terms[0].row.chapter.as_deref()
    }

    /// Returns the experiment of its first row.
    pub fn experiment(&self) -> &str {
        &self.terms[0].row.experiment
    }

    /// Returns the quantity of its first row, if it is named.
    pub fn quantity(&self) -> Option<&str> {
        self.terms[0].row.quantity.as_deref()
    }

    /// Returns its name in a verdict.
    pub fn noun(&self) -> &'static str {
        match self.form {
            Form::Value => "value",
            Form::Ratio => "ratio",
            Form::Share => "share",
            Form::Total(_) => "total",
        }
    }
}
