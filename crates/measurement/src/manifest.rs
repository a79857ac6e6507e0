//! What a package's manifest says about the crates that it is built with: which it measures, and with
//! which features.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::{Table, Value};

use crate::cargo_lock::CargoLock;

/// Why a manifest does not say what it is asked.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ManifestError {
    #[error("{path}: {source}")]
    Read { path: String, source: io::Error },
    #[error("{path}: not TOML: {source}")]
    Parse { path: String, source: Box<toml::de::Error> },
    #[error("{path}: `{name}` is of the workspace, but no [workspace.dependencies] above has it")]
    NotInWorkspace { path: String, name: String },
    #[error("{path}: Cargo.lock has no package {name:?} from a registry: run `cargo check`")]
    NotLocked { path: String, name: String },
}

/// The crates that a package measures, and their locked versions: its dependencies that come from a
/// registry, on whatever system, but not those of its tests only. A crate that is renamed has its own
/// name; packages of this repository have no version here.
///
/// In `[package.metadata.measured]` a package may say more. `also = ["ring"]` names crates that it
/// measures through another one. `only = ["tokio"]` names those that are measured through it: other
/// dependencies of the harness are its own affair.
///
/// # Errors
///
/// If a manifest, this one or the workspace's, cannot be read, or if a crate is not locked.
pub fn measured_crates(
    package_manifest: &Path,
    lock: &CargoLock,
) -> Result<BTreeMap<String, String>, ManifestError> {
    let manifest = Manifest::read(package_manifest)?;
    let dependencies = manifest.dependencies()?.into_iter();
    let dependencies = dependencies.filter(|dependency| dependency.directory.is_none());
    let mut names: BTreeSet<String> = dependencies.map(|dependency| dependency.package).collect();
    let metadata = manifest.in_package("metadata").and_then(|metadata| metadata.get("measured"));
    if let Some(only) = metadata.and_then(|measured| measured.get("only")) {
        names = texts(Some(only));
    }
    names.extend(texts(metadata.and_then(|measured| measured.get("also"))));
    let mut versions = BTreeMap::new();
    for name in names {
        let version = lock.version_for(manifest.name(), &name);
        let version = version.ok_or_else(|| ManifestError::NotLocked {
            path: manifest.path(),
            name: name.clone(),
        })?;
        versions.insert(name, version);
    }
    Ok(versions)
}

/// A crate from elsewhere, and what it is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Features {
    /// Its name.
    pub(crate) package: String,
    /// What code calls it.
    pub(crate) identifier: String,
    /// Those that are asked for by name.
    pub(crate) features: BTreeSet<String>,
    /// Whether the default ones are asked for.
    pub(crate) default_features: bool,
    /// Whether a package of this repository, on which this one depends, uses it too.
    pub(crate) is_shared: bool,
}

/// The features of a package's dependencies from elsewhere, as Cargo unifies them: what the package
/// asks for, and what those packages ask for that it depends on by path. In the order of names.
pub(crate) fn features(package_manifest: &Path) -> Result<Vec<Features>, ManifestError> {
    let manifest = Manifest::read(package_manifest)?;
    let mut all: BTreeMap<String, Features> = BTreeMap::new();
    let mut waiting = Vec::new();
    for dependency in manifest.dependencies()? {
        if let Some(directory) = dependency.directory {
            waiting.push(directory);
            continue;
        }
        let features = all.entry(dependency.package.clone()).or_insert_with(|| Features {
            package: dependency.package,
            identifier: dependency.key.replace('-', "_"),
            features: BTreeSet::new(),
            default_features: false,
            is_shared: false,
        });
        features.features.extend(dependency.features);
        features.default_features |= dependency.default_features;
    }
    let mut seen = BTreeSet::new();
    while let Some(directory) = waiting.pop() {
        if !seen.insert(directory.clone()) {
            continue;
        }
        for dependency in Manifest::read(&directory.join("Cargo.toml"))?.dependencies()? {
            if let Some(directory) = dependency.directory {
                waiting.push(directory);
            } else if let Some(features) = all.get_mut(&dependency.package) {
                features.features.extend(dependency.features);
                features.default_features |= dependency.default_features;
                features.is_shared = true;
            }
        }
    }
    Ok(all.into_values().collect())
}

