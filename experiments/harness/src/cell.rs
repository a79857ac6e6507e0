//! A cell: one contender at one setting.

use std::time::Duration;

use measurement::name_check::check_label;
use measurement::{unit_of, Parameter, Parameters, Source};
use recorder::RecordingPlan;
use recordings::recording::Recorded;

use crate::body::Body;
use crate::idle::{Idle, Idling};
use crate::linear_fit::slope;
use crate::placement::{Pinned, Placement};
use crate::plan::Plan;
use crate::protocol::Found;
use crate::spinners::{Spinners, Spinning};
use crate::window::{self, Measurement};

/// How long a window is at most where only its answers are checked.
const VERIFIED: Duration = Duration::from_millis(100);
/// The same where nobody was answered in that.
const VERIFIED_AT_LAST: Duration = Duration::from_secs(5);

/// One contender at one setting.
pub struct Cell {
    pub(crate) contender: String,
    pub(crate) parameters: Parameters,
    pub(crate) kind: CellKind,
    pub(crate) work: Work,
    /// How long a visit takes by itself: a window.
    pub(crate) duration: Duration,
    /// How many units an operation has.
    pub(crate) per: u64,
    /// What is taken, each with its source.
    quantities: Vec<(String, Source)>,
    /// What is timed is of this quantity, or else of the experiment's; what is taken is told apart by it.
    own_quantity: Option<String>,
    pub(crate) difference: Option<(Base, String)>,
    infinite_means: Option<String>,
    pub(crate) derived_from: Vec<String>,
    needs: Vec<Need>,
    // When, where and beside what it is visited.
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

/// What a difference is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// A time that is known, such as a wait that is part of the operation. What the
    /// operation takes beyond it is divided by `per`.
    Known {
        /// How long it is.
        time: Duration,
        /// How many units share what is beyond it: one at least.
        per: u64,
    },
    /// The contender that is the experiment's baseline, taken in the same rounds at the
    /// same setting, whatever its arm. Where the baseline does not have the setting,
    /// there is no difference.
    Baseline,
}

/// How a cell comes by its figures.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellKind {
    /// Timed by criterion, in visits.
    Timed,
    /// Counted in windows of time.
    Window,
    /// Read in the process of the rounds, which has other cells before and after: for studies of measuring
    /// itself, which have no twins.
    Readings,
    /// Read in a process of its own.
    Once,
    /// The slope of a line, in a process of its own.
    Line,
}

pub(crate) enum Work {
    Timed { answer: u64, body: Body },
    Taken(Take),
}

/// Takes what is not timed; a window in so long at most.
type Take = Box<dyn Fn(Duration) -> Result<Found, String>>;

/// Says why a cell cannot run here, if so.
type Need = Box<dyn Fn() -> Result<(), String>>;

/// What a cell has around it while it runs. What was started last goes first.
pub(crate) struct Surroundings {
    idling: Option<Idling>,
    _spinning: Option<Spinning>,
    _pinned: Option<Pinned>,
}

impl Surroundings {
    /// Ends them after a visit, and says what was not as the cell asks for.
    pub(crate) fn end(self) -> Result<(), String> {
        self.idling.as_ref().map_or(Ok(()), Idling::check)
    }
}

impl Cell {
    /// A contender, the answer that every operation has to return, and what one
    /// operation does.
    pub fn new(contender: &str, answer: u64, body: Body) -> Cell {
        Cell::of(contender, CellKind::Timed, Work::Timed { answer, body })
    }

    /// A contender whose figures are not times of criterion's but, for instance,
    /// percentiles of a histogram: `take` is called once in each process, and
    /// returns one figure for each of the quantities, in their unit and order.
    /// It checks its answers itself, and an error is what is wrong with them.
    pub fn readings(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: impl Fn() -> Result<Vec<f64>, String> + 'static,
    ) -> Cell {
        let take = move |_| Ok(Found { figures: take()?, ..Found::default() });
        let cell = Cell::of(
            contender,
            CellKind::Readings,
            Work::Taken(Box::new(take)),
        );
        quantities
            .iter()
            .fold(cell, |cell, name| cell.taking(&[(name, source)]))
    }

