//! What is drawn of a row.

use measurement::{Interval, Row, Scattered};

use crate::chart::scene::RowTooltip;
use crate::figure::number_format::{self, Dimension};

/// What is drawn of a row: its interval, or its estimate alone where that is not known; or of visits in two modes
/// those of both, the larger first; or from where to where the visits lie.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) interval: Interval,
    /// The second mode, which gets a cross.
    pub(super) other: Option<Interval>,
    pub(super) told: RowTooltip,
}

impl Mark {
    /// `None` of a row that was not measured.
    pub(super) fn of(row: &Row) -> Option<Mark> {
        let measured = row.measured()?;
        let (found, scattered) = (measured.interval(), measured.scattered());
        let dimension = Dimension::of_row(row);
        let id = row.name();
        let words = format!(
            "{id}\n{} ({})",
            number_format::measured(found, scattered, dimension),
            number_format::measured_range(found, scattered, dimension)
        );
        let (interval, other) = match scattered {
            // It would hide everything else, and tells next to nothing.
            None if number_format::is_unknown(found) => (certain(found), None),
            None => (found, None),
            Some(Scattered::Modes([most, rest])) => (most.interval, Some(rest.interval)),
            Some(Scattered::Range { low, high }) => {
                (Interval { estimate: found.estimate.clamp(low, high), low, high }, None)
            }
        };
        Some(Mark { interval, other, told: RowTooltip { id, words } })
    }
}

/// The estimate alone, as if it were certain.
fn certain(Interval { estimate, .. }: Interval) -> Interval {
    Interval { estimate, low: estimate, high: estimate }
}
