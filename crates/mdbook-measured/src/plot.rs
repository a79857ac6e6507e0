//! Pictures: a scene as plotly.js draws it, and as a still picture until then.

use serde_json::{Value, json};

use crate::assets::PLOTLY;
use crate::html::escape;
use crate::scene::Scene;

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

/// Scenes as one static element that measured.js draws when it comes near the view, the first of them
/// at first.
///
/// `label`, escaped, says in words what is shown, for those who do not see it; the element is `height`
/// lines of text high.
///
/// # Errors
///
/// In words, if mdbook-plotly refuses one.
pub(crate) fn element(label: &str, height: f64, views: &[View]) -> Result<String, String> {
    let drawn = views.iter().map(|View { machine, scale, scene }| {
        Ok(json!({"machine": machine, "scale": scale, "plot": plotly::of(scene)?}))
    });
    let drawn: Vec<Value> = drawn.collect::<Result<_, String>>()?;
    let still = views.first().map(|view| svg::of(&view.scene)).unwrap_or_default();
    Ok(container(label, height, drawn, &still))
}

/// A page's own drawing, in mdbook-plotly's words, in an element of the same form.
///
/// # Errors
///
/// In words, with the line within the block, from 1.
pub(crate) fn hand_written(label: &str, height: f64, block: &str) -> Result<String, (usize, String)> {
    let view = json!({"machine": "", "scale": "", "plot": plotly::parse(block)?});
    Ok(container(label, height, vec![view], ""))
}

fn container(label: &str, height: f64, views: Vec<Value>, still: &str) -> String {
    format!(
        "<div class=\"plotly-graph-div\" style=\"height: {height}em\" role=\"img\" aria-label=\"{label}\" \
         data-plotly=\"{PLOTLY}\" data-views=\"{}\">{still}</div>",
        escape(&with_tildes(&Value::from(views).to_string())),
    )
}

/// JSON with tildes for quotation marks, which measured.js turns back. mdBook writes a quotation mark in an
/// attribute as six characters, and there are tens of thousands of them on a page.
fn with_tildes(json: &str) -> String {
    json.replace('~', "\\u007e").replace('"', "~")
}
