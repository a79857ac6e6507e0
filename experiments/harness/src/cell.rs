//! A cell, that is, a benchmark of one contender at one setting.

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

/// A benchmark: one contender, measured at one setting of the parameters.
pub struct Cell {
    pub(crate) contender: String,
    pub(crate) parameters: Parameters,
    pub(crate) kind: CellKind,
    pub(crate) work: Work,
    /// The length of one measurement, if it counts requests in a window of
    /// time.
    pub(crate) duration: Duration,
    /// The number of units per operation.
    pub(crate) per: u64,
    /// The quantities that are measured besides criterion's time, each with
    /// its source.
    quantities: Vec<(String, Source)>,
    /// The name of the measured time, if it differs from the experiment's. If
    /// so, the names of the benchmark's rows include it.
    own_quantity: Option<String>,
    pub(crate) difference: Option<(Base, String)>,
    infinite_means: Option<String>,
    pub(crate) derived_from: Vec<String>,
    needs: Vec<Need>,
    // When, where and with which other benchmarks this one is measured.
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

/// The time that is subtracted from an operation's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// A known time, such as a wait that is part of the operation. It is
    /// subtracted from the operation's time, and the rest is divided by
    /// `per`.
    Known {
        /// The time to subtract from the operation's time.
        time: Duration,
        /// The number of units over which the rest of the time is divided, at
        /// least one.
        per: u64,
    },
    /// The baseline of the experiment, measured in the same rounds at the
    /// same setting; only the parameter `arm` may differ. Without a baseline
    /// at this setting, there is no difference.
    Baseline,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellKind {
    /// Timed by criterion.
    Timed,
    /// Requests are counted in windows of time.
    Window,
    /// The figures are read in the same process as timed benchmarks, before
    /// and after them. This kind is for studies of measuring itself. Such a
    /// benchmark isn't measured twice to compare it with itself.
    Readings,
    /// The figures are read in a separate process.
    Once,
    /// The figure is the slope of a line through points that are read in a
    /// separate process.
    Line,
}

pub(crate) enum Work {
    Timed { answer: u64, body: Body },
    Taken(Take),
}

/// A function that measures figures other than criterion's times. Its
/// argument is the maximum length of the measurement window.
type Take = Box<dyn Fn(Duration) -> Result<Found, String>>;

/// Checks whether a benchmark can run here. The error is the reason why it
/// can't.
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

    /// Sets a parameter of the benchmark, for example the number of threads.
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

    /// Names the quantity that the benchmark measures. Use this if only a
    /// part of the operation is timed, so that the time isn't the
    /// experiment's quantity. The experiment's counters leave out such
    /// benchmarks.
    pub fn quantity(self, quantity: &str) -> Cell {
        Cell { own_quantity: Some(quantity.to_owned()), ..self }
    }

    /// Adds a row named `quantity` with the benchmark's time minus `base`. If
    /// the benchmark returns readings, the first one has to be the time of
    /// its operation.
    ///
    /// Panics if the benchmark has no time to compare with this base, or if
    /// `per` is 0.
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

    /// Adds quantities that the benchmark measures in its windows of time,
    /// each with its source. Their figures are in
    /// [`Measurement::also`](crate::Measurement::also).
    ///
    /// Panics if the benchmark doesn't measure in windows of time.
    pub fn also(self, quantities: &[(&str, Source)]) -> Cell {
        assert!(
            matches!(self.kind, CellKind::Window),
            "contender {:?} is no window",
            self.contender
        );
        self.taking(quantities)
    }

    /// Leaves this benchmark out of quick runs.
    pub fn full_only(self) -> Cell {
        Cell { full_only: true, ..self }
    }

    /// Declares that this benchmark is one of many points on a curve. It is
    /// measured a third as often as other benchmarks, because the
    /// neighbouring points show the curve as well.
    pub fn in_sweep(self) -> Cell {
        Cell { in_sweep: true, ..self }
    }

    /// Sets the benchmark's group. The members of a group are measured within
    /// seconds of each other, in order and then in reverse, so that a claim
    /// compares them at the same moments. By default, all benchmarks at one
    /// setting are a group, whatever their parameter `arm`.
    pub fn group(self, name: &str) -> Cell {
        Cell { group: Some(name.to_owned()), ..self }
    }

