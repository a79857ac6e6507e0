//! Whether data were measured with what is in the tree now.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use measurement::lock::Lock;
use measurement::manifest::measured_crates;
use measurement::{METHOD, Run, RunHeader, build_settings, sources, workload};
use serde::Deserialize;

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

/// What the tree would measure.
pub(crate) struct Tree {
    root: PathBuf,
    /// Where the packages that measure are.
    experiments: PathBuf,
    /// Absent where there is no lock file that can be read, as in a book about something else.
    lock: Option<Lock>,
    rustc: Option<String>,
    /// Hashes of what experiments run and of how they are built, and the versions of the crates that
    /// packages measure: many runs are of one experiment, and each takes reading its sources.
    workloads: Known<(String, String), Option<String>>,
    builds: Known<(String, String), Option<String>>,
    measured: Known<PathBuf, Option<BTreeMap<String, String>>>,
}

/// What has been found out already.
struct Known<K, V>(RefCell<BTreeMap<K, V>>);

impl<K: Ord, V: Clone> Known<K, V> {
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

impl Tree {
    pub(crate) fn read(root: &Path, experiments: &Path) -> Tree {
        let lock = Lock::read(&root.join("Cargo.lock")).ok();
        let toolchain = std::fs::read_to_string(root.join("rust-toolchain.toml")).ok();
        let toolchain = toolchain.and_then(|text| toml::from_str::<ToolchainFile>(&text).ok());
        let rustc = toolchain.map(|file| file.toolchain.channel);
        Tree {
            root: root.to_owned(),
            experiments: root.join(experiments),
            lock,
            rustc,
            workloads: Known(RefCell::default()),
            builds: Known(RefCell::default()),
            measured: Known(RefCell::default()),
        }
    }

    /// Which runs of a file are shown, and in what these differ from the tree. Those that do not differ
    /// count; where there are none, the last ones that were measured alike are shown.
    pub(crate) fn shown(&self, runs: &[Run]) -> (Vec<usize>, Vec<Stale>) {
        let stale: Vec<Vec<Stale>> = runs.iter().map(|run| self.compare(&run.header)).collect();
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
    fn compare(&self, header: &RunHeader) -> Vec<Stale> {
        let package = self.experiments.join(&header.chapter);
        let mut stale = Vec::new();
        let mut version = |of: &str, measured: &str, tree: &str| {
            if measured != tree {
                let (of, measured, tree) = (of.to_owned(), measured.to_owned(), tree.to_owned());
                stale.push(Stale::Version { of, measured, tree });
            }
        };
        version("method", &header.method.to_string(), &METHOD.to_string());
        if let Some(rustc) = &self.rustc {
            version("rustc", &header.rustc, rustc);
        }
        let crates = self.crates(header, &package);
        for (name, measured) in &header.crates {
            let Some(crates) = &crates else { break };
            // A crate that the tree no longer locks is another version too.
            version(name, measured, crates.get(name).map_or("none", String::as_str));
        }
        // A book may keep its workloads elsewhere; then there is nothing to compare with.
        if !package.is_dir() {
            return stale;
        }
        let is_another = match &header.experiment {
            Some(experiment) => {
                let key = (header.chapter.clone(), experiment.clone());
                let hash = || workload::hash(&package, experiment).ok();
                self.workloads.get(key, hash) != header.workload
            }
            None => sources::hash(&package).ok().as_ref() != Some(&header.sources),
        };
        if is_another {
            stale.push(Stale::Workload);
        }
        let is_built_otherwise = || {
            let (root, own) = (self.root.join("Cargo.toml"), package.join("Cargo.toml"));
            let key = (header.chapter.clone(), header.rustc.clone());
            let hash = || build_settings::hash(&root, &own, &header.rustc, &["default"], "").ok();
            self.builds.get(key, hash) != header.build
        };
        if header.experiment.is_some() && is_built_otherwise() {
            stale.push(Stale::Build);
        }
        stale
    }

    /// The versions that the tree has of the crates that a run measured; `None` where nothing tells.
    fn crates(&self, header: &RunHeader, package: &Path) -> Option<BTreeMap<String, String>> {
        let lock = self.lock.as_ref()?;
        let named = || {
            let of = |name: &String| Some((name.clone(), lock.version(name)?));
            header.crates.keys().filter_map(of).collect::<BTreeMap<_, _>>()
        };
        let harness = self.experiments.join("harness/Cargo.toml");
        let manifests = [package.join("Cargo.toml"), harness];
        if header.experiment.is_none() || !manifests.iter().all(|file| file.is_file()) {
            return Some(named());
        }
        self.measured.get(package.to_owned(), || {
            let measured = manifests.iter().map(|file| measured_crates(file, lock));
            // What cannot be read is told by cargo.
            let measured: Option<Vec<_>> = measured.map(Result::ok).collect();
            Some(measured?.into_iter().flatten().collect())
        })
    }
}
