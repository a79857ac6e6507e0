//! A `costs` block shows what operations cost, and gives advice, in a form that takes two minutes
//! to read. A picture shows all prices, group by group, on one logarithmic axis; a table lists
//! them.

use findings::claim::JudgedClaim;
use findings::data::{LOCAL, MachineData};
use indexmap::IndexMap;
use language::block::{At as _, BlockError, ScaleKind, Words, from_toml};
use language::page::FencedBlock;
use language::wrong;
use measurement::Verdict;
use measurement::number_format;
use serde::Deserialize;

use super::dots::{Named, Part, Picture};
use crate::block::Shown;
use crate::directive::inline;
use crate::html::{Html, each, html};
use crate::on_page::OnPage;
use crate::rich_text::RichText;
use crate::title::title;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CostsBlock {
    id: String,
    title: String,
    price: IndexMap<String, PriceEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PriceEntry {
    group: String,
    /// The row that measured the cost, in the notation of `{{number}}`.
    cost: String,
    to_do: String,
    claim: String,
}

/// A price whose row and claim have been looked up.
struct Cost<'a> {
    what: &'a str,
    part: Part,
    href: String,
    cost: RichText,
    /// The price in nanoseconds, or `None` if it was not measured.
    estimate: Option<f64>,
    to_do: RichText,
    claim: &'a JudgedClaim,
}

type Groups<'a> = IndexMap<&'a str, Vec<Cost<'a>>>;

pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let CostsBlock { id, title: words, price: entries } = from_toml(body)?;
    if entries.is_empty() {
        wrong!(1, "nothing costs anything: write [price.\"Spawn a thread\"]");
    }
    let title = title(&id, &words, on)?;
    let mut groups = Groups::new();
    for (what, entry) in &entries {
        let cost = cost(what, entry, on).at(("price", what))?;
        groups.entry(&entry.group).or_default().push(cost);
    }
    for costs in groups.values_mut() {
        // Prices that were not measured come last.
        let place = |cost: &Cost<'_>| cost.estimate.unwrap_or(f64::INFINITY);
        costs.sort_by(|one, other| place(one).total_cmp(&place(other)));
    }
    let machines = on.book.data.machines.iter().map(|machine| {
        let mut all = Vec::new();
        for (group, (name, costs)) in groups.iter().enumerate() {
            all.push(Named { is_head: true, ..Named::lacking(name) });
            all.extend(costs.iter().map(|cost| cost.named(group, machine)));
        }
        (machine, all)
    });
    let machines = machines.collect();
    let costs = || groups.values().flatten();
    let picture = Picture {
        series: groups.keys().copied().collect(),
        has_heads: true,
        scale: ScaleKind::Log,
        words: Words::default(),
        parts: costs().map(|cost| &cost.part).collect(),
        on,
    };
    let mut shown = picture.figure(id, &title, machines)?;
    let undecided = costs().filter(|cost| !cost.is_decided()).count();
    let more = (undecided > 0).then(|| {
        html!(
            "<details class=\"measured-table\" open><summary>{} more, where it isn't settled how much the advice saves\
             </summary>\n{}</details>",
            undecided,
            table(&groups, false, on)
        )
    });
    shown.html += &html!("{}\n{}\n\n", table(&groups, true, on), more).0;
    Ok(shown)
}

fn cost<'a>(what: &'a str, entry: &'a PriceEntry, on: &OnPage<'a>) -> Result<Cost<'a>, String> {
    let part = Part::read(&entry.cost, on)?;
    let found = on.time_of(&part.subject)?;
    Ok(Cost {
        what,
        href: format!("{}{}.html", on.root(), part.chapter),
        cost: on.figure(&part.subject)?,
        to_do: inline(&entry.to_do, on)?,
        estimate: found.map(|figure| figure.interval().estimate),
        claim: on.asked(&entry.claim)?,
        part,
    })
}

