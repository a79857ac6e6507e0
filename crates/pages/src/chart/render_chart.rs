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
    let groups = rows::distinct(shown.iter().flat_map(|of| of.rows.iter().copied()), &spec.x);
    let mut drawn = vec![&*spec.x, spec.series(), spec.quantity()];
    drawn.extend(groups.iter().chain(&names).map(String::as_str));
    spec.words.check(&drawn).at("words")?;
    let chapter = spec.chapter(&on.page.chapter);
    let of = |shown| Canvas::new(&spec, chapter, shown, &names, &styles);
    let all = of(shown.iter().collect());
    let mut views = Vec::new();
    for (machine, selected) in selections(&shown) {
        let canvas = of(selected);
        let note = details::note(&canvas);
        for scale in all.scales() {
            let (machine, note) = (machine.clone(), note.clone());
            let (scene, scale) = (draw(&canvas, scale), scale.name());
            views.push(View { machine, scale, scene, note });
        }
    }
    let below = details::details(&all, &left_out, &on.book.config);
    plot::figure(spec.id.clone(), &title, &in_words(&spec), &views, below)
}

/// Returns the selections of machines that a reader can choose to see, the initial one first.
fn selections<'a>(all: &'a [MachineRows<'a>]) -> Vec<(String, Vec<&'a MachineRows<'a>>)> {
    let alone = |shown: &'a MachineRows<'a>| (shown.machine.short().to_owned(), vec![shown]);
    let mut selections: Vec<_> = all.iter().map(alone).collect();
    if let Some(own) = all.iter().find(|shown| shown.machine.is_local()) {
        let name = format!("yours beside {}", all[0].machine.short());
        selections.insert(0, (name, vec![&all[0], own]));
    }
    selections
}

fn draw<'a>(canvas: &'a Canvas<'a>, scale: ScaleKind) -> Scene {
    match canvas.spec.kind {
        ChartKind::Lines => lines::draw(canvas, scale),
        ChartKind::Bars | ChartKind::Distribution => bars::draw(canvas, scale),
    }
}

fn in_words(spec: &ChartBlock) -> String {
    let kind = match spec.kind {
        ChartKind::Lines => "Lines",
        ChartKind::Bars => "Bars",
        ChartKind::Distribution => "A dot a visit, and the median,",
    };
    format!("{kind} of {} over {}", spec.words.of(spec.quantity()), spec.words.of(&spec.x))
}
