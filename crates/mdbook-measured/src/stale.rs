//! Whether data were measured with what is in the tree now.

use std::fmt;
use std::path::Path;

use measurement::lock::Lock;
use measurement::{METHOD, RunHeader, sources};
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
    /// The workload's own files have changed since.
    Workload,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stale::Version { of, measured, tree } => {
                write!(f, "measured with {of} {measured}, the tree has {tree}")
            }
            Stale::Workload => f.write_str("the workload has changed since it was measured"),
        }
    }
}

/// The versions that the tree fixes.
pub(crate) struct Tree {
    /// Absent where there is no lock file that can be read, as in a book about something else.
    lock: Option<Lock>,
    rustc: Option<String>,
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
    pub(crate) fn read(root: &Path) -> Tree {
        let lock = Lock::read(&root.join("Cargo.lock")).ok();
        let toolchain = std::fs::read_to_string(root.join("rust-toolchain.toml")).ok();
        let toolchain = toolchain.and_then(|text| toml::from_str::<ToolchainFile>(&text).ok());
        Tree { lock, rustc: toolchain.map(|file| file.toolchain.channel) }
    }

    /// In what a run differs from the tree whose workload is in `package`.
    pub(crate) fn compare(&self, header: &RunHeader, package: &Path) -> Vec<Stale> {
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
        if let Some(lock) = &self.lock {
            for (name, measured) in &header.crates {
                // A crate that the tree no longer locks is another version too.
                version(name, measured, lock.version(name).as_deref().unwrap_or("none"));
            }
        }
        // A book may keep its workloads elsewhere; then there is nothing to compare with.
        if package.is_dir() && sources::hash(package).ok().as_ref() != Some(&header.sources) {
            stale.push(Stale::Workload);
        }
        stale
    }
}
