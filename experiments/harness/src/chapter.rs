//! A chapter of the book: the experiments of one package.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use host::how_many::room_for_rings;
use runtimes::{panic_message, NOT_BUILT};

use crate::cell::Cell;
use crate::experiment::Experiment;
use crate::in_time::in_time;

/// The experiments of a package, which a chapter of the book presents.
pub struct Chapter {
    pub(crate) name: String,
    pub(crate) package: PathBuf,
    pub(crate) experiments: Vec<Experiment>,
}

/// Returns the directory of the package `name`. If the checkout has been
/// moved since this program was built, searches for it below the ancestors of
/// the program.
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
    /// Creates the chapter of a package. `name` is `env!("CARGO_PKG_NAME")`,
    /// and `package` is `env!("CARGO_MANIFEST_DIR")`.
    pub fn new(
        name: &str,
        package: &str,
        experiments: Vec<Experiment>,
    ) -> Chapter {
        Chapter {
            name: name.to_owned(),
            package: moved(name, PathBuf::from(package)),
            experiments,
        }
    }

    /// Runs every benchmark whose name contains `filter` once, in this
    /// process, and checks its answer. Returns those that cannot run here,
    /// each with the reason.
    ///
    /// # Errors
    ///
    /// Fails if answers are wrong, and names each of these benchmarks.
    pub fn verify(&self, filter: &str) -> Result<Vec<String>, String> {
        let (mut skipped, mut wrong) = (Vec::new(), Vec::new());
        for (name, cell) in self.cells_with(filter) {
            match in_time(&name, || verified(cell)) {
                Ok(Ok(())) => {}
                // An io_uring ring could not be built, although the check
                // before was successful. The kernel releases the locked
                // memory of dropped rings with a delay.
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

    pub(crate) fn all_cells(
        &self,
    ) -> impl Iterator<Item = (&Experiment, &Cell)> {
        self.experiments
            .iter()
            .flat_map(|of| of.cells.iter().map(move |cell| (of, cell)))
    }

    /// Returns every benchmark with the name that filters match and `--list`
    /// prints.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (String, &Cell)> {
        self.all_cells()
            .map(|(experiment, cell)| (experiment.cell_name(cell), cell))
    }

    pub(crate) fn cells_with<'a>(
        &'a self,
        filter: &'a str,
    ) -> impl Iterator<Item = (String, &'a Cell)> + 'a {
        self.cells().filter(move |(name, _)| name.contains(filter))
    }
}

/// Runs a benchmark as [`Cell::verify`] does. A panic is treated as a wrong
/// answer.
///
/// A panic is excused if little memory may be locked: io_uring rings that are
/// gone keep their memory locked for a while, so a benchmark that could be
/// built when it was checked may panic soon after. It is tried again and, if
/// that doesn't help, cannot run here.
fn verified(cell: &Cell) -> Result<Result<(), String>, String> {
    const TRIES: usize = 5;
    let mut reason = String::new();
    for _ in 0..TRIES {
        let panicked = match catch_unwind(AssertUnwindSafe(|| cell.verify())) {
            Ok(found) => return found,
            Err(panic) => format!("panicked: {}", panic_message(&*panic)),
        };
        match room_for_rings(1) {
            Ok(()) => return Ok(Err(panicked)),
            Err(why) => reason = format!("{panicked}; {why}"),
        }
        thread::sleep(Duration::from_millis(200));
    }
    Err(reason)
}
