//! One visit: a criterion run of one cell.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure, Context, Result};
use criterion::{Criterion, SamplingMode};
use measurement::statistics::median;

use crate::batch::Batch;
use crate::body::Body;
use crate::criterion_files::iteration_times;
use crate::plan::Plan;

/// Criterion does not take fewer samples.
const SAMPLES: usize = 10;

/// For criterion's own interval, which is read by nobody here: the least that costs little.
const RESAMPLES: usize = 1_001;

/// How many operations fill a sample, and how long one takes. The first use is
/// not counted, and a slow moment does not decide: the median of three batches
/// does. What fills a sample is all that a batch does, also off the clock.
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
        // Half a sample is long enough to extrapolate from.
        if first.0 * 2 >= sample {
            let batches = [first, run(operations)?, run(operations)?];
            let per_operation = |times: [Duration; 3]| {
                median(&times.map(|time| time.as_secs_f64()))
                    / operations as f64
            };
            let all = per_operation(batches.map(|(all, _)| all));
            let timed = per_operation(batches.map(|(_, timed)| timed));
            let fills = (sample.as_secs_f64() / all).ceil() as u64;
            return Ok((fills.max(1), Duration::from_secs_f64(timed)));
        }
        operations *= 2;
    }
}

/// The times of a visit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VisitTimes {
    /// The time of an operation in the median sample, in nanoseconds.
    pub(crate) operation_ns: f64,
    /// What the core took for the probe, in the median of the moments around the samples, in
    /// nanoseconds.
    pub(crate) probe_ns: f64,
}

/// Visits a cell: criterion times `operations` of it in each of ten samples, and the median sample
/// gives the time of one operation. What the core can do is probed around each sample, on the thread
/// that is timed, so that the median probe is of the same moments as the median sample.
///
/// To criterion, an iteration is the whole batch. So the number of operations in a sample is the one
/// that the parent fixed for all visits, not one that each visit guesses anew.
pub(crate) fn visit(
    batch: &mut dyn Batch,
    answer: u64,
    operations: u64,
    warm_up: Duration,
    directory: &Path,
) -> Result<VisitTimes> {
    let (group, function, baseline) = ("visit", "cell", "point");
    let mut checked = Ok(());
    let mut probes = Vec::new();
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
            let iterated =
                batch.visit(bencher, operations, answer, &mut probes);
            if checked.is_ok() {
                checked = iterated;
            }
        });
    visit.finish();
    if let Err(reason) = checked {
        bail!(reason);
    }
    let times =
        iteration_times(directory, baseline, &format!("{group}/{function}"));
    let times = times.context(
        "criterion's results cannot be read (is the temporary directory full?)",
    )?;
    let operation_ns = median(&times) / operations as f64;
    ensure!(
        operation_ns > 0.0 && operation_ns.is_finite(),
        "criterion's samples make no time: {operation_ns} ns an operation"
    );
    let probes = probes.iter().map(|probe| probe.as_nanos() as f64);
    let probe_ns = median(&probes.collect::<Vec<_>>());
    Ok(VisitTimes { operation_ns, probe_ns })
}

/// A body that is visited on demand, for a study of visiting itself. What it
/// measures is like the visits of a run, but for being in one process and in the
/// order that the study chooses.
pub struct Visited {
    batch: Box<dyn Batch>,
    answer: u64,
    operations: u64,
    warm_up: Duration,
}

impl Visited {
    /// Starts a body and finds out how many of its operations fill a sample.
    ///
    /// # Errors
    ///
    /// If it cannot run here, or an operation does not return `answer`.
    pub fn new(
        body: &Body,
        answer: u64,
        plan: &Plan,
    ) -> Result<Visited, String> {
        let mut batch = body.start()?;
        let (operations, _) = calibrate(batch.as_mut(), answer, plan.sample)?;
        Ok(Visited { batch, answer, operations, warm_up: plan.warm_up })
    }

    /// The median time of an operation, in nanoseconds.
    ///
    /// # Errors
    ///
    /// If an operation returned another answer, or criterion cannot write.
    pub fn visit(&mut self) -> Result<f64, String> {
        let Visited { batch, answer, operations, warm_up } = self;
        let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
        visit(batch.as_mut(), *answer, *operations, *warm_up, directory.path())
            .map(|times| times.operation_ns)
            .map_err(|error| format!("{error:#}"))
    }
}
