//! What things cost, and what to do: a table for whoever has two minutes.

use indexmap::IndexMap;
use maud::{Markup, html};
use measurement::{Interval, LineError, Unit};
use serde::Deserialize;

use crate::block::block_kind::{BlockKind, Shown};
use crate::block::table;
use crate::data::MachineData;
use crate::figure::Subject;
use crate::figure::number_format::{Detail, Dimension};
use crate::figure::rich_text::RichText;
use crate::html::Escaped;
use crate::page::directive::inline;
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::toml_block::{At, from_toml};

pub(crate) const COSTS: BlockKind = BlockKind {
    word: "costs",
    language: r#"
What things cost, a table that a reader can sort: under the name of each its `cost`, as in `number`, what that is `made-of`, what `to-do`
about it, and the id of a `claim`. In which of three requests a time is a tenth or more is computed from its interval; the chapter of the
row is linked to. What each machine measured folds behind the table.

```toml
["spawn a thread"]
cost    = "spawn-cost/units: std::thread, units=1000, time per unit"
made-of = "a stack, a system call, and another core that is woken"
to-do   = "keep threads; for short work take tasks"
claim   = "spawn-cost.thread-against-task"
```
"#,
    render,
};

/// A row, under what it is the cost of.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CostEntry {
    /// What is measured, as in `number`.
    cost: String,
    made_of: String,
    to_do: String,
    /// The id of a claim that rests on it.
    claim: String,
}

/// The same, read on its page.
struct Cost {
    subject: Subject,
    /// Whose figure it is, and whether that is stale.
    machine: String,
    is_stale: bool,
    cost: RichText,
    /// What was measured, unless nothing was.
    measured: Option<(Interval, Dimension)>,
    what: RichText,
    made_of: RichText,
    to_do: RichText,
    /// The id of the claim, linked to it, and what does not simply hold.
    claim: Markup,
}

