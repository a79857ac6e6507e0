//! A `pairs` block: the same programs in two settings, with the effect of the second setting on
//! each. They may be from several experiments.

use findings::data::ChapterData;
use findings::figure::Figure;
use findings::find::{self, Missing, in_one_unit};
use indexmap::IndexMap;
use language::block::{At as _, BlockError, from_toml};
use language::page::FencedBlock;
use language::wrong;
use serde::Deserialize;

use super::named_marks::{Named, Part, Picture};
use crate::block::Shown;
use crate::html::html;
use crate::on_page::OnPage;
use crate::title::title;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsBlock {
    id: String,
    title: String,
    settings: [String; 2],
    programs: IndexMap<String, [String; 2]>,
}

/// Replaces a ratio that may be on either side of 1.
const ALIKE: &str = "≈";

/// Renders the figure of a block.
pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let PairsBlock { id, title: words, settings, programs } = from_toml(body)?;
    if programs.is_empty() {
        wrong!("settings", "no program is given: write it under [programs]");
    }
    let title = title(&id, &words, on)?;
    let mut parts: Vec<(&str, [Part; 2])> = Vec::new();
    for (program, both) in &programs {
        let place = ("programs", program);
        let [one, other] = both.each_ref().map(|of| Part::read(of, on));
        let both = [one.at(place)?, other.at(place)?];
        if both[0].chapter != both[1].chapter {
            wrong!(place, "the two are rows of two chapters, whose runs were not made together");
        }
        let reference = both[0].reference(on).at(place)?;
        Missing::or_none(pair(program, &both, reference)).at(place)?;
        parts.push((program, both));
    }
    let machines = on.book.data.machines.iter().map(|machine| {
        let all = parts.iter().map(|(program, both)| {
            // Another machine may have measured less.
            let [data, of_other] = both.each_ref().map(|part| part.on_machine(machine));
            let found = data.zip(of_other).and_then(|(data, _)| pair(program, both, data).ok());
            found.unwrap_or(Named::lacking(program))
        });
        (machine, all.collect())
    });
    let machines = machines.collect();
    let stale = on.stale(parts.iter().flat_map(|(_, both)| both).map(|part| &part.subject));
    let picture = Picture {
        series: settings.iter().map(String::as_str).collect(),
        heads: &["program", "contender", "machine", "setting", "time", "times as long"],
        lines: (1.3, 1.9),
    };
    let note = html!(
        " {} stands for no difference detected. A factor is taken link by link, so it need not be the quotient of the \
         two times.{}",
        ALIKE,
        stale
    );
    picture.figure(id, &title, machines, &note)
}

/// Returns a program on a machine, with the effect of the second setting: `× 4.3`, or [`ALIKE`].
fn pair<'a>(name: &'a str, both: &[Part; 2], data: &'a ChapterData) -> Result<Named<'a>, Missing> {
    let rows = both.each_ref().map(|part| find::one(&part.row, &data.evidence));
    let [one, other] = rows.map(|row| row.map_err(Missing::Mistake));
    let (one, other) = (one?, other?);
    in_one_unit(one, other)?;
    let marks = vec![both[0].mark(data)?, both[1].mark(data)?];
    let counts = both[1].count as f64 / both[0].count as f64;
    let ratio = Figure::of_ratio(other, one, &data.evidence)?.times(counts);
    let is_told = ratio.is_told_apart() || ratio.is_of_one_run();
    let words = if is_told { ratio.factor() } else { ALIKE.to_owned() };
    Ok(Named { marks, words, ..Named::lacking(name) })
}
