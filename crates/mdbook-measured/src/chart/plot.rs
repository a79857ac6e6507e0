//! Pictures: a scene as plotly.js draws it, and as a still picture until then.

use indexmap::IndexSet;

use super::scene::Scene;
use crate::assets::{PLOTLY, Script};
use crate::html::{Html, html};

mod plotly;
mod svg;

/// One of the pictures between which a reader can choose.
pub(super) struct View {
    /// Whose figures it shows.
    pub(super) machine: String,
    /// The scale of the quantity.
    pub(super) scale: &'static str,
    pub(super) scene: Scene,
}

/// Scenes as one static element that measured.js draws when it comes near, the first of them at first:
/// each machine's on the same scales, machine by machine. The script has the views.
///
/// The id is unique in the book, the label says in words what is shown. There is at least one view.
///
/// # Errors
///
/// In words, if mdbook-plotly refuses one.
pub(super) fn element(id: &str, label: &str, views: &[View]) -> Result<(Html, Script), String> {
    let drawn = views.iter().map(|view| Ok(plotly::of(&view.scene)?.to_string()));
    let drawn: Vec<String> = drawn.collect::<Result<_, String>>()?;
    let script = Script::new(id, format!("measured.views([\n{}\n]);\n", drawn.join(",\n")));
    // What a reader can choose from, each once.
    let choices = |of: fn(&View) -> &str| {
        Vec::from_iter(views.iter().map(of).collect::<IndexSet<_>>()).join("|")
    };
    let html = html!(
        "<div class=\"plotly-graph-div\" style=\"height: {}em\" role=\"img\" aria-label=\"{}\" \
         data-plotly=\"{}\" data-views=\"{}\" data-machines=\"{}\" data-scales=\"{}\">{}</div>",
        views[0].scene.height,
        label,
        PLOTLY,
        script.name,
        choices(|view| &view.machine),
        choices(|view| view.scale),
        Html(svg::of(&views[0].scene))
    );
    Ok((html, script))
}
