//! Selectors: asking for rows by name.

use std::borrow::Cow;

use measurement::{Evidence, Row, unit_of};

/// What a directive or a chart asks for: `experiment: contender, parameter=value, quantity`, as much
/// of it as it takes. Another chapter's rows are `chapter/experiment: ...`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    /// The chapter, if it is not the page's own.
    pub chapter: Option<String>,
    /// The experiment.
    pub experiment: String,
    /// The contender.
    pub contender: Option<String>,
    /// The setting, as far as it is fixed.
    pub parameters: Vec<(String, String)>,
    /// The quantity.
    pub quantity: Option<String>,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    ///
    /// In words, with the form that was expected.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let form = "a row is asked for as `experiment: contender, parameter=value, quantity`";
        // The contender `std::thread` has colons too, so the first single one counts.
        let (head, items) = text.split_once(": ").ok_or(format!("{:?}: {form}", text.trim()))?;
        let mut selector = Selector::default();
        match head.trim().split_once('/') {
            Some((chapter, experiment)) => {
                selector.chapter = Some(chapter.to_owned());
                selector.experiment = experiment.to_owned();
            }
            None => selector.experiment = head.trim().to_owned(),
        }
        selector.refine(items)?;
        Ok(selector)
    }

    /// Reads items into this selector, over what it has: the right side of a ratio.
    ///
    /// # Errors
    ///
    /// In words.
    pub fn refine(&mut self, items: &str) -> Result<(), String> {
        let mut names = Vec::new();
        for item in items.split(',').map(str::trim) {
            if item.is_empty() {
                return Err(format!("{items:?} has an empty item"));
            }
            match item.split_once('=') {
                Some((name, value)) => {
                    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
                    self.parameters.retain(|(known, _)| *known != name);
                    self.parameters.push((name, value));
                }
                None => names.push(item),
            }
        }
        // A contender may be called as a quantity is (`wake-up`), so with two names the first is it.
        let (contender, quantity) = match names[..] {
            [] => (None, None),
            [name] if unit_of(name).is_ok() => (None, Some(name)),
            [name] => (Some(name), None),
            [contender, quantity] if unit_of(quantity).is_ok() => (Some(contender), Some(quantity)),
            [first, second, ..] => {
                return Err(format!(
                    "{items:?} names both {first:?} and {second:?}, and the second is no quantity"
                ));
            }
        };
        self.contender = contender.map(str::to_owned).or(self.contender.take());
        self.quantity = quantity.map(str::to_owned).or(self.quantity.take());
        Ok(())
    }

    /// This selector with items over what it has.
    ///
    /// # Errors
    ///
    /// In words.
    pub fn refined(&self, items: &str) -> Result<Selector, String> {
        let mut refined = self.clone();
        refined.refine(items)?;
        Ok(refined)
    }

    /// The same with its chapter named, and its parameters in order: equal if the same is asked for.
    pub(crate) fn in_full(&self, chapter: &str) -> Selector {
        let mut full = self.clone();
        full.chapter.get_or_insert_with(|| chapter.to_owned());
        full.parameters.sort();
        full
    }

    /// All but chapter and experiment, as it is asked for.
    fn items(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, value)| format!("{name}={value}"));
        let items = self.contender.iter().cloned().chain(parameters).chain(self.quantity.clone());
        items.collect::<Vec<_>>().join(", ")
    }

    /// Whether this selector asks for the row.
    pub fn matches(&self, row: &Row) -> bool {
        row.twin_of.is_none()
            && self.experiment == row.experiment
            && self.contender.as_ref().is_none_or(|contender| *contender == row.contender)
            && self.quantity.as_ref().is_none_or(|quantity| *quantity == row.quantity)
            && self.parameters.iter().all(|(name, value)| {
                row.parameters.get(name).is_some_and(|found| found.to_string() == *value)
            })
    }

    /// The rows asked for, at least one.
    ///
    /// # Errors
    ///
    /// If there are none: offers the nearest names.
    pub fn all<'a>(&self, evidence: &'a Evidence) -> Result<Vec<&'a Row>, String> {
        let rows: Vec<&Row> = evidence.rows.iter().filter(|row| self.matches(row)).collect();
        if rows.is_empty() {
            let names: Vec<String> = evidence.rows.iter().map(Row::name).collect();
            let wanted = self.to_string();
            return Err(format!("no row is {wanted:?}{}", nearest(&wanted, &names)));
        }
        Ok(rows)
    }

    /// The one row asked for.
    ///
    /// # Errors
    ///
    /// If there is none, or more than one: then lists them.
    pub fn one<'a>(&self, evidence: &'a Evidence) -> Result<&'a Row, String> {
        match self.all(evidence)?[..] {
            [row] => Ok(row),
            ref rows => {
                let names: Vec<String> = rows.iter().take(4).map(|row| row.name()).collect();
                let names = names.join("\n    ");
                Err(format!(
                    "{:?} could be any of {} rows, say which:\n    {names}",
                    self.to_string(),
                    rows.len()
                ))
            }
        }
    }
}

impl std::fmt::Display for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(chapter) = &self.chapter {
            write!(f, "{chapter}/")?;
        }
        write!(f, "{}: {}", self.experiment, self.items())
    }
}

/// What a figure is of: a row, or a row less another one of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The row.
    pub row: Selector,
    /// What is taken from it, link by link.
    pub less: Option<Box<Selector>>,
}

