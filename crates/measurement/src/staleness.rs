//! Staleness: whether runs were measured with the code that is in the source tree now. Compares the
//! number of the method, the version of rustc, those of the crates that a run names, and the hash
//! of the experiment's files. Doesn't compare profiles and features: a change to them has to raise
//! [`METHOD`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use toml::{Table, Value};

use crate::cargo_lock::{read_toml, CargoLock};
use crate::workload::{counts_as, hash, CountsAs, Manifest};
use crate::{Run, RunHeader, METHOD};

/// Locks a mutex even if a thread panicked while holding it. The value inside is never left
/// half-changed.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A snapshot of the source tree, with the versions and hashes that a run started now would
/// record. Each file is read only once; create a new snapshot if the tree may have changed.
pub struct SourceTree {
    experiments: PathBuf,
    /// The lock file. Absent if it can't be read, for example in a book without Rust code.
    lock: Option<CargoLock>,
    rustc: Option<String>,
    /// The code changes that are certified not to affect any figure, and the hashes of files read
    /// so far; an error if `counts-as.toml` is invalid.
    counts_as: Mutex<Result<CountsAs, String>>,
    /// A cache of the hashes of experiments' code, by chapter and experiment.
    workloads: Mutex<BTreeMap<(String, String), Result<String, String>>>,
}

impl SourceTree {
    /// Takes a snapshot of the tree in `root`. `experiments` is the directory of the experiments'
    /// packages.
    pub fn read(root: &Path, experiments: &Path) -> SourceTree {
        let toolchain = read_toml::<Table>(&root.join("rust-toolchain.toml")).ok();
        let channel = toolchain.as_ref().and_then(|file| file.get("toolchain")?.get("channel"));
        SourceTree {
            counts_as: Mutex::new(counts_as(&root.join(experiments))),
            experiments: root.join(experiments),
            lock: CargoLock::read(root).ok(),
            rustc: channel.and_then(Value::as_str).map(str::to_owned),
            workloads: Mutex::default(),
        }
    }

    /// Returns the hash of an experiment's code, as 16 hexadecimal digits. Fails if the chapter
    /// lists no files for the experiment, or if a listed file is missing or isn't Rust.
    pub fn workload(&self, chapter: &str, experiment: &str) -> Result<String, String> {
        let read = || {
            let files = Manifest::read(&self.experiments.join(chapter))?.files(experiment)?;
            let mut counts_as = locked(&self.counts_as);
            let counts_as = counts_as.as_mut().map_err(|why| why.clone())?;
            let other = counts_as.experiments.get(&format!("{chapter}/{experiment}"));
            other.map_or_else(|| hash(&files, &mut counts_as.files), |other| Ok(other.clone()))
        };
        let of = (chapter.to_owned(), experiment.to_owned());
        locked(&self.workloads).entry(of).or_insert_with(read).clone()
    }

    /// Returns the locked versions of the crates that a chapter measures, and of the crates in
    /// `more`. Fails if a crate is not locked.
    pub fn crates(&self, chapter: &str, more: &[&str]) -> Result<BTreeMap<String, String>, String> {
        let lock = self.lock.as_ref().ok_or("Cargo.lock is not there, or is none")?;
        let named = Manifest::read(&self.experiments.join(chapter))?.crates;
        let named = named.unwrap_or_else(|| lock.dependencies(chapter));
        let names = named.into_iter().chain(more.iter().map(ToString::to_string));
        let versions = names.map(|name| Ok((name.clone(), lock.version(chapter, &name)?)));
        versions.collect()
    }

    /// Returns the indices of the runs to show. These are the runs made with the code in the tree
    /// or, if there are none, the latest run and the earlier ones made with the same code. In the
    /// latter case, also returns the differences between the latest run and the tree.
    pub fn shown(&self, runs: &[Run]) -> (Vec<usize>, Vec<String>) {
        let stale: Vec<Vec<String>> = runs.iter().map(|run| self.differs(&run.header)).collect();
        let those = |are: &dyn Fn(usize) -> bool| (0..runs.len()).filter(|&run| are(run)).collect();
        let counting: Vec<usize> = those(&|run| stale[run].is_empty());
        let (Some(last), Some(differs), true) = (runs.last(), stale.last(), counting.is_empty())
        else {
            return (counting, Vec::new());
        };
        (those(&|run| runs[run].header.is_alike(&last.header)), differs.clone())
    }

    /// Describes the differences between a run and the tree in words.
    pub fn differs(&self, run: &RunHeader) -> Vec<String> {
        let mut stale = Vec::new();
        let mut version = |of: &str, measured: &str, tree: &str| {
            if measured != tree {
                stale.push(format!("measured with {of} {measured}, the tree has {tree}"));
            }
        };
        version("method", &run.method.to_string(), &METHOD.to_string());
        if let Some(rustc) = &self.rustc {
            version("rustc", &run.rustc, rustc);
        }
        if let Some(lock) = &self.lock {
            for (name, measured) in &run.crates {
                let tree = lock.version(&run.chapter, name);
                // A crate that the tree no longer locks is reported as changed.
                version(name, measured, &tree.unwrap_or("none".to_owned()));
            }
        }
        // If the experiments aren't part of this tree, there is no code to compare.
        if self.experiments.join(&run.chapter).is_dir() {
            match self.workload(&run.chapter, &run.experiment) {
                Ok(tree) if Some(&tree) == run.workload.as_ref() => {}
                Ok(_) => stale.push("the workload has changed since it was measured".to_owned()),
                Err(why) => stale.push(why),
            }
        }
        stale
    }
}
