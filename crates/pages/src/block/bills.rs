//! A `bills` block shows, for requests that were measured as a whole, the time predicted from the
//! prices of their actions, and the difference that the prediction leaves unexplained.

use findings::data::MachineData;
use findings::find::{self, Missing};
use indexmap::IndexMap;
use language::block::{At as _, BlockError, from_toml};
use language::page::FencedBlock;
use language::selector::nearest;
use language::subject::Subject;
use measurement::number_format::{self, rounded};
use measurement::{Interval, Unit};
use serde::Deserialize;

use super::bill::{Prices, found_on, in_words, total};
use super::{Shown, table};
use crate::html::{Html, html};
use crate::on_page::OnPage;
use crate::rich_text::RichText;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BillsBlock {
    bill: IndexMap<String, MeasuredBill>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MeasuredBill {
    /// The way in which the request runs. This must be a model of the page's `bill` block.
    model: String,
    /// How often the request performs each action, by the action's short name.
    #[serde(default)]
    counts: IndexMap<String, CountEntry>,
    /// The work that only this request does, which was measured separately. The key is a name,
    /// the value a row in the notation of `{{number}}`.
    #[serde(default)]
    work: IndexMap<String, String>,
    /// The row with the measured time of the whole request, in the notation of `{{number}}`.
    measured: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CountEntry {
    Number(f64),
    /// A row that counted the actions, in the notation of `{{number}}`.
    Counted(String),
}

/// If a larger share of the measured time is unexplained, the unexplained time is called unknown.
const UNKNOWN_FROM: f64 = 0.15;

const HEADS: [&str; 3] = ["predicted", "measured", "left over"];

pub(super) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let BillsBlock { bill: bills } = from_toml(body)?;
    let prices = Prices::of_page(on).at(0)?;
    let (mut rows, mut subjects) = (Vec::new(), Vec::new());
    for (name, bill) in &bills {
        let place = ("bill", name);
        let measured = on.time(&bill.measured).at(place)?;
        let (counts, cells) = bill.cells(&measured, &prices, on).at(place)?;
        let head = html!("{}<br><span class=\"measured-small\">{}</span>", name, counts);
        rows.push((RichText::other(head, name), cells));
        subjects.push(measured);
    }
    let table = table::html(&RichText::words("what"), &HEADS.map(RichText::words), &rows);
    let stale = on.stale(subjects.iter());
    Ok(html!("<div class=\"measured-bills\">{}{}</div>", table, stale).into())
}

impl MeasuredBill {
    /// Returns the counts of the request's actions in words, and three table cells: the predicted
    /// time, the measured time, and their difference.
    fn cells(
        &self,
        measured: &Subject,
        prices: &Prices,
        on: &OnPage<'_>,
    ) -> Result<(Html, Vec<Html>), String> {
        let MeasuredBill { model, counts, work, .. } = self;
        let known = || prices.models.iter();
        let place = known().position(|known| known == model);
        let of_model =
            place.ok_or_else(|| format!("no model is {model:?}{}", nearest(model, known())))?;
        let (data, chapter) = (&on.book.data, on.chapter_of(measured));
        let reference = data.reference(chapter, measured.experiment());
        let machine = data.machine(reference).ok_or_else(|| on.missing_run(reference, chapter))?;
        let (mut words, mut parts) = (Vec::new(), Vec::new());
        for (term, count) in counts {
            let place = prices.place(term)?;
            let (count, row) = count.find(machine, on)?;
            let digits = number_format::thousands(&count.to_string());
            let counted = row.map(|row| html!(" <span title=\"{}\">(counted)</span>", row));
            words.push(html!("{} × {}{}", digits, prices.terms[place].what, counted));
            parts.push((count, prices.price(place, of_model, machine, on)));
        }
        for (name, row) in work {
            let row = on.time(row)?;
            words.push(html!(
                "<span title=\"{}\">{}, measured alone</span>",
                row.to_string(),
                name
            ));
            parts.push((1.0, found_on(machine, &row, on)));
        }
        let predicted = total(parts).map_err(|place| {
            let part = counts.keys().chain(work.keys()).nth(place).map_or("", String::as_str);
            format!("{} has not measured {part:?}", machine.short())
        });
        let found = found_on(machine, measured, on);
        let rest = found.zip(predicted.as_ref().ok());
        let rest = rest.map(|(found, predicted)| left_over(found, predicted.sum));
        let found = found.map(|found| {
            html!("<a href=\"{}{}.html\">{}</a>", on.root(), chapter, in_words(found))
        });
        let counts = words.into_iter().map(|Html(words)| words).collect::<Vec<_>>().join("; ");
        Ok((
            html!("{}: {} ({})", model, Html(counts), machine.short()),
            vec![
                match &predicted {
                    Ok(predicted) => html!("{}", in_words(predicted.sum)),
                    Err(reason) => html!("{}", reason),
                },
                found.unwrap_or(html!("not measured")),
                rest.unwrap_or_default(),
            ],
        ))
    }
}

impl CountEntry {
    /// Returns the count. If it was measured on `machine`, rounds it to three digits and also
    /// returns the name of the row that it comes from.
    fn find(
        &self,
        machine: &MachineData,
        on: &OnPage<'_>,
    ) -> Result<(f64, Option<String>), String> {
        let (count, row) = match self {
            CountEntry::Number(count) => (*count, None),
            CountEntry::Counted(row) => {
                let subject = on.page.names.value(row)?;
                let row = subject.row().and_then(|(_, row)| {
                    let data = machine.chapters.get(on.chapter_of(&subject))?;
                    find::one(row, &data.evidence).ok().filter(|row| row.unit == Unit::One)
                });
                if row.is_none() {
                    // Fails if the row doesn't exist. The error lists the existing rows.
                    Missing::or_none(on.find(&subject))?;
                    return Err(format!(
                        "{:?} is no count of {}",
                        subject.to_string(),
                        machine.short()
                    ));
                }
                let found = found_on(machine, &subject, on);
                let count = found.map_or(f64::NAN, |found| rounded(found.estimate, 3));
                (count, Some(subject.to_string()))
            }
        };
        if !count.is_finite() || count < 0.0 {
            return Err(format!("{} is no count", row.unwrap_or(count.to_string())));
        }
        Ok((count, row))
    }
}

/// Returns the difference between the measured and the predicted time, and its share of the
/// measured time.
fn left_over(measured: Interval, predicted: Interval) -> Html {
    let estimate = measured.estimate - predicted.estimate;
    let (low, high) = (measured.low - predicted.high, measured.high - predicted.low);
    let share = estimate / measured.estimate;
    let is_unknown = share.abs() > UNKNOWN_FROM;
    let unknown = is_unknown.then(|| html!(": <strong>unknown</strong>"));
    // Adding zero turns -0 into 0.
    let share = number_format::thousands(&((share * 100.0).round() + 0.0).to_string());
    html!("{}, {}\u{a0}%{}", in_words(Interval { estimate, low, high }), share, unknown)
}
