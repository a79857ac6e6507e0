//! Names for rows and for what rows have in common, given once: what a `figures` block says, and how
//! what is asked for by name is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indexmap::IndexMap;
use measurement::{LineError, name_check::check_slug, unit_of};

use crate::figure::Subject;
use crate::figure::selector::{Selector, Term, nearest};
use crate::toml_block::{from_toml, line_of_key};

/// The names that hold on a page: its own, and those of the chapter above it.
#[derive(Debug, Default)]
pub struct FigureNames {
    own: IndexMap<String, Name>,
    above: Option<Arc<FigureNames>>,
}

/// A name, and what it stands for.
#[derive(Debug)]
struct Name {
    stands_for: Term,
    /// The line of its block, from 1.
    line: usize,
    is_used: AtomicBool,
}

impl FigureNames {
    /// The names of a `figures` block, over those of the chapter above, and what is wrong with others.
    ///
    /// ```toml
    /// line   = "brigade: units=500, in_flight=1, arm=ours, time per hop"
    /// thread = "line: std::thread, placement=one core"
    /// ```
    pub fn read(block: &str, above: Option<Arc<FigureNames>>) -> (FigureNames, Vec<LineError>) {
        let mut names = FigureNames { own: IndexMap::new(), above };
        let texts: IndexMap<String, String> = match from_toml(block) {
            Ok(texts) => texts,
            Err(wrong) => return (names, vec![wrong]),
        };
        let mut mistakes = Vec::new();
        for name in texts.keys() {
            if let Err(message) = names.define(name, &texts, &mut Vec::new()) {
                mistakes.push(LineError::new(line_of_key(block, name), message));
            }
        }
        for (name, found) in &mut names.own {
            found.line = line_of_key(block, name);
        }
        (names, mistakes)
    }

    /// The same names for a page below.
    pub(crate) fn above(chapter: Arc<FigureNames>) -> FigureNames {
        FigureNames { own: IndexMap::new(), above: Some(chapter) }
    }

