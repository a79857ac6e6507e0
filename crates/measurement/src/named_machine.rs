//! The description of a machine, including the names that people gave it.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::ensure::ensure;
use crate::machine::Machine;
use crate::name_check::check_text;
use crate::LineError;

/// The content of `data/<machine>/machine.json`: the facts about the machine, and the names that
/// people gave it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedMachine {
    /// The full name: `an Intel server (Emerald Rapids), 2 virtual cores`. Generated when the
    /// machine is first measured; corrections made by hand are kept.
    pub name: String,
    /// The short name: the vendor and, after a comma, what distinguishes the machine from others
    /// of that vendor: `AMD, Zen 4`.
    pub short: String,
    /// The facts that the computer itself reported.
    #[serde(flatten)]
    pub facts: Machine,
}

impl NamedMachine {
    /// Reads and checks a machine.json.
    ///
    /// # Errors
    ///
    /// The error contains the line number and, if a field is wrong, the name of the field.
    pub fn parse(text: &str) -> Result<NamedMachine, LineError> {
        let mut names = Names::default();
        let mut json = serde_json::Deserializer::from_str(text);
        let facts = json.deserialize_map(&mut names).and_then(|facts| json.end().map(|()| facts));
        let Names { name, short, last_key } = names;
        let facts = facts.map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            let names_field = message.contains('`') || last_key.is_empty();
            let of = if names_field { String::new() } else { format!("`{last_key}`: ") };
            LineError::new(error.line().max(1), format!("{of}{message}"))
        })?;
        let at = |(field, message): (String, String)| {
            let key = format!("{field:?}");
            let place = text.lines().position(|line| line.contains(&key));
            LineError::new(place.map_or(1, |place| place + 1), message)
        };
        let given = |field: &str, name: Option<String>, longest| {
            let name = name.unwrap_or_default().trim().to_owned();
            ensure!(
                !name.is_empty(),
                "`{field}`, what people call the machine, is missing or empty"
            );
            check_text(&format!("`{field}`"), &name, longest)?;
            Ok(name)
        };
        let name = given("name", name, 400).map_err(|why| at(("name".to_owned(), why)))?;
        let short = given("short", short, 200).map_err(|why| at(("short".to_owned(), why)))?;
        facts.check().map_err(at)?;
        Ok(NamedMachine { name, short, facts })
    }

    /// Returns the content of machine.json, indented so that a changed field shows as one changed
    /// line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers have a JSON form") + "\n"
    }
}

/// Collects the names while a machine.json is read. Also holds the key that was read last, for
/// error messages.
#[derive(Default)]
struct Names {
    name: Option<String>,
    short: Option<String>,
    last_key: String,
}

impl<'de> Visitor<'de> for &mut Names {
    type Value = Machine;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the description of a machine")
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Machine, A::Error> {
        Machine::deserialize(MapAccessDeserializer::new(Facts { entries, names: self }))
    }
}

/// The entries of a machine.json except for the names, which are moved to `names`.
/// `serde(flatten)` won't do: it would accept unknown keys, and use the last of several values of
/// a key.
struct Facts<'a, A> {
    entries: A,
    names: &'a mut Names,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Facts<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.entries.next_key::<String>()? {
            self.names.last_key.clone_from(&key);
            let name = match &*key {
                "name" => &mut self.names.name,
                "short" => &mut self.names.short,
                _ => return seed.deserialize(key.into_deserializer()).map(Some),
            };
            if name.replace(self.entries.next_value()?).is_some() {
                return Err(A::Error::custom(format!("`{key}` stands twice")));
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.entries.next_value_seed(seed)
    }
}
