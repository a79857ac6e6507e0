//! A `bill` block computes the time of a request from measured prices and the number of times
//! that the request pays each of them. The prices and a few example requests are shown as tables;
//! a script gets the same data as JSON, and lets readers enter their own counts.

use findings::data::MachineData;
use findings::figure::Figure;
use findings::find;
use indexmap::IndexMap;
use language::block::{At as _, BlockError, from_toml};
use language::page::FencedBlock;
use language::selector::nearest;
use language::subject::Subject;
use language::wrong;
use measurement::Interval;
use measurement::number_format::{self, Dimension, rounded};
use serde::{Deserialize, Serialize};

use super::{Shown, table};
use crate::html::{Html, html};
use crate::on_page::OnPage;
use crate::rich_text::RichText;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BillBlock {
    /// The ways to run a request (such as threads or tasks) between which prices may differ.
    models: Vec<String>,
    term: IndexMap<String, TermEntry>,
    /// Example requests: how often each request performs each action.
    example: IndexMap<String, IndexMap<String, f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TermEntry {
    /// The name of the action in the plural, for use after a count.
    what: String,
    price: PriceEntry,
    /// The number of actions that the measured time covers; the time is divided by it.
    #[serde(default = "one")]
    per: f64,
    claim: Option<String>,
}

fn one() -> f64 {
    1.0
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PriceEntry {
    Given(f64),
    /// The row that measured the price, which is the same in every model, in the notation of
    /// `{{number}}`.
    Same(String),
    /// For each model, the row that measured the price.
    Each(Vec<String>),
}

/// The prices on a page, with the names that the page defines replaced by measured rows.
pub(super) struct Prices {
    pub models: Vec<String>,
    pub terms: IndexMap<String, PricedTerm>,
}

pub(super) struct PricedTerm {
    pub what: String,
    /// The address of a claim about the action, or of the chapter that measured the action.
    href: String,
    /// One price for all models, or one price per model.
    prices: Vec<Price>,
}

enum Price {
    Given(f64),
    Measured { subject: Subject, per: f64 },
}

impl Price {
    /// Returns the price on `machine` in nanoseconds, or `None` if the machine has not measured
    /// it.
    fn on_machine(&self, machine: &MachineData, on: &OnPage<'_>) -> Option<Interval> {
        match self {
            Price::Given(ns) => Some(Interval { estimate: *ns, low: *ns, high: *ns }),
            Price::Measured { subject, per } => {
                Some(scaled(found_on(machine, subject, on)?, 1.0 / per))
            }
        }
    }

    fn told(&self, on: &OnPage<'_>) -> Result<RichText, String> {
        match self {
            Price::Given(ns) => Ok(RichText::words(&number_format::value(*ns, Dimension::TIME))),
            Price::Measured { subject, per } => on.told(subject, &|evidence| {
                Ok(Figure::find(subject, evidence)?.times(1.0 / per).told(subject.to_string()))
            }),
        }
    }
}

/// Returns what `machine` measured for `subject`, or `None` if the machine lacks the row or the
/// row gives no figure. If the figure is from a single run, the ends of its interval are NaN, and
/// so are those of every sum that includes it.
pub(super) fn found_on(
    machine: &MachineData,
    subject: &Subject,
    on: &OnPage<'_>,
) -> Option<Interval> {
    let data = machine.chapters.get(on.chapter_of(subject))?;
    let figure = find::is_in(subject, &data.evidence)
        .then(|| Figure::find(subject, &data.evidence).ok())??;
    let interval = figure.interval();
    let is_known = figure.found().scattered.is_none() && !number_format::is_unknown(interval);
    let ends = if figure.is_of_one_run() { f64::NAN } else { 0.0 };
    let Interval { estimate, low, high } = interval;
    is_known.then_some(Interval { estimate, low: low + ends, high: high + ends })
}

/// Multiplies an interval by `by`, and rounds the product as measured.js does, so that the page
/// and the script show the same numbers.
fn scaled(of: Interval, by: f64) -> Interval {
    let Interval { estimate, low, high } = of;
    let [estimate, low, high] = [estimate, low, high].map(|end| rounded(end * by, 6));
    Interval { estimate, low, high }
}

pub(super) struct Total {
    /// The sum in nanoseconds. The ends of its interval are the sums of the prices' ends, as if
    /// all errors had the same direction.
    pub sum: Interval,
    /// The index of the largest summand, and its share of the sum; `None` if the sum is zero.
    most: Option<(usize, f64)>,
}

/// Sums count × price over all `parts`. Fails with the index of the first part that has a count
/// but no price.
pub(super) fn total(
    parts: impl IntoIterator<Item = (f64, Option<Interval>)>,
) -> Result<Total, usize> {
    let mut sum = Interval { estimate: 0.0, low: 0.0, high: 0.0 };
    let mut most: Option<(usize, f64)> = None;
    for (place, (count, price)) in parts.into_iter().enumerate() {
        if count == 0.0 {
            continue;
        }
        let price = price.ok_or(place)?;
        let part = count * price.estimate;
        sum.estimate += part;
        sum.low += count * price.low;
        sum.high += count * price.high;
        if most.is_none_or(|(_, largest)| part > largest) {
            most = Some((place, part));
        }
    }
    let most = most.map(|(place, part)| (place, part / sum.estimate));
    Ok(Total { sum, most: most.filter(|(_, share)| share.is_finite()) })
}

/// Formats a time and its interval. Leaves the interval out if it has no width. Says so if the
/// time is from one run.
pub(super) fn in_words(time: Interval) -> String {
    if time.low.is_nan() {
        let Interval { estimate, .. } = time;
        let alone = Interval { estimate, low: estimate, high: estimate };
        return format!("{} (one run)", number_format::estimate(alone, Dimension::TIME));
    }
    let figure = number_format::estimate(time, Dimension::TIME);
    if number_format::has_width(time) {
        format!("{figure} ({})", number_format::range(time, Dimension::TIME))
    } else {
        figure
    }
}

impl Prices {
    pub(super) fn of_page(on: &OnPage<'_>) -> Result<Prices, String> {
        let Some(block) = on.page.block("bill") else {
            return Err("the page has no `bill` block, which has the prices".to_owned());
        };
        let read = from_toml(&block.body).map_err(BlockError::from);
        let found = read.and_then(|block| Prices::read(&block, on));
        found.map_err(|wrong| format!("the prices cannot be read: {}", wrong.message))
    }

    fn read(block: &BillBlock, on: &OnPage<'_>) -> Result<Prices, BlockError> {
        let models = block.models.clone();
        if models.is_empty() {
            wrong!("models", "a bill is for one model at least, such as \"threads\"");
        }
        if block.term.is_empty() {
            wrong!(1, "nothing has a price: write it under [term.NAME]");
        }
        let mut terms = IndexMap::new();
        for (name, entry) in &block.term {
            let term = PricedTerm::read(entry, models.len(), on).at(("term", name))?;
            terms.insert(name.clone(), term);
        }
        Ok(Prices { models, terms })
    }

    pub(super) fn place(&self, term: &str) -> Result<usize, String> {
        self.terms
            .get_index_of(term)
            .ok_or_else(|| format!("no term is {term:?}{}", nearest(term, self.terms.keys())))
    }

    /// Returns the price of the action at index `place` in the model at index `model`, in
    /// nanoseconds.
    pub(super) fn price(
        &self,
        place: usize,
        model: usize,
        machine: &MachineData,
        on: &OnPage<'_>,
    ) -> Option<Interval> {
        self.terms[place].price(model).on_machine(machine, on)
    }

    /// Returns, for each model, the time of an example request, and the action that takes most of
    /// this time.
    fn bills(&self, counts: &[f64], machine: &MachineData, on: &OnPage<'_>) -> Vec<Html> {
        let bill = |model| {
            let parts = counts.iter().enumerate();
            total(parts.map(|(place, count)| (*count, self.price(place, model, machine, on))))
        };
        let told = |found: Result<Total, usize>| match found {
            Err(place) => html!("not measured: {}", self.terms[place].what),
            Ok(Total { sum, most }) => {
                let most = most.map(|(place, share)| {
                    let share = format!("{:.0}", share * 100.0);
                    html!("<br>most of it: {}, {}\u{a0}%", self.terms[place].what, share)
                });
                html!("{}{}", in_words(sum), most)
            }
        };
        (0..self.models.len()).map(bill).map(told).collect()
    }
}

impl PricedTerm {
    fn read(entry: &TermEntry, models: usize, on: &OnPage<'_>) -> Result<PricedTerm, String> {
        let TermEntry { what, price, per, claim } = entry;
        if !per.is_finite() || *per <= 0.0 {
            return Err(format!("a price is per {per}, which is no number above 0"));
        }
        let measured =
            |row: &String| Ok::<_, String>(Price::Measured { subject: on.time(row)?, per: *per });
        let prices = match price {
            PriceEntry::Given(ns) if !ns.is_finite() || *ns <= 0.0 => {
                return Err(format!("{ns} ns is no price"));
            }
            PriceEntry::Given(ns) => vec![Price::Given(ns / per)],
            PriceEntry::Same(row) => vec![measured(row)?],
            PriceEntry::Each(rows) if rows.len() != models => {
                return Err(format!(
                    "{} prices for {models} models: give each one, or all the same",
                    rows.len()
                ));
            }
            PriceEntry::Each(rows) => rows.iter().map(measured).collect::<Result<_, _>>()?,
        };
        let chapter = prices.iter().find_map(|price| match price {
            Price::Measured { subject, .. } => Some(on.chapter_of(subject)),
            Price::Given(_) => None,
        });
        let href = match (claim, chapter) {
            (Some(id), _) => on.href(&on.asked(id)?.claim),
            (None, Some(chapter)) => format!("{}{chapter}.html", on.root()),
            (None, None) => String::new(),
        };
        Ok(PricedTerm { what: what.clone(), href, prices })
    }

    fn price(&self, model: usize) -> &Price {
        &self.prices[model.min(self.prices.len() - 1)]
    }

    fn head(&self) -> RichText {
        let html = match &*self.href {
            "" => html!("{}", self.what),
            href => html!("<a href=\"{}\">{}</a>", href, self.what),
        };
        RichText::other(html, &self.what)
    }
}

#[derive(Serialize)]
struct ForScript<'a> {
    models: &'a [String],
    terms: Vec<ScriptTerm<'a>>,
    machines: Vec<ScriptMachine<'a>>,
    examples: Vec<(&'a str, Vec<f64>)>,
}

#[derive(Serialize)]
struct ScriptTerm<'a> {
    what: &'a str,
    href: &'a str,
}

impl ScriptTerm<'_> {
    fn of(PricedTerm { what, href, .. }: &PricedTerm) -> ScriptTerm<'_> {
        ScriptTerm { what, href }
    }
}

