use std::path::PathBuf;
use std::time::Duration;

use measurement::{unit_of, Parameter, Parameters};

use crate::body::Body;

/// What a package measures.
pub struct Chapter {
    pub(crate) name: String,
    pub(crate) package: PathBuf,
    pub(crate) measures: Vec<String>,
    pub(crate) experiments: Vec<Experiment>,
}

impl Chapter {
    /// The chapter of a package: `env!("CARGO_PKG_NAME")` and `env!("CARGO_MANIFEST_DIR")`, the
    /// crates whose versions its times depend on, and its experiments.
    pub fn new(
        name: &str,
        package: &str,
        measures: &[&str],
        experiments: Vec<Experiment>,
    ) -> Chapter {
        Chapter {
            name: name.to_owned(),
            package: PathBuf::from(package),
            measures: measures.iter().map(|&name| name.to_owned()).collect(),
            experiments,
        }
    }

    /// Runs every cell once, in this process, and checks its answer: the test of a chapter.
    ///
    /// # Errors
    ///
    /// Names each cell whose answer is not the expected one.
    pub fn verify(&self) -> Result<(), String> {
        let mut wrong = Vec::new();
        for experiment in &self.experiments {
            for cell in &experiment.cells {
                let answer = cell.body.start().run(1).answer(cell.answer);
                if let Err(reason) = answer {
                    wrong.push(format!(
                        "{}: {reason}",
                        experiment.cell_name(cell)
                    ));
                }
            }
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join("\n"))
        }
    }

    /// The names of all cells, as filters match them and `--list` prints them.
    pub fn cell_names(&self) -> Vec<String> {
        let names = |experiment: &Experiment| {
            experiment
                .cells
                .iter()
                .map(|cell| experiment.cell_name(cell))
                .collect::<Vec<_>>()
        };
        self.experiments.iter().flat_map(names).collect()
    }
}

/// One question, put to several contenders at several settings.
pub struct Experiment {
    pub(crate) name: String,
    pub(crate) quantity: String,
    pub(crate) baseline: String,
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
            cells: Vec::new(),
        }
    }

    /// Adds a cell.
    ///
    /// # Panics
    ///
    /// If the experiment has a cell of this contender at this setting already.
    pub fn cell(mut self, cell: Cell) -> Experiment {
        let name = self.cell_name(&cell);
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

    /// What a filter matches and `--list` prints: `units: rayon, arm=ours, units=1000`.
    pub(crate) fn cell_name(&self, cell: &Cell) -> String {
        match cell.parameters.0.is_empty() {
            true => format!("{}: {}", self.name, cell.contender),
            false => format!(
                "{}: {}, {}",
                self.name, cell.contender, cell.parameters
            ),
        }
    }
}

/// One contender at one setting.
pub struct Cell {
    pub(crate) contender: String,
    pub(crate) parameters: Parameters,
    pub(crate) answer: u64,
    pub(crate) per: u64,
    pub(crate) full_only: bool,
    pub(crate) time_limit: Duration,
    pub(crate) body: Body,
}

impl Cell {
    /// A contender, the answer that every operation has to return, and what one operation does.
    pub fn new(contender: &str, answer: u64, body: Body) -> Cell {
        Cell {
            contender: contender.to_owned(),
            parameters: Parameters::default(),
            answer,
            per: 1,
            full_only: false,
            time_limit: Duration::from_secs(60),
            body,
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

    /// One operation consists of so many units: times are divided by it.
    ///
    /// # Panics
    ///
    /// If `units` is 0.
    pub fn per(mut self, units: u64) -> Cell {
        assert!(units > 0, "an operation has at least one unit");
        self.per = units;
        self
    }

    /// Leaves this cell out of quick runs.
    pub fn full_only(mut self) -> Cell {
        self.full_only = true;
        self
    }

    /// How long one visit may take before its process is killed and the cell fails: 60 s unless told.
    pub fn time_limit(mut self, limit: Duration) -> Cell {
        self.time_limit = limit;
        self
    }
}
