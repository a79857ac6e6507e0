//! A machine with its names for people.

use serde::Serialize;

use crate::ensure::ensure;
use crate::machine::Machine;

/// The content of `data/<machine>/machine.json`: the facts, and the names that people gave the
/// machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedMachine {
    /// The name for people: `an Intel server (Emerald Rapids), 2 virtual cores`. Written when the
    /// machine is first measured, corrected by hand, and then kept.
    pub name: String,
    /// The short name: the vendor and, after a comma, the difference from other machines of that
    /// vendor: `AMD, Zen 4`.
    pub short: String,
    /// The facts that the computer reported.
    #[serde(flatten)]
    pub facts: Machine,
}

impl NamedMachine {
    /// Reads and checks a machine.json.
    pub fn parse(text: &str) -> Result<NamedMachine, String> {
        let error = |error: serde_json::Error| error.to_string();
        let mut facts: serde_json::Map<_, _> = serde_json::from_str(text).map_err(error)?;
        // By hand, since serde can't combine `flatten` with rejecting unknown fields.
        let mut take = |key: &str| {
            let name = facts.remove(key);
            let name = name.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().trim();
            ensure!(!name.is_empty(), "`{key}`, what people call the machine, is missing or empty");
            Ok(name.to_owned())
        };
        let (name, short) = (take("name")?, take("short")?);
        let facts = serde_json::from_value::<Machine>(facts.into()).map_err(error)?;
        facts.check()?;
        Ok(NamedMachine { name, short, facts })
    }

    /// Returns the content of machine.json, indented so that a change shows as one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers have a JSON form") + "\n"
    }
}