/// The packages of this repository on which a package depends, and which are measured themselves: they say
/// `is-contender = true` in `[package.metadata.measured]`. By what code calls them, the directory of each.
pub(crate) fn contenders(
    package_manifest: &Path,
) -> Result<BTreeMap<String, PathBuf>, ManifestError> {
    let mut found = BTreeMap::new();
    for dependency in Manifest::read(package_manifest)?.dependencies()? {
        let Some(directory) = dependency.directory else { continue };
        let manifest = Manifest::read(&directory.join("Cargo.toml"))?;
        let measured = manifest.in_package("metadata").and_then(|table| table.get("measured"));
        let says = measured.and_then(|measured| measured.get("is-contender"));
        if says.and_then(Value::as_bool) == Some(true) {
            found.insert(dependency.key.replace('-', "_"), directory);
        }
    }
    Ok(found)
}

/// A `Cargo.toml`.
pub(crate) struct Manifest {
    file: PathBuf,
    pub(crate) table: Table,
}

struct Dependency {
    /// By which the manifest and the code call it.
    key: String,
    /// By which the registry calls it.
    package: String,
    /// Where it is, if it is here.
    directory: Option<PathBuf>,
    features: BTreeSet<String>,
    default_features: bool,
}

impl Manifest {
    pub(crate) fn read(file: &Path) -> Result<Manifest, ManifestError> {
        Ok(Manifest { file: file.to_owned(), table: read_table(file)? })
    }

    pub(crate) fn path(&self) -> String {
        self.file.display().to_string()
    }

    pub(crate) fn in_package(&self, key: &str) -> Option<&Value> {
        self.table.get("package")?.get(key)
    }

    fn name(&self) -> &str {
        self.in_package("name").and_then(Value::as_str).unwrap_or_default()
    }

    fn directory(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }

    /// The workspace's manifest: this one, or the nearest above.
    fn workspace(&self) -> Result<Option<Manifest>, ManifestError> {
        let directory = self.directory();
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        for file in directory.ancestors().map(|above| above.join("Cargo.toml")) {
            if file.is_file() {
                let manifest = Manifest::read(&file)?;
                if manifest.table.contains_key("workspace") {
                    return Ok(Some(manifest));
                }
            }
        }
        Ok(None)
    }

    /// What is neither for tests nor for build scripts, on whatever system.
    fn dependencies(&self) -> Result<Vec<Dependency>, ManifestError> {
        let table = |value: &Value| value.get("dependencies").and_then(Value::as_table).cloned();
        let mut tables = Vec::new();
        tables.extend(self.table.get("dependencies").and_then(Value::as_table).cloned());
        if let Some(targets) = self.table.get("target").and_then(Value::as_table) {
            tables.extend(targets.iter().filter_map(|(_, target)| table(target)));
        }
        let workspace = self.workspace()?;
        let mut dependencies = Vec::new();
        for (key, value) in tables.into_iter().flatten() {
            dependencies.push(self.dependency(key, &value, workspace.as_ref())?);
        }
        Ok(dependencies)
    }

    fn dependency(
        &self,
        key: String,
        value: &Value,
        workspace: Option<&Manifest>,
    ) -> Result<Dependency, ManifestError> {
        let is_inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
        if !is_inherited {
            return Ok(own(key, value, self.directory()));
        }
        let shared = workspace.and_then(|workspace| {
            let shared = workspace.table.get("workspace")?.get("dependencies")?.get(&key)?;
            Some(own(key.clone(), shared, workspace.directory()))
        });
        let mut shared = shared.ok_or_else(|| ManifestError::NotInWorkspace {
            path: self.path(),
            name: key.clone(),
        })?;
        shared.features.extend(texts(value.get("features")));
        // A member can add the default features, and not take them away.
        shared.default_features |= asks_for_defaults(value) == Some(true);
        Ok(shared)
    }
}

/// A dependency that says everything itself.
fn own(key: String, value: &Value, directory: &Path) -> Dependency {
    let text = |name| value.get(name).and_then(Value::as_str);
    Dependency {
        package: text("package").unwrap_or(&key).to_owned(),
        directory: text("path").map(|path| directory.join(path)),
        features: texts(value.get("features")),
        default_features: asks_for_defaults(value).unwrap_or(true),
        key,
    }
}

fn asks_for_defaults(value: &Value) -> Option<bool> {
    value.get("default-features").and_then(Value::as_bool)
}

/// The texts of a list; none if there is no list.
pub(crate) fn texts(value: Option<&Value>) -> BTreeSet<String> {
    let list = value.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

pub(crate) fn read_table(file: &Path) -> Result<Table, ManifestError> {
    let path = || file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|source| ManifestError::Read { path: path(), source })?;
    text.parse().map_err(|source| ManifestError::Parse { path: path(), source: Box::new(source) })
}
