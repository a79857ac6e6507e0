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
    let (least, most) = loads.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), load| {
        (least.min(load), most.max(load))
    });
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

/// What the curve is, for the note under the chart and for those who do not see it; empty where there is
/// none.
pub(super) fn in_words(spec: &ChartBlock) -> String {
    let Some(capacity) = &spec.m_d_1 else { return String::new() };
    format!(
        " The dashed line is computed, not measured: the {} of an M/D/1 queue with the capacity that was measured of {capacity}.",
        spec.quantity
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_shares() {
        assert_eq!(percentile("latency p50"), Some(0.5));
        assert!(percentile("latency p99.9").is_some_and(|share| (share - 0.999).abs() < 1e-12));
        for other in ["throughput", "latency max", "latency p100", "time per hop"] {
            assert_eq!(percentile(other), None, "{other}");
        }
    }
}