#[derive(Serialize)]
struct ScriptMachine<'a> {
    name: &'a str,
    /// The prices of each action, one for all models or one per model: estimate, low end and high
    /// end, in nanoseconds. A missing end is null.
    prices: Vec<Vec<Option<[f64; 3]>>>,
}

pub(super) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let block: BillBlock = from_toml(body)?;
    let prices = Prices::read(&block, on)?;
    let mut examples = Vec::new();
    for (name, counts) in &block.example {
        let place = ("example", name);
        let mut all = vec![0.0; prices.terms.len()];
        for (term, count) in counts {
            all[prices.place(term).at(place)?] = *count;
            if !count.is_finite() || *count < 0.0 {
                wrong!(place, "{term} = {count} is no count");
            }
        }
        examples.push((name.as_str(), all));
    }
    let machines = &on.book.data.machines;
    let Some(reference) = machines.first() else { wrong!(1, "no machine has measured anything") };
    let of_machine = |machine| {
        let price = |price: &Price| {
            let Interval { estimate, low, high } = price.on_machine(machine, on)?;
            Some([estimate, low, high])
        };
        let prices = prices.terms.values().map(|term| term.prices.iter().map(price).collect());
        ScriptMachine { name: MachineData::short(machine), prices: prices.collect() }
    };
    let models: Vec<RichText> = prices.models.iter().map(|model| RichText::words(model)).collect();
    let of_example = |(name, counts): &(&str, Vec<f64>)| {
        (RichText::words(name), prices.bills(counts, reference, on))
    };
    let bills: Vec<_> = examples.iter().map(of_example).collect();
    let mut rows = Vec::new();
    for (name, term) in &prices.terms {
        let cell = |model| Ok(term.price(model).told(on).at(("term", name))?.html());
        let cells = (0..models.len()).map(cell).collect::<Result<Vec<_>, BlockError>>()?;
        rows.push((term.head(), cells));
    }
    let subjects = prices.terms.values().flat_map(|term| &term.prices).filter_map(|it| match it {
        Price::Measured { subject, .. } => Some(subject),
        Price::Given(_) => None,
    });
    let for_script = ForScript {
        models: &prices.models,
        terms: prices.terms.values().map(ScriptTerm::of).collect(),
        machines: machines.iter().map(of_machine).collect(),
        examples: examples.clone(),
    };
    let json = serde_json::to_string(&for_script).expect("names and finite numbers can be written");
    Ok(html!(
        "<div class=\"measured-bill\" data-bill=\"{}\">\n\
         <details class=\"measured-table\" open><summary>Example requests and their bills</summary>\n{}</details>\n\
         <details class=\"measured-table\" open><summary>The prices</summary>\n{}</details>\n\
         <p class=\"measured-small\">Tables: prices of {}.{}</p></div>",
        json,
        table::html(&RichText::words("a request"), &models, &bills),
        table::html(&RichText::words("one of these takes"), &models, &rows),
        reference.for_people(),
        on.stale(subjects)
    )
    .into())
}
