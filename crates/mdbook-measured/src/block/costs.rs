//! What things cost, and what to do: a table for whoever has two minutes.

use indexmap::IndexMap;
use maud::{Markup, html};
use measurement::{Interval, LineError, Unit};
use serde::Deserialize;

use crate::block::table;
use crate::data::{Data, MachineData};
use crate::figure::Subject;
use crate::figure::names::FigureNames;
use crate::figure::number_format::{Detail, Dimension};
use crate::figure::rich_text::RichText;
use crate::html::Escaped;
use crate::page::directive::InlineText;
use crate::toml_block::from_toml;

/// A row of a fenced `costs` block, under what it is the cost of.
///
/// ```toml
/// ["spawn a thread"]
/// cost    = "spawn-cost/units: std::thread, units=1000, time per unit"
/// made-of = "a stack, a system call, and another core that is woken"
/// to-do   = "keep threads; for short work take tasks"
/// claim   = "spawn-cost.thread-against-task"
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct CostEntry {
    /// What is measured, as in `number`.
    cost: String,
    made_of: String,
    to_do: String,
    /// The id of a claim that rests on it.
    claim: String,
}

/// The same, read.
#[derive(Debug)]
pub(crate) struct CostRow {
    pub(crate) what: InlineText,
    pub(crate) cost: Subject,
    pub(crate) made_of: InlineText,
    pub(crate) to_do: InlineText,
    pub(crate) claim: String,
}

/// Reads a block, in which these names hold.
///
/// # Errors
///
/// With the line within the block.
pub(crate) fn parse(block: &str, names: &FigureNames) -> Result<Vec<CostRow>, LineError> {
    let entries: IndexMap<String, CostEntry> = from_toml(block)?;
    if entries.is_empty() {
        return Err(LineError::new(1, "nothing costs anything: write [\"spawn a thread\"]"));
    }
    let cost = |(what, entry): (String, CostEntry)| {
        let head = format!("[{what:?}]");
        let line = block.lines().position(|line| line.trim() == head).map_or(1, |index| index + 1);
        let at = |message: String| LineError::new(line, message);
        let inline = |text: &str| InlineText::read(text, names).map_err(at);
        Ok(CostRow {
            what: inline(&what)?,
            cost: names.value(&entry.cost).map_err(at)?,
            made_of: inline(&entry.made_of)?,
            to_do: inline(&entry.to_do)?,
            claim: entry.claim,
        })
    };
    entries.into_iter().map(cost).collect()
}

/// A row of the table.
#[derive(Default)]
pub(crate) struct ToldCost {
    pub(crate) what: RichText,
    /// The page that says more, and its title.
    pub(crate) more: Option<(String, String)>,
    pub(crate) cost: RichText,
    /// Whose figure it is, or that it is stale, where that has to be said.
    pub(crate) remark: Option<String>,
    /// What was measured, unless nothing was.
    pub(crate) measured: Option<(Interval, Dimension)>,
    pub(crate) made_of: RichText,
    pub(crate) to_do: RichText,
    /// The verdict on the claim.
    pub(crate) claim: RichText,
    pub(crate) claim_id: String,
}

/// What stands over the columns.
const HEADS: [&str; 6] =
    ["What", "Cost", "Made of", "Matters in a request of", "What to do", "Claim"];

/// The table as HTML that is a block of its own in Markdown. `measured.js` sorts it by a column: by a
/// cell's `data-place` where it has one, else by its text.
pub(crate) fn html(costs: &[ToldCost]) -> Markup {
    let places = places(costs);
    html! {
        div.table-wrapper {
            table.measured-costs {
                thead { tr { @for head in HEADS { th scope="col" { (head) } } } }
                tbody {
                    "\n"
                    @for (index, (cost, place)) in costs.iter().zip(places).enumerate() {
                        (row(cost, index, place))
                        "\n"
                    }
                }
            }
        }
    }
}

fn row(cost: &ToldCost, index: usize, place: usize) -> Markup {
    let [_, of_cost, of_parts, of_requests, of_advice, of_claim] = HEADS;
    let matters = cost.measured.map(|(interval, dimension)| matters(interval, dimension));
    html! {
        tr {
            th scope="row" data-place=(index) {
                (cost.what.html_with_code())
                @if let Some((page, title)) = &cost.more {
                    " " a.measured-more href=(Escaped(page)) { (Escaped(title)) }
                }
            }
            td.measured-cost data-head=(of_cost) data-place=(place) {
                (cost.cost.html())
                @if let Some(remark) = &cost.remark { " " small { (Escaped(remark)) } }
            }
            td data-head=(of_parts) { (cost.made_of.html_with_code()) }
            td.measured-matters data-head=(of_requests) data-place=(place) {
                (matters.flatten().unwrap_or_default())
            }
            td data-head=(of_advice) { (cost.to_do.html_with_code()) }
            td data-head=(of_claim) {
                (cost.claim.html()) " "
                small {
                    // An id is longer than its column: it may break behind its chapter.
                    @for part in cost.claim_id.split_inclusive('.') { (Escaped(part)) wbr; }
                }
            }
        }
    }
}

