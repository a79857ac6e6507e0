//! Pictures: a scene for plotly.js, and a still picture until that has loaded.

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
    /// The machine whose figures it shows.
    pub machine: String,
    /// The scale of the quantity.
    pub scale: &'static str,
    pub scene: Scene,
}

/// Renders a block: its title, the views as one static element that measured.js draws when it comes
/// near, starting with the first, and further text with a table of the figures. Every machine has
/// views on the same scales, machine by machine; the script has them. There is at least one.
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
    let drawn = views.iter().map(|view| Ok(plotly::of(&view.scene)?.to_string()));
    let drawn: Vec<String> = drawn.collect::<Result<_, String>>().at(1)?;
    let script = Script::new(&id, format!("measured.views([\n{}\n]);\n", drawn.join(",\n")));
    // The choices for a reader, each once, with special characters of measured.js encoded.
    let choices = |of: fn(&View) -> &str| {
        let each = views.iter().map(of).collect::<IndexSet<_>>().into_iter();
        Vec::from_iter(each.map(|it| it.replace('%', "%25").replace('|', "%7C"))).join("|")
    };
    let words = title.plain();
    let stop = if words.ends_with(['.', '?', '!']) { "" } else { "." };
    let html = html!(
        "<figure class=\"measured-chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n\
         <div class=\"plotly-graph-div\" style=\"height: {}em\" role=\"img\" aria-label=\"{}\" \
         data-plotly=\"{}\" data-views=\"{}\" data-machines=\"{}\" data-scales=\"{}\">{}</div>\n{}\n</figure>",
        anchor("chart", &id),
        title,
        views[0].scene.height,
        format!("{words}{stop} {kind}. The table below has the figures."),
        PLOTLY,
        script.name,
        choices(|view| &view.machine),
        choices(|view| view.scale),
        Html(svg::of(&views[0].scene)),
        below
    );
    Ok(Shown { id: Some(id), script: Some(script), ..Shown::from(html) })
}
