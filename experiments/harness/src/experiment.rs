//! An experiment: a comparison of several contenders.

use measurement::{unit_of, Profile};

use crate::cell::{Base, Cell, CellKind};
use crate::counter::Counter;

/// A comparison of several contenders at several settings.
pub struct Experiment {
    pub(crate) name: String,
    pub(crate) quantity: String,
    pub(crate) baseline: String,
    pub(crate) counters: Vec<Counter>,
    pub(crate) cells: Vec<Cell>,
}

impl Experiment {
    /// Creates an experiment that measures `quantity`. This is a time such as
    /// `time per unit`, or another figure such as the `throughput` of
    /// windows. The table in the terminal shows the ratio of each contender
    /// to the contender `baseline` at the same setting.
    pub fn new(name: &str, quantity: &str, baseline: &str) -> Experiment {
        if let Err(error) = unit_of(quantity) {
            panic!("experiment {name:?}: {error}");
        }
        Experiment {
            name: name.to_owned(),
            quantity: quantity.to_owned(),
            baseline: baseline.to_owned(),
            counters: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Counts the events of `counters` during every timed benchmark, in a
    /// separate pass. Counts are divided like times: `context switches per
    /// unit` goes with `time per unit`.
    ///
    /// Panics if the experiment's quantity is not a `time per ...`.
    pub fn counting(mut self, counters: &[Counter]) -> Experiment {
        assert!(self.per().is_some(), "{:?} is per nothing", self.quantity);
        self.counters = counters.to_vec();
        self
    }

    /// Returns the unit of the time, such as `unit` in `time per unit`.
    pub(crate) fn per(&self) -> Option<&str> {
        self.quantity.strip_prefix("time per ")
    }

    /// Adds a benchmark.
    ///
    /// Panics, rather than failing after the run, if the experiment already
    /// has a benchmark of this contender at this setting, if a name is not
    /// allowed in a row, if a quantity is unknown to [`measurement::unit_of`]
    /// or has criterion as its source, or if the benchmark is to be compared
    /// with the baseline but is the baseline itself or has its own quantity.
    pub fn cell(mut self, cell: Cell) -> Experiment {
        let name = self.cell_name(&cell);
        if let Err(error) = cell.check() {
            panic!("{name}: {error}");
        }
        let is_compared = matches!(cell.difference, Some((Base::Baseline, _)));
        let is_baseline = cell.contender == self.baseline;
        assert!(
            !is_compared || !(is_baseline || cell.own_quantity().is_some()),
            "{name}: it cannot be compared with the baseline"
        );
        let twice =
            self.cells.iter().any(|other| self.cell_name(other) == name);
        assert!(!twice, "{name} is listed twice");
        self.cells.push(cell);
        self
    }

    /// Adds several benchmarks.
    pub fn cells(self, cells: impl IntoIterator<Item = Cell>) -> Experiment {
        cells.into_iter().fold(self, Experiment::cell)
    }

    /// Returns whether the experiment's counters count the events of this
    /// benchmark. They do if it is timed, measures the experiment's quantity,
    /// runs without spinners, and isn't excluded from counting.
    pub(crate) fn counts(&self, cell: &Cell, profile: Profile) -> bool {
        cell.kind == CellKind::Timed
            && cell.own_quantity().is_none()
            && cell.spinners.is_none()
            && cell.is_counted
            && (cell.is_counted_in_quick || profile == Profile::Full)
    }

    /// Returns the benchmark's name, as matched by filters and printed by
    /// `--list`, for example `units: rayon, arm=ours, units=1000`. If the
    /// benchmark has a quantity of its own, the quantity follows.
    pub(crate) fn cell_name(&self, cell: &Cell) -> String {
        let parameters = cell.parameters.to_string();
        let own = cell.own_quantity().unwrap_or_default();
        let name = [cell.contender.as_str(), &parameters, own];
        let name = name.into_iter().filter(|part| !part.is_empty());
        format!("{}: {}", self.name, name.collect::<Vec<_>>().join(", "))
    }
}
