//! Selectors, which name rows.

use measurement::unit_of;

/// The rows for a directive or a chart: `experiment: contender, parameter=value, quantity`, or as
/// much of it as is needed. Another chapter's rows are `chapter/experiment: ...`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    /// The chapter, if it is not the page's own.
    pub chapter: Option<String>,
    /// The experiment.
    pub experiment: String,
    /// The contender.
    pub contender: Option<String>,
    /// The parameters that are fixed, with their values.
    pub parameters: Vec<(String, String)>,
    /// The quantity.
    pub quantity: Option<String>,
}

impl Selector {
    /// Parses a selector. An error includes the expected form.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let form = "a row is asked for as `experiment: contender, parameter=value, quantity`";
        // The contender `std::thread` has colons too, so the first single one counts.
        let (head, items) = text.split_once(": ").ok_or(format!("{:?}: {form}", text.trim()))?;
        let (chapter, experiment) = match head.trim().split_once('/') {
            Some((chapter, experiment)) => (Some(chapter.to_owned()), experiment),
            None => (None, head.trim()),
        };
        let experiment = experiment.to_owned();
        Selector { chapter, experiment, ..Selector::default() }.refined(items)
    }

    /// Returns this selector with some items replaced: the right side of a ratio.
    pub fn refined(&self, items: &str) -> Result<Selector, String> {
        let (mut refined, mut names) = (self.clone(), Vec::new());
        for item in items.split(',').map(str::trim) {
            match item.split_once('=') {
                Some((name, value)) => {
                    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
                    refined.parameters.retain(|(known, _)| *known != name);
                    refined.parameters.push((name, value));
                }
                None if item.is_empty() => return Err(format!("{items:?} has an empty item")),
                None => names.push(item),
            }
        }
        let is_quantity = |name: &str| unit_of(name).is_ok();
        // A contender can have the name of a quantity (`wake-up`), so with two names the first is
        // the contender.
        match names[..] {
            [] => {}
            [quantity] if is_quantity(quantity) => refined.quantity = Some(quantity.to_owned()),
            [contender] => refined.contender = Some(contender.to_owned()),
            [contender, quantity] if is_quantity(quantity) => {
                refined.contender = Some(contender.to_owned());
                refined.quantity = Some(quantity.to_owned());
            }
            [first, second, ..] => {
                return Err(format!(
                    "{items:?} names both {first:?} and {second:?}, and the second is no quantity"
                ));
            }
        }
        Ok(refined)
    }

    /// Returns everything except chapter and experiment, as written in a selector.
    fn items(&self) -> String {
        let parameters = self.parameters.iter().map(|(name, value)| format!("{name}={value}"));
        let items = self.contender.iter().cloned().chain(parameters).chain(self.quantity.clone());
        items.collect::<Vec<_>>().join(", ")
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

/// A row, or a row minus another one of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The row.
    pub row: Selector,
    /// The row that is subtracted, build by build.
    pub less: Option<Box<Selector>>,
}

impl Term {
    /// Returns the selectors of its rows.
    pub fn selectors(&self) -> impl Iterator<Item = &Selector> {
        [Some(&self.row), self.less.as_deref()].into_iter().flatten()
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

/// Returns `; the nearest: ...` with up to three names that resemble the wanted one, best first.
pub fn nearest<S: AsRef<str>>(wanted: &str, names: impl IntoIterator<Item = S>) -> String {
    // Compares each name only once: a machine that has measured less causes many suggestions that
    // aren't shown.
    let likeness = |name: S| (strsim::jaro_winkler(wanted, name.as_ref()), name);
    let mut names: Vec<(f64, S)> = names.into_iter().map(likeness).collect();
    names.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let nearest = names.iter().take(3).map(|(_, name)| format!("\n    {}", name.as_ref()));
    let nearest: String = nearest.collect();
    if nearest.is_empty() { nearest } else { format!("; the nearest:{nearest}") }
}
