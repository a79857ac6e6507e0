//! A cell: one contender at one setting.

use std::time::Duration;

use measurement::name_check::{check_label, InvalidName};
use measurement::{unit_of, Parameter, Parameters, Source};
use recorder::RecordingPlan;
use recordings::recording::Recorded;

use crate::body::Body;
use crate::difference::{Base, Difference};
use crate::linear_fit::slope;
use crate::placement::{Pinned, Placement};
use crate::plan::Plan;
use crate::protocol::VisitOutcome;
use crate::spinners::{Spinners, Spinning};
use crate::window::{self, Measurement};

/// How long a window is at most where only its answers are checked.
const VERIFIED: Duration = Duration::from_millis(100);

/// One contender at one setting.
pub struct Cell {
    pub(crate) contender: String,
    pub(crate) parameters: Parameters,
    pub(crate) full_only: bool,
    pub(crate) in_sweep: bool,
    group: Option<String>,
    pub(crate) is_twinned: bool,
    pub(crate) counted: WhenCounted,
    pub(crate) time_limit: Duration,
    pub(crate) placement: Option<Placement>,
    pub(crate) spinners: Option<Spinners>,
    pub(crate) quantity: Option<String>,
    pub(crate) difference: Option<Difference>,
    needs: Vec<Need>,
    pub(crate) infinite_means: Option<String>,
    pub(crate) recording: Option<RecordingPlan>,
    pub(crate) kind: CellKind,
}

/// In which runs the experiment's counters count a cell.
pub(crate) enum WhenCounted {
    Always,
    InFull,
    Never,
}

/// What a cell has around it while it runs. What was started last goes first.
pub(crate) struct Surroundings {
    _spinning: Option<Spinning>,
    _pinned: Option<Pinned>,
}

/// Says why a cell cannot run here, if so.
type Need = Box<dyn Fn() -> Result<(), String>>;

/// Serves or loads for so long.
type Serve = Box<dyn Fn(Duration) -> Result<Measurement, String>>;

/// Takes readings, one of each quantity.
type Take = Box<dyn Fn() -> Result<Vec<f64>, String>>;

/// Takes the points of a line.
type TakeLine = Box<dyn Fn() -> Result<Vec<(f64, f64)>, String>>;

/// How a cell comes by its figures.
pub(crate) enum CellKind {
    /// Timed by criterion, in visits.
    Timed { answer: u64, per: u64, body: Body },
    /// Counted in a window of time, once there and back in each process.
    Window { duration: Duration, serve: Serve, also: Vec<(String, Source)> },
    /// Taken otherwise, once in each process.
    Readings {
        source: Source,
        quantities: Vec<String>,
        take: Take,
        process: ReadingProcess,
    },
    /// The slope of a line, taken once for each process, in one of its own.
    Line { source: Source, quantity: String, take: TakeLine },
}

/// In which process readings are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadingProcess {
    /// In that of the rounds, which has other cells before and after.
    OfRounds,
    /// In one that is started for it, and gone after it.
    Own,
}

impl Cell {
    /// A contender, the answer that every operation has to return, and what one
    /// operation does.
    pub fn new(contender: &str, answer: u64, body: Body) -> Cell {
        Cell::of(contender, CellKind::Timed { answer, per: 1, body })
    }

    /// A contender whose figures are not times of criterion's but, for instance,
    /// percentiles of a histogram: `take` is called once in each process, and
    /// returns one figure for each of the quantities, in their unit and order.
    /// It checks its answers itself, and an error is what is wrong with them.
    ///
    /// # Panics
    ///
    /// If a quantity is not known to [`measurement::unit_of`], or the source is
    /// criterion.
    pub fn readings(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: impl Fn() -> Result<Vec<f64>, String> + 'static,
    ) -> Cell {
        let process = ReadingProcess::OfRounds;
        Cell::reading(contender, source, quantities, Box::new(take), process)
    }

