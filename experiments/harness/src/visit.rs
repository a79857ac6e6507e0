//! One visit: a criterion run that measures a benchmark.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{ensure, Context, Error, Result};
use criterion::{Criterion, SamplingMode};
use measurement::statistics::median;
use serde::Deserialize;

use crate::batch::Batch;
use crate::body::Body;
use crate::plan::{Plan, SAMPLES};
use crate::temporary::temporary_directory;

/// The number of resamples for criterion's own interval. The interval isn't
/// used here, so the number is small.
const RESAMPLES: usize = 1_001;

/// Returns how many operations fill a sample, and how long one operation
/// takes. Ignores the first operation, and takes the median of three batches
/// to avoid slow moments. A sample includes the untimed parts of a batch.
pub(crate) fn calibrate(
    batch: &mut dyn Batch,
    answer: u64,
    sample: Duration,
) -> Result<(u64, Duration), String> {
    let mut run = |operations: u64| {
        let began = Instant::now();
        let timed = batch.run(operations).checked(answer)?;
        Ok::<_, String>((began.elapsed(), timed.elapsed))
    };
    run(1)?;
    let mut operations = 1;
    loop {
        let first = run(operations)?;
        // A measurement of at least half a sample is long enough to
        // extrapolate from.
        if first.0 * 2 >= sample {
            let batches = [first, run(operations)?, run(operations)?];
            let per_operation = |of: fn((Duration, Duration)) -> Duration| {
                median(&batches.map(|times| of(times).as_secs_f64()))
                    / operations as f64
            };
            let all = per_operation(|(all, _)| all);
            let timed = per_operation(|(_, timed)| timed);
            let fills = (sample.as_secs_f64() / all).ceil() as u64;
            let operation = Duration::from_secs_f64(timed);
            return Ok((fills.max(1), operation));
        }
        operations *= 2;
    }
}

/// Measures a benchmark: criterion times `operations` operations in each of
/// ten samples. The timed thread probes the speed of its core around each
/// sample, so the median probe is from the same moments as the median sample.
/// Returns how long one operation of the median sample and the median probe
/// take, in nanoseconds.
///
/// To criterion, an iteration is a whole batch. So the parent can fix the
/// number of operations per sample for all visits, instead of each visit
/// estimating it again.
pub(crate) fn visit(
    batch: &mut dyn Batch,
    answer: u64,
    operations: u64,
    warm_up: Duration,
) -> Result<(f64, f64)> {
    let directory = temporary_directory()?;
    let mut checked = Ok(());
    let mut probes = Vec::new();
    let mut criterion = Criterion::default()
        .output_directory(directory.path())
        .save_baseline("point".to_owned())
        .without_plots();
    let mut visit = criterion.benchmark_group("visit");
    visit
        .sample_size(SAMPLES as usize)
        .sampling_mode(SamplingMode::Flat)
        .nresamples(RESAMPLES)
        .warm_up_time(warm_up)
        // Makes criterion run one iteration per sample.
        .measurement_time(Duration::from_nanos(1))
        .bench_function("cell", |bencher| {
            let iterated =
                batch.visit(bencher, operations, answer, &mut probes);
            if checked.is_ok() {
                checked = iterated;
            }
        });
    visit.finish();
    checked.map_err(Error::msg)?;
    let sample = directory.path().join("visit/cell/point/sample.json");
    let times = iteration_times(&sample).context(
        "criterion's results cannot be read (is the temporary directory full?)",
    )?;
    let time = median(&times) / operations as f64;
    ensure!(
        time > 0.0 && time.is_finite(),
        "criterion's samples make no time: {time} ns an operation"
    );
    let probes: Vec<f64> =
        probes.iter().map(|probe| probe.as_nanos() as f64).collect();
    Ok((time, median(&probes)))
}

/// Criterion's record of a benchmark. The format of its JSON files isn't
/// public, so no other module uses it.
#[derive(Deserialize)]
struct Sample {
    iters: Vec<f64>,
    times: Vec<f64>,
}

/// Returns how long one iteration takes in each sample, in nanoseconds.
fn iteration_times(file: &Path) -> Result<Vec<f64>> {
    let text = fs::read_to_string(file);
    let Sample { iters, times } = text
        .map_err(Error::from)
        .and_then(|text| Ok(serde_json::from_str(&text)?))
        .with_context(|| file.display().to_string())?;
    ensure!(
        iters.len() == times.len() && !times.is_empty(),
        "criterion saved {} counts and {} times",
        iters.len(),
        times.len()
    );
    Ok(times.iter().zip(&iters).map(|(time, count)| time / count).collect())
}

/// A benchmark that is measured on demand, to study the measurements
/// themselves. Measurements are the same as in a run, except that they are
/// all made in one process and in the order that the study chooses.
pub struct Visited {
    batch: Box<dyn Batch>,
    answer: u64,
    operations: u64,
    warm_up: Duration,
}

impl Visited {
    /// Starts a benchmark, and determines how many of its operations fill a
    /// sample.
    ///
    /// Fails if the benchmark cannot run here, or if an operation does not
    /// return `answer`.
    pub fn new(
        body: &Body,
        answer: u64,
        plan: &Plan,
    ) -> Result<Visited, String> {
        let mut batch = body.start()?;
        let (operations, _) = calibrate(batch.as_mut(), answer, plan.sample)?;
        Ok(Visited { batch, answer, operations, warm_up: plan.warm_up })
    }

    /// Measures the benchmark, and returns the median time of an operation,
    /// in nanoseconds.
    ///
    /// Fails if an operation returns a wrong answer, or if criterion cannot
    /// write its files.
    pub fn visit(&mut self) -> Result<f64, String> {
        let Visited { batch, answer, operations, warm_up } = self;
        visit(batch.as_mut(), *answer, *operations, *warm_up)
            .map(|(time, _)| time)
            .map_err(|error| format!("{error:#}"))
    }
}
