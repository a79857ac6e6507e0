//! The least of a row's visits, and how many are near it: for figures such as a tail, which
//! something raises in some visits and not in others.

use measurement::Row;
use measurement::number_format::{self, Dimension};

use crate::figure::FigureText;
use crate::find::Missing;

/// The factor within which a visit is near the least.
const NEAR: f64 = 2.0;

/// Returns the least of the visits that count, and how many of them are near it, unless the row was
/// not measured: `62 µs (4 of 10 visits near)`.
pub fn told(row: &Row, of: String) -> Result<FigureText, Missing> {
    let points = &row.figures().map_err(Missing::Unmeasured)?.points;
    let (least, _) = number_format::ends(points.iter().copied());
    let near = points.iter().filter(|&&point| point <= NEAR * least).count();
    let value = number_format::value(least, Dimension::of_row(row));
    let figure = format!("{value} ({near} of {} visits near)", points.len());
    Ok(FigureText { of, figure, range: "near: within twice that".to_owned(), is_open: false })
}