    /// Defines a name, and before it the one with which it begins; `open` are those that are being
    /// defined.
    fn define<'a>(
        &mut self,
        name: &'a str,
        texts: &'a IndexMap<String, String>,
        open: &mut Vec<&'a str>,
    ) -> Result<(), String> {
        if self.own.contains_key(name) {
            return Ok(());
        }
        check(name)?;
        if self.above.as_ref().is_some_and(|above| above.find(name).is_some()) {
            return Err(format!("the chapter above has the name {name:?} already"));
        }
        open.push(name);
        let text = &texts[name];
        if let Some((first, _)) = texts.get_key_value(begins_with(text)) {
            if open.contains(&first.as_str()) {
                return Err(format!(
                    "{} goes round in a circle",
                    [&open[..], &[first]].concat().join(" → ")
                ));
            }
            self.define(first, texts, open)?;
        }
        open.pop();
        let stands_for = self.term(text)?;
        let found = Name { stands_for, line: 0, is_used: AtomicBool::new(false) };
        self.own.insert(name.to_owned(), found);
        Ok(())
    }

    fn find(&self, name: &str) -> Option<&Name> {
        let own = self.own.get(name);
        own.or_else(|| self.above.as_ref().and_then(|above| above.find(name)))
    }

    /// What a name stands for, which is used by that.
    fn used(&self, name: &str) -> Option<&Term> {
        let found = self.find(name)?;
        found.is_used.store(true, Ordering::Relaxed);
        Some(&found.stands_for)
    }

    /// This page's own names that nothing has asked for yet, with their lines within the block.
    pub(crate) fn unused(&self) -> impl Iterator<Item = (&str, usize)> {
        let unused = self.own.iter().filter(|(_, name)| !name.is_used.load(Ordering::Relaxed));
        unused.map(|(name, found)| (name.as_str(), found.line))
    }

    /// This page's own names, with their lines within the block.
    pub(crate) fn own(&self) -> impl Iterator<Item = (&str, usize)> {
        self.own.iter().map(|(name, found)| (name.as_str(), found.line))
    }

    /// Reads a selector: `experiment: contender, parameter=value, quantity`, as much of it as it takes;
    /// a name, which may stand for less than a row; or `name: ...`, with more items over what it has.
    ///
    /// # Errors
    ///
    /// In words, with the form that was expected.
    pub fn selector(&self, text: &str) -> Result<Selector, String> {
        whole(text, self.operand(text, None)?)
    }

    /// Reads a row, or a row less another one, `row - contender, ...`, where what follows the minus
    /// inherits what it does not name.
    ///
    /// # Errors
    ///
    /// As [`FigureNames::selector`].
    pub fn term(&self, text: &str) -> Result<Term, String> {
        self.side(text, None)
    }

    /// Reads what has a value: a row or a difference; `row * row / row`, the share that two make of a
    /// third, each of them in full or by a name; or a total, `1000 x row + row`, what so many take of
    /// which each takes that sum.
    ///
    /// # Errors
    ///
    /// As [`FigureNames::selector`].
    pub fn value(&self, text: &str) -> Result<Subject, String> {
        if let Some((one, rest)) = text.split_once(" * ") {
            let (other, all) = rest.split_once(" / ").ok_or_else(|| {
                let text = text.trim();
                format!("{text:?}: a share is `row * row / row`, each as `experiment: ...`")
            })?;
            return Ok(Subject::Share([self.term(one)?, self.term(other)?], self.term(all)?));
        }
        let times = text.split_once(" x ");
        match times.and_then(|(n, rest)| Some((n.trim().parse().ok()?, rest))) {
            Some((count, terms)) => Ok(Subject::Total(count, self.sum(terms)?)),
            None => self.term(text).map(Subject::Value),
        }
    }

    /// Reads a sum, `row + row`: what one takes that takes all of these. What follows a plus inherits
    /// from the first row what it does not name, unless it names an experiment.
    ///
    /// # Errors
    ///
    /// As [`FigureNames::selector`].
    pub(crate) fn sum(&self, text: &str) -> Result<Vec<Term>, String> {
        let mut all: Vec<Term> = Vec::new();
        for term in text.split(" + ") {
            // One that names its experiment is whole.
            let first = all.first().filter(|_| !term.contains(": "));
            all.push(self.side(term, first.map(|first| &first.row))?);
        }
        Ok(all)
    }

    /// Reads the two sides of `left / right`, where the right one inherits from the left one's row what
    /// it does not name. Each may be a difference: `contender - baseline / contender - baseline`.
    ///
    /// # Errors
    ///
    /// As [`FigureNames::selector`].
    pub fn ratio(&self, text: &str) -> Result<(Term, Term), String> {
        let (left, right) = text.split_once(" / ").ok_or_else(|| {
            let text = text.trim();
            format!("{text:?}: a ratio is `experiment: contender, ... / contender, ...`")
        })?;
        let left = self.term(left)?;
        let right = self.side(right, Some(&left.row))?;
        Ok((left, right))
    }

    fn side(&self, text: &str, left: Option<&Selector>) -> Result<Term, String> {
        let Some((row, less)) = text.split_once(" - ") else { return self.operand(text, left) };
        let row = whole(row, self.operand(row, left)?)?;
        let less = whole(less, self.operand(less, Some(&row))?)?;
        Ok(Term { row, less: Some(Box::new(less)) })
    }

    /// A name, or what items make of a name, of an experiment, or of what stands to the left.
    fn operand(&self, text: &str, left: Option<&Selector>) -> Result<Term, String> {
        let text = text.trim();
        if let Some(named) = self.used(text) {
            return Ok(named.clone());
        }
        if let Some((name, items)) = text.split_once(": ")
            && let Some(named) = self.used(name.trim())
        {
            return Ok(whole(name, named.clone())?.refined(items)?.into());
        }
        match left {
            Some(left) => Ok(left.refined(text)?.into()),
            None => {
                Ok(Selector::parse(text).map_err(|message| self.or_named(text, message))?.into())
            }
        }
    }

    /// What is wrong with what is no selector, and the names that it may have meant.
    fn or_named(&self, text: &str, message: String) -> String {
        let above = self.above.iter().flat_map(|above| above.own.keys());
        let known: Vec<&String> = self.own.keys().chain(above).collect();
        format!("{message}, or by a name of a `figures` block{}", nearest(text, &known))
    }
}

/// A term that is no difference.
fn whole(text: &str, term: Term) -> Result<Selector, String> {
    match term.less {
        None => Ok(term.row),
        Some(_) => Err(format!("{:?} is a difference: a row is needed here", text.trim())),
    }
}

/// The name with which a text would begin, if it begins with one.
fn begins_with(text: &str) -> &str {
    let row = text.split(" - ").next().unwrap_or_default();
    row.split(": ").next().unwrap_or_default().trim()
}