    /// Chooses this benchmark to be measured a second time in its group, as
    /// its own twin, to show how much a benchmark differs from itself. It
    /// should be typical of those that the group's claims compare. By
    /// default, the baseline is chosen.
    pub fn twinned(self) -> Cell {
        Cell { is_twinned: true, ..self }
    }

    /// Excludes this benchmark from counting, because only its time matters.
    pub fn uncounted(self) -> Cell {
        Cell { is_counted: false, ..self }
    }

    /// Excludes this benchmark from counting in quick runs.
    pub fn counted_in_full(self) -> Cell {
        Cell { is_counted_in_quick: false, ..self }
    }

    /// Sets how long one measurement of this benchmark may take. After that,
    /// its process is killed and the benchmark fails. The default is 60 s.
    pub fn time_limit(self, limit: Duration) -> Cell {
        Cell { time_limit: limit, ..self }
    }

    /// Sets the cores on which the benchmark runs, and records them as the
    /// parameter `placement`. This doesn't affect runtimes, which have
    /// already been started on all cores.
    pub fn placement(self, placement: Placement) -> Cell {
        let cell = self.parameter("placement", placement.name());
        Cell { placement: Some(placement), ..cell }
    }

    /// Sets how idle cores wait while the benchmark runs, and records this as
    /// the parameter `idle`. If idle cores waited in another way during a
    /// measurement, the benchmark fails.
    pub fn idle(self, idle: Idle) -> Cell {
        let cell = self.parameter("idle", idle.name());
        Cell { idle: Some(idle), ..cell }
    }

    /// Runs spinners, programs that keep the cores awake, while this
    /// benchmark runs. Its events are not counted, since the counters would
    /// include the spinners.
    pub fn beside(self, spinners: Spinners) -> Cell {
        Cell { spinners: Some(spinners), ..self }
    }

    /// Adds a check that is made before the benchmark is started. If the
    /// check fails, the benchmark isn't run, and its row gives the error as
    /// the reason.
    pub fn needs(
        mut self,
        need: impl Fn() -> Result<(), String> + 'static,
    ) -> Cell {
        self.needs.push(Box::new(need));
        self
    }

    /// Gives a reason why a reading may be infinite, for example because the
    /// figure lies beyond the searched range. In that case, the row has the
    /// reason instead of a figure, and the answer isn't considered wrong.
    pub fn infinite_means(self, reason: &str) -> Cell {
        Cell { infinite_means: Some(reason.to_owned()), ..self }
    }

    /// Names the rows from which the benchmark's figures are computed. They
    /// are in the same run. For a simulation, they are the rows with the
    /// costs that it assumes.
    pub fn derived_from(self, rows: Vec<String>) -> Cell {
        Cell { derived_from: rows, ..self }
    }

    /// Declares that `--record` records this benchmark according to `plan`.
    /// Ordinary runs don't measure it.
    pub fn recorded(self, plan: RecordingPlan) -> Cell {
        assert!(self.is_timed(), "only what is timed has operations");
        Cell { recording: Some(plan), ..self }
    }

    /// Checks that the names of the benchmark and its parameters are allowed,
    /// and that its quantities are known.
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

    /// Returns all parameters except `arm`.
    pub(crate) fn setting(&self) -> Parameters {
        let mut parameters = self.parameters.clone();
        parameters.0.remove("arm");
        parameters
    }

    pub(crate) fn stated_placement(&self) -> Option<Placement> {
        self.placement
    }

    pub(crate) fn own_quantity(&self) -> Option<&str> {
        self.own_quantity.as_deref()
    }

    /// Returns the quantities of a measurement's figures in order, each with
    /// its source. A timed benchmark that names no quantity measures the
    /// experiment's quantity.
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

    /// Returns whether a round measures this benchmark on the way there (in
    /// order) or, if `back`, on the way back (in reverse). Timed benchmarks
    /// are always measured. Others are measured only in the first round of a
    /// process, and only windows of time also on the way back, except those
    /// of a sweep, or if the plan excludes this.
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

    pub(crate) fn has_own_process(&self) -> bool {
        matches!(self.kind, CellKind::Once | CellKind::Line)
    }
}
