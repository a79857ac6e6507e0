//! Plots through mdbook-plotly, mended.
//!
//! mdbook-plotly 0.3.0 reads a description of a plot and gives plotly.js its data. It drops what it
//! does not know without a word, serialises colours wrongly, and cannot say error bars, dashes, text
//! on axes or ids. So a description is checked first for what would be dropped; what mdbook-plotly
//! cannot say stands under `extra`, in plotly.js's own words, and is merged into its result.

use mdbook_plotly::code_handler::plot_obj_parser;
use mdbook_plotly::preprocessor::config::MapEvalConfig;
use serde_json::{Map, Value, json};

use crate::assets::PLOTLY;
use crate::html::escape;

mod still;

/// One of the pictures between which a reader can choose.
pub(crate) struct View {
    /// Whose figures it shows.
    pub(crate) machine: String,
    /// The scale of the quantity.
    pub(crate) scale: &'static str,
    /// The plot, in mdbook-plotly's words, with `extra` in plotly.js's.
    pub(crate) plot: Value,
}

/// Plots as one static element that measured.js draws when it comes near the view, the first of them
/// at first.
///
/// `label`, escaped, says in words what is shown, for those who do not see it; the element is `height`
/// lines of text high.
///
/// # Errors
///
/// In words, if the description is not one.
pub(crate) fn element(label: &str, height: f64, views: Vec<View>) -> Result<String, String> {
    let views: Result<Vec<Value>, String> = views
        .into_iter()
        .map(|View { machine, scale, plot }| {
            Ok(json!({"machine": machine, "scale": scale, "plot": render(plot)?}))
        })
        .collect();
    let views = views?;
    let still = views.first().and_then(|view| still::of(&view["plot"])).unwrap_or_default();
    Ok(format!(
        "<div class=\"plotly-graph-div\" style=\"height: {height}em\" role=\"img\" aria-label=\"{label}\" \
         data-plotly=\"{PLOTLY}\" data-views=\"{}\">{still}</div>",
        escape(&with_tildes(&Value::from(views).to_string())),
    ))
}

/// JSON with tildes for quotation marks, which measured.js turns back. mdBook writes a quotation mark in an
/// attribute as six characters, and there are tens of thousands of them on a page.
fn with_tildes(json: &str) -> String {
    json.replace('~', "\\u007e").replace('"', "~")
}

/// Checks a hand-written plot: JSON in mdbook-plotly's words.
///
/// # Errors
///
/// In words, with the line within the block, from 1.
pub(crate) fn parse(block: &str) -> Result<Value, (usize, String)> {
    let lines = block.lines().count().max(1);
    let plot: Value = serde_json::from_str(block)
        .map_err(|error| (error.line().clamp(1, lines), format!("not JSON: {error}")))?;
    render(plot.clone()).map_err(|message| (1, message))?;
    Ok(plot)
}

/// What plotly.js draws: `data`, `layout` and `config`.
fn render(mut plot: Value) -> Result<Value, String> {
    let extra = plot.as_object_mut().and_then(|plot| plot.remove("extra")).unwrap_or(Value::Null);
    check_traces(&plot)?;
    let rendered = plot_obj_parser::parse(&mut plot, &MapEvalConfig::default())
        .map_err(|error| format!("mdbook-plotly cannot read the plot: {error:#}"))?;
    // It takes what it understands out of the description, so what is left was not understood.
    let mut ignored = Vec::new();
    leftovers(&plot, "", &mut ignored);
    if !ignored.is_empty() {
        let ignored = ignored.join(", ");
        return Err(format!(
            "mdbook-plotly would drop {ignored}: put it under `extra`, in plotly.js's words"
        ));
    }
    let mut rendered = serde_json::to_value(rendered).map_err(|error| error.to_string())?;
    mend_colours(&mut rendered);
    if let Some(rendered) = rendered.as_object_mut() {
        rendered.remove("frames");
    }
    merge(&mut rendered, extra);
    Ok(rendered)
}

