//! Pictures: a scene as plotly.js draws it, and as a still picture until then.

use measurement::LineError;
use serde_json::Value;

use crate::assets::{PLOTLY, Script};
use crate::chart::scene::Scene;
use crate::html::escape;

mod plotly;
mod svg;

/// One of the pictures between which a reader can choose.
pub(crate) struct View {
    /// Whose figures it shows.
    pub(crate) machine: String,
    /// The scale of the quantity.
    pub(crate) scale: &'static str,
    pub(crate) scene: Scene,
}

/// A picture's place on a page.
pub(crate) struct Frame<'a> {
    /// Names the picture among all of the book.
    pub(crate) id: &'a str,
    /// In words what is shown, for those who do not see it; escaped.
    pub(crate) label: &'a str,
    /// In lines of text.
    pub(crate) height: f64,
}

/// A picture as it stands on a page.
pub(crate) struct Element {
    pub(crate) html: String,
    /// The views, which measured.js loads when the picture comes near.
    pub(crate) script: Script,
}

/// Scenes as one static element that measured.js draws when it comes near, the first of them at first:
/// each machine's on the same scales, machine by machine.
///
/// # Errors
///
/// In words, if mdbook-plotly refuses one.
pub(crate) fn element(frame: &Frame<'_>, views: &[View]) -> Result<Element, String> {
    let drawn = views.iter().map(|view| plotly::of(&view.scene));
    let drawn: Vec<Value> = drawn.collect::<Result<_, String>>()?;
    let still = views.first().map(|view| svg::of(&view.scene)).unwrap_or_default();
    let machines = choices(views.iter().map(|view| view.machine.as_str()));
    let scales = choices(views.iter().map(|view| view.scale));
    Ok(put_together(frame, [&machines, &scales], &drawn, &still))
}

/// A page's own drawing, in mdbook-plotly's words, in an element of the same form.
///
/// # Errors
///
/// With the line within the block.
pub(crate) fn hand_written(frame: &Frame<'_>, block: &str) -> Result<Element, LineError> {
    Ok(put_together(frame, ["", ""], &[plotly::parse(block)?], ""))
}

/// What a reader can choose from, each once, for measured.js.
fn choices<'a>(of_views: impl Iterator<Item = &'a str>) -> String {
    let mut choices: Vec<&str> = Vec::new();
    for choice in of_views {
        if !choices.contains(&choice) {
            choices.push(choice);
        }
    }
    choices.join("|")
}

fn put_together(
    frame: &Frame<'_>,
    [machines, scales]: [&str; 2],
    views: &[Value],
    still: &str,
) -> Element {
    let views: Vec<String> = views.iter().map(Value::to_string).collect();
    let script = Script::new(frame.id, format!("measured.views([\n{}\n]);\n", views.join(",\n")));
    let Frame { label, height, .. } = frame;
    let html = format!(
        "<div class=\"plotly-graph-div\" style=\"height: {height}em\" role=\"img\" aria-label=\"{label}\" \
         data-plotly=\"{PLOTLY}\" data-views=\"{}\" data-machines=\"{}\" data-scales=\"{}\">{still}</div>",
        script.name,
        escape(machines),
        escape(scales),
    );
    Element { html, script }
}