    /// A contender whose readings are each taken in a process of its own, which
    /// is started for that and gone after it: of memory, limits and pools. What
    /// `take` leaves behind, aborts or hangs with touches no other cell, but for
    /// programs that it starts and does not end.
    ///
    /// Otherwise it is as with [`Cell::readings`]: once in the first round of each
    /// of the run's processes, whose link of the program is started once more.
    ///
    /// # Panics
    ///
    /// If a quantity is not known to [`measurement::unit_of`], or the source is
    /// criterion.
    pub fn once(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: impl Fn() -> Result<Vec<f64>, String> + 'static,
    ) -> Cell {
        let process = ReadingProcess::Own;
        Cell::reading(contender, source, quantities, Box::new(take), process)
    }

    fn reading(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: Take,
        process: ReadingProcess,
    ) -> Cell {
        for quantity in quantities {
            check_reading(contender, source, quantity);
        }
        let quantities = quantities.iter().map(|&name| name.to_owned());
        let quantities = quantities.collect();
        let kind = CellKind::Readings { source, quantities, take, process };
        Cell::of(contender, kind)
    }

    /// A contender whose figure is the slope of a straight line: what a unit adds,
    /// as memory does, where what is there anyway does not count. `take` returns
    /// three points or more: how many units there were, and what was found of all
    /// of them, in the unit of the quantity. It is called as that of
    /// [`Cell::once`], in a process of its own; each such visit is a slope by
    /// least squares, and the row keeps the points.
    ///
    /// A line that falls fails, since only a difference may be below zero.
    ///
    /// # Panics
    ///
    /// If the quantity is not known to [`measurement::unit_of`], or the source is
    /// criterion.
    pub fn fitted(
        contender: &str,
        source: Source,
        quantity: &str,
        take: impl Fn() -> Result<Vec<(f64, f64)>, String> + 'static,
    ) -> Cell {
        check_reading(contender, source, quantity);
        let (quantity, take) = (quantity.to_owned(), Box::new(take));
        Cell::of(contender, CellKind::Line { source, quantity, take })
    }

    /// A contender that answers requests, as a server or under a load, for a
    /// window of time: its throughput, and percentiles of its latency if `take`
    /// returns a histogram of them. `take` is told for how long, sets up what it
    /// needs, checks its answers itself, and an error is what is wrong with them.
    /// When a chapter is verified, the window is a tenth of a second at most.
    ///
    /// It is visited once there and once back in the first round of each process,
    /// among the other cells of its group: 10 windows in a full run. In a quick run
    /// it is 6, there only.
    ///
    /// # Panics
    ///
    /// If the window has no length.
    pub fn window(
        contender: &str,
        duration: Duration,
        take: impl Fn(Duration) -> Result<Measurement, String> + 'static,
    ) -> Cell {
        assert!(
            !duration.is_zero(),
            "contender {contender:?}: a window of 0 s"
        );
        let serve = Box::new(take);
        let also = Vec::new();
        Cell::of(contender, CellKind::Window { duration, serve, also })
    }