    /// A contender whose readings are each taken in a process of its own, which
    /// is started for that and gone after it: of memory, limits and pools. What
    /// `take` leaves behind, aborts or hangs with touches no other cell, but for
    /// programs that it starts and does not end.
    ///
    /// Otherwise it is as with [`Cell::readings`]: once in the first round of each
    /// of the run's processes, whose link of the program is started once more.
    pub fn once(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: impl Fn() -> Result<Vec<f64>, String> + 'static,
    ) -> Cell {
        let kind = CellKind::Once;
        Cell { kind, ..Cell::readings(contender, source, quantities, take) }
    }

    /// A contender whose figure is the slope of a straight line: what a unit adds,
    /// as memory does, where what is there anyway does not count. `take` returns
    /// three points or more: how many units there were, and what was found of all
    /// of them, in the unit of the quantity. It is called as that of
    /// [`Cell::once`], in a process of its own; each such visit is a slope by
    /// least squares, and the row keeps the points.
    ///
    /// A line that falls fails, since only a difference may be below zero.
    pub fn fitted(
        contender: &str,
        source: Source,
        quantity: &str,
        take: impl Fn() -> Result<Vec<(f64, f64)>, String> + 'static,
    ) -> Cell {
        let take = move |_| {
            let line = take()?;
            let figures = vec![slope(&line)?];
            Ok(Found { figures, line, ..Found::default() })
        };
        Cell::of(contender, CellKind::Line, Work::Taken(Box::new(take)))
            .taking(&[(quantity, source)])
    }

    /// A contender that answers requests, as a server or under a load, for a
    /// window of time: its throughput, and percentiles of its latency if `take`
    /// returns a histogram of them. `take` is told for how long, sets up what it
    /// needs, checks its answers itself, and an error is what is wrong with them.
    /// When a chapter is verified, the window is a tenth of a second at most, and
    /// some seconds where nobody was answered in that: the machine may be busy.
    ///
    /// It is visited once there and once back in the first round of each process,
    /// among the other cells of its group: 10 windows in a full run. In a quick run
    /// it is 6, there only.
    pub fn window(
        contender: &str,
        duration: Duration,
        take: impl Fn(Duration) -> Result<Measurement, String> + 'static,
    ) -> Cell {
        assert!(
            !duration.is_zero(),
            "contender {contender:?}: a window of 0 s"
        );
        let take = move |longest| window::found(take(duration.min(longest))?);
        let cell =
            Cell::of(contender, CellKind::Window, Work::Taken(Box::new(take)));
        Cell { duration, ..cell }.taking(&[("throughput", Source::Harness)])
    }

    fn of(contender: &str, kind: CellKind, work: Work) -> Cell {
        Cell {
            contender: contender.to_owned(),
            parameters: Parameters::default(),
            kind,
            work,
            duration: Duration::ZERO,
            per: 1,
            quantities: Vec::new(),
            own_quantity: None,
            difference: None,
            infinite_means: None,
            derived_from: Vec::new(),
            needs: Vec::new(),
            full_only: false,
            in_sweep: false,
            group: None,
            is_twinned: false,
            is_counted: true,
            is_counted_in_quick: true,
            time_limit: Duration::from_secs(60),
            placement: None,
            idle: None,
            spinners: None,
            recording: None,
        }
    }

    /// Takes figures of these quantities as well.
    fn taking(mut self, quantities: &[(&str, Source)]) -> Cell {
        let named = |(name, source): &(&str, _)| (name.to_string(), *source);
        self.quantities.extend(quantities.iter().map(named));
        self
    }

    fn is_timed(&self) -> bool {
        self.kind == CellKind::Timed
    }

    /// States a parameter of the setting.
    pub fn parameter(
        mut self,
        name: &str,
        value: impl Into<Parameter>,
    ) -> Cell {
        self.parameters.0.insert(name.to_owned(), value.into());
        self
    }

    /// One operation consists of so many units: times and counts are divided by
    /// it.
    ///
    /// Panics if `units` is 0, or the cell is not timed.
    pub fn per(self, units: u64) -> Cell {
        assert!(units > 0, "an operation has at least one unit");
        assert!(self.is_timed(), "only what is timed has operations");
        Cell { per: units, ..self }
    }

    /// Its time is another quantity than the experiment's: for a part of what the
    /// operation does. The experiment's counters leave such a cell out.
    pub fn quantity(self, quantity: &str) -> Cell {
        Cell { own_quantity: Some(quantity.to_owned()), ..self }
    }

    /// Adds a row: what its time is beyond that of the base, as `quantity`. Of a cell
    /// with readings, it is the first of them that is a time of its operation.
    ///
    /// Panics if the cell has no time that could be compared with such a base, or there are
    /// no units to share what is beyond a known time.
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

