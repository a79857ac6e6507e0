//! Reads the locked versions of crates from Cargo.lock.

use std::path::Path;

use serde::de::DeserializeOwned;
use serde::Deserialize;

use crate::ensure::ensure;

/// The parsed content of a `Cargo.lock` file.
#[derive(Deserialize)]
pub struct CargoLock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    /// The registry from which cargo got the crate; absent for crates of this repository.
    source: Option<String>,
    /// The names of the dependencies, with the version appended if several versions are locked.
    #[serde(default)]
    dependencies: Vec<String>,
}

impl CargoLock {
    /// Reads `Cargo.lock` in the directory `root`.
    pub fn read(root: &Path) -> Result<CargoLock, String> {
        read_toml(&root.join("Cargo.lock"))
    }

    /// Returns the locked version of the registry crate `name` on which `package` depends. If
    /// `package` doesn't depend on the crate directly, returns all locked versions, such as
    /// `1.2.3 and 2.0.0`. Fails if no version is locked.
    pub fn version(&self, package: &str, name: &str) -> Result<String, String> {
        let version = |used: &String| Some(used.strip_prefix(name)?.strip_prefix(' ')?.to_owned());
        let used = self.used_by(package).iter().find_map(version);
        let locked = self.package.iter().filter(|of| of.name == name && of.source.is_some());
        let all: Vec<&str> = locked.map(|of| of.version.as_str()).collect();
        let version = used.unwrap_or_else(|| all.join(" and "));
        ensure!(!version.is_empty(), "{package}: Cargo.lock has no {name:?} from a registry");
        Ok(version)
    }

    /// Returns the registry crates that `package` depends on, including its dev-dependencies.
    pub(crate) fn dependencies(&self, package: &str) -> Vec<String> {
        let names = self.used_by(package).iter().filter_map(|used| used.split(' ').next());
        names.filter(|name| self.version(package, name).is_ok()).map(str::to_owned).collect()
    }

    fn used_by(&self, package: &str) -> &[String] {
        let package = self.package.iter().find(|of| of.name == package);
        package.map_or(&[], |of| &of.dependencies)
    }
}

pub(crate) fn read_toml<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    let failed = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(|why| failed(&why))?;
    toml::from_str(&text).map_err(|why| failed(&why))
}
