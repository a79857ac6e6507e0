//! A cell: one contender at one setting.

mod constructors;
mod running;

use std::time::Duration;

use measurement::name_check::check_label;
use measurement::{unit_of, Parameter, Parameters, Source};
use recorder::RecordingPlan;

use crate::body::Body;
use crate::idle::Idle;
use crate::placement::Placement;
use crate::plan::Plan;
use crate::protocol::Found;
use crate::spinners::Spinners;
use crate::window;

/// One contender at one setting.
pub struct Cell {
    pub(crate) contender: String,
    pub(crate) parameters: Parameters,
    pub(crate) kind: CellKind,
    pub(crate) work: Work,
    /// How long a visit takes, for a window.
    pub(crate) duration: Duration,
    /// The number of units per operation.
    pub(crate) per: u64,
    /// The quantities that the cell itself names, each with its source.
    quantities: Vec<(String, Source)>,
    /// The quantity of the time, if it isn't the experiment's. Then rows of
    /// the cell are distinguished by it.
    own_quantity: Option<String>,
    pub(crate) difference: Option<(Base, String)>,
    infinite_means: Option<String>,
    pub(crate) derived_from: Vec<String>,
    needs: Vec<Need>,
    // These fields say when, where and with which other cells this one is
    // visited.
    pub(crate) full_only: bool,
    pub(crate) in_sweep: bool,
    group: Option<String>,
    pub(crate) is_twinned: bool,
    pub(crate) is_counted: bool,
    pub(crate) is_counted_in_quick: bool,
    pub(crate) time_limit: Duration,
    placement: Option<Placement>,
    idle: Option<Idle>,
    pub(crate) spinners: Option<Spinners>,
    pub(crate) recording: Option<RecordingPlan>,
}

/// What a time is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// A known time, such as a wait that is part of the operation. The rest
    /// of the operation's time is divided by `per`.
    Known {
        /// The time to subtract from the operation's.
        time: Duration,
        /// The number of units that share the rest of the time, at least one.
        per: u64,
    },
    /// The baseline of the experiment, measured in the same rounds at the
    /// same setting, with any arm. If the baseline lacks the setting, there
    /// is no difference.
    Baseline,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellKind {
    /// Timed by criterion, in visits.
    Timed,
    /// Counted in windows of time.
    Window,
    /// Read in the same process as timed cells, before and after them: for
    /// studies of measuring itself. Such cells have no twins.
    Readings,
    /// Read in a separate process.
    Once,
    /// The slope of a line, read in a separate process.
    Line,
}

pub(crate) enum Work {
    Timed { answer: u64, body: Body },
    Taken(Take),
}

/// Takes figures that aren't timed. The argument is the maximum length of a
/// window.
type Take = Box<dyn Fn(Duration) -> Result<Found, String>>;

/// Checks whether a cell can run here. The error is the reason why it can't.
type Need = Box<dyn Fn() -> Result<(), String>>;

impl Cell {
    fn taking(mut self, quantities: &[(&str, Source)]) -> Cell {
        let named = |(name, source): &(&str, _)| (name.to_string(), *source);
        self.quantities.extend(quantities.iter().map(named));
        self
    }

    fn is_timed(&self) -> bool {
        self.kind == CellKind::Timed
    }

    /// Sets a parameter of the cell's setting.
    pub fn parameter(
        mut self,
        name: &str,
        value: impl Into<Parameter>,
    ) -> Cell {
        self.parameters.0.insert(name.to_owned(), value.into());
        self
    }

    /// Declares that one operation consists of `units` units. Times and
    /// counts are divided by this number.
    ///
    /// Panics if `units` is 0, or if the cell is not timed.
    pub fn per(self, units: u64) -> Cell {
        assert!(units > 0, "an operation has at least one unit");
        assert!(self.is_timed(), "only what is timed has operations");
        Cell { per: units, ..self }
    }

