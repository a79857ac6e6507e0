use std::path::PathBuf;
use std::time::Duration;

use measurement::name::{check_label, InvalidName};
use measurement::{unit_of, Parameter, Parameters, Profile, Source};

use crate::body::Body;
use crate::counters::Counter;
use crate::placement::{Pinned, Placement};
use crate::spinners::{Spinners, Spinning};

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
    /// An experiment that measures `quantity`, a time such as `time per unit`; ratios in the
    /// terminal's table are to the contender `baseline` at the same setting.
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

/// Takes readings, one of each quantity.
type Take = Box<dyn Fn() -> Result<Vec<f64>, String>>;

/// How a cell comes by its figures.
pub(crate) enum Kind {
    /// Timed by criterion, in visits.
    Timed { answer: u64, per: u64, body: Body },
    /// Taken otherwise, once in each process.
    Readings { source: Source, quantities: Vec<String>, take: Take },
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
        assert!(source != Source::Criterion, "criterion's times are visits");
        for quantity in quantities {
            if let Err(error) = unit_of(quantity) {
                panic!("contender {contender:?}: {error}");
            }
        }
        let quantities = quantities.iter().map(|&name| name.to_owned());
        let (quantities, take) = (quantities.collect(), Box::new(take));
        Cell::of(contender, Kind::Readings { source, quantities, take })
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
            Kind::Readings { .. } => panic!("readings have no operations"),
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
    /// If the quantity is not known to [`measurement::unit_of`], or `per` is 0.
    pub fn beyond(mut self, known: Duration, quantity: &str, per: u64) -> Cell {
        assert!(per > 0, "a difference is divided by one at least");
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

    /// How long one visit, or one taking of readings, may take before its process
    /// is killed and the cell fails: 60 s unless told.
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
        let read = match &self.kind {
            Kind::Timed { .. } => &[][..],
            Kind::Readings { quantities, .. } => quantities,
        };
        own.chain(beyond)
            .chain(read)
            .try_for_each(|quantity| check_label("quantity", quantity))
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
            Kind::Readings { .. } => false,
        }
    }

    /// Runs it once. The outer error is why it cannot run here, the inner one
    /// what is wrong with its answer.
    fn verify(&self) -> Result<Result<(), String>, String> {
        self.can_run()?;
        let started = match &self.kind {
            Kind::Timed { answer, body, .. } => Some((body.start()?, answer)),
            Kind::Readings { .. } => None,
        };
        let _surroundings = self.surroundings()?;
        Ok(match started {
            Some((mut batch, &answer)) => {
                batch.run(1).checked(answer).map(drop)
            }
            None => self.take().map(drop),
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

    /// Takes its readings: one figure for each quantity, finite unless the cell
    /// says what the infinite means.
    pub(crate) fn take(&self) -> Result<Vec<f64>, String> {
        let Kind::Readings { quantities, take, .. } = &self.kind else {
            return Err("it is timed".to_owned());
        };
        let figures = take()?;
        let may_be_infinite = self.infinite_means.is_some();
        let are_numbers = figures.iter().all(|figure| {
            figure.is_finite() || (figure.is_infinite() && may_be_infinite)
        });
        if figures.len() == quantities.len() && are_numbers {
            return Ok(figures);
        }
        Err(format!(
            "{figures:?} are not one figure for each of {quantities:?}"
        ))
    }
}
