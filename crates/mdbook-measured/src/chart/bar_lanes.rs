//! How bars share the height of a chart: a group for each value of `x`, in it a lane for each series
//! and machine.

use measurement::Row;

use super::canvas::Canvas;
use super::rows::{Shown, distinct, value_of};
use crate::chart::scene::StyledText;
use crate::figure::number_format;

/// How much of a group's place its lanes take.
const FILL: f64 = 0.8;

pub(super) struct BarLanes {
    /// The groups, from the top.
    pub(super) groups: Vec<String>,
    series: Vec<String>,
    machines: usize,
}

impl BarLanes {
    /// Lanes for the rows of so many machines.
    pub(super) fn new(canvas: &Canvas<'_>, machines: usize) -> BarLanes {
        let groups = distinct(canvas.rows(), canvas.spec.x());
        BarLanes { groups, series: canvas.names.clone(), machines }
    }

    /// Whether each series is a group of its own.
    pub(super) fn are_series(&self) -> bool {
        self.groups == self.series
    }

    /// Lanes in a group: one a series and machine, and where each series is a group, one a machine.
    pub(super) fn count(&self) -> usize {
        let series = if self.are_series() { 1 } else { self.series.len() };
        series * self.machines
    }

    pub(super) fn width(&self) -> f64 {
        FILL / self.count() as f64
    }

    /// How far a lane is from the middle of its group, in groups, downwards.
    fn offset(&self, series: usize, machine: usize) -> f64 {
        let lane = (series * self.machines + machine) % self.count();
        (lane as f64 + 0.5) * self.width() - FILL / 2.0
    }

    /// Where a row of a series on a machine stands.
    pub(super) fn place(&self, row: &Row, x: &str, series: usize, machine: usize) -> Option<f64> {
        let group = value_of(row, x)?;
        let group = self.groups.iter().position(|known| *known == group)?;
        Some(group as f64 + self.offset(series, machine))
    }

    /// What stands beside each group.
    pub(super) fn labels(&self) -> Vec<StyledText> {
        self.groups
            .iter()
            .map(|group| StyledText::plain(&number_format::parameter(group)))
            .collect()
    }
}

/// The rows of a series.
pub(super) fn of_series<'a>(shown: &Shown<'a>, by: &str, series: &str) -> Vec<&'a Row> {
    let is_of_it = |row: &&Row| value_of(row, by).as_deref() == Some(series);
    shown.rows.iter().copied().filter(is_of_it).collect()
}
