//! Renders a `chart` block as a figure.

use language::block::{At as _, BlockError, ChartBlock, ChartKind, ScaleKind, from_toml};
use language::page::FencedBlock;

use super::plot::{self, View};
use super::{Canvas, MachineRows, Scene, bars, details, lines, rows, series_styles};
use crate::block::Shown;
use crate::on_page::OnPage;
use crate::title::title;

pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let mut spec: ChartBlock = from_toml(body)?;
    spec.read(&on.page.names)?;
    spec.check()?;
    let title = title(&spec.id, &spec.title, on)?;
    let (shown, left_out) = rows::select(&spec, on)?;
    let rows = shown.iter().flat_map(|shown| shown.rows.iter().copied());
    let names = rows::distinct(rows, spec.series());
    let styles = series_styles::of_series(&spec, &names, on.book).at("series")?;
    let canvas = Canvas::new(&spec, spec.chapter(&on.page.chapter), &shown, names, styles);
    let mut views = Vec::new();
    for (machine, selected) in canvas.selections() {
        let note = details::note(&canvas, &selected);
        for scale in canvas.scales() {
            let (machine, note) = (machine.clone(), note.clone());
            let (scene, scale) = (draw(&canvas, &selected, scale), scale.name());
            views.push(View { machine, scale, scene, note });
        }
    }
    let below = details::details(&canvas, &left_out, &on.book.config);
    plot::figure(spec.id.clone(), &title, &in_words(&spec), &views, below)
}

fn draw<'a>(canvas: &Canvas<'a>, selected: &[&'a MachineRows<'a>], scale: ScaleKind) -> Scene {
    match canvas.spec.kind {
        ChartKind::Lines => lines::draw(canvas, selected, scale),
        ChartKind::Bars | ChartKind::Distribution => bars::draw(canvas, selected, scale),
    }
}

fn in_words(spec: &ChartBlock) -> String {
    let kind = match spec.kind {
        ChartKind::Lines => "Lines",
        ChartKind::Bars => "Bars",
        ChartKind::Distribution => "A dot a visit, and the median,",
    };
    format!("{kind} of {} over {}", spec.quantity(), spec.x)
}