impl Cost<'_> {
    /// Returns true if the claim about the price is decided, that is, holds or fails, on the
    /// machine whose figure is shown.
    fn is_decided(&self) -> bool {
        matches!(self.claim.on_reference().verdict, Verdict::Holds | Verdict::Fails)
    }

    /// Returns how many machines agree with the reference machine's verdict on the claim, and how
    /// many machines have a verdict on it.
    fn agreeing(&self) -> (usize, usize) {
        let reference = &self.claim.on_reference().verdict;
        let judged = self.claim.judgements.iter();
        let judged = judged.filter(|it| it.judges() && !it.is_stale && it.machine != LOCAL);
        let agree: Vec<bool> = judged.map(|it| *reference == it.verdict).collect();
        (agree.iter().filter(|agrees| **agrees).count(), agree.len())
    }

    /// Returns the name of the machine whose figure is shown, if it isn't the usual one.
    fn is_of_another<'b>(&self, on: &OnPage<'b>) -> Option<&'b str> {
        let (chapter, experiment) = (&self.part.chapter, self.part.subject.experiment());
        on.book.data.other_reference(chapter, experiment).map(MachineData::short)
    }

    fn named<'b>(&'b self, series: usize, machine: &'b MachineData) -> Named<'b> {
        let data = self.part.on_machine(machine);
        let mark = data.and_then(|data| self.part.mark(data).ok());
        Named { marks: Vec::from_iter(mark), series, ..Named::lacking(self.what) }
    }
}

const HEADS: [&str; 5] =
    ["What", "Costs", "Matters in a request under", "What to do", "Machines that agree"];

/// Returns a table of the prices, group by group. If `decided` is true, it has the prices whose
/// claims are decided, otherwise all others.
fn table(groups: &Groups<'_>, decided: bool, on: &OnPage<'_>) -> Html {
    let heads = each(HEADS, |head| html!("<th scope=\"col\">{}</th>", head));
    let bodies = each(groups, |(name, costs)| {
        let costs: Vec<_> = costs.iter().filter(|cost| cost.is_decided() == decided).collect();
        let rows = each(&costs, |cost| row(cost, on));
        let body = html!(
            "<tbody>\n<tr><th colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n{}</tbody>",
            HEADS.len(),
            name,
            rows
        );
        if costs.is_empty() { Html::default() } else { body }
    });
    html!(
        "<div class=\"table-wrapper\"><table class=\"measured-costs\"><thead><tr>{}</tr></thead>{}</table></div>",
        heads,
        bodies
    )
}

fn row(cost: &Cost<'_>, on: &OnPage<'_>) -> Html {
    let other = cost.is_of_another(on).map(|other| html!(" ({})", other));
    let claim = &cost.claim.claim;
    let agreeing = match cost.agreeing() {
        _ if !cost.is_decided() => "open".to_owned(),
        (_, 1) => "one judged".to_owned(),
        (agreeing, all) => format!("{agreeing} of {all}"),
    };
    let words = on.exception(cost.claim).map(|words| html!(" ({})", words));
    let (href, sentence) = (on.href(claim), &claim.sentence);
    let cells = [
        html!("{}{}", cost.cost, other),
        html!("{}", cost.estimate.map(matters)),
        cost.to_do.html(),
        html!("<a href=\"{}\" title=\"{}\">{}</a>{}", href, sentence, agreeing, words),
    ];
    let cells = each(HEADS[1..].iter().zip(cells), |(head, cell)| {
        html!("<td data-head=\"{}\">{}</td>", head, cell)
    });
    html!("<tr><th scope=\"row\"><a href=\"{}\">{}</a></th>{}</tr>\n", cost.href, cost.what, cells)
}

/// The smallest share of a request's time that makes a price worth considering.
const MATTERS: f64 = 0.1;

/// Returns the time of the longest request for which a price is worth considering. The time is
/// always in microseconds with two digits, so that the values in a column are easy to compare.
fn matters(estimate: f64) -> String {
    let microseconds = number_format::rounded(estimate / MATTERS / 1e3, 2);
    format!("{}\u{a0}µs", number_format::thousands(&microseconds.to_string()))
}
