//! What things cost, and what to do: a picture and a table for whoever has two minutes.

use indexmap::IndexMap;
use measurement::{LineError, Row, Verdict};
use serde::Deserialize;

use crate::assets::Script;
use crate::block::block_kind::{BlockKind, Shown};
use crate::block::slider::{self, Input};
use crate::chart::price_list::{self, Price, PriceGroups};
use crate::claim::judged::JudgedClaim;
use crate::data::{LOCAL, MachineData};
use crate::figure::number_format::{self, Detail, Dimension};
use crate::figure::rich_text::RichText;
use crate::figure::selector::{Missing, Selector};
use crate::figure::{Form, Subject};
use crate::html::{Html, each, html};
use crate::page::directive::inline;
use crate::page::on_page::OnPage;
use crate::page::scan::FencedBlock;
use crate::page::title::{figure_of_machines, title};
use crate::toml_block::{At, from_toml, line_of_entry};

pub(crate) const COSTS: BlockKind = BlockKind {
    word: "costs",
    language: r#"
What things cost: a picture of all prices on one axis, by the `group` of each, and a table. A `cost` is a row's time, as in `number`;
`to-do` is what to do about it, with both figures, and rests on a `claim`. From which request on it matters is computed: below ten
times its estimate it is more than a tenth, and a slider tells all of them as shares of one that a reader chooses. The names, which are short since they stand beside their marks, link to the chapters of
the rows. What is too close to call folds behind the table.

```toml
id    = "costs.prices"
title = "Creating a thread takes {{ratio spawn-cost/units: std::thread, units=1000 / tokio multi-thread}} times as long as a task"

[price."Spawn a thread"]
group = "A core woken"
cost  = "spawn-cost/units: std::thread, units=1000, time per unit"
to-do = "Keep threads: a task takes {{number spawn-cost/units: tokio multi-thread, units=1000, time per unit}}."
claim = "spawn-cost.thread-against-task"
```
"#,
    render,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CostsBlock {
    id: String,
    /// What the picture shows, in a sentence.
    title: String,
    /// What each is the price of.
    price: IndexMap<String, PriceEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct PriceEntry {
    /// Whose price it is a part of: prices of one group stand together.
    group: String,
    /// What is measured, as in `number`.
    cost: String,
    to_do: String,
    /// The id of a claim that it rests on.
    claim: String,
}

/// The same, read on its page.
struct Cost<'a> {
    what: &'a str,
    group: &'a str,
    selector: Selector,
    subject: Subject,
    /// The page of its chapter.
    href: String,
    cost: RichText,
    /// In nanoseconds, unless it was not measured.
    estimate: Option<f64>,
    to_do: RichText,
    claim: &'a JudgedClaim,
}

fn render(FencedBlock { body, .. }: &FencedBlock, on: &OnPage<'_>) -> Result<Shown, LineError> {
    let CostsBlock { id, title: words, price: entries } = from_toml(body)?;
    if entries.is_empty() {
        return Err(LineError::new(1, "nothing costs anything: write [price.\"Spawn a thread\"]"));
    }
    let title = title(body, &id, &words, on)?;
    let mut groups: IndexMap<&str, Vec<Cost<'_>>> = IndexMap::new();
    for (what, entry) in &entries {
        let line = line_of_entry(body, "price", &format!("{what:?}"));
        let cost = cost(what, entry, on).at(line)?;
        groups.entry(cost.group).or_default().push(cost);
    }
    for costs in groups.values_mut() {
        costs.sort_by(|one, other| match (one.estimate, other.estimate) {
            (Some(one), Some(other)) => one.total_cmp(&other),
            // What was not measured stands last.
            (one, other) => other.is_some().cmp(&one.is_some()),
        });
    }
    let (picture, script) = picture(&id, &title, &groups, on).at(1)?;
    let undecided = groups.values().flatten().filter(|cost| !cost.is_decided()).count();
    let more = (undecided > 0).then(|| {
        html!(
            "<details class=\"measured-table\" open><summary>{} more, where it isn't settled how much the advice saves\
             </summary>\n{}</details>",
            undecided,
            table(&groups, false, on)
        )
    });
    let inputs = slider::inputs("share", &[REQUEST]);
    let html = html!("{}\n\n{}\n\n{}\n{}", picture, inputs, table(&groups, true, on), more);
    Ok(Shown { script: Some(script), id: Some(id), ..Shown::from(html) })
}

fn cost<'a>(what: &'a str, entry: &'a PriceEntry, on: &OnPage<'a>) -> Result<Cost<'a>, String> {
    let subject = on.page.names.value(&entry.cost)?;
    let Some((_, row)) = subject.row().filter(|_| subject.form == Form::Value) else {
        return Err(format!("{:?} is no row's time, which a price is", entry.cost));
    };
    let selector = row.clone();
    let found = Missing::or_none(on.find(&subject))?.map(|figure| figure.mostly());
    if found.is_some_and(|(_, dimension)| dimension != Dimension::TIME) {
        return Err(format!("{:?} is no time, which a price is", entry.cost));
    }
    let estimate = found.map(|(interval, _)| interval.estimate);
    Ok(Cost {
        what,
        group: &entry.group,
        href: format!("{}{}.html", on.to_root, on.chapter_of(&subject)),
        cost: on.figure(&subject, Detail::Full)?,
        to_do: inline(&entry.to_do, on, Detail::Brief)?,
        selector,
        subject,
        estimate,
        claim: on.asked(&entry.claim)?,
    })
}

