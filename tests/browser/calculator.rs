//! What so many take: a table, and in it a column for as many as the reader types.

use anyhow::{bail, ensure, Result};
use serde::Deserialize;
use serde_json::json;

use crate::cdp::{Key, Tab};
use crate::reading::Reader;

/// Where a reader types how many.
const INPUT: &str = "document.querySelector('.measured-calculator input')";

/// What a calculator shows.
#[derive(Debug, Deserialize)]
struct Shown {
    /// What is typed, if there is room to.
    typed: Option<String>,
    counts: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    kind: String,
    /// A cell for each count, and behind them one for what is typed, if there is room to.
    totals: Vec<String>,
}

/// Whoever types one of the table's own counts gets its totals, of every kind; what is no count has
/// none. Without script the table stands, and there is no place to type.
pub(crate) fn computes_totals(reader: &Reader<'_>, page: &str) -> Result<()> {
    let tab = reader.open(page)?;
    let here: String = tab.evaluate("location.href")?;
    let first = shown(&tab)?;
    for (at, count) in first.counts.iter().enumerate() {
        let shown = typed(&tab, &count.replace(',', ""))?;
        ensure!(shown.rows.len() == first.rows.len(), "rows have gone: {shown:?}");
        for Row { kind, totals } in &shown.rows {
            let [.., own] = &totals[..] else { bail!("no totals of {kind}") };
            // What was not measured has no total anywhere.
            let is_same = match (bytes(&totals[at]), bytes(own)) {
                (Some(total), Some(own)) => is_the_same(total, own),
                (total, own) => total.is_none() && own.is_none(),
            };
            ensure!(is_same, "{count} of {kind} take {:?}, but typed {own:?}", totals[at]);
        }
    }
    let none = typed(&tab, "0")?;
    let has_total = |row: &&Row| row.totals.last().is_some_and(|own| !own.is_empty());
    let wrong: Vec<&Row> = none.rows.iter().filter(has_total).collect();
    ensure!(wrong.is_empty(), "none of them take something: {wrong:?}");
    tab.press(Key::Right)?;
    let still: String = tab.evaluate("location.href")?;
    ensure!(still == here, "a key led from {here} to {still}");
    reader.complain(&tab)?;
    stands_without_script(reader, page, &first)
}

fn stands_without_script(reader: &Reader<'_>, page: &str, with: &Shown) -> Result<()> {
    let tab = reader.tab()?;
    tab.send("Emulation.setScriptExecutionDisabled", json!({"value": true}))?;
    tab.open(&reader.site.url(page))?;
    let without = shown(&tab)?;
    ensure!(without.typed.is_none(), "what is typed here does nothing");
    ensure!(without.counts == with.counts, "{:?}, not {:?}", without.counts, with.counts);
    for (plain, row) in without.rows.iter().zip(&with.rows) {
        let same = &row.totals[..row.totals.len() - 1];
        ensure!(plain.totals == same, "{}: {:?}, not {same:?}", row.kind, plain.totals);
    }
    ensure!(without.rows.len() == with.rows.len(), "rows are missing: {without:?}");
    Ok(())
}

fn shown(tab: &Tab<'_>) -> Result<Shown> {
    tab.evaluate(include_str!("calculator.js"))
}

/// What is shown once this is typed over what stood there.
fn typed(tab: &Tab<'_>, text: &str) -> Result<Shown> {
    tab.run(&format!("{INPUT}.focus()"))?;
    tab.run(&format!("{INPUT}.select()"))?;
    tab.send("Input.insertText", json!({"text": text}))?;
    tab.until(&format!("{INPUT}.value === '{text}'"), &format!("{text} is typed"))?;
    shown(tab)
}

/// Some bytes as they are told.
struct Told {
    bytes: f64,
    /// What their last digit is worth.
    digit: f64,
}

/// Whether both may be the same total: that of the table has three digits at most, that of the script
/// has three.
fn is_the_same(total: Told, own: Told) -> bool {
    let digit = total.digit.max(own.digit).max(own.bytes / 100.0);
    // Both are rounded, to half of a digit each.
    (total.bytes - own.bytes).abs() <= 0.6 * digit
}

/// `None` if the text tells no bytes.
fn bytes(text: &str) -> Option<Told> {
    let (number, unit) = text.split_once(char::is_whitespace)?;
    let power = ["B", "KiB", "MiB", "GiB"].iter().position(|name| *name == unit)?;
    let unit = 1024_f64.powi(power as i32);
    let number = number.replace(',', "");
    let place = match number.split_once('.') {
        Some((_, decimals)) => -(decimals.len() as i32),
        // 370 may be told to the ten.
        None => (number.len() - number.trim_end_matches('0').len()) as i32,
    };
    let value: f64 = number.parse().ok()?;
    Some(Told { bytes: value * unit, digit: unit * 10_f64.powi(place) })
}
