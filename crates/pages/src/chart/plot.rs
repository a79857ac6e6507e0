//! Draws a scene twice: as data for plotly.js, and as a still picture that is shown until
//! plotly.js has loaded.

use indexmap::IndexSet;
use language::block::{At as _, BlockError};

use super::Scene;
use crate::assets::{PLOTLY, Script};
use crate::block::Shown;
use crate::html::{Html, anchor, html};
use crate::rich_text::RichText;

mod plotly;
mod svg;

/// One of the pictures that a reader of a chart can choose.
pub(super) struct View {
    pub machine: String,
    /// The scale of the axis for measured values, `linear` or `log`.
    pub scale: &'static str,
    pub scene: Scene,
    pub note: String,
}

/// Renders a figure: its title, a still picture of the first view, a note, and `below`, which
/// contains a table of the figures. When the reader scrolls near the figure, measured.js replaces
/// the still picture by one of the views, which are in a script. There must be at least one view;
/// views are in the order of machines, with the same scales for each machine.
///
/// The id must be unique in the book; `kind` describes the pictures in words, for readers who
/// can't see them.
pub(super) fn figure(
    id: String,
    title: &RichText,
    kind: &str,
    views: &[View],
    below: Html,
) -> Result<Shown, BlockError> {
    let drawn = views.iter().map(|view| {
        let mut drawn = plotly::of(&view.scene)?;
        drawn["note"] = view.note.as_str().into();
        // Views differ in their number of rows.
        drawn["height"] = view.scene.height.into();
        Ok(drawn.to_string())
    });
    let drawn: Vec<String> = drawn.collect::<Result<_, String>>().at(1)?;
    let script = Script::new(&id, format!("measured.views([\n{}\n]);\n", drawn.join(",\n")));
    // Lists every machine or scale that a reader can choose, each once. measured.js separates
    // them by `|`, so `|` and `%` are encoded.
    let choices = |of: fn(&View) -> &str| {
        let each = views.iter().map(of).collect::<IndexSet<_>>().into_iter();
        Vec::from_iter(each.map(|it| it.replace('%', "%25").replace('|', "%7C"))).join("|")
    };
    let words = title.plain();
    let stop = if words.ends_with(['.', '?', '!']) { "" } else { "." };
    let html = html!(
        "<figure class=\"measured-chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n\
         <div class=\"plotly-graph-div\" style=\"height: {}em\" role=\"img\" aria-label=\"{}\" \
         data-plotly=\"{}\" data-views=\"{}\" data-machines=\"{}\" data-scales=\"{}\">{}</div>\n\
         <p class=\"measured-small\">{}</p>\n{}\n</figure>",
        anchor("chart", &id),
        title,
        views[0].scene.height,
        format!("{words}{stop} {kind}. The table below has the figures."),
        PLOTLY,
        script.name,
        choices(|view| &view.machine),
        choices(|view| view.scale),
        Html(svg::of(&views[0].scene)),
        views[0].note,
        below
    );
    Ok(Shown { id: Some(id), script: Some(script), ..Shown::from(html) })
}
