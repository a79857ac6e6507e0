//! Renders a chart: from the block on a page to the figure that stands in its place.

use super::canvas::Canvas;
use super::chart_block::{ChartBlock, ChartKind, ScaleKind};
use super::plot::{self, View};
use super::rows::{self, MachineRows, distinct};
use super::scene::Scene;
use super::{alternative_text, bars, details, ladder, lines, series_styles};
use crate::block::block_kind::Shown;
use crate::html::{anchor, html};
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::page::title::title;
use crate::toml_block::{At, BlockError, from_toml};

/// The chart that a block describes.
pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let mut spec: ChartBlock = from_toml(body)?;
    if let Some(context) = &spec.context {
        spec.fill(on.page.names.selector(context).at("context")?);
    }
    spec.check()?;
    let title = title(&spec.id, &spec.title, on)?;
    let (shown, left_out) = rows::select(&spec, on)?;

    let names = distinct(shown.iter().flat_map(|shown| shown.rows.iter().copied()), spec.series());
    let styles = if spec.kind.overlays() {
        series_styles::of_series(&spec, &names, on.context).at("series")?
    } else {
        Vec::new()
    };
    let canvas = Canvas::new(&spec, spec.chapter(&on.page.chapter), &shown, names, styles);
    let mut views = Vec::new();
    for (machine, selected) in canvas.selections() {
        for scale in canvas.scales() {
            let scene = draw(&canvas, &selected, scale);
            views.push(View { machine: machine.clone(), scale: scale.name(), scene });
        }
    }
    let label = alternative_text::alternative(&canvas, title.plain());
    let (picture, script) = plot::element(&spec.id, &label, &views).at(1)?;
    let html = html!(
        "<figure class=\"measured-chart\" id=\"{}\">\n<figcaption>{}</figcaption>\n{}\n{}{}\n</figure>",
        anchor("chart", &spec.id),
        title,
        picture,
        details::note(&canvas),
        details::details(&canvas, &left_out, on.context.config)
    );
    Ok(Shown { id: Some(spec.id), script: Some(script), ..Shown::from(html) })
}

fn draw<'a>(canvas: &'a Canvas<'a>, selected: &[&'a MachineRows<'a>], scale: ScaleKind) -> Scene {
    match canvas.spec.kind {
        ChartKind::Lines => lines::draw(canvas, selected, scale),
        ChartKind::Bars | ChartKind::Distribution => bars::draw(canvas, selected, scale),
        ChartKind::Ladder => ladder::draw(canvas, selected[0], scale),
    }
}