    /// Names what its windows tell beside throughput and latency, in
    /// [`Measurement::also`], and from where they have it.
    ///
    /// Panics if the cell is no window.
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

    /// Says that this is one point of many on a curve, where those beside it tell
    /// as well what it has to be: a third of the visits will do.
    pub fn in_sweep(self) -> Cell {
        Cell { in_sweep: true, ..self }
    }

    /// Names the cells beside which this one is visited: those of one group follow
    /// each other within seconds, there and back, so that a claim that compares
    /// them compares the same moments. Without a name, a group is what stands at
    /// one setting, whatever its arm.
    pub fn group(self, name: &str) -> Cell {
        Cell { group: Some(name.to_owned()), ..self }
    }

    /// Says that this is the cell of its group that is visited a second time, as
    /// its own twin, to show by how much a cell differs from itself: one that is
    /// like what the group's claims are about. Without a word, it is the baseline.
    pub fn twinned(self) -> Cell {
        Cell { is_twinned: true, ..self }
    }

    /// Leaves this cell out when the experiment's counters count: for a setting
    /// whose time is enough to know.
    pub fn uncounted(self) -> Cell {
        Cell { is_counted: false, ..self }
    }

    /// Leaves it out of the counting of quick runs.
    pub fn counted_in_full(self) -> Cell {
        Cell { is_counted_in_quick: false, ..self }
    }

    /// How long one visit of any kind may take before its process is killed and
    /// the cell fails: 60 s unless told.
    pub fn time_limit(self, limit: Duration) -> Cell {
        Cell { time_limit: limit, ..self }
    }

    /// On which cores it runs, stated as the parameter `placement`. Runtimes are
    /// started before, on all cores.
    pub fn placement(self, placement: Placement) -> Cell {
        let cell = self.parameter("placement", placement.name());
        Cell { placement: Some(placement), ..cell }
    }

    /// How idle cores wait while it runs, stated as the parameter `idle`. A visit in which they waited
    /// otherwise makes a failed row.
    pub fn idle(self, idle: Idle) -> Cell {
        let cell = self.parameter("idle", idle.name());
        Cell { idle: Some(idle), ..cell }
    }

    /// What runs beside it, in its visits only. Such a cell is not counted, since
    /// the counters would count its company as well.
    pub fn beside(self, spinners: Spinners) -> Cell {
        Cell { spinners: Some(spinners), ..self }
    }

    /// Asks, before the cell is started, whether it can run here. An error is the
    /// reason that its row gets.
    pub fn needs(
        mut self,
        need: impl Fn() -> Result<(), String> + 'static,
    ) -> Cell {
        self.needs.push(Box::new(need));
        self
    }

    /// What it means if a reading is infinite: that the figure lies beyond the
    /// limits within which it is looked for, say. In a run it is the reason why
    /// there is no figure; it is no wrong answer.
    pub fn infinite_means(self, reason: &str) -> Cell {
        Cell { infinite_means: Some(reason.to_owned()), ..self }
    }

    /// Names the rows of the same run from which it is computed: of a simulation,
    /// those of its prices.
    pub fn derived_from(self, rows: Vec<String>) -> Cell {
        Cell { derived_from: rows, ..self }
    }

    /// Says that it is there to be recorded by `--record`, and how; no run measures it.
    pub fn recorded(self, plan: RecordingPlan) -> Cell {
        assert!(self.is_timed(), "only what is timed has operations");
        Cell { recording: Some(plan), ..self }
    }

    /// Records it, in a process that is there for nothing else.
    pub(crate) fn record(&self) -> Result<Recorded, String> {
        let (Some(plan), Work::Timed { answer, body }) =
            (&self.recording, &self.work)
        else {
            return Err("nothing is planned to be recorded of it".to_owned());
        };
        let mut batch = body.start()?;
        let surroundings = self.surroundings()?;
        let recorded = recorder::record(plan, self.per, |operations| {
            Ok(batch.run(operations).checked(*answer)?.elapsed)
        })?;
        surroundings.end()?;
        Ok(recorded)
    }

    /// Whether there can be rows of it.
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

    /// The group's name.
    pub(crate) fn group_name(&self) -> String {
        self.group.clone().unwrap_or_else(|| match self.setting().to_string() {
            setting if setting.is_empty() => "all".to_owned(),
            setting => setting,
        })
    }

