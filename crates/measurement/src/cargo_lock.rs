//! The locked versions of crates, from Cargo.lock.

use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

/// Why the versions could not be read.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CargoLockError {
    #[error("{path}: {source}")]
    Read { path: String, source: std::io::Error },
    #[error("{path}: not a lock file: {source}")]
    Parse { path: String, source: toml::de::Error },
}

/// What a lock file fixes, read once for many questions.
#[derive(Debug, Deserialize)]
pub struct CargoLock {
    package: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    /// By name, with the version behind it where several are locked.
    #[serde(default)]
    dependencies: Vec<String>,
}

impl CargoLock {
    /// Reads a lock file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is none.
    pub fn read(lock_file: &Path) -> Result<CargoLock, CargoLockError> {
        let path = || lock_file.display().to_string();
        let text = std::fs::read_to_string(lock_file)
            .map_err(|source| CargoLockError::Read { path: path(), source })?;
        toml::from_str(&text).map_err(|source| CargoLockError::Parse { path: path(), source })
    }

    /// The version of a crate, two of them as `1.2.3 and 2.0.0`; `None` if it is not locked.
    pub fn version(&self, name: &str) -> Option<String> {
        let packages = self.package.iter().filter(|package| package.name == name);
        let versions: Vec<&str> = packages.map(|package| package.version.as_str()).collect();
        (!versions.is_empty()).then(|| versions.join(" and "))
    }

    /// The version of a crate from a registry that the package `dependent` uses; where it does not use
    /// it itself, that which is locked, two of them as `1.2.3 and 2.0.0`. `None` if none is.
    pub fn version_for(&self, dependent: &str, name: &str) -> Option<String> {
        let registered = self.package.iter().filter(|package| {
            let source = package.source.as_deref();
            package.name == name && source.is_some_and(|source| source.starts_with("registry+"))
        });
        let versions: Vec<&str> = registered.map(|package| package.version.as_str()).collect();
        let dependents = self.package.iter().filter(|package| package.name == dependent);
        let used = dependents.flat_map(|package| &package.dependencies).find_map(|dependency| {
            let mut words = dependency.split(' ');
            let version = if words.next() == Some(name) { words.next() } else { None };
            versions.iter().find(|locked| version == Some(**locked)).copied()
        });
        let all = || (!versions.is_empty()).then(|| versions.join(" and "));
        used.map(str::to_owned).or_else(all)
    }
}
