//! Renders a chart: from the block on a page to the figure that stands in its place.

use measurement::LineError;

use super::canvas::Canvas;
use super::chart_block::{ChartBlock, ChartKind, ScaleKind};
use super::chart_context::ChartContext;
use super::plot::{self, View};
use super::rows::{self, Shown, distinct};
use super::scene::Scene;
use super::{alternative_text, bars, details, heat_map, ladder, lines, multiples, series_styles};
use crate::assets::Script;
use crate::html::{anchor, escape};
use crate::toml_block::{KeyError, check_id, from_toml};

/// A chart as it stands on a page.
pub(crate) struct Chart {
    pub(crate) id: String,
    pub(crate) html: String,
    /// What it needs when it is drawn; `None` where there is nothing to draw but figures.
    pub(crate) script: Option<Script>,
}

/// The chart that a block describes.
///
/// # Errors
///
/// With the line within the block: what is no chart, or names no row.
pub(crate) fn render(block: &str, place: &ChartContext<'_>) -> Result<Chart, LineError> {
    let mut spec: ChartBlock = from_toml(block)?;
    let at = |wrong: KeyError| wrong.on_line_of(block);
    let under = |key| move |message: String| KeyError { key, message }.on_line_of(block);
    if let Some(context) = &spec.context {
        spec.fill((place.selector)(context).map_err(under("context"))?);
    }
    check_id(&spec.id).map_err(under("id"))?;
    spec.check().map_err(at)?;
    let title = (place.inline)(&spec.title).map_err(under("title"))?;
    let (shown, mut left_out) = rows::select(&spec, place).map_err(at)?;

    let names = distinct(shown.iter().flat_map(|shown| shown.rows.iter().copied()), spec.series());
    let styles = if spec.kind.overlays() {
        series_styles::of_series(&spec, &names, place.data, place.config)
            .map_err(under("series"))?
    } else {
        Vec::new()
    };
    let canvas = Canvas::new(&spec, spec.chapter(place.chapter), &shown, names, styles);
    let mut views = Vec::new();
    for (machine, selected) in canvas.selections() {
        for scale in canvas.scales() {
            let scene = draw(&canvas, &selected, scale);
            views.push(View { machine: machine.clone(), scale: scale.name(), scene });
        }
    }
    let (class, html, script) = if views.is_empty() {
        ("measured-figure", heat_map::single_fields(&canvas), None)
    } else {
        let not_drawn = shown.iter().filter(|shown| !shown.is_drawn(spec.kind));
        let why = |shown: &Shown<'_>| format!("{} is not drawn: it has one field", shown.label());
        left_out.extend(not_drawn.map(why));
        let label = alternative_text::alternative(&canvas, &escape(title.plain()));
        let (html, script) = plot::element(&spec.id, &label, &views)
            .map_err(|message| LineError::new(1, message))?;
        ("measured-chart", html, Some(script))
    };
    let html = format!(
        "<figure class=\"{class}\" id=\"{}\">\n<figcaption>{}</figcaption>\n{html}\n{}{}\n</figure>",
        anchor("chart", &spec.id),
        title.html().into_string(),
        details::note(&canvas),
        details::details(&canvas, &left_out, place),
    );
    Ok(Chart { id: spec.id, html, script })
}

fn draw<'a>(canvas: &'a Canvas<'a>, selected: &[&'a Shown<'a>], scale: ScaleKind) -> Scene {
    match canvas.spec.kind {
        ChartKind::Lines => lines::draw(canvas, selected, scale),
        ChartKind::Bars | ChartKind::Distribution => bars::draw(canvas, selected, scale),
        ChartKind::HeatMap => heat_map::draw(canvas, selected[0]),
        ChartKind::Multiples => multiples::draw(canvas, selected, scale),
        ChartKind::Ladder => ladder::draw(canvas, selected[0], scale),
    }
}
