//! A `dots` block draws named rows on one axis. Each row has one mark or two, and is compared
//! with another row. The rows may be from several experiments and chapters.

mod part;
mod picture;

pub(super) use part::Part;
pub(super) use picture::{Named, Picture};

use findings::data::{ChapterData, MachineData};
use findings::find::{Missing, in_one_unit};
use indexmap::IndexMap;
use language::block::{At as _, BlockError, ScaleKind, Words, from_toml};
use language::page::FencedBlock;
use language::wrong;
use serde::Deserialize;

use crate::block::Shown;
use crate::on_page::OnPage;
use crate::title::title;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DotsBlock {
    id: String,
    title: String,
    /// The names of the two settings, if each row has a mark for each setting. Empty if each row
    /// has one mark.
    #[serde(default)]
    settings: Vec<String>,
    #[serde(default)]
    against: Against,
    #[serde(default)]
    scale: ScaleKind,
    /// What a reader calls the quantities of the rows.
    #[serde(default)]
    words: Words,
    rows: IndexMap<String, MarksEntry>,
}

/// The row that is compared with each row that has a single mark: the first row, or the row
/// above.
#[derive(Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Against {
    #[default]
    First,
    Above,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum MarksEntry {
    One(String),
    Several(Vec<String>),
}

pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let DotsBlock { id, title: sentence, settings, against, scale, words, rows } = from_toml(body)?;
    if rows.is_empty() {
        wrong!("title", "no row is given: write it under [rows]");
    }
    if !matches!(settings.len(), 0 | 2) {
        wrong!("settings", "a row has two marks with `settings`, or one without");
    }
    let title = title(&id, &sentence, on)?;
    let mut all: Vec<(&String, Vec<Part>)> = Vec::new();
    for (name, entry) in &rows {
        let place = ("rows", name);
        let texts = match entry {
            MarksEntry::One(text) => std::slice::from_ref(text),
            MarksEntry::Several(texts) => texts,
        };
        let parts = texts.iter().map(|text| Part::read(text, on)).collect::<Result<Vec<_>, _>>();
        let parts = parts.at(place)?;
        if parts.len() != settings.len().max(1) {
            wrong!(place, "it has {} marks, not {}", parts.len(), settings.len().max(1));
        }
        all.push((name, parts));
    }
    // Returns the part with which the last mark of the row at index `place` is compared.
    let compared_with = |place: usize| match (&all[place].1[..], against) {
        ([one, _], _) => Some(one),
        (_, Against::First) => (place > 0).then(|| &all[0].1[0]),
        (_, Against::Above) => Some(&all[place.checked_sub(1)?].1[0]),
    };
    let mut unit_of = None;
    for (place, (name, parts)) in all.iter().enumerate() {
        let at = ("rows", *name);
        let other = compared_with(place);
        if other.is_some_and(|other| other.chapter != parts[parts.len() - 1].chapter) {
            wrong!(at, "the two are rows of two chapters, whose runs were not made together");
        }
        let named = named(name, parts, other, parts[0].reference(on).at(at)?).at(at)?;
        for mark in &named.marks {
            let first = unit_of.get_or_insert(mark.row);
            Missing::or_none(in_one_unit(first, mark.row)).at(at)?;
        }
    }
    let data = &on.book.data;
    let (chapter, experiment) = (&*all[0].1[0].chapter, all[0].1[0].subject.experiment());
    let reference = data.reference(chapter, experiment);
    let mut machines: Vec<&MachineData> = data.machines.iter().collect();
    machines.sort_by_key(|machine| machine.name() != reference);
    let machines = machines.into_iter().map(|machine| {
        let of_row = |place: usize| {
            let (name, parts) = &all[place];
            let has = |part: &Part| part.on_machine(machine).is_some();
            let other = compared_with(place).filter(|other| has(other));
            let data = parts[0].on_machine(machine).filter(|_| parts.iter().all(has));
            // Machines other than the reference machine may lack rows.
            let found = data.and_then(|data| named(name, parts, other, data).ok());
            found.unwrap_or(Named::lacking(name))
        };
        (machine, (0..all.len()).map(of_row).collect())
    });
    let machines = machines.collect();
    let parts: Vec<&Part> = all.iter().flat_map(|(_, parts)| parts).collect();
    let series = settings.iter().map(String::as_str).collect();
    Picture { series, has_heads: false, scale, words, parts, on }.figure(id, &title, machines)
}

/// Returns the marks of a named row in one machine's `data`, and their comparison with `other` if
/// `other` was measured.
fn named<'a>(
    name: &'a str,
    parts: &[Part],
    other: Option<&Part>,
    data: &'a ChapterData,
) -> Result<Named<'a>, String> {
    let marks = match parts.iter().map(|part| part.mark(data)).collect() {
        Ok(marks) => marks,
        Err(Missing::Mistake(message)) => return Err(message),
        Err(Missing::Unmeasured(missing) | Missing::Untold(missing)) => {
            return Ok(Named { missing, ..Named::lacking(name) });
        }
    };
    let compared = other.zip(parts.last()).map(|(other, part)| part.compared(other, data));
    let compared = compared.and_then(|compared| Missing::or_none(compared).transpose());
    Ok(Named { marks, compared: compared.transpose()?, ..Named::lacking(name) })
}
