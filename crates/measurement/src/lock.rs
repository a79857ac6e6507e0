//! The locked versions of crates, from Cargo.lock.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use thiserror::Error;

/// Why the versions could not be read.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LockError {
    #[error("{path}: {source}")]
    Read { path: String, source: std::io::Error },
    #[error("{path}: not a lock file: {source}")]
    Parse { path: String, source: toml::de::Error },
    #[error("{path}: no package {name:?}")]
    Missing { path: String, name: String },
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

/// The versions that `lock_file` fixes for the crates of these names. Two versions of one crate are
/// given as `1.2.3 and 2.0.0`.
///
/// # Errors
///
/// If the file cannot be read or lacks one of the crates.
pub fn versions<'a>(
    lock_file: &Path,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, String>, LockError> {
    let path = lock_file.display().to_string();
    let text = std::fs::read_to_string(lock_file)
        .map_err(|source| LockError::Read { path: path.clone(), source })?;
    let lock: Lock =
        toml::from_str(&text).map_err(|source| LockError::Parse { path: path.clone(), source })?;
    names
        .into_iter()
        .map(|name| {
            let packages = lock.package.iter().filter(|package| package.name == name);
            let versions: Vec<&str> = packages.map(|package| package.version.as_str()).collect();
            match versions.is_empty() {
                true => Err(LockError::Missing { path: path.clone(), name: name.to_owned() }),
                false => Ok((name.to_owned(), versions.join(" and "))),
            }
        })
        .collect()
}
