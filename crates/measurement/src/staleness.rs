//! Staleness: whether runs were measured with what is in the source tree now. What is compared is the number
//! of the method, the version of rustc, those of the crates that a run names, and the hash of the files that
//! its experiment names. Profiles and features are not: who changes them raises [`METHOD`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::cargo_lock::{read_toml, CargoLock};
use crate::workload::{counts_as, hash, CountsAs, Manifest};
use crate::{Run, RunHeader, METHOD};

/// What the source tree would measure. Everything is read once, however many runs are compared with it, so a
/// tree that may have changed is read anew.
pub struct SourceTree {
    /// Where the packages that measure are.
    experiments: PathBuf,
    /// Absent where there is no lock file that can be read, as in a book about something else.
    lock: Option<CargoLock>,
    rustc: Option<String>,
    /// What counts as something else, and the hashes of files; an error if it cannot be said.
    counts_as: RefCell<Result<CountsAs, String>>,
    /// The hashes of what experiments run, by chapter and experiment.
    workloads: RefCell<BTreeMap<(String, String), Result<String, String>>>,
}

impl SourceTree {
    /// The tree in `root`, whose packages that measure are in `experiments` under it.
    pub fn read(root: &Path, experiments: &Path) -> SourceTree {
        let toolchain = read_toml::<Table>(&root.join("rust-toolchain.toml")).ok();
        let channel = toolchain.as_ref().and_then(|file| file.get("toolchain")?.get("channel"));
        SourceTree {
            counts_as: RefCell::new(counts_as(&root.join(experiments))),
            experiments: root.join(experiments),
            lock: CargoLock::read(root).ok(),
            rustc: channel.and_then(Value::as_str).map(str::to_owned),
            workloads: RefCell::default(),
        }
    }

    /// The hash of what an experiment runs, 16 hexadecimal digits; an error if its chapter names no files for
    /// it, or one that is not there or is not Rust.
    pub fn workload(&self, chapter: &str, experiment: &str) -> Result<String, String> {
        let read = || {
            let files = Manifest::read(&self.experiments.join(chapter))?.files(experiment)?;
            let mut counts_as = self.counts_as.borrow_mut();
            let counts_as = counts_as.as_mut().map_err(|why| why.clone())?;
            let other = counts_as.experiments.get(&format!("{chapter}/{experiment}"));
            other.map_or_else(|| hash(&files, &mut counts_as.files), |other| Ok(other.clone()))
        };
        let of = (chapter.to_owned(), experiment.to_owned());
        self.workloads.borrow_mut().entry(of).or_insert_with(read).clone()
    }

    /// The locked versions of the crates that a chapter measures, and of `more`; an error if one is not locked.
    pub fn crates(&self, chapter: &str, more: &[&str]) -> Result<BTreeMap<String, String>, String> {
        let lock = self.lock.as_ref().ok_or("Cargo.lock is not there, or is none")?;
        let named = Manifest::read(&self.experiments.join(chapter))?.crates;
        let named = named.unwrap_or_else(|| lock.dependencies(chapter));
        let names = named.into_iter().chain(more.iter().map(ToString::to_string));
        let versions = names.map(|name| Ok((name.clone(), lock.version(chapter, &name)?)));
        versions.collect()
    }

    /// Which runs of a file are shown, and in what these differ from the tree. Those that do not differ
    /// count; where there are none, the last ones that were measured alike are shown.
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

    /// In what a run differs from the tree, in words.
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
                // What the tree no longer locks is another version too.
                version(name, measured, &tree.unwrap_or("none".to_owned()));
            }
        }
        // A book may keep its workloads elsewhere; then there is nothing to compare with.
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
