//! Reads what criterion writes. Its JSON files are no public format, so nothing else here knows them.

use std::path::Path;

use anyhow::{ensure, Context, Result};
use serde::Deserialize;

#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

/// The time of one iteration in each sample of the only benchmark saved below `directory`, in
/// nanoseconds, after checking that it is the one named `id`.
pub(crate) fn iteration_times(
    directory: &Path,
    baseline: &str,
    id: &str,
) -> Result<Vec<f64>> {
    let saved = find(directory, baseline)?.with_context(|| {
        format!("criterion saved no {baseline:?} in {}", directory.display())
    })?;
    let benchmark: Benchmark = read(&saved.join("benchmark.json"))?;
    ensure!(
        benchmark.full_id == id,
        "criterion measured {:?}, not {id:?}",
        benchmark.full_id
    );
    let sample: Sample = read(&saved.join("sample.json"))?;
    ensure!(
        sample.iters.len() == sample.times.len() && !sample.times.is_empty(),
        "criterion saved {} counts and {} times",
        sample.iters.len(),
        sample.times.len()
    );
    Ok(sample
        .times
        .iter()
        .zip(&sample.iters)
        .map(|(time, count)| time / count)
        .collect())
}

/// The directory of a baseline, wherever criterion put it.
fn find(
    directory: &Path,
    baseline: &str,
) -> Result<Option<std::path::PathBuf>> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if !path.is_dir() {
            continue;
        }
        if path.file_name().is_some_and(|name| name == baseline) {
            return Ok(Some(path));
        }
        if let Some(found) = find(&path, baseline)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T> {
    let text = std::fs::read_to_string(file)
        .with_context(|| file.display().to_string())?;
    serde_json::from_str(&text).with_context(|| file.display().to_string())
}