/// Whether it can be a name: it could not be told from a quantity.
fn check(name: &str) -> Result<(), String> {
    check_slug("name", name).map_err(|error| error.to_string())?;
    match unit_of(name) {
        Ok(_) => Err(format!("{name:?} is a quantity, and no name for a figure")),
        Err(_) => Ok(()),
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

    fn wrong(block: &str) -> String {
        let (_, mistakes) = FigureNames::read(block, None);
        mistakes.into_iter().map(|wrong| format!("{wrong}\n")).collect()
    }

    #[test]
    fn a_total_is_of_so_many_and_of_all_that_each_takes() {
        let value = |text: &str| FigureNames::default().value(text).map(|value| value.to_string());
        let total = "1000 x units: rayon, units=1, bytes per unit + kernel memory per unit";
        let told = "1000 x units: rayon, units=1, bytes per unit + units: rayon, units=1, kernel memory per unit";
        assert_eq!(value(total).unwrap(), told);
        assert_eq!(value(told).unwrap(), told);
        assert_eq!(value("units: rayon - baseline").unwrap(), "units: rayon - baseline");
        assert!(value("1000 x units").unwrap_err().contains("a row is asked for as"));
    }

    #[test]
    fn the_right_side_of_a_ratio_inherits() {
        let ratio = "units: std::thread, units=1000 / rayon, units=100";
        let (left, right) = FigureNames::default().ratio(ratio).unwrap();
        assert_eq!(left.to_string(), "units: std::thread, units=1000");
        assert_eq!(right.to_string(), "units: rayon, units=100");
        assert!(FigureNames::default().ratio("units: a").is_err());
    }

    #[test]
    fn a_side_may_be_a_difference() {
        let names = FigureNames::default();
        let (left, right) =
            names.ratio("hops: smol, n=5 - baseline / std::thread - baseline, n=6").unwrap();
        assert_eq!(left.to_string(), "hops: smol, n=5 - baseline, n=5");
        assert_eq!(right.to_string(), "hops: std::thread, n=5 - baseline, n=6");
        let term = names.term("hops: smol, n=5").unwrap();
        assert_eq!((term.to_string().as_str(), term.less), ("hops: smol, n=5", None));
        assert!(names.term("hops: smol - ").is_err());
    }

    #[test]
    fn a_name_stands_for_a_row_or_a_part_of_one() {
        let names = names("thread = \"line: std::thread\"\nline = \"hops: n=5, time per hop\"\n");
        let of = |text: &str| names.term(text).unwrap().to_string();
        assert_eq!(of("thread"), "hops: std::thread, n=5, time per hop");
        assert_eq!(of("line: smol, n=6"), "hops: smol, n=6, time per hop");
        assert_eq!(
            of("thread - baseline"),
            "hops: std::thread, n=5, time per hop - baseline, n=5, time per hop"
        );
        let (_, right) = names.ratio("line: smol / thread").unwrap();
        assert_eq!(right.to_string(), "hops: std::thread, n=5, time per hop");
        assert_eq!(names.unused().count(), 0);
    }

    #[test]
    fn a_name_that_nothing_asks_for_is_known() {
        let names = names("line = \"hops: n=5\"\nthread = \"line: std::thread\"\n");
        assert_eq!(names.unused().collect::<Vec<_>>(), [("thread", 2)]);
    }

    #[test]
    fn a_page_below_has_the_names_of_its_chapter() {
        let chapter = Arc::new(names("line = \"hops: n=5\"\n"));
        let page = FigureNames::above(chapter.clone());
        assert_eq!(page.term("line: smol").unwrap().to_string(), "hops: smol, n=5");
        assert_eq!(chapter.unused().count(), 0);
        let (_, mistakes) = FigureNames::read("line = \"hops: n=6\"\n", Some(chapter));
        assert!(mistakes[0].message.contains("has the name \"line\" already"), "{mistakes:?}");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let circle = wrong("a = \"b: smol\"\nb = \"a: n=5\"\n");
        assert!(circle.contains("1: a → b → a goes round in a circle"), "{circle}");
        assert!(wrong("a = \"a: n=5\"\n").contains("a → a"));
        assert!(wrong("throughput = \"hops: smol\"\n").contains("is a quantity"));
        assert!(wrong("a = \"hops: smol\"\na = \"hops: smol\"\n").starts_with("2: duplicate key"));
        assert!(wrong("\"a b\" = \"hops: smol\"\n").contains("name"));
        assert!(wrong("a = \"hops\"\n").contains("a row is asked for"));
        let less = "a = \"hops: smol - baseline\"\nb = \"a: n=5\"\n";
        assert!(wrong(less).contains("2: \"a\" is a difference"), "{}", wrong(less));
    }
}
