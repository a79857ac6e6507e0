//! Rows in the order of their figures: what the directive `{{order}}` says, so that a title that names
//! the first and the last is right on any data.

use measurement::{Evidence, Row};

use crate::chart::{name_of, varied};
use crate::figure::Figure;
use crate::figure::number_format::Detail;
use crate::figure::rich_text::{FigureText, RichText};
use crate::figure::selector::{Missing, Selector};

/// The rows from the lowest figure to the highest, each with its figure, and in between whether the
/// two are told apart: `rayon 148 ns, then tokio 265 ns`.
///
/// # Errors
///
/// In words: if the rows differ in more than one thing, or cannot be compared.
pub(crate) fn in_words(
    selector: &Selector,
    evidence: &Evidence,
    form: Detail,
) -> Result<RichText, String> {
    let words = |missing| match missing {
        Missing::Mistake(message) | Missing::Unmeasured(message) => message,
    };
    let rows = selector.all(evidence)?;
    let varied: Vec<(String, Vec<String>)> =
        varied(rows.iter().copied()).into_iter().filter(|(_, values)| values.len() > 1).collect();
    let [(by, _)] = &varied[..] else {
        let names: Vec<&str> = varied.iter().map(|(name, _)| name.as_str()).collect();
        return Err(format!("rows in order differ in one thing, these in {:?}", names.join(", ")));
    };
    let (mut measured, failed): (Vec<&Row>, Vec<&Row>) =
        rows.into_iter().partition(|row| row.measured().is_some());
    measured.sort_by(|a, b| estimate(a).total_cmp(&estimate(b)));
    let mut line = RichText::default();
    for (index, row) in measured.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).map(|before| measured[before]) {
            let ratio = Figure::of_ratio(row, before, evidence).map_err(words)?;
            line.words(if ratio.is_told_apart() { ", then " } else { ", not told apart from " });
        }
        line.words(format!("{} ", name_of(row, by)));
        line.figure(Figure::of_row(row).map_err(words)?.told(row.name(), form));
    }
    for (index, row) in failed.into_iter().enumerate() {
        if index > 0 || !measured.is_empty() {
            line.words("; ");
        }
        line.words(format!("{} ", name_of(row, by)));
        let reason = row.figures().err().unwrap_or_default();
        line.figure(FigureText::not_measured(row.name(), reason));
    }
    Ok(line)
}

fn estimate(row: &Row) -> f64 {
    row.measured().map_or(f64::NAN, |measured| measured.estimate)
}
