//! The benchmarks that are being measured: their results so far, and the rows
//! that a run reports for them.

use std::time::Duration;

use host::cores::usable;
use measurement::number_format::rounded;
use measurement::{
    Fit, Interval, Measured, Outcome, Profile, Row, Source, Visits,
};

use crate::cell::{Base, Cell, CellKind};
use crate::counter::{Counter, Pass};
use crate::experiment::Experiment;
use crate::placement::Placement;
use crate::plan::Plan;
use crate::protocol::Found;
use crate::window;

/// The number of significant digits to which figures are rounded: no
/// measurement is more precise, and the files stay readable.
const DIGITS: usize = 5;

pub(crate) struct Candidate<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) cell: &'a Cell,
    pub(crate) name: String,
    /// The name of this benchmark's group. The measurements of a group are
    /// interleaved.
    pub(crate) group: String,
    /// True for a second measurement of the same benchmark. Comparing it with
    /// the first shows how far two measurements of one benchmark differ.
    pub(crate) is_twin: bool,
    /// The number of operations per sample.
    pub(crate) operations: u64,
    pub(crate) operation: Duration,
    pub(crate) rounds: usize,
    /// The results of the visits (criterion runs), in chronological order.
    visits: Vec<Visit>,
    /// For each counter, its counts per unit (one figure per process), or the
    /// reason why nothing was counted.
    counts: Vec<(Counter, Result<Vec<f64>, String>)>,
    pub(crate) failed: Option<String>,
}

/// The result of one measurement of a benchmark, together with the time and
/// the place of the measurement, as in [`Visits`].
pub(crate) struct Visit {
    pub(crate) at: u32,
    /// Twice the number of the round, plus one if the round was going through
    /// the benchmarks in reverse.
    pub(crate) turn: u32,
    pub(crate) build: u32,
    pub(crate) found: Found,
}

