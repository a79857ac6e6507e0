//! Selectors: the names that pages use for rows.

use measurement::unit_of;

/// Selects the rows for a directive or a chart: `experiment: contender, parameter=value,
/// quantity`, where items may be left out. Rows of another chapter are `chapter/experiment: ...`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    /// The chapter, if the rows are from another chapter than the page's own.
    pub chapter: Option<String>,
    /// The experiment.
    pub experiment: String,
    /// The contender.
    pub contender: Option<String>,
    /// Parameters that the rows must have, with their values.
    pub parameters: Vec<(String, String)>,
    /// The quantity.
    pub quantity: Option<String>,
}

impl Selector {
    /// Parses a selector. The error shows the expected form.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let form = "a row is asked for as `experiment: contender, parameter=value, quantity`";
        // The contender `std::thread` contains colons, too, so the separator is the first colon
        // before a space.
        let (head, items) = text.split_once(": ").ok_or(format!("{:?}: {form}", text.trim()))?;
        let (chapter, experiment) = match head.trim().split_once('/') {
            Some((chapter, experiment)) => (Some(chapter.to_owned()), experiment),
            None => (None, head.trim()),
        };
        let experiment = experiment.to_owned();
        Selector { chapter, experiment, ..Selector::default() }.refined(items)
    }

    /// Returns this selector with some items replaced, as on the right side of a ratio.
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
        // A contender can have the same name as a quantity (`wake-up`). If there are two names,
        // the first one is the contender.
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

    /// Returns all items, without chapter and experiment, as written in a selector.
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

/// A row, or the difference of two rows of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The row.
    pub row: Selector,
    /// The row to subtract, build by build.
    pub less: Option<Box<Selector>>,
}

impl Term {
    /// Returns the selectors of the term's rows.
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

/// Returns `; the nearest: ...` with up to three of `names` that resemble `wanted`, best first.
pub fn nearest<S: AsRef<str>>(wanted: &str, names: impl IntoIterator<Item = S>) -> String {
    // Each name is compared only once, since a machine that has measured less causes many
    // suggestions that are never shown.
    let likeness = |name: S| (strsim::jaro_winkler(wanted, name.as_ref()), name);
    let mut names: Vec<(f64, S)> = names.into_iter().map(likeness).collect();
    names.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let nearest = names.iter().take(3).map(|(_, name)| format!("\n    {}", name.as_ref()));
    let nearest: String = nearest.collect();
    if nearest.is_empty() { nearest } else { format!("; the nearest:{nearest}") }
}
