//! Whether this computer is the machine whose runs are there. Another host with the same processor is the same
//! machine on another boot; what else differs is told.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use measurement::machine::Machine;
use serde_json::Value;

/// In what this computer differs from the machine that `file` describes, a line each; nothing if there is no
/// such file.
///
/// # Errors
///
/// If it has another processor, or if the file cannot be read.
pub(crate) fn differences(file: &Path, this: &Machine) -> Result<Vec<String>> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let file = file.display();
    let earlier = Machine::parse(&text).map_err(|error| {
        anyhow!("{file}: {error}: mend or remove it, then a run can be appended")
    })?;
    let processor = |machine: &Machine| format!("{} × {}", machine.cpus, machine.cpu);
    ensure!(
        processor(&earlier) == processor(this),
        "{file}: the runs there are of another processor, {:?}, and this computer's is {:?}: give its runs a \
         directory of their own, --machine NAME, or remove those that are there",
        processor(&earlier),
        processor(this)
    );
    let (before, now) = (facts(&earlier), facts(this));
    let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
    let told = |fact: Option<&String>| fact.cloned().unwrap_or_else(|| "not told".to_owned());
    let differ = names.filter(|name| before.get(*name) != now.get(*name));
    let line =
        |name: &String| format!("{name}: {}, now {}", told(before.get(name)), told(now.get(name)));
    Ok(differ.map(line).collect())
}

/// What machine.json says, a fact each, by name: `kernel`, `limits open files`.
fn facts(machine: &Machine) -> BTreeMap<String, String> {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut facts = BTreeMap::new();
    let all = serde_json::to_value(machine).expect("strings and numbers have a JSON form");
    for (name, value) in all.as_object().into_iter().flatten() {
        match value {
            Value::Object(entries) => {
                let entries = entries.iter();
                facts.extend(entries.map(|(of, value)| (format!("{name} {of}"), plain(value))));
            }
            value => drop(facts.insert(name.clone(), plain(value))),
        }
    }
    facts
}
