//! Pictures: a scene for plotly.js, and a still picture shown until plotly.js has loaded.

use indexmap::IndexSet;
use language::block::{At as _, BlockError};

use super::Scene;
use crate::assets::{PLOTLY, Script};
use crate::block::Shown;
use crate::html::{Html, anchor, html};
use crate::rich_text::RichText;

mod plotly;
mod svg;

/// One of the pictures that a reader can choose.
pub(super) struct View {
    /// The machine whose figures the view shows.
    pub machine: String,
    /// The scale of the quantity.
    pub scale: &'static str,
    pub scene: Scene,
    /// Whose figures these are, and what a reader has to know of their marks.
    pub note: String,
}

/// Renders a figure: its title, a still picture of the first view, which measured.js replaces
/// when the reader scrolls near it, its note, and `below`, with a table of the figures. A script
/// contains the views, at least one, machine by machine, with the same scales for each machine.
///
/// The id is unique in the book; `kind` describes the pictures in words, for readers who don't see
/// them.
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
    // The machines or scales that a reader can choose, each once, with special characters of
    // measured.js encoded.
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