impl Visit {
    fn with(&self, figure: f64, probe: f64) -> Visit {
        let figures = vec![rounded(figure, DIGITS)];
        Visit { found: Found { figures, probe, ..Found::default() }, ..*self }
    }
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(
        experiment: &'a Experiment,
        cell: &'a Cell,
        is_twin: bool,
        profile: Profile,
    ) -> Candidate<'a> {
        let is_counted = experiment.counts(cell, profile) && !is_twin;
        let counters = experiment.counters.iter().filter(|_| is_counted);
        Candidate {
            experiment,
            cell,
            name: experiment.cell_name(cell),
            group: cell.group_name(),
            is_twin,
            operations: 1,
            operation: Duration::ZERO,
            rounds: 0,
            visits: Vec::new(),
            counts: counters.map(|&of| (of, Ok(Vec::new()))).collect(),
            failed: None,
        }
    }

    pub(crate) fn is_timed(&self) -> bool {
        self.cell.kind == CellKind::Timed
    }

    pub(crate) fn is_counted(&self, pass: Pass) -> bool {
        let mut counts = self.counts.iter().filter(|(of, _)| of.pass() == pass);
        self.failed.is_none() && counts.any(|(_, points)| points.is_ok())
    }

    /// Returns how many times the benchmark is measured in all planned
    /// processes.
    pub(crate) fn visits_in(&self, plan: &Plan) -> usize {
        if self.is_timed() {
            return 2 * self.rounds;
        }
        let is_visited = |&back: &bool| self.cell.is_visited(plan, true, back);
        [false, true].iter().filter(|back| is_visited(back)).count()
            * plan.processes
    }

    /// Adds the result of a measurement, divided by the number of units per
    /// operation.
    pub(crate) fn visited(&mut self, mut visit: Visit) {
        for figure in &mut visit.found.figures {
            *figure = rounded(*figure / self.cell.per as f64, DIGITS);
        }
        self.visits.push(visit);
    }

    /// Adds one process's counts per operation, one count for each counter in
    /// this pass. If counting failed, the times that were already measured
    /// remain valid.
    pub(crate) fn counted(
        &mut self,
        pass: Pass,
        counts: impl IntoIterator<Item = Result<f64, String>>,
    ) {
        let of_pass =
            self.counts.iter_mut().filter(|(of, _)| of.pass() == pass);
        for ((_, points), count) in of_pass.zip(counts) {
            match (points.as_mut(), count) {
                (Ok(points), Ok(count)) => {
                    points.push(rounded(count / self.cell.per as f64, DIGITS));
                }
                (_, Err(reason)) => *points = Err(reason),
                (Err(_), Ok(_)) => {}
            }
        }
    }

    /// Returns the number of operations that take as long as `samples`
    /// samples; at least 1.
    pub(crate) fn fill(&self, samples: u32, sample: Duration) -> u64 {
        let most = self.operations * u64::from(samples);
        let time = (sample * samples).as_secs_f64();
        let operations = time / self.operation.as_secs_f64();
        (operations.ceil() as u64).clamp(1, most)
    }

    /// Returns a row with the benchmark's time minus the baseline's. The
    /// difference is taken visit by visit. `None` if the benchmark doesn't
    /// request it, or if no baseline was measured at the same setting.
    pub(crate) fn beyond_baseline(
        &self,
        candidates: &[Candidate<'_>],
        plan: &Plan,
    ) -> Option<Row> {
        let Some((Base::Baseline, quantity)) = &self.cell.difference else {
            return None;
        };
        let Experiment { name, quantity: time, baseline, .. } = self.experiment;
        let is_baseline = |other: &&Candidate<'_>| {
            !other.is_twin
                && other.experiment.name == *name
                && other.cell.contender == *baseline
                && other.cell.setting() == self.cell.setting()
        };
        let baseline =
            candidates.iter().filter(|_| !self.is_twin).find(is_baseline)?;
        let failed = self.failed.as_ref().or(baseline.failed.as_ref());
        let beyond = |visit: &Visit| {
            let mut visits = baseline.visits.iter();
            let other = &visits.find(|other| other.turn == visit.turn)?.found;
            let beyond = visit.found.figures[0] - other.figures[0];
            // Keeps the slower of the two visits' probes of the core's speed.
            Some(visit.with(beyond, visit.found.probe.max(other.probe)))
        };
        let visits: Vec<Visit> =
            self.visits.iter().filter_map(beyond).collect();
        let outcome = outcome(failed, &visits, 0, plan, Source::Criterion);
        let named = |of: &Candidate<'_>| {
            of.row(time, Outcome::Failed(String::new())).name()
        };
        let derived_from = vec![named(self), named(baseline)];
        let row = self.row(quantity, outcome);
        Some(Row { difference: true, derived_from, ..row })
    }

    fn row(&self, quantity: &str, outcome: Outcome) -> Row {
        let Cell { contender, parameters, .. } = self.cell;
        let (experiment, parameters) =
            (&self.experiment.name, parameters.clone());
        Row {
            group: Some(self.group.clone()),
            twin_of: self.is_twin.then(|| contender.clone()),
            derived_from: self.cell.derived_from.clone(),
            ..Row::new(experiment, contender, parameters, quantity, outcome)
        }
    }

    /// Returns the benchmark's rows of results. Call this after all planned
    /// processes have finished.
    pub(crate) fn rows(&self, plan: &Plan) -> Vec<Row> {
        let window = window::together(self.visits.iter().map(|of| &of.found));
        let failed = self.failed.as_ref().or(window.as_ref().err());
        let figures = self.cell.figures(&self.experiment.quantity);
        let (_, source) = figures[0];
        // If no window has a histogram, there are no percentiles.
        let known = self.visits.iter().map(|of| of.found.figures.len()).max();
        let figures = figures.into_iter().take(known.unwrap_or(usize::MAX));
        let row = |(place, (quantity, source))| {
            let visits = &self.visits;
            self.row(quantity, outcome(failed, visits, place, plan, source))
        };
        let mut rows: Vec<Row> = figures.enumerate().map(row).collect();
        if let Some((Base::Known { time, per }, quantity)) =
            &self.cell.difference
        {
            let known = time.as_nanos() as f64;
            let beyond = |visit: &Visit| {
                let operation = visit.found.figures[0] * self.cell.per as f64;
                let beyond = (operation - known) / *per as f64;
                visit.with(beyond, visit.found.probe)
            };
            let visits: Vec<Visit> = self.visits.iter().map(beyond).collect();
            let outcome = outcome(failed, &visits, 0, plan, source);
            rows.push(Row { difference: true, ..self.row(quantity, outcome) });
        }
        if window.is_ok() {
            over_all_windows(&mut rows, &self.visits);
        }
        if let Outcome::Measured(measured) = &mut rows[0].outcome {
            measured.window = window.ok().flatten();
            measured.fit = self.fit(measured.interval());
        }
        let per = self.experiment.per().unwrap_or_default();
        let counted = self.counts.iter().map(|(counter, points)| {
            let outcome =
                match self.failed.as_ref().map_or(points.as_ref(), Err) {
                    Ok(points) => Outcome::Measured(Measured::from_points(
                        points.clone(),
                        plan.processes,
                        counter.source(),
                    )),
                    Err(reason) => Outcome::Failed(reason.clone()),
                };
            let outcome = self.refused(*counter, &rows[0].outcome, outcome);
            self.row(&counter.quantity(per), outcome)
        });
        let counted: Vec<Row> = counted.collect();
        rows.extend(counted);
        rows
    }

    /// Returns `counted`. Returns a failure instead if the work that was
    /// counted can't be the same as the work that was timed.
    fn refused(
        &self,
        counter: Counter,
        timed: &Outcome,
        counted: Outcome,
    ) -> Outcome {
        let is_compared = self.is_timed() && counter == Counter::CpuTime;
        match (timed, &counted) {
            (Outcome::Measured(time), Outcome::Measured(count))
                if is_compared =>
            {
                too_much_cpu_time(count.estimate, time.estimate, self.cores())
                    .map_or(counted, Outcome::Failed)
            }
            _ => counted,
        }
    }

    fn cores(&self) -> usize {
        match self.cell.stated_placement() {
            Some(Placement::OneCore) => 1,
            _ => usable().map_or(1, |cores| cores.len()),
        }
    }

    /// Returns the fitted line, if the benchmark's figures are slopes.
    fn fit(&self, Interval { estimate, low, high }: Interval) -> Option<Fit> {
        let lines = self.visits.iter().flat_map(|visit| &visit.found.line);
        let points: Vec<(f64, f64)> = lines.copied().collect();
        let fit = Fit { points, slope: estimate, low, high };
        (!fit.points.is_empty()).then_some(fit)
    }
}

