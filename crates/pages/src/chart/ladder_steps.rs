//! The steps between the rungs of a ladder.

use findings::figure::Figure;
use findings::find::Missing;
use language::block::ChartBlock;
use measurement::{Evidence, Row};

/// Replaces a step without a detected difference.
pub(super) const NO_DIFFERENCE: &str = "no difference detected";

/// A step from a measured rung to one further down.
pub(super) struct LadderStep {
    /// The rungs, from the top.
    pub above: usize,
    pub below: usize,
    /// The factor between them, unless this machine's mean may be on either side of 1.
    pub factor: String,
    /// The interval of the mean ratio.
    pub range: String,
}

/// Returns the steps of a machine's ladder, between the rungs that it has, each with its index.
///
/// # Errors
///
/// In words, if two rungs of the reference machine cannot be compared. Another machine, whose run
/// may be quick or old, then has no factor.
pub(super) fn steps(
    spec: &ChartBlock,
    evidence: &Evidence,
    rungs: &[(usize, &Row)],
    is_reference: bool,
) -> Result<Vec<LadderStep>, String> {
    let measured: Vec<_> = rungs.iter().filter(|(_, row)| row.measured().is_some()).collect();
    let is_to_first = spec.is_to_first();
    if is_to_first && measured.first().is_none_or(|(rung, _)| *rung != 0) {
        return Ok(Vec::new());
    }
    let step = |place: usize| {
        let (above, upper) = *measured[if is_to_first { 0 } else { place - 1 }];
        let (below, lower) = *measured[place];
        let (factor, range) = match Figure::of_ratio(lower, upper, evidence) {
            Ok(figure) if figure.is_told_apart() || figure.is_of_one_run() => {
                (figure.factor(), figure.mean_range())
            }
            Ok(figure) => (NO_DIFFERENCE.to_owned(), figure.mean_range()),
            Err(
                Missing::Mistake(message) | Missing::Unmeasured(message) | Missing::Untold(message),
            ) if is_reference => return Err(message),
            Err(_) => ("no ratio".to_owned(), String::new()),
        };
        Ok(LadderStep { above, below, factor, range })
    };
    (1..measured.len()).map(step).collect()
}
