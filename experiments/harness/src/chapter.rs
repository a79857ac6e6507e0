use std::path::PathBuf;
use std::time::Duration;

use measurement::name::{check_label, InvalidName};
use measurement::{unit_of, Parameter, Parameters, Profile, Source};

use crate::body::Body;
use crate::counters::Counter;
use crate::line::slope;
use crate::placement::{Pinned, Placement};
use crate::protocol::Found;
use crate::spinners::{Spinners, Spinning};
use crate::window::{self, Measurement};

/// How long a window is at most where only its answers are checked.
const VERIFIED: Duration = Duration::from_millis(100);

/// What a package measures.
pub struct Chapter {
    pub(crate) name: String,
    pub(crate) package: PathBuf,
    pub(crate) program: Program,
    pub(crate) experiments: Vec<Experiment>,
}

/// Which of a package's programs measures, so that it can be linked anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program that people start, by its name.
    Bin(String),
    /// A bench, by its name.
    Bench(String),
}

impl Chapter {
    /// The chapter of a package: `env!("CARGO_PKG_NAME")` and `env!("CARGO_MANIFEST_DIR")`, and its
    /// experiments.
    pub fn new(
        name: &str,
        package: &str,
        experiments: Vec<Experiment>,
    ) -> Chapter {
        Chapter {
            name: name.to_owned(),
            package: PathBuf::from(package),
            program: Program::Bin(name.to_owned()),
            experiments,
        }
    }

    /// The same, measured by another of the package's programs than the one that
    /// bears its name.
    pub fn measured_by(self, program: Program) -> Chapter {
        Chapter { program, ..self }
    }

    /// Runs every cell once, in this process, and checks its answer: the test of
    /// a chapter. Returns which cells cannot run here, each with the reason.
    ///
    /// # Errors
    ///
    /// Names each cell whose answer is not the expected one.
    pub fn verify(&self) -> Result<Vec<String>, String> {
        let (mut skipped, mut wrong) = (Vec::new(), Vec::new());
        for experiment in &self.experiments {
            for cell in &experiment.cells {
                let (list, reason) = match cell.verify() {
                    Ok(Ok(())) => continue,
                    Ok(Err(reason)) => (&mut wrong, reason),
                    Err(reason) => (&mut skipped, reason),
                };
                list.push(format!("{}: {reason}", experiment.cell_name(cell)));
            }
        }
        if wrong.is_empty() {
            Ok(skipped)
        } else {
            Err(wrong.join("\n"))
        }
    }

    /// All cells, with their names as filters match them and `--list` prints
    /// them.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (String, &Cell)> {
        self.experiments.iter().flat_map(|experiment| {
            let cells = experiment.cells.iter();
            cells.map(|cell| (experiment.cell_name(cell), cell))
        })
    }
}

/// One question, put to several contenders at several settings.
pub struct Experiment {
    pub(crate) name: String,
    pub(crate) quantity: String,
    pub(crate) baseline: String,
    pub(crate) beyond_baseline: Option<String>,
    pub(crate) counters: Vec<Counter>,
    pub(crate) cells: Vec<Cell>,
}

