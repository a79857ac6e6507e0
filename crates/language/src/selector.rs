//! Selectors, with which pages name measured rows.

use measurement::unit_of;

/// Selects rows, for a directive or a chart, as in `experiment: contender, parameter=value,
/// quantity`. Items may be left out. Rows of another chapter are `chapter/experiment: ...`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    /// The name of the chapter, if the rows are from a different chapter than the page's own.
    pub chapter: Option<String>,
    /// The name of the experiment.
    pub experiment: String,
    /// The name of the contender.
    pub contender: Option<String>,
    /// The names and values of the parameters that the rows must have.
    pub parameters: Vec<(String, String)>,
    /// The name of the quantity.
    pub quantity: Option<String>,
}

impl Selector {
    /// Parses a selector. An error message shows the expected form.
    pub fn parse(text: &str) -> Result<Selector, String> {
        let form = "a row is asked for as `experiment: contender, parameter=value, quantity`";
        // The name of the contender `std::thread` contains colons, too, so the separator is a
        // colon before a space.
        let (head, items) = text.split_once(": ").ok_or(format!("{:?}: {form}", text.trim()))?;
        let (chapter, experiment) = match head.trim().split_once('/') {
            Some((chapter, experiment)) => (Some(chapter.to_owned()), experiment),
            None => (None, head.trim()),
        };
        let experiment = experiment.to_owned();
        Selector { chapter, experiment, ..Selector::default() }.refined(items)
    }

    /// Returns a copy of this selector with some items replaced, as for the right side of a
    /// ratio.
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
        // A contender can have the same name as a quantity, such as `wake-up`. If there are two
        // names, the contender comes first.
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

    /// Returns all items in the notation of selectors, without chapter and experiment.
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

/// A measured row, or the difference between two rows of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The selector of the row.
    pub row: Selector,
    /// The selector of the row to subtract, if any. Figures are subtracted separately for each
    /// build of the program.
    pub less: Option<Box<Selector>>,
}

impl Term {
    /// Returns the selectors of the one or two rows.
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

/// Returns the end of an error message, `; the nearest: ...`, with up to three of `names` that
/// resemble `wanted`, the best one first.
pub fn nearest<S: AsRef<str>>(wanted: &str, names: impl IntoIterator<Item = S>) -> String {
    // Computes the similarity of each name only once. If a machine has measured little, many
    // suggestions are computed that nobody sees.
    let likeness = |name: S| (strsim::jaro_winkler(wanted, name.as_ref()), name);
    let mut names: Vec<(f64, S)> = names.into_iter().map(likeness).collect();
    names.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let nearest = names.iter().take(3).map(|(_, name)| format!("\n    {}", name.as_ref()));
    let nearest: String = nearest.collect();
    if nearest.is_empty() { nearest } else { format!("; the nearest:{nearest}") }
}
