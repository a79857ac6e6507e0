//! Asking for rows by name.

use measurement::{Row, Run, unit_of};

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

    /// Whether this selector asks for the row.
    pub fn matches(&self, row: &Row) -> bool {
        self.experiment == row.experiment
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
    pub fn all<'a>(&self, run: &'a Run) -> Result<Vec<&'a Row>, String> {
        let rows: Vec<&Row> = run.rows.iter().filter(|row| self.matches(row)).collect();
        if rows.is_empty() {
            let names: Vec<String> = run.rows.iter().map(Row::name).collect();
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
    pub fn one<'a>(&self, run: &'a Run) -> Result<&'a Row, String> {
        match self.all(run)?[..] {
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
        let parameters = self.parameters.iter().map(|(name, value)| format!("{name}={value}"));
        let items = self.contender.iter().cloned().chain(parameters).chain(self.quantity.clone());
        if let Some(chapter) = &self.chapter {
            write!(f, "{chapter}/")?;
        }
        write!(f, "{}: {}", self.experiment, items.collect::<Vec<_>>().join(", "))
    }
}

/// The two sides of `left / right`, where the right one inherits what it does not name.
///
/// # Errors
///
/// In words.
pub fn parse_ratio(text: &str) -> Result<(Selector, Selector), String> {
    let (left, right) = text.split_once(" / ").ok_or(format!(
        "{:?}: a ratio is `experiment: contender, ... / contender, ...`",
        text.trim()
    ))?;
    let left = Selector::parse(left)?;
    let mut denominator = left.clone();
    denominator.refine(right)?;
    Ok((left, denominator))
}

/// `; nearest: ...` with up to three names that resemble the wanted one, best first.
pub fn nearest<S: AsRef<str>>(wanted: &str, names: &[S]) -> String {
    let mut scored: Vec<(f64, &str)> = names
        .iter()
        .map(|name| (strsim::jaro_winkler(wanted, name.as_ref()), name.as_ref()))
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best: Vec<&str> = scored.into_iter().take(3).map(|(_, name)| name).collect();
    if best.is_empty() {
        String::new()
    } else {
        format!("; the nearest:\n    {}", best.join("\n    "))
    }
}

#[cfg(test)]
mod tests {
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
    fn the_right_side_of_a_ratio_inherits() {
        let (left, right) =
            parse_ratio("units: std::thread, units=1000 / rayon, units=100").unwrap();
        assert_eq!(left.to_string(), "units: std::thread, units=1000");
        assert_eq!(right.to_string(), "units: rayon, units=100");
    }

    #[test]
    fn what_is_no_selector_is_refused() {
        for bad in ["", "units", "units: a, b", "units: ,", "units: a,,b=1"] {
            assert!(Selector::parse(bad).is_err(), "{bad}");
        }
        assert!(parse_ratio("units: a").is_err());
    }
}