    fn of(contender: &str, kind: CellKind) -> Cell {
        Cell {
            contender: contender.to_owned(),
            parameters: Parameters::default(),
            full_only: false,
            in_sweep: false,
            group: None,
            is_twinned: false,
            counted: WhenCounted::Always,
            time_limit: Duration::from_secs(60),
            placement: None,
            spinners: None,
            quantity: None,
            difference: None,
            needs: Vec::new(),
            infinite_means: None,
            recording: None,
            kind,
        }
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
    /// # Panics
    ///
    /// If `units` is 0, or the cell is not timed.
    pub fn per(mut self, units: u64) -> Cell {
        assert!(units > 0, "an operation has at least one unit");
        match &mut self.kind {
            CellKind::Timed { per, .. } => *per = units,
            CellKind::Window { .. }
            | CellKind::Readings { .. }
            | CellKind::Line { .. } => {
                panic!("only what is timed has operations")
            }
        }
        self
    }

    /// Its time is another quantity than the experiment's: for a part of what the
    /// operation does. The experiment's counters leave such a cell out.
    ///
    /// # Panics
    ///
    /// If the quantity is not known to [`measurement::unit_of`].
    pub fn quantity(mut self, quantity: &str) -> Cell {
        if let Err(error) = unit_of(quantity) {
            panic!("contender {:?}: {error}", self.contender);
        }
        self.quantity = Some(quantity.to_owned());
        self
    }

    /// Adds a row: what its time is beyond that of the base, as `quantity`. Of a cell
    /// with readings, it is the first of them that is a time of its operation.
    ///
    /// # Panics
    ///
    /// If the quantity is not known to [`measurement::unit_of`], the cell has no time
    /// that could be compared with such a base, or there are no units to share what is
    /// beyond a known time.
    pub fn beyond(mut self, base: Base, quantity: &str) -> Cell {
        let has_time = match (&base, &self.kind) {
            (_, CellKind::Timed { .. }) => true,
            (Base::Known { .. }, CellKind::Readings { .. }) => true,
            (Base::Baseline, CellKind::Readings { .. })
            | (_, CellKind::Window { .. } | CellKind::Line { .. }) => false,
        };
        assert!(has_time, "contender {:?}: no time to compare", self.contender);
        if let Base::Known { per, .. } = base {
            assert!(per > 0, "a difference is divided by one at least");
        }
        if let Err(error) = unit_of(quantity) {
            panic!("contender {:?}: {error}", self.contender);
        }
        let quantity = quantity.to_owned();
        self.difference = Some(Difference { quantity, base });
        self
    }

    /// Names what its windows tell beside throughput and latency, in
    /// [`Measurement::also`], and from where they have it.
    ///
    /// # Panics
    ///
    /// If the cell is no window, a quantity is not known to
    /// [`measurement::unit_of`], or the source is criterion.
    pub fn also(mut self, quantities: &[(&str, Source)]) -> Cell {
        for (quantity, source) in quantities {
            check_reading(&self.contender, *source, quantity);
        }
        let CellKind::Window { also, .. } = &mut self.kind else {
            panic!("contender {:?} is no window", self.contender);
        };
        let named = quantities
            .iter()
            .map(|(name, source)| ((*name).to_owned(), *source));
        also.extend(named);
        self
    }

    /// Leaves this cell out of quick runs.
    pub fn full_only(mut self) -> Cell {
        self.full_only = true;
        self
    }

    /// Says that this is one point of many on a curve, where those beside it tell
    /// as well what it has to be: a third of the visits will do.
    pub fn in_sweep(mut self) -> Cell {
        self.in_sweep = true;
        self
    }

    /// Names the cells beside which this one is visited: those of one group follow
    /// each other within seconds, there and back, so that a claim that compares
    /// them compares the same moments. Without a name, a group is what stands at
    /// one setting, whatever its arm.
    pub fn group(mut self, name: &str) -> Cell {
        self.group = Some(name.to_owned());
        self
    }

    /// Says that this is the cell of its group that is visited a second time, as
    /// its own twin, to show by how much a cell differs from itself: one that is
    /// like what the group's claims are about. Without a word, it is the baseline.
    pub fn twinned(mut self) -> Cell {
        self.is_twinned = true;
        self
    }

    /// The group's name.
    pub(crate) fn group_name(&self) -> String {
        if let Some(name) = &self.group {
            return name.clone();
        }
        let parameters = self.parameters.0.iter();
        let setting = parameters.filter(|(name, _)| *name != "arm");
        let setting = setting.map(|(name, value)| format!("{name}={value}"));
        let setting = setting.collect::<Vec<_>>().join(", ");
        if setting.is_empty() {
            "all".to_owned()
        } else {
            setting
        }
    }

    /// Leaves this cell out when the experiment's counters count: for a setting
    /// whose time is enough to know.
    pub fn uncounted(mut self) -> Cell {
        self.counted = WhenCounted::Never;
        self
    }

    /// Leaves it out of the counting of quick runs.
    pub fn counted_in_full(mut self) -> Cell {
        self.counted = WhenCounted::InFull;
        self
    }

    /// How long one visit of any kind may take before its process is killed and
    /// the cell fails: 60 s unless told.
    pub fn time_limit(mut self, limit: Duration) -> Cell {
        self.time_limit = limit;
        self
    }

    /// On which cores it runs, stated as the parameter `placement`. Runtimes are
    /// started before, on all cores.
    pub fn placement(mut self, placement: Placement) -> Cell {
        self.placement = Some(placement);
        self.parameter("placement", placement.name())
    }

    /// What runs beside it, in its visits only. Such a cell is not counted, since
    /// the counters would count its company as well.
    pub fn beside(mut self, spinners: Spinners) -> Cell {
        self.spinners = Some(spinners);
        self
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
    pub fn infinite_means(mut self, reason: &str) -> Cell {
        self.infinite_means = Some(reason.to_owned());
        self
    }

    /// Says that it is there to be recorded by `--record`, and how; no run measures it.
    ///
    /// # Panics
    ///
    /// If the cell has no operations.
    pub fn recorded(mut self, plan: RecordingPlan) -> Cell {
        let is_timed = matches!(self.kind, CellKind::Timed { .. });
        assert!(is_timed, "only what is timed has operations");
        self.recording = Some(plan);
        self
    }

    /// Records it, in a process that is there for nothing else.
    ///
    /// # Errors
    ///
    /// Why it cannot be, and what to do.
    pub(crate) fn record(&self) -> Result<Recorded, String> {
        let (Some(plan), CellKind::Timed { answer, per, body }) =
            (&self.recording, &self.kind)
        else {
            return Err("nothing is planned to be recorded of it".to_owned());
        };
        let mut batch = body.start()?;
        let _surroundings = self.surroundings()?;
        recorder::record(plan, *per, |operations| {
            Ok(batch.run(operations).checked(*answer)?.elapsed)
        })
    }

    /// Whether rows may have its names.
    pub(crate) fn check_names(&self) -> Result<(), InvalidName> {
        check_label("contender", &self.contender)?;
        for (name, value) in &self.parameters.0 {
            check_label("parameter", name)?;
            if let Parameter::Text(text) = value {
                check_label("the value of a parameter,", text)?;
            }
        }
        let own = self.quantity.iter();
        let beyond = self.difference.iter().map(|beyond| &beyond.quantity);
        let taken = match &self.kind {
            CellKind::Timed { .. } => Vec::new(),
            CellKind::Window { also, .. } => {
                also.iter().map(|(name, _)| name).collect()
            }
            CellKind::Readings { quantities, .. } => {
                quantities.iter().collect()
            }
            CellKind::Line { quantity, .. } => vec![quantity],
        };
        own.chain(beyond)
            .chain(taken)
            .try_for_each(|quantity| check_label("quantity", quantity))
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
        let is_brief = self.in_sweep || !plan.windows_back;
        match self.kind {
            CellKind::Timed { .. } => true,
            CellKind::Window { .. } => is_first_round && !(back && is_brief),
            CellKind::Readings { .. } | CellKind::Line { .. } => {
                is_first_round && !back
            }
        }
    }

    /// Whether each visit has a process of its own.
    pub(crate) fn has_own_process(&self) -> bool {
        match self.kind {
            CellKind::Timed { .. } | CellKind::Window { .. } => false,
            CellKind::Readings { process, .. } => {
                process == ReadingProcess::Own
            }
            CellKind::Line { .. } => true,
        }
    }

    /// The kind of cells of which its group has a twin; none for readings in the
    /// process of the rounds, which are studies of their own.
    pub(crate) fn twinned_as(&self) -> Option<&'static str> {
        match self.kind {
            CellKind::Timed { .. } => Some("timed"),
            CellKind::Window { .. } => Some("window"),
            CellKind::Readings {
                process: ReadingProcess::OfRounds, ..
            } => None,
            CellKind::Readings { process: ReadingProcess::Own, .. } => {
                Some("once")
            }
            CellKind::Line { .. } => Some("line"),
        }
    }

    /// # Errors
    ///
    /// Why it cannot run here.
    pub(crate) fn can_run(&self) -> Result<(), String> {
        self.needs.iter().try_for_each(|need| need())
    }

    /// Whether it has a row of what its time is beyond the baseline's.
    pub(crate) fn is_beyond_baseline(&self) -> bool {
        let base = self.difference.as_ref().map(|difference| difference.base);
        base == Some(Base::Baseline)
    }

    /// Whether it is started anew for each visit.
    pub(crate) fn is_for_each_visit(&self) -> bool {
        match &self.kind {
            CellKind::Timed { body, .. } => body.is_for_each_visit(),
            CellKind::Window { .. }
            | CellKind::Readings { .. }
            | CellKind::Line { .. } => false,
        }
    }

    /// Runs it once. The outer error is why it cannot run here, the inner one
    /// what is wrong with its answer.
    pub(crate) fn verify(&self) -> Result<Result<(), String>, String> {
        self.can_run()?;
        let started = match &self.kind {
            CellKind::Timed { answer, body, .. } => {
                Some((body.start()?, answer))
            }
            CellKind::Window { .. }
            | CellKind::Readings { .. }
            | CellKind::Line { .. } => None,
        };
        let _surroundings = self.surroundings()?;
        Ok(match started {
            Some((mut batch, &answer)) => {
                batch.run(1).checked(answer).map(drop)
            }
            None => self.verified_figures(),
        })
    }

    /// Whether what is not timed finds figures. A line may fall here: of what the
    /// kernel tells for the whole computer, others may free more in this moment
    /// than the units take.
    fn verified_figures(&self) -> Result<(), String> {
        match &self.kind {
            CellKind::Line { take, .. } => slope(&take()?).map(drop),
            _ => self.take(VERIFIED).map(drop),
        }
    }

    /// Puts this process on the cell's cores and starts what runs beside it,
    /// until what is returned is dropped.
    ///
    /// # Errors
    ///
    /// If that is not possible here, with the reason.
    pub(crate) fn surroundings(&self) -> Result<Surroundings, String> {
        let pinned = self.placement.map_or(Ok(None), Placement::take)?;
        let spinning = self.spinners.map(Spinners::start).transpose()?;
        Ok(Surroundings { _spinning: spinning, _pinned: pinned })
    }

    /// What a visit of a cell finds that is not timed: what it counts in its
    /// window, or the longest that one may be; or its readings, one finite figure
    /// for each quantity, or infinite ones if the cell says what that means; or a
    /// line.
    pub(crate) fn take(
        &self,
        longest: Duration,
    ) -> Result<VisitOutcome, String> {
        match &self.kind {
            CellKind::Timed { .. } => Err("it is timed".to_owned()),
            CellKind::Window { duration, serve, also } => {
                let measurement = serve((*duration).min(longest))?;
                Ok(VisitOutcome::Window(measurement.counts(also.len())?))
            }
            CellKind::Readings { quantities, take, .. } => {
                let figures = take()?;
                let may_be_infinite = self.infinite_means.is_some();
                let are_numbers = figures.iter().all(|figure| {
                    figure.is_finite()
                        || (figure.is_infinite() && may_be_infinite)
                });
                if figures.len() == quantities.len() && are_numbers {
                    return Ok(VisitOutcome::Readings(figures));
                }
                Err(format!(
                    "{figures:?} are not one figure for each of {quantities:?}"
                ))
            }
            CellKind::Line { take, .. } => {
                let points = take()?;
                let slope = slope(&points)?;
                if slope < 0.0 {
                    return Err(format!("{points:?} make a line that falls"));
                }
                Ok(VisitOutcome::Line { slope, points })
            }
        }
    }

    /// The quantities of a visit's figures, in their order, each with its source.
    /// That of what is timed is the experiment's, `of_experiment`, if it has none of
    /// its own.
    pub(crate) fn figures<'a>(
        &'a self,
        of_experiment: &'a str,
    ) -> Vec<(&'a str, Source)> {
        match &self.kind {
            CellKind::Timed { .. } => {
                let own = self.quantity.as_deref();
                vec![(own.unwrap_or(of_experiment), Source::Criterion)]
            }
            CellKind::Window { also, .. } => window::quantities(also).collect(),
            CellKind::Readings { source, quantities, .. } => {
                let named = quantities.iter().map(|name| (&**name, *source));
                named.collect()
            }
            CellKind::Line { source, quantity, .. } => {
                vec![(quantity, *source)]
            }
        }
    }
}

/// # Panics
///
/// If readings cannot be of this quantity or source.
fn check_reading(contender: &str, source: Source, quantity: &str) {
    assert!(source != Source::Criterion, "criterion's times are visits");
    if let Err(error) = unit_of(quantity) {
        panic!("contender {contender:?}: {error}");
    }
}