fn check_traces(plot: &Value) -> Result<(), String> {
    let traces = plot.get("data").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if traces.is_empty() {
        return Err("the plot has no `data`: a list of traces".to_owned());
    }
    for (index, trace) in traces.iter().enumerate() {
        let length = |key: &str| trace.get(key).and_then(Value::as_array).map(Vec::len);
        match (length("x"), length("y")) {
            (Some(0), _) | (_, Some(0)) => return Err(format!("trace {index} is empty")),
            (Some(x), Some(y)) if x != y => {
                return Err(format!("trace {index} has {x} values of x and {y} of y"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn leftovers(value: &Value, path: &str, ignored: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Object(object) => {
            for (key, value) in object.iter().filter(|(key, _)| *key != "type") {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                leftovers(value, &path, ignored);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                leftovers(value, &format!("{path}[{index}]"), ignored);
            }
        }
        _ => ignored.push(format!("`{path}`")),
    }
}

/// `{"rgb_color": "rgb(0, 0, 0)"}` is to be `"rgb(0, 0, 0)"`.
fn mend_colours(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if let Some(colour) = colour(object) {
                *value = colour;
                return;
            }
            object.values_mut().for_each(mend_colours);
        }
        Value::Array(values) => values.iter_mut().for_each(mend_colours),
        _ => {}
    }
}

fn colour(object: &mut Map<String, Value>) -> Option<Value> {
    let wrapped = ["named_color", "rgb_color", "rgba_color"];
    let key = wrapped.into_iter().find(|key| object.len() == 1 && object.contains_key(*key))?;
    object.remove(key)
}

/// Merges objects by key and lists by place; anything else is replaced.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (_, Value::Null) => {}
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(from)) if into.iter().any(Value::is_object) => {
            for (index, value) in from.into_iter().enumerate() {
                match into.get_mut(index) {
                    Some(place) => merge(place, value),
                    None => into.push(value),
                }
            }
        }
        (into, from) => *into = from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_dropped_is_refused() {
        let plot =
            json!({"data": [{"type": "scatter", "x": [1], "y": [2], "line": {"dash": "dot"}}]});
        let error = render(plot).unwrap_err();
        assert!(error.contains("`data[0].line.dash`"), "{error}");
    }

    #[test]
    fn extra_is_merged_into_what_mdbook_plotly_gives() {
        let plot = json!({
            "data": [{"type": "scatter", "x": [1], "y": [2], "name": "a"}],
            "layout": {"xaxis": {"type": "log"}},
            "extra": {"data": [{"line": {"dash": "dot"}}], "layout": {"xaxis": {"dtick": 1}}},
        });
        let rendered = render(plot).unwrap();
        assert_eq!(rendered["data"][0]["name"], "a");
        assert_eq!(rendered["data"][0]["line"]["dash"], "dot");
        assert_eq!(rendered["layout"]["xaxis"], json!({"type": "log", "dtick": 1}));
    }

    #[test]
    fn colours_are_mended() {
        let plot = json!({
            "data": [{"type": "scatter", "x": [1], "y": [2], "marker": {"color": "#0072b2"}}],
        });
        assert_eq!(render(plot).unwrap()["data"][0]["marker"]["color"], "rgb(0, 114, 178)");
    }

    #[test]
    fn malformed_plots_are_refused() {
        for bad in [
            r#"{"data": []}"#,
            r#"{"data": [{"type": "scatter", "x": [1, 2], "y": [1]}]}"#,
            r#"{"data": [{"type": "scatter", "x": [], "y": []}]}"#,
            r#"{"data": [{"type": "no such type", "x": [1], "y": [1]}]}"#,
            r#"{"data": [{"x": [1], "y": [1]}]}"#,
            "{\n\"data\": [",
            "[]",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert_eq!(parse("{\n\"data\": [\n").unwrap_err().0, 2);
    }
}
