//! One visit: a criterion run of one cell.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{anyhow, bail, Context, Result};
use criterion::{Criterion, SamplingMode};
use measurement::statistics::median;

use crate::body::Batch;
use crate::criterion_files::iteration_times;

/// Criterion does not take fewer samples.
const SAMPLES: usize = 10;

/// For criterion's own interval, which is read by nobody here: the least that costs little.
const RESAMPLES: usize = 1_001;

/// How many operations fill a sample, and how long one takes. The first use is
/// not counted, and a slow moment does not decide: the median of three batches
/// does.
pub(crate) fn calibrate(
    batch: &mut dyn Batch,
    answer: u64,
    sample: Duration,
) -> Result<(u64, Duration), String> {
    batch.run(1).answer(answer)?;
    let mut operations = 1;
    loop {
        let elapsed = batch.run(operations).answer(answer)?;
        // Half a sample is long enough to extrapolate from.
        if elapsed * 2 >= sample {
            let again = [
                batch.run(operations).answer(answer)?,
                batch.run(operations).answer(answer)?,
            ];
            let batches =
                [elapsed, again[0], again[1]].map(|time| time.as_secs_f64());
            let operation = median(&batches) / operations as f64;
            let fills = (sample.as_secs_f64() / operation).ceil() as u64;
            return Ok((fills.max(1), Duration::from_secs_f64(operation)));
        }
        operations *= 2;
    }
}

/// Visits a cell: criterion times `operations` of it in each of ten samples, and the median sample
/// gives the time of one operation, in nanoseconds.
///
/// To criterion, an iteration is the whole batch. So the number of operations in a sample is the one
/// that the parent fixed for all visits, not one that each visit guesses anew.
pub(crate) fn visit(
    batch: &mut dyn Batch,
    answer: u64,
    operations: u64,
    warm_up: Duration,
    directory: &Path,
) -> Result<f64> {
    let (group, function, baseline) = ("visit", "cell", "point");
    let mut wrong = None;
    let mut criterion = Criterion::default()
        .output_directory(directory)
        .save_baseline(baseline.to_owned())
        .without_plots();
    let mut visit = criterion.benchmark_group(group);
    visit
        .sample_size(SAMPLES)
        .sampling_mode(SamplingMode::Flat)
        .nresamples(RESAMPLES)
        .warm_up_time(warm_up)
        // One iteration a sample, as short as that may be.
        .measurement_time(Duration::from_nanos(1))
        .bench_function(function, |bencher| {
            bencher.iter_custom(|iterations| {
                let start = Instant::now();
                match batch.run(operations * iterations).answer(answer) {
                    Ok(elapsed) => elapsed,
                    Err(reason) => {
                        wrong = Some(reason);
                        start.elapsed()
                    }
                }
            });
        });
    visit.finish();
    if let Some(reason) = wrong {
        bail!(reason);
    }
    let times =
        iteration_times(directory, baseline, &format!("{group}/{function}"))?;
    let time = median(&times) / operations as f64;
    if time > 0.0 && time.is_finite() {
        return Ok(time);
    }
    Err(anyhow!("{time} ns an operation"))
        .context("criterion's samples make no time")
}