impl Experiment {
    /// An experiment that measures `quantity`: a time such as `time per unit`, or what its cells take
    /// otherwise, such as the `throughput` of windows. Ratios in the terminal's table are to the
    /// contender `baseline` at the same setting.
    ///
    /// # Panics
    ///
    /// If the quantity is not known to [`measurement::unit_of`].
    pub fn new(name: &str, quantity: &str, baseline: &str) -> Experiment {
        if let Err(error) = unit_of(quantity) {
            panic!("experiment {name:?}: {error}");
        }
        Experiment {
            name: name.to_owned(),
            quantity: quantity.to_owned(),
            baseline: baseline.to_owned(),
            beyond_baseline: None,
            counters: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Counts these as well for every timed cell, in a pass of its own, as
    /// quantities per what the experiment's time is per: `context switches per
    /// unit` beside `time per unit`.
    ///
    /// # Panics
    ///
    /// If the experiment's quantity is not a `time per ...`.
    pub fn counting(mut self, counters: &[Counter]) -> Experiment {
        assert!(self.per().is_some(), "{:?} is per nothing", self.quantity);
        self.counters = counters.to_vec();
        self
    }

    /// Adds a row for every other timed cell: what its time is beyond that of the
    /// contender which is the baseline, taken in the same rounds at the same
    /// setting, whatever its arm, as `quantity`. A cell whose setting the
    /// baseline does not have gets none.
    ///
    /// # Panics
    ///
    /// If the quantity is not known to [`measurement::unit_of`].
    pub fn beyond_baseline(mut self, quantity: &str) -> Experiment {
        if let Err(error) = unit_of(quantity) {
            panic!("experiment {:?}: {error}", self.name);
        }
        self.beyond_baseline = Some(quantity.to_owned());
        self
    }

    /// What the time is per: `unit` in `time per unit`.
    pub(crate) fn per(&self) -> Option<&str> {
        self.quantity.strip_prefix("time per ")
    }

    /// Adds a cell.
    ///
    /// # Panics
    ///
    /// If the experiment has a cell of this contender at this setting already,
    /// or a name cannot be that of a row: better now than after the run.
    pub fn cell(mut self, cell: Cell) -> Experiment {
        let name = self.cell_name(&cell);
        if let Err(error) = cell.check_names() {
            panic!("{name}: {error}");
        }
        let twice =
            self.cells.iter().any(|other| self.cell_name(other) == name);
        assert!(!twice, "{name} is listed twice");
        self.cells.push(cell);
        self
    }

    /// Adds cells.
    pub fn cells(self, cells: impl IntoIterator<Item = Cell>) -> Experiment {
        cells.into_iter().fold(self, Experiment::cell)
    }

    /// What the time of a cell is called.
    pub(crate) fn quantity_of<'a>(&'a self, cell: &'a Cell) -> &'a str {
        cell.quantity.as_deref().unwrap_or(&self.quantity)
    }

    /// Whether the experiment's counters count this cell: it is timed, per what
    /// they are, nothing runs beside it that would count as well, and it has not
    /// been left out.
    pub(crate) fn counts(&self, cell: &Cell, profile: Profile) -> bool {
        let is_timed = matches!(cell.kind, Kind::Timed { .. });
        let alone = cell.spinners.is_none();
        let is_wanted = match cell.counted {
            Counted::Always => true,
            Counted::InFull => profile == Profile::Full,
            Counted::Never => false,
        };
        is_timed && cell.quantity.is_none() && alone && is_wanted
    }

    /// What a filter matches and `--list` prints: `units: rayon, arm=ours,
    /// units=1000`, and behind it the quantity if that is the cell's own.
    pub(crate) fn cell_name(&self, cell: &Cell) -> String {
        let parameters = cell.parameters.to_string();
        let own = cell.quantity.as_deref().unwrap_or_default();
        let name = [cell.contender.as_str(), &parameters, own];
        let name = name.into_iter().filter(|part| !part.is_empty());
        format!("{}: {}", self.name, name.collect::<Vec<_>>().join(", "))
    }
}

/// One contender at one setting.
pub struct Cell {
    pub(crate) contender: String,
    pub(crate) parameters: Parameters,
    pub(crate) full_only: bool,
    pub(crate) in_sweep: bool,
    group: Option<String>,
    pub(crate) is_twinned: bool,
    counted: Counted,
    pub(crate) time_limit: Duration,
    pub(crate) placement: Option<Placement>,
    spinners: Option<Spinners>,
    quantity: Option<String>,
    pub(crate) difference: Option<Difference>,
    needs: Vec<Need>,
    pub(crate) infinite_means: Option<String>,
    pub(crate) kind: Kind,
}

/// In which runs the experiment's counters count a cell.
enum Counted {
    Always,
    InFull,
    Never,
}

/// A second figure of a cell: what its operation takes beyond a known time.
pub(crate) struct Difference {
    pub(crate) quantity: String,
    pub(crate) known: Duration,
    pub(crate) per: u64,
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
pub(crate) enum Kind {
    /// Timed by criterion, in visits.
    Timed { answer: u64, per: u64, body: Body },
    /// Counted in a window of time, once there and back in each process.
    Window { duration: Duration, serve: Serve },
    /// Taken otherwise, once in each process.
    Readings {
        source: Source,
        quantities: Vec<String>,
        take: Take,
        process: Process,
    },
    /// The slope of a line, taken once for each process, in one of its own.
    Line { source: Source, quantity: String, take: TakeLine },
}

/// In which process readings are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Process {
    /// In that of the rounds, which has other cells before and after.
    OfRounds,
    /// In one that is started for it, and gone after it.
    Own,
}

impl Cell {
    /// A contender, the answer that every operation has to return, and what one
    /// operation does.
    pub fn new(contender: &str, answer: u64, body: Body) -> Cell {
        Cell::of(contender, Kind::Timed { answer, per: 1, body })
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
        let process = Process::OfRounds;
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
        let process = Process::Own;
        Cell::reading(contender, source, quantities, Box::new(take), process)
    }

    fn reading(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: Take,
        process: Process,
    ) -> Cell {
        for quantity in quantities {
            check_reading(contender, source, quantity);
        }
        let quantities = quantities.iter().map(|&name| name.to_owned());
        let quantities = quantities.collect();
        let kind = Kind::Readings { source, quantities, take, process };
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
        Cell::of(contender, Kind::Line { source, quantity, take })
    }

    /// A contender that answers requests, as a server or under a load, for a
    /// window of time: its throughput, and percentiles of its latency if `take`
    /// returns a histogram of them. `take` is told for how long, sets up what it
    /// needs, checks its answers itself, and an error is what is wrong with them.
    /// When a chapter is verified, the window is a tenth of a second at most.
    ///
    /// It is visited once there and once back in the first round of each process,
    /// among the other cells of its group: 10 windows in a full run, 12 in a quick
    /// one.
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
        Cell::of(contender, Kind::Window { duration, serve })
    }

    fn of(contender: &str, kind: Kind) -> Cell {
        Cell {
            contender: contender.to_owned(),
            parameters: Parameters::default(),
            full_only: false,
            in_sweep: false,
            group: None,
            is_twinned: false,
            counted: Counted::Always,
            time_limit: Duration::from_secs(60),
            placement: None,
            spinners: None,
            quantity: None,
            difference: None,
            needs: Vec::new(),
            infinite_means: None,
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
            Kind::Timed { per, .. } => *per = units,
            Kind::Window { .. } | Kind::Readings { .. } | Kind::Line { .. } => {
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

    /// Adds a row: what an operation takes beyond a known time, such as a wait
    /// that is part of it, as `quantity`, divided by `per`. Of a cell with
    /// readings, it is the first quantity that is a time of that operation.
    ///
    /// # Panics
    ///
    /// If the quantity is not known to [`measurement::unit_of`], `per` is 0, or the
    /// cell is a window or a line.
    pub fn beyond(mut self, known: Duration, quantity: &str, per: u64) -> Cell {
        assert!(per > 0, "a difference is divided by one at least");
        let has_time =
            matches!(self.kind, Kind::Timed { .. } | Kind::Readings { .. });
        assert!(has_time, "windows and lines are no times of an operation");
        if let Err(error) = unit_of(quantity) {
            panic!("contender {:?}: {error}", self.contender);
        }
        let quantity = quantity.to_owned();
        self.difference = Some(Difference { quantity, known, per });
        self
    }

    /// Leaves this cell out of quick runs.
    pub fn full_only(mut self) -> Cell {
        self.full_only = true;
        self
    }

    /// Says that this is one point of many on a curve, where its neighbours tell
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
        self.counted = Counted::Never;
        self
    }

    /// Leaves it out of the counting of quick runs.
    pub fn counted_in_full(mut self) -> Cell {
        self.counted = Counted::InFull;
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

    /// Whether rows may have its names.
    fn check_names(&self) -> Result<(), InvalidName> {
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
            Kind::Timed { .. } | Kind::Window { .. } => &[][..],
            Kind::Readings { quantities, .. } => quantities,
            Kind::Line { quantity, .. } => std::slice::from_ref(quantity),
        };
        own.chain(beyond)
            .chain(taken)
            .try_for_each(|quantity| check_label("quantity", quantity))
    }

    /// Whether a round visits it that its group allows it, on this way through the
    /// group: what is timed always, the rest in the first round of a process, and
    /// what is not a window on the way there only.
    pub(crate) fn is_visited(&self, is_first_round: bool, back: bool) -> bool {
        match self.kind {
            Kind::Timed { .. } => true,
            Kind::Window { .. } => is_first_round,
            Kind::Readings { .. } | Kind::Line { .. } => {
                is_first_round && !back
            }
        }
    }

    /// Whether each visit has a process of its own.
    pub(crate) fn has_own_process(&self) -> bool {
        match self.kind {
            Kind::Timed { .. } | Kind::Window { .. } => false,
            Kind::Readings { process, .. } => process == Process::Own,
            Kind::Line { .. } => true,
        }
    }

    /// The kind of cells of which its group has a twin; none for readings in the
    /// process of the rounds, which are studies of their own.
    pub(crate) fn twinned_as(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Timed { .. } => Some("timed"),
            Kind::Window { .. } => Some("window"),
            Kind::Readings { process: Process::OfRounds, .. } => None,
            Kind::Readings { process: Process::Own, .. } => Some("once"),
            Kind::Line { .. } => Some("line"),
        }
    }

    /// # Errors
    ///
    /// Why it cannot run here.
    pub(crate) fn can_run(&self) -> Result<(), String> {
        self.needs.iter().try_for_each(|need| need())
    }

    /// Whether its time is another quantity than the experiment's.
    pub(crate) fn has_own_quantity(&self) -> bool {
        self.quantity.is_some()
    }

    /// Whether it is started anew for each visit.
    pub(crate) fn is_for_each_visit(&self) -> bool {
        match &self.kind {
            Kind::Timed { body, .. } => body.is_for_each_visit(),
            Kind::Window { .. } | Kind::Readings { .. } | Kind::Line { .. } => {
                false
            }
        }
    }

    /// Runs it once. The outer error is why it cannot run here, the inner one
    /// what is wrong with its answer.
    fn verify(&self) -> Result<Result<(), String>, String> {
        self.can_run()?;
        let started = match &self.kind {
            Kind::Timed { answer, body, .. } => Some((body.start()?, answer)),
            Kind::Window { .. } | Kind::Readings { .. } | Kind::Line { .. } => {
                None
            }
        };
        let _surroundings = self.surroundings()?;
        Ok(match started {
            Some((mut batch, &answer)) => {
                batch.run(1).checked(answer).map(drop)
            }
            None => self.take(VERIFIED).map(drop),
        })
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
    pub(crate) fn take(&self, longest: Duration) -> Result<Found, String> {
        match &self.kind {
            Kind::Timed { .. } => Err("it is timed".to_owned()),
            Kind::Window { duration, serve } => {
                let measurement = serve((*duration).min(longest))?;
                Ok(Found::Window(measurement.counts()?))
            }
            Kind::Readings { quantities, take, .. } => {
                let figures = take()?;
                let may_be_infinite = self.infinite_means.is_some();
                let are_numbers = figures.iter().all(|figure| {
                    figure.is_finite()
                        || (figure.is_infinite() && may_be_infinite)
                });
                if figures.len() == quantities.len() && are_numbers {
                    return Ok(Found::Readings(figures));
                }
                Err(format!(
                    "{figures:?} are not one figure for each of {quantities:?}"
                ))
            }
            Kind::Line { take, .. } => {
                let points = take()?;
                let slope = slope(&points)?;
                if slope < 0.0 {
                    return Err(format!("{points:?} make a line that falls"));
                }
                Ok(Found::Line { slope, points })
            }
        }
    }

    /// The quantities of a visit's figures, in their order, each with its source.
    /// That of what is timed is the experiment's, if it has none of its own.
    pub(crate) fn figures<'a>(
        &'a self,
        experiment: &'a Experiment,
    ) -> Vec<(&'a str, Source)> {
        match &self.kind {
            Kind::Timed { .. } => {
                vec![(experiment.quantity_of(self), Source::Criterion)]
            }
            Kind::Window { .. } => window::quantities().collect(),
            Kind::Readings { source, quantities, .. } => {
                let named = quantities.iter().map(|name| (&**name, *source));
                named.collect()
            }
            Kind::Line { source, quantity, .. } => vec![(quantity, *source)],
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
