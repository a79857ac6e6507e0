//! Finds the measured rows that a selector names.

use std::borrow::Cow;

use language::selector::{Selector, Term, nearest};
use language::subject::Subject;
use measurement::{Evidence, EvidenceRow};

/// Returns true if the selector `wanted` matches the row.
pub fn is_of(row: &EvidenceRow, wanted: &Selector) -> bool {
    let Selector { experiment, contender, parameters, quantity, .. } = wanted;
    row.twin_of.is_none()
        && *experiment == row.experiment
        && contender.as_ref().is_none_or(|contender| *contender == row.contender)
        && quantity.as_ref().is_none_or(|quantity| *quantity == row.quantity)
        && parameters.iter().all(|(name, value)| {
            row.parameters.get(name).is_some_and(|found| found.to_string() == *value)
        })
}

/// Returns all rows that a selector matches. There is at least one.
///
/// # Errors
///
/// Fails if no row matches, with a message that lists the nearest names.
pub fn all<'a>(wanted: &Selector, evidence: &'a Evidence) -> Result<Vec<&'a EvidenceRow>, String> {
    let rows: Vec<&EvidenceRow> = evidence.rows.iter().filter(|row| is_of(row, wanted)).collect();
    if rows.is_empty() {
        let names: Vec<String> = evidence.rows.iter().map(EvidenceRow::name).collect();
        let wanted = wanted.to_string();
        return Err(format!("no row is {wanted:?}{}", nearest(&wanted, &names)));
    }
    Ok(rows)
}

/// Returns the only row that a selector matches.
///
/// # Errors
///
/// Fails if no row matches or if several do, with a message that lists them.
pub fn one<'a>(wanted: &Selector, evidence: &'a Evidence) -> Result<&'a EvidenceRow, String> {
    let rows = all(wanted, evidence)?;
    if let [row] = rows[..] {
        return Ok(row);
    }
    let names: Vec<String> = rows.iter().take(4).map(|row| row.name()).collect();
    let (wanted, count, names) = (wanted.to_string(), rows.len(), names.join("\n    "));
    Err(format!("{wanted:?} could be any of {count} rows, say which:\n    {names}"))
}

/// Returns the row that `wanted` selects. If `wanted` is the difference between two rows,
/// computes a new row.
pub(crate) fn term<'a>(
    wanted: &Term,
    evidence: &'a Evidence,
) -> Result<Cow<'a, EvidenceRow>, Missing> {
    let row = one(&wanted.row, evidence).map_err(Missing::Mistake)?;
    let Some(less) = &wanted.less else { return Ok(Cow::Borrowed(row)) };
    let less = one(less, evidence).map_err(Missing::Mistake)?;
    in_one_unit(row, less)?;
    evidence.difference(row, less).map(Cow::Owned).map_err(Missing::Unmeasured)
}

/// Returns true if all rows of a subject exist. Use this for rows that may be missing, because the
/// error message of [`one`] takes long to compose.
pub fn is_in(subject: &Subject, evidence: &Evidence) -> bool {
    subject.selectors().all(|of| evidence.rows.iter().any(|row| is_of(row, of)))
}

/// The reason why there is no figure.
#[derive(Debug)]
pub enum Missing {
    /// The page names a row that doesn't exist, or contains another mistake.
    Mistake(String),
    /// The row exists, but the machine was unable to measure it.
    Unmeasured(String),
    /// The row was measured, but its ratio can't be computed, because the divisor may be zero.
    Untold(String),
}

impl Missing {
    /// Replaces a missing figure by `None`. Fails only if the page has a mistake.
    pub fn or_none<T>(found: Result<T, Missing>) -> Result<Option<T>, String> {
        match found {
            Ok(found) => Ok(Some(found)),
            Err(Missing::Unmeasured(_) | Missing::Untold(_)) => Ok(None),
            Err(Missing::Mistake(message)) => Err(message),
        }
    }
}

/// Fails if two rows can't be compared because their units differ.
pub fn in_one_unit(left: &EvidenceRow, right: &EvidenceRow) -> Result<(), Missing> {
    if left.unit == right.unit {
        return Ok(());
    }
    let (left, right) = (left.name(), right.name());
    Err(Missing::Mistake(format!("{left:?} and {right:?} are in different units")))
}
