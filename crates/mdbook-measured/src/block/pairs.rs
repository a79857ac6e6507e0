//! The same programs in two settings, as a picture and as a table.

use indexmap::IndexMap;
use measurement::{LineError, Row};
use serde::Deserialize;

use crate::block::block_kind::{BlockKind, Shown};
use crate::block::chart::figure_of_machines;
use crate::chart::pairs::{self, ALIKE, Pair, Pairs, Told};
use crate::data::{ChapterData, MachineData};
use crate::figure::number_format::Dimension;
use crate::figure::selector::{Missing, Selector, in_one_unit};
use crate::figure::{Figure, Subject};
use crate::html::{Html, html};
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::page::title::title;
use crate::table::Table;
use crate::toml_block::{At, from_toml, line_of_entry, line_of_key};

pub(crate) const PAIRS: BlockKind = BlockKind {
    word: "pairs",
    language: r#"
The same programs in two settings, on one logarithmic axis: under the name of each two rows' times, as in `number`, or so many of
one, and behind them what the second setting makes of it. They may be of several experiments and chapters. Buttons offer each machine;
the table folds behind the picture.

```toml
id       = "introduction.second-core"
title    = "With a second core, these programs get slower"
settings = ["one core", "two cores"]

[programs]
"count 1,000 words in one map" = ["1000 x word: cores=one", "500 x word: cores=all"]
"a hop between threads"        = ["hop: placement=one core", "hop: placement=all cores"]
```
"#,
    render,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairsBlock {
    id: String,
    title: String,
    settings: [String; 2],
    programs: IndexMap<String, [String; 2]>,
}

/// A program in a setting, read on its page: how many of a row.
struct Part {
    count: u64,
    row: Selector,
    subject: Subject,
}

fn render(FencedBlock { body, .. }: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, LineError> {
    let PairsBlock { id, title: words, settings, programs } = from_toml(body)?;
    if programs.is_empty() {
        let message = "no program is given: write it under [programs]";
        return Err(LineError::new(line_of_key(body, "settings"), message));
    }
    let title = title(body, &id, &words, on)?;
    let mut parts: Vec<[Part; 2]> = Vec::new();
    for (program, both) in &programs {
        let line = line_of_entry(body, "programs", program);
        let [one, other] = both.each_ref().map(|of| part(of, on));
        let both = [one.at(line)?, other.at(line)?];
        let (chapter, experiment) = (on.chapter_of(&both[0].subject), both[0].subject.experiment());
        if on.chapter_of(&both[1].subject) != chapter {
            return Err(LineError::new(
                line,
                "the two are rows of two chapters, whose runs were not made together",
            ));
        }
        let reference = on.reference(chapter, experiment).at(line)?;
        pair(&both, chapter, reference).at(line)?;
        parts.push(both);
    }
    let on_machine = |machine: &MachineData| -> Vec<Option<Pair>> {
        let of_parts = |both: &[Part; 2]| {
            let chapter = on.chapter_of(&both[0].subject);
            let data = machine.chapters.get(chapter)?;
            // Another machine may have measured less.
            both.iter().all(|part| part.subject.is_in(&data.evidence)).then_some(())?;
            pair(both, chapter, data).ok().flatten()
        };
        parts.iter().map(of_parts).collect()
    };
    let machines = on.context.data.machines.iter().map(|machine| (machine, on_machine(machine)));
    let pairs = Pairs {
        id: &id,
        title: title.plain(),
        settings: &settings,
        programs: programs.keys().map(String::as_str).collect(),
        machines: machines.filter(|(_, of)| of.iter().any(Option::is_some)).collect(),
    };
    let Some((reference, _)) = pairs.machines.first() else {
        return Err(LineError::new(1, "no machine has measured any of these"));
    };
    let (picture, script) = pairs::picture(&pairs).at(1)?;
    let stale = on.stale(parts.iter().flatten().map(|part| &part.subject));
    let note = html!(" {} stands for no difference detected.{}", ALIKE, stale);
    let html = figure_of_machines((&id, &title), &picture, (reference, &note), &table(&pairs));
    Ok(Shown { script: Some(script), id: Some(id), ..Shown::from(html) })
}

fn part(text: &str, on: &OnPage<'_>) -> Result<Part, String> {
    let subject = on.page.names.value(text)?;
    match subject.row() {
        Some((count, row)) => Ok(Part { count, row: row.clone(), subject }),
        None => Err(format!("{text:?} is no row, and not so many of one")),
    }
}

/// A program on a machine; none if it was not measured there.
fn pair(both: &[Part; 2], chapter: &str, data: &ChapterData) -> Result<Option<Pair>, String> {
    let found = || {
        let rows = both.each_ref().map(|part| part.row.one(&data.evidence));
        let [one, other] = rows.map(|row| row.map_err(Missing::Mistake));
        let (one, other) = (one?, other?);
        in_one_unit(one, other)?;
        let told = |part: &Part, row: &Row| {
            let figure = part.subject.find(&data.evidence)?;
            let (interval, dimension) = figure.mostly();
            if dimension != Dimension::TIME {
                return Err(Missing::Mistake(format!("{:?} is no time", part.subject.to_string())));
            }
            let count = if part.count == 1 { String::new() } else { format!("{} x ", part.count) };
            let row_name = format!("{count}{chapter}/{}", row.name());
            let contender = row.contender.clone();
            Ok(Told { interval, contender, row: row_name, figure: figure.with_range() })
        };
        let of = [told(&both[0], one)?, told(&both[1], other)?];
        let counts = both[1].count as f64 / both[0].count as f64;
        let ratio = Figure::of_ratio(other, one, &data.evidence)?.times(counts);
        let factor = if ratio.is_told_apart() { ratio.factor() } else { ALIKE.to_owned() };
        Ok(Pair { of, factor })
    };
    Missing::or_none(found())
}

fn table(pairs: &Pairs<'_>) -> Html {
    let mut rows = Vec::new();
    for (place, program) in pairs.programs.iter().enumerate() {
        for (machine, of) in &pairs.machines {
            let Some(Pair { of, factor }) = &of[place] else { continue };
            for ((setting, told), factor) in pairs.settings.iter().zip(of).zip(["", factor]) {
                let Told { contender, figure, .. } = told;
                let cells = [*program, contender, machine.short(), setting, figure, factor];
                rows.push(cells.map(str::to_owned).to_vec());
            }
        }
    }
    let heads = &["program", "contender", "machine", "setting", "time", "times as long"];
    Table { heads, rows }.html(None)
}
