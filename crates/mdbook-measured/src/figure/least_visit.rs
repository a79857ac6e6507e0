//! The least of a row's visits, and how many come near it: for figures such as a tail, which something
//! raises in some visits and leaves alone in others.

use measurement::Row;

use crate::figure::number_format::{self, Dimension};
use crate::figure::rich_text::FigureText;
use crate::figure::selector::Missing;

/// So many times the least is near it.
const NEAR: f64 = 2.0;

/// The least of the visits that count, and how many of them are near it: `62 µs (4 of 10 visits near)`.
///
/// # Errors
///
/// If the row was not measured.
pub(crate) fn told(row: &Row, of: String) -> Result<FigureText, Missing> {
    let points = &row.figures().map_err(Missing::Unmeasured)?.points;
    let least = points.iter().copied().fold(f64::INFINITY, f64::min);
    let near = points.iter().filter(|&&point| point <= NEAR * least).count();
    let all = points.len();
    let least = number_format::value(least, Dimension::of_row(row));
    Ok(FigureText {
        of,
        figure: format!("{least} ({near} of {all} visits near)"),
        range: "near: within twice that".to_owned(),
        is_open: false,
    })
}

#[cfg(test)]
mod tests {
    use measurement::Run;

    use super::*;

    #[test]
    fn the_least_visit_is_told_with_those_near_it() {
        let run = Run::parse(concat!(
            r#"{"run":"2026-11-30T10:12:00Z","machine":"kettle-1","chapter":"tea","experiment":"pour","profile":"quick","#,
            r#""commit":"","method":4,"rustc":"1.95.0","crates":{},"load":0.0,"processes":1}"#,
            "\n",
            r#"{"contender":"kettle","quantity":"latency p99","unit":"ns","estimate":90000,"low":62000,"high":4e6,"#,
            r#""points":[4e6,62000,90000,124000,62500],"source":"histogram"}"#,
        ))
        .unwrap();
        let told = told(&run.rows[0], String::new()).unwrap();
        assert_eq!(told.figure, "62 µs (4 of 5 visits near)");
    }
}
