//! What people call a machine, and what it is.

use serde::Serialize;

use crate::ensure::ensure;
use crate::machine::Machine;

/// A machine as `data/<machine>/machine.json` has it: what was found out, under the names that people gave it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedMachine {
    /// What people call it: `an Intel server (Emerald Rapids), 2 virtual cores`. No measurement: written when the
    /// machine is first measured, mended by hand, and kept.
    pub name: String,
    /// The same in a word, the maker's, and behind a comma what tells it from others of that maker: `AMD, Zen 4`.
    pub short: String,
    /// What this computer told of itself.
    #[serde(flatten)]
    pub facts: Machine,
}

impl NamedMachine {
    /// Reads and checks a machine.json.
    pub fn parse(text: &str) -> Result<NamedMachine, String> {
        let error = |error: serde_json::Error| error.to_string();
        let mut facts: serde_json::Map<_, _> = serde_json::from_str(text).map_err(error)?;
        // By hand, since what is flattened cannot refuse what it does not know.
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

    /// As it stands in machine.json: indented, so that a change shows as one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers have a JSON form") + "\n"
    }
}