    /// Its parameters, whatever its arm.
    pub(crate) fn setting(&self) -> Parameters {
        let mut parameters = self.parameters.clone();
        parameters.0.remove("arm");
        parameters
    }

    /// On which cores it runs, where that is stated.
    pub(crate) fn stated_placement(&self) -> Option<Placement> {
        self.placement
    }

    /// Its own quantity, where it has one.
    pub(crate) fn own_quantity(&self) -> Option<&str> {
        self.own_quantity.as_deref()
    }

    /// The quantities of a visit's figures, in their order, each with its source.
    /// That of what is timed is the experiment's if it has none of its own.
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

    /// Whether a round visits it that its group allows it, on this way through the
    /// group: what is timed always, the rest in the first round of a process, and
    /// what is not a window on the way there only. So are windows where they are
    /// one of many on a curve, or the plan says so.
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

    /// Whether each visit has a process of its own.
    pub(crate) fn has_own_process(&self) -> bool {
        matches!(self.kind, CellKind::Once | CellKind::Line)
    }

    pub(crate) fn can_run(&self) -> Result<(), String> {
        self.needs.iter().try_for_each(|need| need())
    }

    /// Has idle cores wait as the cell asks for, puts this process on its cores and starts what runs
    /// beside it, until what is returned is dropped.
    pub(crate) fn surroundings(&self) -> Result<Surroundings, String> {
        self.surroundings_with(self.idle)
    }

    /// The same where no time is taken: without waiting until idle cores halt again.
    fn surroundings_for_an_answer(&self) -> Result<Surroundings, String> {
        self.surroundings_with(self.idle.filter(|idle| *idle == Idle::Polls))
    }

    fn surroundings_with(
        &self,
        idle: Option<Idle>,
    ) -> Result<Surroundings, String> {
        let idling = idle.map(Idle::take).transpose()?;
        let pinned = self.placement.map_or(Ok(None), Placement::take)?;
        let spinning = self.spinners.map(Spinners::start).transpose()?;
        Ok(Surroundings { idling, _spinning: spinning, _pinned: pinned })
    }

    /// Runs it once. The outer error is why it cannot run here, the inner one
    /// what is wrong with its answer.
    ///
    /// A line may fall here: of what the kernel tells for the whole computer, others
    /// may free more in this moment than the units take.
    pub(crate) fn verify(&self) -> Result<Result<(), String>, String> {
        self.can_run()?;
        Ok(match &self.work {
            Work::Timed { answer, body } => {
                let mut batch = body.start()?;
                let _surroundings = self.surroundings_for_an_answer()?;
                batch.run(1).checked(*answer).map(drop)
            }
            Work::Taken(take) => {
                let _surroundings = self.surroundings_for_an_answer()?;
                let found = match take(VERIFIED) {
                    Err(reason) if window::is_too_short(&reason) => {
                        take(VERIFIED_AT_LAST)
                    }
                    found => found,
                };
                found.and_then(|found| self.checked(found)).map(drop)
            }
        })
    }

    /// What a visit finds that is not timed.
    ///
    /// Fails if no row can be of it, with the reason.
    pub(crate) fn find(&self, take: &Take) -> Result<Found, String> {
        let found = self.checked(take(Duration::MAX)?)?;
        match &self.infinite_means {
            Some(reason) if found.figures.iter().any(|f| f.is_infinite()) => {
                Err(reason.clone())
            }
            _ if self.kind == CellKind::Line && found.figures[0] < 0.0 => {
                Err(format!("{:?} make a line that falls", found.line))
            }
            _ => Ok(found),
        }
    }

    /// What was found, if it is a finite figure for each quantity, or an infinite
    /// one if the cell says what that means.
    fn checked(&self, found: Found) -> Result<Found, String> {
        let figures = &found.figures;
        let has_histogram = !found.latencies.is_empty();
        let percentiles =
            usize::from(has_histogram) * window::PERCENTILES.len();
        let is_number = |figure: &f64| {
            figure.is_finite()
                || (figure.is_infinite() && self.infinite_means.is_some())
        };
        if figures.len() == self.quantities.len() + percentiles
            && figures.iter().all(is_number)
        {
            return Ok(found);
        }
        let quantities = self.quantities.iter().map(|(name, _)| name);
        let quantities: Vec<_> = quantities.collect();
        Err(format!(
            "{figures:?} are not one figure for each of {quantities:?}"
        ))
    }
}
