//! What a figure is of: a term, or what is made of several.

use std::iter;

use crate::selector::{Selector, Term};

/// What a figure is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// What is made of its terms.
    pub form: Form,
    /// Rows and differences of rows, one at least.
    pub terms: Vec<Term>,
}

/// What a figure is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// A term.
    Value,
    /// One divided by another.
    Ratio,
    /// What two make together, as a share of a third: how often something happens, times what it costs,
    /// of what all costs. They need not be of one run.
    Share,
    /// What so many take of which each takes all of the terms together.
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
    /// The row that it is, or of which it is so many; none if it is made of several.
    pub fn row(&self) -> Option<(u64, &Selector)> {
        match (self.form, &self.terms[..]) {
            (Form::Value, [Term { row, less: None }]) => Some((1, row)),
            (Form::Total(count), [Term { row, less: None }]) => Some((count, row)),
            _ => None,
        }
    }

    /// Whether it says that two differ.
    pub fn is_ratio(&self) -> bool {
        self.form == Form::Ratio
    }

    /// The same with its chapter named, and its parameters in order: equal if the same is asked for.
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

    /// The selectors of its rows.
    pub fn selectors(&self) -> impl Iterator<Item = &Selector> {
        self.terms.iter().flat_map(Term::selectors)
    }

    /// The chapter whose rows it names, if it is not the page's own.
    pub fn chapter(&self) -> Option<&str> {
        self.terms[0].row.chapter.as_deref()
    }

    /// The experiment of the first row that it names.
    pub fn experiment(&self) -> &str {
        &self.terms[0].row.experiment
    }

    /// The quantity of the first row that it names, as far as it names it.
    pub fn quantity(&self) -> Option<&str> {
        self.terms[0].row.quantity.as_deref()
    }

    /// What it is called in a verdict.
    pub fn noun(&self) -> &'static str {
        match self.form {
            Form::Value => "value",
            Form::Ratio => "ratio",
            Form::Share => "share",
            Form::Total(_) => "total",
        }
    }
}
