//! Pictures: a scene as plotly.js draws it, and as a still picture until then.

use indexmap::IndexSet;
use language::block::{At as _, BlockError};

use super::Scene;
use crate::assets::{PLOTLY, Script};
use crate::block::Shown;
use crate::html::{Html, anchor, html};
use crate::rich_text::RichText;

mod plotly;
mod svg;

/// One of the pictures between which a reader can choose.
pub(super) struct View {
    /// Whose figures it shows.
    pub machine: String,
    /// The scale of the quantity.
    pub scale: &'static str,
    pub scene: Scene,
}

/// What stands in the place of a block: its title, the views as one static element that measured.js draws when it
/// comes near, the first of them at first, and what else is to be said, a table of the figures with it. Each machine's
/// views are on the same scales, machine by machine; the script has them. There is at least one.
///
/// The id is unique in the book; `kind` says in words what the pictures show, for those who do not see them.
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
    // What a reader can choose from, each once, with the characters encoded that mean something to measured.js.
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
