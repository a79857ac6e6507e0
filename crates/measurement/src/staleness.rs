//! Staleness: whether runs were measured with what is in the source tree now.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::Deserialize;

use crate::cargo_lock::CargoLock;
use crate::manifest::measured_crates;
use crate::{build_settings, workload, Run, RunHeader, METHOD};

/// One thing in which a run differs from the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stale {
    /// Another version: of a crate, of rustc, of the method.
    Version {
        /// Of what.
        of: String,
        /// The version that was measured.
        measured: String,
        /// The version in the tree.
        tree: String,
    },
    /// The tokens of what is run have changed since.
    Workload,
    /// The compiler was told something else.
    Build,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stale::Version { of, measured, tree } => {
                write!(f, "measured with {of} {measured}, the tree has {tree}")
            }
            Stale::Workload => f.write_str("the workload has changed since it was measured"),
            Stale::Build => f.write_str("it was built with another profile or other features"),
        }
    }
}

/// What the source tree would measure. Everything is read once, however many runs are compared with it, so a
/// tree that may have changed is read anew.
pub struct SourceTree {
    root: PathBuf,
    /// Where the packages that measure are.
    experiments: PathBuf,
    /// Absent where there is no lock file that can be read, as in a book about something else.
    lock: Option<CargoLock>,
    rustc: Option<String>,
    /// The packages, by chapter; `None` where they cannot be read.
    packages: Known<String, Option<Rc<workload::Package>>>,
    /// The hashes of what experiments run, by chapter and experiment; `None` where nothing tells.
    workloads: Known<(String, String), Option<String>>,
    /// The hashes of what the compiler is told, by chapter and version of rustc.
    builds: Known<(String, String), Option<String>>,
    /// The versions of the crates that chapters measure.
    crates: Known<String, Option<BTreeMap<String, String>>>,
}

/// What has been found out already.
struct Known<K, V>(RefCell<BTreeMap<K, V>>);

impl<K: Ord, V: Clone> Known<K, V> {
    fn none() -> Known<K, V> {
        Known(RefCell::default())
    }

    fn get(&self, key: K, find: impl FnOnce() -> V) -> V {
        self.0.borrow_mut().entry(key).or_insert_with(find).clone()
    }
}

#[derive(Deserialize)]
struct ToolchainFile {
    toolchain: Toolchain,
}

#[derive(Deserialize)]
struct Toolchain {
    channel: String,
}

impl SourceTree {
    /// The tree in `root`, whose packages that measure are in `experiments` under it.
    pub fn read(root: &Path, experiments: &Path) -> SourceTree {
        let lock = CargoLock::read(&root.join("Cargo.lock")).ok();
        let toolchain = std::fs::read_to_string(root.join("rust-toolchain.toml")).ok();
        let toolchain = toolchain.and_then(|text| toml::from_str::<ToolchainFile>(&text).ok());
        SourceTree {
            root: root.to_owned(),
            experiments: root.join(experiments),
            lock,
            rustc: toolchain.map(|file| file.toolchain.channel),
            packages: Known::none(),
            workloads: Known::none(),
            builds: Known::none(),
            crates: Known::none(),
        }
    }

    /// Which runs of a file are shown, and in what these differ from the tree. Those that do not differ
    /// count; where there are none, the last ones that were measured alike are shown.
    pub fn shown(&self, runs: &[Run]) -> (Vec<usize>, Vec<Stale>) {
        let stale: Vec<Vec<Stale>> = runs.iter().map(|run| self.differs(&run.header)).collect();
        let counting: Vec<usize> =
            (0..runs.len()).filter(|&index| stale[index].is_empty()).collect();
        if !counting.is_empty() {
            return (counting, Vec::new());
        }
        let Some(last) = runs.last() else { return (Vec::new(), Vec::new()) };
        let alike =
            (0..runs.len()).filter(|&index| runs[index].header.is_alike(&last.header)).collect();
        (alike, stale.into_iter().next_back().unwrap_or_default())
    }

    /// In what a run differs from the tree.
    pub fn differs(&self, run: &RunHeader) -> Vec<Stale> {
        let package = self.experiments.join(&run.chapter);
        let mut stale = Vec::new();
        let mut version = |of: &str, measured: &str, tree: &str| {
            if measured != tree {
                let (of, measured, tree) = (of.to_owned(), measured.to_owned(), tree.to_owned());
                stale.push(Stale::Version { of, measured, tree });
            }
        };
        version("method", &run.method.to_string(), &METHOD.to_string());
        if let Some(rustc) = &self.rustc {
            version("rustc", &run.rustc, rustc);
        }
        if let Some(crates) = self.crates(run, &package) {
            for (name, measured) in &run.crates {
                // A crate that the tree no longer locks is another version too.
                version(name, measured, crates.get(name).map_or("none", String::as_str));
            }
        }
        // A book may keep its workloads elsewhere; then there is nothing to compare with.
        if !package.is_dir() {
            return stale;
        }
        let experiment = &run.experiment;
        let of = (run.chapter.clone(), experiment.clone());
        let workload = self.workloads.get(of, || {
            let read = || workload::Package::read(&package).ok().map(Rc::new);
            self.packages.get(run.chapter.clone(), read)?.hash(experiment).ok()
        });
        if workload != run.workload {
            stale.push(Stale::Workload);
        }
        let of = (run.chapter.clone(), run.rustc.clone());
        let build = self.builds.get(of, || {
            let (root, own) = (self.root.join("Cargo.toml"), package.join("Cargo.toml"));
            build_settings::hash(&root, &own, &run.rustc, &["default"], "").ok()
        });
        if build != run.build {
            stale.push(Stale::Build);
        }
        stale
    }

    /// The versions that the tree has of the crates that a run measured; `None` where nothing tells.
    fn crates(&self, run: &RunHeader, package: &Path) -> Option<BTreeMap<String, String>> {
        let lock = self.lock.as_ref()?;
        let manifests =
            [package.join("Cargo.toml"), self.experiments.join("harness").join("Cargo.toml")];
        if !manifests.iter().all(|file| file.is_file()) {
            let named = run.crates.keys();
            return Some(
                named.filter_map(|name| Some((name.clone(), lock.version(name)?))).collect(),
            );
        }
        self.crates.get(run.chapter.clone(), || {
            let measured = manifests.iter().map(|file| measured_crates(file, lock));
            // What cannot be read is told by cargo.
            let measured: Option<Vec<_>> = measured.map(Result::ok).collect();
            Some(measured?.into_iter().flatten().collect())
        })
    }
}
