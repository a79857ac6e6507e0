//! Describes the picture in a chart in words, for tests.

use serde_json::Value;

use crate::copy::Copy;

pub(crate) fn part<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from:?} in {text}"));
    rest.split(to).next().unwrap()
}

/// The properties of traces, axes and labels that the description includes.
const OF_TRACE: [&str; 12] = [
    "/name",
    "/showlegend",
    "/meta/role",
    "/meta/machine",
    "/mode",
    "/orientation",
    "/line/dash",
    "/marker/symbol",
    "/x",
    "/y",
    "/z",
    "/text",
];
const OF_AXIS: [&str; 4] = ["/title/text", "/type", "/range", "/ticktext"];
const OF_LABEL: [&str; 3] = ["/text", "/x", "/y"];

/// Returns a description of the first chart on a page. `view` names the machine and, for the
/// second of two scales, the scale: `kettle-1` or `kettle-1/log`.
pub(crate) fn picture(copy: &Copy, page: &str, view: &str) -> Vec<String> {
    let attribute = |name: &str| part(page, &format!(" {name}=\""), "\"");
    let script = copy.read(&format!("book/{}", attribute("data-views")));
    let plots: Vec<Value> = serde_json::from_str(part(&script, "measured.views(", ");\n")).unwrap();
    let [machines, scales] = ["data-machines", "data-scales"].map(attribute);
    let names: Vec<String> = machines
        .split('|')
        .flat_map(|machine| scales.split('|').map(move |scale| format!("{machine}/{scale}")))
        .collect();
    assert_eq!(plots.len(), names.len(), "each machine has each scale");
    let place = names.iter().position(|name| name.starts_with(&format!("{view}/")) || name == view);
    let plot = &plots[place.unwrap_or_else(|| panic!("no {view:?} in {names:?}"))];
    let layout = &plot["layout"];
    let mut lines =
        vec![format!("| of {}, divided by {}", names.join("; "), layout["meta"]["divisor"])];
    let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
    lines.extend(list(&plot["data"]).iter().map(|trace| told(trace, &OF_TRACE)));
    lines.extend(["xaxis", "yaxis"].iter().map(|axis| told(&layout[axis], &OF_AXIS)));
    lines.extend(list(&layout["annotations"]).iter().map(|label| told(label, &OF_LABEL)));
    lines
}

/// Returns the values at the JSON pointers `pointers`. Strings are returned as they are; numbers
/// are preceded by their names.
fn told(of: &Value, pointers: &[&str]) -> String {
    let told = pointers.iter().filter_map(|pointer| {
        let (value, key) = (of.pointer(pointer)?, pointer.rsplit('/').next()?);
        let words = in_short(value);
        Some(if value.is_string() { words } else { format!("{key} {words}") })
    });
    format!("| {}", told.collect::<Vec<_>>().join("; "))
}

/// Formats a JSON value, with numbers to three digits. Of a long list, shows only the first
/// value, the last value and the length.
fn in_short(value: &Value) -> String {
    match value {
        Value::Number(number) => {
            let short: f64 = format!("{:.2e}", number.as_f64().unwrap()).parse().unwrap();
            short.to_string()
        }
        Value::Array(all) if all.len() > 9 => {
            format!("{} .. {} ({})", in_short(&all[0]), in_short(&all[all.len() - 1]), all.len())
        }
        Value::Array(all) => {
            format!("[{}]", all.iter().map(in_short).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