impl Cost<'_> {
    /// Whether the claim says something on the machine whose figure is told.
    fn is_decided(&self) -> bool {
        let found = self.claim.on_reference();
        found.is_some_and(|it| matches!(it.verdict, Verdict::Holds | Verdict::Fails))
    }

    /// On how many machines the claim stands as on the reference, of those that judged it.
    fn agreeing(&self) -> (usize, usize) {
        let reference = self.claim.on_reference().map(|found| &found.verdict);
        let judged = self.claim.judgements.iter();
        let judged = judged.filter(|it| it.judges() && !it.is_stale && it.machine != LOCAL);
        let agree: Vec<bool> = judged.map(|it| reference == Some(&it.verdict)).collect();
        (agree.iter().filter(|agrees| **agrees).count(), agree.len())
    }

    /// The machine whose figure is told, if it isn't the one that the picture shows at first.
    fn is_of_another<'b>(&self, on: &OnPage<'b>) -> Option<&'b str> {
        let data = on.context.data;
        let reference = data.reference(on.chapter_of(&self.subject), self.subject.experiment());
        let is_first = data.machines.first().is_some_and(|first| first.name() == reference);
        data.machine(reference).filter(|_| !is_first).map(MachineData::short)
    }

    /// Its row on a machine.
    fn row<'b>(&self, machine: &'b MachineData, on: &OnPage<'_>) -> Option<&'b Row> {
        let data = machine.chapters.get(on.chapter_of(&self.subject))?;
        data.evidence.rows.iter().find(|row| self.selector.matches(row))
    }
}

/// All prices in one picture, and behind it the rows that it draws.
fn picture(
    id: &str,
    title: &RichText,
    groups: &IndexMap<&str, Vec<Cost<'_>>>,
    on: &OnPage<'_>,
) -> Result<(Html, Script), String> {
    let costs = || groups.values().flatten();
    let is_measured = |row: &Row| row.measured().is_some();
    let has_any =
        |machine: &&MachineData| costs().any(|cost| cost.row(machine, on).is_some_and(is_measured));
    let machines: Vec<&MachineData> = on.context.data.machines.iter().filter(has_any).collect();
    if machines.is_empty() {
        return Err("no machine has measured any of these".to_owned());
    }
    let mut drawn = PriceGroups::new();
    for (name, costs) in groups {
        for cost in costs {
            let rows = machines.iter().map(|machine| cost.row(machine, on)).collect();
            let chapter = on.chapter_of(&cost.subject);
            let price = Price { what: cost.what, href: &cost.href, chapter, rows };
            drawn.entry(name).or_default().push(price);
        }
    }
    let (picture, script) = price_list::picture(id, title.plain(), &machines, &drawn)?;
    let note = on.stale(costs().map(|cost| &cost.subject));
    let table = price_list::figures(&machines, &drawn);
    let html = figure_of_machines((id, title), &picture, (machines[0], &note), &table);
    Ok((html, script))
}

/// What a reader holds the prices against; `measured.js` tells each as a share of it.
const REQUEST: Input = Input {
    name: "request",
    label: "My request takes",
    unit: "time",
    range: [2.0, 8.0, 0.05, 5.0],
};

/// What stands over the columns.
const HEADS: [&str; 5] =
    ["What", "Costs", "Matters in a request under", "What to do", "Machines that agree"];

/// The prices whose claims are decided, or the others, group by group.
fn table(groups: &IndexMap<&str, Vec<Cost<'_>>>, decided: bool, on: &OnPage<'_>) -> Html {
    let heads = each(HEADS, |head| html!("<th scope=\"col\">{}</th>", head));
    let bodies = each(groups, |(name, costs)| {
        let costs: Vec<_> = costs.iter().filter(|cost| cost.is_decided() == decided).collect();
        if costs.is_empty() {
            return Html::default();
        }
        html!(
            "<tbody>\n<tr><th colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n{}</tbody>",
            HEADS.len(),
            name,
            each(costs, |cost| row(cost, on))
        )
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
        (_, 1) => "only one judged".to_owned(),
        (agreeing, all) => format!("{agreeing} of {all}"),
    };
    let words = on.exception(cost.claim).map(|words| html!(": {}", words));
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
    html!(
        "<tr{}><th scope=\"row\"><a href=\"{}\">{}</a></th>{}</tr>\n",
        cost.estimate.map(|estimate| html!(" data-cost=\"{}\"", estimate)),
        cost.href,
        cost.what,
        cells
    )
}

/// From what share of a request on a cost matters.
const MATTERS: f64 = 0.1;

/// The request of which a cost is that share, to two digits: in microseconds, whatever it is, so that one
/// column can be compared.
fn matters(estimate: f64) -> String {
    let microseconds = number_format::rounded(estimate / MATTERS / 1e3, 2);
    format!("{}\u{a0}µs", number_format::thousands(&microseconds.to_string()))
}
