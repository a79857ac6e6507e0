//! The curve of a formula beside measured lines: what a queue would do that has the server's capacity.

use measurement::Evidence;

use super::chart_block::ChartBlock;
use super::queue;
use crate::figure::number_format;
use crate::figure::selector::Selector;

/// What it is called in a chart.
pub(super) const NAME: &str = "formula, not measured";

/// In so many parts the curve is drawn.
const PARTS: u32 = 40;

/// The curve over these loads, in nanoseconds; empty where the chart has no formula. What the rows of the
/// chart have in common, the row of the capacity has as well.
///
/// # Errors
///
/// In words, if the chart is not of a percentile over shares of capacity, or the row of the capacity is not
/// there.
pub(super) fn curve(
    spec: &ChartBlock,
    common: &Selector,
    evidence: &Evidence,
    loads: impl Iterator<Item = f64>,
) -> Result<Vec<(f64, f64)>, String> {
    let Some(capacity) = &spec.m_d_1 else { return Ok(Vec::new()) };
    let share = percentile(&spec.quantity).ok_or_else(|| {
        format!(
            "of {:?} there is no formula, but of a percentile such as latency p99",
            spec.quantity
        )
    })?;
    let row = common.refined(&format!("{capacity}, capacity"))?.one(evidence)?;
    let capacity = row.figures()?.estimate;
    let (least, most) = number_format::ends(loads);
    if !(least > 0.0 && most < 100.0) {
        return Err(format!("{} is to be per cent of a capacity, above 0 and below 100", spec.x()));
    }
    let point = |part: u32| {
        let load = least + (most - least) * f64::from(part) / f64::from(PARTS);
        (number_format::rounded(load, 5), queue::sojourn(1e9 / capacity, load / 100.0, share))
    };
    Ok((0..=PARTS).map(point).collect())
}

/// The share of requests that a percentile such as `latency p99.9` is of.
fn percentile(quantity: &str) -> Option<f64> {
    let (_, percent) = quantity.split_once(" p")?;
    let share = percent.parse::<f64>().ok()? / 100.0;
    (0.0..1.0).contains(&share).then_some(share)
}
