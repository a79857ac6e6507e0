//! What can be wrong with a workload's files.

use std::path::Path;
use std::{fs, io};

use thiserror::Error;

use crate::manifest::ManifestError;

/// Why a workload has no hash.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum WorkloadError {
    #[error("{path}: {source}")]
    Read { path: String, source: io::Error },
    #[error("{path}:{line}: not Rust: a token or a closing bracket is missing or wrong")]
    Lex { path: String, line: usize },
    #[error("{path}: `mod {module};` has no file")]
    NoModule { path: String, module: String },
    #[error("{path}: has neither src/lib.rs nor src/main.rs")]
    NoRoot { path: String },
    #[error(transparent)]
    Manifest(#[from] ManifestError),
}

pub(super) fn read(path: &Path) -> Result<String, WorkloadError> {
    fs::read_to_string(path).map_err(|source| read_error(path, source))
}

pub(super) fn read_error(path: &Path, source: io::Error) -> WorkloadError {
    WorkloadError::Read { path: path.display().to_string(), source }
}