/// What each machine measured of these, under their names, as far as it did; rows of the page's own chapter
/// name none.
pub(crate) fn on_each_machine(
    costs: &[CostRow],
    names: Vec<RichText>,
    data: &Data,
    chapter: &str,
) -> Markup {
    let told = |machine: &MachineData, CostRow { cost, .. }: &CostRow| -> Option<RichText> {
        let data = machine.chapters.get(cost.chapter().unwrap_or(chapter))?;
        let is_there = cost.is_in(&data.evidence);
        let figure = is_there.then(|| cost.find(&data.evidence).ok()).flatten()?;
        let mut told = RichText::from(figure.told(cost.to_string(), Detail::Full));
        if !data.stale(cost.experiment()).is_empty() {
            told.words(" (stale)");
        }
        Some(told)
    };
    let has_any = |machine: &&MachineData| {
        !machine.is_local() && costs.iter().any(|cost| told(machine, cost).is_some())
    };
    let machines: Vec<&MachineData> = data.machines.iter().filter(has_any).collect();
    let words = |text: &str| {
        let mut line = RichText::default();
        line.words(text);
        line
    };
    let columns: Vec<RichText> = machines.iter().map(|machine| words(machine.name())).collect();
    let cells = |cost: &CostRow| {
        let cell = |machine: &&MachineData| told(machine, cost).unwrap_or_default().html();
        machines.iter().map(cell).collect()
    };
    let rows: Vec<(RichText, Vec<Markup>)> =
        names.into_iter().zip(costs.iter().map(cells)).collect();
    table::html(&words("what"), &columns, &rows)
}

/// The place of each among all, from the least to the most: times, then what is no time, then what was
/// not measured.
fn places(costs: &[ToldCost]) -> Vec<usize> {
    let key = |cost: &ToldCost| match cost.measured {
        Some((interval, dimension)) => (usize::from(!is_time(dimension)), interval.estimate),
        None => (2, 0.0),
    };
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|&a, &b| {
        let ((kind, value), (other_kind, other)) = (key(&costs[a]), key(&costs[b]));
        kind.cmp(&other_kind).then(value.total_cmp(&other))
    });
    let mut places = vec![0; costs.len()];
    for (place, index) in order.into_iter().enumerate() {
        places[index] = place;
    }
    places
}

fn is_time(dimension: Dimension) -> bool {
    matches!(dimension, Dimension::Of(Unit::Nanoseconds))
}

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
    let words = match (&REQUESTS[..surely], &REQUESTS[surely..perhaps]) {
        ([], []) => "none of these".to_owned(),
        (sure, []) => in_microseconds(sure),
        ([], unsure) => format!("perhaps {}", in_microseconds(unsure)),
        (sure, unsure) => {
            format!("{}, perhaps {}", in_microseconds(sure), in_microseconds(unsure))
        }
    };
    is_time(dimension).then_some(words)
}

/// `1, 10 and 100 µs`.
fn in_microseconds(requests: &[u32]) -> String {
    let numbers: Vec<String> = requests.iter().map(u32::to_string).collect();
    let list = match numbers.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    };
    format!("{list}\u{a0}µs")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "[\"boil {{fact \\\"a litre\\\" the pot}}\"]\ncost = \"boil: pot\"\nmade-of = \"heat\"\nto-do = \"wait\"\nclaim = \"tea.pot\"\n";
    const TIME: Dimension = Dimension::Of(Unit::Nanoseconds);

    fn wrong(block: &str) -> String {
        parse(block, &FigureNames::default()).unwrap_err().to_string()
    }

    fn interval([low, estimate, high]: [f64; 3]) -> Interval {
        Interval { estimate, low, high }
    }

    #[test]
    fn what_is_no_cost_is_refused() {
        assert_eq!(parse(BLOCK, &FigureNames::default()).unwrap()[0].claim, "tea.pot");
        assert!(wrong("").contains("nothing costs anything"));
        assert!(wrong(&BLOCK.replace("boil: pot", "boil")).starts_with("1: "));
        assert!(wrong(&BLOCK.replace("to-do", "todo")).contains("todo"));
        assert!(wrong(&BLOCK.replace("\"heat\"", "\"{{haet}}\"")).contains("no directive"));
        assert!(wrong(&format!("\n{}", BLOCK.replace("wait", "{{x}}"))).starts_with("2: "));
    }

    #[test]
    fn what_matters_follows_from_the_interval() {
        for (ends, expected) in [
            ([20.0, 21.0, 22.0], "none of these"),
            ([90.0, 95.0, 110.0], "perhaps 1\u{a0}µs"),
            ([100.0, 400.0, 999.0], "1\u{a0}µs"),
            ([600.0, 900.0, 1_200.0], "1\u{a0}µs, perhaps 10\u{a0}µs"),
            ([90.0, 900.0, 12_000.0], "perhaps 1, 10 and 100\u{a0}µs"),
            ([70e3, 71e3, 72e3], "1, 10 and 100\u{a0}µs"),
        ] {
            assert_eq!(matters(interval(ends), TIME).as_deref(), Some(expected));
        }
        let bytes = Dimension::Of(Unit::Bytes);
        assert_eq!(matters(interval([1.0, 2.0, 3.0]), bytes), None);
    }

    #[test]
    fn a_row_knows_its_place() {
        let cost = |estimate: f64, dimension| ToldCost {
            measured: Some((interval([estimate; 3]), dimension)),
            ..ToldCost::default()
        };
        let bytes = Dimension::Of(Unit::Bytes);
        let costs = [cost(10.0, bytes), ToldCost::default(), cost(7e4, TIME), cost(20.0, TIME)];
        assert_eq!(places(&costs), [2, 3, 1, 0]);
        let html = html(&costs).into_string();
        for expected in [
            "<th scope=\"row\" data-place=\"3\">",
            "<td class=\"measured-cost\" data-head=\"Cost\" data-place=\"0\">",
            "<td class=\"measured-matters\" data-head=\"Matters in a request of\" data-place=\"0\">none of these</td>",
            "<td class=\"measured-matters\" data-head=\"Matters in a request of\" data-place=\"3\"></td>",
        ] {
            assert!(html.contains(expected), "no {expected:?} in {html}");
        }
    }
}
