//! What is drawn of a row.

use measurement::{Interval, Row};

use crate::number_format::{self, Dimension};
use crate::scene::RowTooltip;

/// What is drawn of a row: its interval, or those of its two regimes, the larger first.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) interval: Interval,
    /// The second regime, which gets a cross.
    pub(super) other: Option<Interval>,
    pub(super) told: RowTooltip,
}

impl Mark {
    /// `None` of a row that was not measured.
    pub(super) fn of(row: &Row) -> Option<Mark> {
        let measured = row.measured()?;
        let (interval, regimes) = (measured.interval(), measured.regimes());
        let dimension = Dimension::of_row(row);
        let id = row.name();
        let words = format!(
            "{id}\n{} ({})",
            number_format::measured(interval, regimes, dimension),
            number_format::measured_range(interval, regimes, dimension)
        );
        let told = RowTooltip { id, words };
        Some(match regimes {
            None => Mark { interval, other: None, told },
            Some([most, rest]) => {
                Mark { interval: most.interval, other: Some(rest.interval), told }
            }
        })
    }
}