    /// Names the quantity of the cell's time if it isn't the experiment's,
    /// because only a part of the operation is timed. The experiment's
    /// counters leave out such cells.
    pub fn quantity(self, quantity: &str) -> Cell {
        Cell { own_quantity: Some(quantity.to_owned()), ..self }
    }

    /// Adds a row named `quantity` with the time beyond `base`. The first
    /// reading of a cell with readings has to be the time of its operation.
    ///
    /// Panics if the cell has no time to compare with this base, or if `per`
    /// is 0.
    pub fn beyond(self, base: Base, quantity: &str) -> Cell {
        let has_time = match base {
            Base::Known { per, .. } => {
                assert!(per > 0, "a difference is divided by one at least");
                matches!(self.kind, CellKind::Readings | CellKind::Once)
            }
            Base::Baseline => false,
        };
        assert!(
            has_time || self.is_timed(),
            "contender {:?}: no time to compare",
            self.contender
        );
        Cell { difference: Some((base, quantity.to_owned())), ..self }
    }

    /// Names further quantities of the cell's windows, with their sources.
    /// Their figures are in [`Measurement::also`](crate::Measurement::also).
    ///
    /// Panics if the cell is not a window.
    pub fn also(self, quantities: &[(&str, Source)]) -> Cell {
        assert!(
            matches!(self.kind, CellKind::Window),
            "contender {:?} is no window",
            self.contender
        );
        self.taking(quantities)
    }

    /// Leaves this cell out of quick runs.
    pub fn full_only(self) -> Cell {
        Cell { full_only: true, ..self }
    }

    /// Declares that this cell is one of many points on a curve. A third of
    /// the visits is enough, because its neighbours also show where it should
    /// be.
    pub fn in_sweep(self) -> Cell {
        Cell { in_sweep: true, ..self }
    }

    /// Names the cell's group. The cells of a group are visited within
    /// seconds of each other, there and back, so a claim that compares them
    /// compares the same moments. By default, all cells at one setting are a
    /// group, whatever their arms.
    pub fn group(self, name: &str) -> Cell {
        Cell { group: Some(name.to_owned()), ..self }
    }

    /// Chooses this cell to be visited a second time in its group, as its own
    /// twin, to show how much a cell differs from itself. The cell should be
    /// typical of the group's claims. By default, the baseline is chosen.
    pub fn twinned(self) -> Cell {
        Cell { is_twinned: true, ..self }
    }

    /// Leaves this cell out when the experiment's counters count: for a
    /// setting of which only the time matters.
    pub fn uncounted(self) -> Cell {
        Cell { is_counted: false, ..self }
    }

    /// In quick runs, leaves this cell out when the experiment's counters
    /// count.
    pub fn counted_in_full(self) -> Cell {
        Cell { is_counted_in_quick: false, ..self }
    }

    /// Sets how long one visit of any kind may take. After that, its process
    /// is killed and the cell fails. The default is 60 s.
    pub fn time_limit(self, limit: Duration) -> Cell {
        Cell { time_limit: limit, ..self }
    }

    /// Chooses the cores on which the cell runs, as the parameter
    /// `placement`. Runtimes are started before that, on all cores.
    pub fn placement(self, placement: Placement) -> Cell {
        let cell = self.parameter("placement", placement.name());
        Cell { placement: Some(placement), ..cell }
    }

    /// Chooses how idle cores wait while the cell runs, as the parameter
    /// `idle`. If they waited differently during a visit, the row fails.
    pub fn idle(self, idle: Idle) -> Cell {
        let cell = self.parameter("idle", idle.name());
        Cell { idle: Some(idle), ..cell }
    }

    /// Runs spinners during visits to the cell. Such a cell is not counted,
    /// since the counters would include the spinners.
    pub fn beside(self, spinners: Spinners) -> Cell {
        Cell { spinners: Some(spinners), ..self }
    }

    /// Adds a check to make before the cell is started. If the check fails,
    /// its error becomes the reason in the row.
    pub fn needs(
        mut self,
        need: impl Fn() -> Result<(), String> + 'static,
    ) -> Cell {
        self.needs.push(Box::new(need));
        self
    }