/// The fraction by which the CPU time may exceed the time available on the
/// cores. The two are measured in different processes, by different clocks of
/// the kernel.
const MARGIN: f64 = 0.1;

/// Returns an error message if work that took `time` nanoseconds on `cores`
/// cores can't have used `used` nanoseconds of CPU time.
fn too_much_cpu_time(used: f64, time: f64, cores: usize) -> Option<String> {
    let most = time * cores as f64;
    (used > most * (1.0 + MARGIN)).then(|| {
        format!(
            "{used:.0} ns of CPU time are more than {cores} cores have in the {time:.0} ns that were timed: \
             more was counted than timed, or it goes on after the clock has stopped"
        )
    })
}

/// Combines the figures at index `place` of all visits into an outcome. The
/// outcome is a failure if the benchmark failed.
fn outcome(
    failed: Option<&String>,
    visits: &[Visit],
    place: usize,
    plan: &Plan,
    source: Source,
) -> Outcome {
    if let Some(reason) = failed {
        return Outcome::Failed(reason.clone());
    }
    let least = if source == Source::Criterion { 6 } else { 1 };
    if visits.len() < least {
        let came = visits.len();
        return Outcome::Failed(format!("only {came} visits came to an end"));
    }
    let (mut points, mut columns) = (Vec::new(), Visits::default());
    for Visit { at, turn, build, found } in visits {
        points.push(found.figures[place]);
        columns.at.push(*at);
        columns.turn.push(*turn);
        columns.build.push(*build);
        columns.probe.push(found.probe);
    }
    Outcome::Measured(Measured::of_visits(points, columns, plan.rounds, source))
}

/// If windows have histograms, replaces each percentile of latency by the
/// percentile over all windows together. The median window would leave out
/// disturbances that affect few windows, which are what tails are about.
/// Extends the interval to include the new estimate.
fn over_all_windows(rows: &mut [Row], visits: &[Visit]) {
    let buckets = visits.iter().flat_map(|of| &of.found.latencies);
    let all = window::of_buckets(buckets);
    if all.is_empty() {
        return;
    }
    for row in rows {
        let mut known = window::PERCENTILES.iter();
        if let (Some((_, share)), Outcome::Measured(measured)) = (
            known.find(|(quantity, _)| *quantity == row.quantity),
            &mut row.outcome,
        ) {
            let estimate =
                rounded(all.value_at_quantile(*share) as f64, DIGITS);
            measured.estimate = estimate;
            measured.low = measured.low.min(estimate);
            measured.high = measured.high.max(estimate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::too_much_cpu_time;

    #[test]
    fn more_cpu_time_than_cores_have_is_not_of_what_was_timed() {
        assert_eq!(too_much_cpu_time(200.0, 100.0, 2), None);
        // This CPU time exceeds the available time, but by less than the
        // margin.
        assert_eq!(too_much_cpu_time(219.0, 100.0, 2), None);
        let reason = too_much_cpu_time(457.0, 184.0, 2).unwrap();
        assert!(reason.contains("457 ns of CPU time"), "{reason}");
        assert!(too_much_cpu_time(120.0, 100.0, 1).is_some());
    }
}
