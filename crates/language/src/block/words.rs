//! A reader's words for the names that rows have for quantities, parameters and their values.

use std::collections::BTreeMap;

use measurement::number_format;
use serde::Deserialize;

/// The words that the author of a picture gives, by the names that they replace. Other names are
/// put into words by their form.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub struct Words(BTreeMap<String, String>);

impl Words {
    /// Returns the words for a quantity or a parameter, with the unit that a parameter's name
    /// ends with: `load_percent` is `load, %`, and `latency p99` is `99th percentile of latency`.
    pub fn of(&self, name: &str) -> String {
        let (words, unit) = self.without_unit(name);
        if unit.is_empty() { words } else { format!("{words}, {unit}") }
    }

    /// Returns the words for a quantity or a parameter, and the unit that the name ends with or
    /// an empty string.
    pub fn without_unit(&self, name: &str) -> (String, &'static str) {
        const UNITS: [(&str, &str); 4] =
            [("_percent", "%"), ("_bytes", "bytes"), ("_ns", "ns"), ("_per_second", "per second")];
        let parts = UNITS.iter().find_map(|(end, unit)| Some((name.strip_suffix(end)?, *unit)));
        let (stem, unit) = parts.unwrap_or((name, ""));
        let words = self.0.get(name).cloned().unwrap_or_else(|| match stem.split_once(" p") {
            Some((of, "50")) => format!("median {of}"),
            Some((of, share)) if share.parse::<f64>().is_ok() => {
                format!("{share}th percentile of {of}")
            }
            _ => stem.replace('_', " "),
        });
        (words, unit)
    }

    /// Returns the words for a parameter's value or a contender. Numbers have commas.
    pub fn of_value(&self, value: &str) -> String {
        self.0.get(value).cloned().unwrap_or_else(|| number_format::parameter(value))
    }

    /// Checks that each name with words is one of the names that are drawn.
    ///
    /// # Errors
    ///
    /// Fails at the first name that isn't.
    pub fn check(&self, drawn: &[&str]) -> Result<(), String> {
        match self.0.keys().find(|name| !drawn.contains(&&***name)) {
            Some(name) => Err(format!("nothing that is drawn is called {name:?}")),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_said_in_words() {
        let given = [("poll_ns", "length of a poll"), ("as it comes", "default")];
        let given = given.map(|(name, words)| (name.to_owned(), words.to_owned()));
        let words = Words(given.into());
        for (name, said) in [
            ("load_percent", "load, %"),
            ("message_bytes", "message, bytes"),
            ("in_flight", "in flight"),
            ("latency p99.9", "99.9th percentile of latency"),
            ("lateness p50", "median lateness"),
            ("system calls per message", "system calls per message"),
            ("poll_ns", "length of a poll, ns"),
        ] {
            assert_eq!(words.of(name), said);
        }
        assert_eq!(words.of_value("as it comes"), "default");
        assert_eq!(words.of_value("16384"), "16,384");
        let unknown = "nothing that is drawn is called \"as it comes\"".to_owned();
        assert_eq!(words.check(&["poll_ns"]), Err(unknown));
        assert_eq!(words.check(&["poll_ns", "as it comes"]), Ok(()));
    }
}