    /// Explains why a reading may be infinite: for example, because the
    /// figure lies beyond the searched range. The row then has this reason
    /// instead of a figure, and the answer doesn't count as wrong.
    pub fn infinite_means(self, reason: &str) -> Cell {
        Cell { infinite_means: Some(reason.to_owned()), ..self }
    }

    /// Names the rows of the same run from which the cell is computed: for a
    /// simulation, the rows with its prices.
    pub fn derived_from(self, rows: Vec<String>) -> Cell {
        Cell { derived_from: rows, ..self }
    }

    /// Declares that the cell is recorded by `--record`, with this plan.
    /// Ordinary runs don't measure it.
    pub fn recorded(self, plan: RecordingPlan) -> Cell {
        assert!(self.is_timed(), "only what is timed has operations");
        Cell { recording: Some(plan), ..self }
    }

    /// Checks that the cell can have rows: that all names are allowed, and
    /// that quantities are known.
    pub(crate) fn check(&self) -> Result<(), String> {
        check_label("contender", &self.contender)?;
        self.parameters.check()?;
        let taken = self.quantities.iter().map(|(name, _)| name);
        let beyond = self.difference.iter().map(|(_, quantity)| quantity);
        for quantity in taken.chain(&self.own_quantity).chain(beyond) {
            check_label("quantity", quantity)?;
            unit_of(quantity)?;
        }
        match self.quantities.iter().find(|(_, of)| *of == Source::Criterion) {
            Some(_) => Err("criterion's times are visits".to_owned()),
            None => Ok(()),
        }
    }

    pub(crate) fn group_name(&self) -> String {
        self.group.clone().unwrap_or_else(|| match self.setting().to_string() {
            setting if setting.is_empty() => "all".to_owned(),
            setting => setting,
        })
    }

    /// Returns the parameters of the cell without its arm.
    pub(crate) fn setting(&self) -> Parameters {
        let mut parameters = self.parameters.clone();
        parameters.0.remove("arm");
        parameters
    }

    pub(crate) fn stated_placement(&self) -> Option<Placement> {
        self.placement
    }

    /// Returns the quantity that the cell has instead of the experiment's.
    pub(crate) fn own_quantity(&self) -> Option<&str> {
        self.own_quantity.as_deref()
    }

    /// Returns the quantities of a visit's figures in order, each with its
    /// source. A timed cell without its own quantity uses the experiment's.
    pub(crate) fn figures<'a>(
        &'a self,
        of_experiment: &'a str,
    ) -> Vec<(&'a str, Source)> {
        let own =
            self.quantities.iter().map(|(name, source)| (&**name, *source));
        let more: &[_] = match self.kind {
            CellKind::Timed => {
                let quantity = self.own_quantity().unwrap_or(of_experiment);
                &[(quantity, Source::Criterion)]
            }
            CellKind::Window => {
                &window::PERCENTILES.map(|(name, _)| (name, Source::Histogram))
            }
            _ => &[],
        };
        own.chain(more.iter().copied()).collect()
    }

    /// Returns whether a round visits this cell on the way there, or `back`.
    /// A timed cell is always visited. Others are visited only in the first
    /// round of a process and on the way there. Only windows are also visited
    /// on the way back, except those of a sweep, or if the plan excludes
    /// this.
    pub(crate) fn is_visited(
        &self,
        plan: &Plan,
        is_first_round: bool,
        back: bool,
    ) -> bool {
        let goes_back = match self.kind {
            CellKind::Timed => return true,
            CellKind::Window => plan.windows_back && !self.in_sweep,
            CellKind::Readings | CellKind::Once | CellKind::Line => false,
        };
        is_first_round && (!back || goes_back)
    }

    /// Returns whether each visit to the cell has a separate process.
    pub(crate) fn has_own_process(&self) -> bool {
        matches!(self.kind, CellKind::Once | CellKind::Line)
    }
}