impl Term {
    /// A row less what is left of it when these items are put over what it has.
    ///
    /// # Errors
    ///
    /// In words.
    pub fn less(row: Selector, items: &str) -> Result<Term, String> {
        let less = row.refined(items)?;
        Ok(Term { row, less: Some(Box::new(less)) })
    }

    /// As [`Selector::in_full`].
    pub(crate) fn in_full(&self, chapter: &str) -> Term {
        let less = self.less.as_deref().map(|less| Box::new(less.in_full(chapter)));
        Term { row: self.row.in_full(chapter), less }
    }

    /// The selectors of its rows.
    pub(crate) fn selectors(&self) -> impl Iterator<Item = &Selector> {
        [Some(&self.row), self.less.as_deref()].into_iter().flatten()
    }

    /// The row, or the difference as a row of its own.
    ///
    /// # Errors
    ///
    /// If a selector does not name one row, or one of them was not measured.
    pub fn find<'a>(&self, evidence: &'a Evidence) -> Result<Cow<'a, Row>, Missing> {
        let row = self.row.one(evidence).map_err(Missing::Mistake)?;
        let Some(less) = &self.less else { return Ok(Cow::Borrowed(row)) };
        let less = less.one(evidence).map_err(Missing::Mistake)?;
        in_one_unit(row, less)?;
        evidence.difference(row, less).map(Cow::Owned).map_err(Missing::Unmeasured)
    }
}

impl From<Selector> for Term {
    fn from(row: Selector) -> Term {
        Term { row, less: None }
    }
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.row)?;
        match &self.less {
            Some(less) => write!(f, " - {}", less.items()),
            None => Ok(()),
        }
    }
}

/// Why something could not be found in a run.
#[derive(Debug)]
pub enum Missing {
    /// The page asks for what is not there.
    Mistake(String),
    /// It is there, and could not be measured.
    Unmeasured(String),
}

/// Refuses rows that cannot be compared, because they are in different units.
pub(crate) fn in_one_unit(left: &Row, right: &Row) -> Result<(), Missing> {
    if left.unit == right.unit {
        return Ok(());
    }
    let (left, right) = (left.name(), right.name());
    Err(Missing::Mistake(format!("{left:?} and {right:?} are in different units")))
}

/// `; nearest: ...` with up to three names that resemble the wanted one, best first.
pub fn nearest<S: AsRef<str>>(wanted: &str, names: impl IntoIterator<Item = S>) -> String {
    let score = |name: S| (strsim::jaro_winkler(wanted, name.as_ref()), name);
    let mut scored: Vec<(f64, S)> = names.into_iter().map(score).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best: Vec<&str> = scored.iter().take(3).map(|(_, name)| name.as_ref()).collect();
    if best.is_empty() {
        String::new()
    } else {
        format!("; the nearest:\n    {}", best.join("\n    "))
    }
}

#[cfg(test)]
mod tests {
    use measurement::Run;

    use super::*;

    #[test]
    fn items_are_told_apart_by_what_they_are() {
        let selector = Selector::parse("units: std::thread, units=1000, time per unit").unwrap();
        assert_eq!(selector.experiment, "units");
        assert_eq!(selector.contender.as_deref(), Some("std::thread"));
        assert_eq!(selector.quantity.as_deref(), Some("time per unit"));
        assert_eq!(selector.parameters, [("units".to_owned(), "1000".to_owned())]);
        assert_eq!(
            Selector::parse("send-tax/types: Arc").unwrap().chapter.as_deref(),
            Some("send-tax")
        );
    }

    #[test]
    fn a_difference_is_taken_link_by_link() {
        let row = |contender: &str, [low, estimate, high]: [f64; 3], points: [f64; 6]| {
            format!(
                r#"{{"experiment":"hops","contender":"{contender}","parameters":{{}},"quantity":"time per hop","unit":"ns","estimate":{estimate:?},"low":{low:?},"high":{high:?},"points":{points:?},"source":"criterion"}}"#
            )
        };
        let header = r#"{"run":"2026-11-30T10:12:00Z","machine":"epyc-zen5-vm-2","chapter":"context-switches","experiment":"hops","profile":"quick","commit":"","method":4,"rustc":"1.95.0","crates":{},"load":0.0,"processes":2,"rounds":3}"#;
        let whole = row("smol", [11.0, 13.5, 16.0], [11.0, 12.0, 13.0, 14.0, 15.0, 16.0]);
        let part = row("baseline", [1.0, 3.5, 6.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let run = Run::parse(&[header, &whole, &part].join("\n")).unwrap();
        let evidence = Evidence::of_runs(&[run], None);
        let smol = || Selector::parse("hops: smol").unwrap();
        let difference = Term::less(smol(), "baseline").unwrap();
        let difference = difference.find(&evidence).unwrap();
        assert!(difference.difference);
        assert_eq!(difference.figures().unwrap().points, [10.0; 6]);
        assert!(!Term::from(smol()).find(&evidence).unwrap().difference);
        let missing = Term::less(smol(), "rayon").unwrap().find(&evidence);
        assert!(matches!(missing, Err(Missing::Mistake(message)) if message.contains("rayon")));
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for bad in ["", "units", "units: a, b", "units: ,", "units: a,,b=1"] {
            assert!(Selector::parse(bad).is_err(), "{bad}");
        }
    }
}
