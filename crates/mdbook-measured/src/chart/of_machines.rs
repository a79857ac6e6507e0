//! Pictures of rows of several chapters, a view a machine, as figures.

use super::plot::{self, View};
use super::scene::Scene;
use crate::block::block_kind::Shown;
use crate::data::MachineData;
use crate::figure::rich_text::RichText;
use crate::html::{Html, anchor, html};
use crate::toml_block::{At, BlockError, wrong};

/// The figure: its title, the picture of the first machine, in words as well, what else is to be said, and folded the
/// table of what it draws.
pub(super) fn figure(
    id: String,
    title: &RichText,
    scenes: Vec<(&MachineData, Scene)>,
    in_words: impl Fn(&MachineData) -> String,
    note: &Html,
    table: &Html,
) -> Result<Shown, BlockError> {
    let Some((reference, _)) = scenes.first() else {
        wrong!(1, "no machine has measured any of these");
    };
    let (name, words) = (reference.for_people(), in_words(reference));
    let view = |(machine, scene): (&MachineData, Scene)| View {
        machine: machine.short().to_owned(),
        scale: "log",
        scene,
    };
    let views: Vec<View> = scenes.into_iter().map(view).collect();
    let (picture, script) =
        plot::element(&id, &format!("{}.{words}", title.plain()), &views).at(1)?;
    let html = html!(
        "<figure class=\"measured-chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n{}\n\
         <p class=\"measured-small\">Measured on {}.{}</p>\n<details class=\"measured-table\" open>\
         <summary>The figures behind this picture, machine by machine</summary>\n{}</details></figure>",
        anchor("chart", &id),
        title,
        picture,
        name,
        note,
        table
    );
    Ok(Shown { script: Some(script), id: Some(id), ..Shown::from(html) })
}