/// What things cost, and folded behind it the same on each machine. `measured.js` sorts the table by a column:
/// by a cell's `data-place` where it has one, else by its text.
fn render(FencedBlock { body, .. }: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, LineError> {
    let entries: IndexMap<String, CostEntry> = from_toml(body)?;
    if entries.is_empty() {
        return Err(LineError::new(1, "nothing costs anything: write [\"spawn a thread\"]"));
    }
    let mut costs = Vec::new();
    for (what, entry) in &entries {
        let head = format!("[{what:?}]");
        let line = (1..).zip(body.lines()).find(|(_, line)| line.trim() == head);
        costs.push(cost(what, entry, on).at(line.map_or(1, |(line, _)| line))?);
    }
    let machine = &costs[0].machine;
    let is_of_one = costs.iter().all(|cost| cost.machine == *machine);
    let places = places(&costs);
    let html = html! {
        div.table-wrapper {
            table.measured-costs {
                thead { tr { @for head in HEADS { th scope="col" { (head) } } } }
                tbody {
                    "\n"
                    @for (index, (cost, place)) in costs.iter().zip(places).enumerate() {
                        (row(cost, index, place, is_of_one, on)) "\n"
                    }
                }
            }
        }
        "\n\n"
        p.measured-small {
            @if is_of_one { "Measured on " (Escaped(machine)) ". " }
        }
        "\n"
        details.measured-table open {
            summary { "The same on each machine" }
            "\n"
            (on_each_machine(&costs, on))
        }
    };
    Ok(html.into())
}

fn cost(what: &str, entry: &CostEntry, on: &OnPage<'_>) -> Result<Cost, String> {
    let inline = |text: &str| inline(text, on, Detail::Full);
    let subject = on.page.names.value(&entry.cost)?;
    let (chapter, experiment) = (on.chapter_of(&subject), subject.experiment());
    let judged = on.asked(&entry.claim)?;
    let claim = html! {
        @if let Some(words) = on.exception(judged) { (words.html()) " " }
        a href=(on.href(&judged.claim)) {
            small {
                // An id is longer than its column: it may break behind its chapter.
                @for part in judged.claim.id.split_inclusive('.') { (Escaped(part)) wbr; }
            }
        }
    };
    Ok(Cost {
        machine: on.context.data.reference_for_people(chapter, experiment).to_owned(),
        is_stale: !on.reference(chapter, experiment)?.stale(experiment).is_empty(),
        cost: on.figure(&subject, Detail::Full)?,
        measured: on.find(&subject).ok().map(|figure| figure.mostly()),
        what: inline(what)?,
        made_of: inline(&entry.made_of)?,
        to_do: inline(&entry.to_do)?,
        claim,
        subject,
    })
}

/// What stands over the columns.
const HEADS: [&str; 6] =
    ["What", "Cost", "Made of", "Matters in a request of", "What to do", "Claim"];

fn row(cost: &Cost, index: usize, place: usize, is_of_one: bool, on: &OnPage<'_>) -> Markup {
    let [_, of_cost, of_parts, of_requests, of_advice, of_claim] = HEADS;
    let remarks = [
        (!is_of_one).then(|| format!("on {}", cost.machine)),
        cost.is_stale.then(|| "stale".to_owned()),
    ];
    let remarks: Vec<String> = remarks.into_iter().flatten().collect();
    let more = format!("{}.html", on.chapter_of(&cost.subject));
    let matters = cost.measured.and_then(|(interval, dimension)| matters(interval, dimension));
    html! {
        tr {
            th scope="row" data-place=(index) {
                (cost.what.html())
                @if let Some(title) = on.context.titles.get(&more) {
                    " " a.measured-more href={ (Escaped(on.to_root)) (Escaped(&more)) } { (Escaped(title)) }
                }
            }
            td.measured-cost data-head=(of_cost) data-place=(place) {
                (cost.cost.html())
                @if !remarks.is_empty() { " " small { "(" (Escaped(remarks.join(", "))) ")" } }
            }
            td data-head=(of_parts) { (cost.made_of.html()) }
            td.measured-matters data-head=(of_requests) data-place=(place) {
                (matters.unwrap_or_default())
            }
            td data-head=(of_advice) { (cost.to_do.html()) }
            td data-head=(of_claim) { (cost.claim) }
        }
    }
}

/// What each machine measured of these, under their names, as far as it did; rows of the page's own chapter
/// name none.
fn on_each_machine(costs: &[Cost], on: &OnPage<'_>) -> Markup {
    let told = |machine: &MachineData, Cost { subject, .. }: &Cost| -> Option<Markup> {
        let data = machine.chapters.get(on.chapter_of(subject))?;
        let is_there = subject.is_in(&data.evidence);
        let figure = is_there.then(|| subject.find(&data.evidence).ok()).flatten()?;
        let told = RichText::from(figure.told(subject.to_string(), Detail::Full));
        let is_stale = !data.stale(subject.experiment()).is_empty();
        Some(html! { (told.html()) @if is_stale { " (stale)" } })
    };
    let has_any = |machine: &&MachineData| {
        !machine.is_local() && costs.iter().any(|cost| told(machine, cost).is_some())
    };
    let machines: Vec<_> = on.context.data.machines.iter().filter(has_any).collect();
    let columns: Vec<_> = machines.iter().map(|machine| RichText::words(machine.short())).collect();
    let row = |cost: &Cost| {
        let cells = machines.iter().map(|machine| told(machine, cost).unwrap_or_default());
        (cost.what.clone(), cells.collect())
    };
    let rows: Vec<(RichText, Vec<Markup>)> = costs.iter().map(row).collect();
    table::html(&RichText::words("what"), &columns, &rows)
}

/// The place of each among all, from the least to the most: times, then what is no time, then what was
/// not measured.
fn places(costs: &[Cost]) -> Vec<usize> {
    let key = |(index, cost): (usize, &Cost)| match cost.measured {
        Some((interval, dimension)) => (usize::from(dimension != TIME), interval.estimate, index),
        None => (2, 0.0, index),
    };
    let keys: Vec<_> = costs.iter().enumerate().map(key).collect();
    keys.iter().map(|key| keys.iter().filter(|other| *other < key).count()).collect()
}

const TIME: Dimension = Dimension::Of(Unit::Nanoseconds);

/// The requests that a cost is held against, in microseconds.
const REQUESTS: [u32; 3] = [1, 10, 100];

/// From what share of a request on a cost matters.
const MATTERS: f64 = 0.1;

/// In which of the requests a time matters: as far as its whole interval says so, and as far as a part of
/// it does. None of what is no time.
fn matters(interval: Interval, dimension: Dimension) -> Option<String> {
    let from = |time: f64| {
        let reached = REQUESTS.iter().filter(|us| time >= f64::from(**us) * 1e3 * MATTERS);
        reached.count()
    };
    let (surely, perhaps) = (from(interval.low), from(interval.high));
    let sure = in_microseconds(&REQUESTS[..surely]);
    let unsure = in_microseconds(&REQUESTS[surely..perhaps]).map(|list| format!("perhaps {list}"));
    let words: Vec<String> = [sure, unsure].into_iter().flatten().collect();
    let words = if words.is_empty() { "none of these".to_owned() } else { words.join(", ") };
    (dimension == TIME).then_some(words)
}

/// `1, 10 and 100 µs`.
fn in_microseconds(requests: &[u32]) -> Option<String> {
    let numbers: Vec<String> = requests.iter().map(u32::to_string).collect();
    let (last, others) = numbers.split_last()?;
    let and = if others.is_empty() { "" } else { " and " };
    Some(format!("{}{and}{last}\u{a0}µs", others.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_follows_from_the_interval() {
        for ([low, high], expected) in [
            ([20.0, 22.0], "none of these"),
            ([90.0, 110.0], "perhaps 1\u{a0}µs"),
            ([100.0, 999.0], "1\u{a0}µs"),
            ([600.0, 1_200.0], "1\u{a0}µs, perhaps 10\u{a0}µs"),
            ([90.0, 12_000.0], "perhaps 1, 10 and 100\u{a0}µs"),
            ([70e3, 72e3], "1, 10 and 100\u{a0}µs"),
        ] {
            let interval = Interval { estimate: low, low, high };
            assert_eq!(matters(interval, TIME).as_deref(), Some(expected));
            assert_eq!(matters(interval, Dimension::Of(Unit::Bytes)), None);
        }
    }
}
