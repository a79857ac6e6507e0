//! A chapter: what a package measures.

use std::path::PathBuf;

use runtimes::NOT_BUILT;

use crate::cell::Cell;
use crate::experiment::Experiment;
use crate::in_time::in_time;

/// What a package measures.
pub struct Chapter {
    pub(crate) name: String,
    pub(crate) package: PathBuf,
    pub(crate) experiments: Vec<Experiment>,
    /// What it measures with as many units as its reader wants.
    with_units: Option<fn(u64) -> Experiment>,
}

/// The directory of a package, also where the checkout has been moved since this
/// program was built: it lies below one of those above the program.
pub(crate) fn moved(name: &str, package: PathBuf) -> PathBuf {
    if package.is_dir() {
        return package;
    }
    let program = std::env::current_exe().unwrap_or_default();
    let above = program.ancestors().skip(1);
    let mut found = above.map(|it| it.join("experiments").join(name));
    found.find(|it| it.join("Cargo.toml").is_file()).unwrap_or(package)
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
            package: moved(name, PathBuf::from(package)),
            experiments,
            with_units: None,
        }
    }

    /// The same, which answers `--units` by this experiment: readers may play with the
    /// number. It has the name of one of the chapter's.
    pub fn with_units(self, experiment: fn(u64) -> Experiment) -> Chapter {
        Chapter { with_units: Some(experiment), ..self }
    }

    /// Nothing but what `--units` asks for.
    ///
    /// # Errors
    ///
    /// If the chapter has no such number.
    pub(crate) fn of_units(self, units: u64) -> Result<Chapter, String> {
        let experiment = self.with_units.ok_or_else(|| {
            let name = &self.name;
            format!("--units {units}: {name} has no number of units to choose; leave it out")
        })?;
        Ok(Chapter { experiments: vec![experiment(units)], ..self })
    }

    /// Runs every cell whose name contains `filter` once, in this process, and checks
    /// its answer: the test of a chapter. Returns which of them cannot run here, each
    /// with the reason.
    ///
    /// # Errors
    ///
    /// Names each cell whose answer is not the expected one.
    pub fn verify(&self, filter: &str) -> Result<Vec<String>, String> {
        let (mut skipped, mut wrong) = (Vec::new(), Vec::new());
        for (name, cell) in self.cells_with(filter) {
            match in_time(&name, || cell.verify()) {
                Ok(Ok(())) => {}
                // It could be a moment ago: of a user's locked memory, rings that
                // are gone still have theirs for a while.
                Ok(Err(reason)) if reason.contains(NOT_BUILT) => {
                    skipped.push(format!("{name}: {reason}"));
                }
                Ok(Err(reason)) => wrong.push(format!("{name}: {reason}")),
                Err(reason) => skipped.push(format!("{name}: {reason}")),
            }
        }
        if wrong.is_empty() {
            Ok(skipped)
        } else {
            Err(wrong.join("\n"))
        }
    }

    /// Every cell, with its experiment.
    pub(crate) fn all_cells(
        &self,
    ) -> impl Iterator<Item = (&Experiment, &Cell)> {
        self.experiments
            .iter()
            .flat_map(|of| of.cells.iter().map(move |cell| (of, cell)))
    }

    /// The same with their names, as filters match them and `--list` prints them.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (String, &Cell)> {
        self.all_cells()
            .map(|(experiment, cell)| (experiment.cell_name(cell), cell))
    }

    /// Those of them whose names contain `filter`.
    pub(crate) fn cells_with<'a>(
        &'a self,
        filter: &'a str,
    ) -> impl Iterator<Item = (String, &'a Cell)> + 'a {
        self.cells().filter(move |(name, _)| name.contains(filter))
    }
}
