//! A cell that is being measured: what is known of it so far, and the rows that
//! become of it.

use std::collections::BTreeMap;
use std::time::Duration;

use measurement::statistics::median;
use measurement::{
    unit_of, Fit, Interval, Latencies, Measured, Outcome, Profile, Row, Source,
    Visits, Window,
};

use crate::cell::{Cell, CellKind};
use crate::counters::{Counter, Pass};
use crate::difference::{Base, Difference};
use crate::experiment::Experiment;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::protocol::{CellId, VisitOutcome};
use crate::window::{self, WindowCounts};

/// The cells of a run.
pub(crate) type Candidates<'a> = BTreeMap<CellId, Candidate<'a>>;

/// A cell that is being measured.
pub(crate) struct Candidate<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) cell: &'a Cell,
    /// The cells beside which it is visited.
    pub(crate) group: String,
    /// Whether it is there to show by how much a cell differs from itself.
    pub(crate) is_twin: bool,
    /// Whether the experiment's counters count it in this run.
    counts_it: bool,
    /// Operations in a sample.
    pub(crate) operations: u64,
    /// How long one of them takes.
    pub(crate) operation: Duration,
    /// In how many of the planned rounds it is visited.
    pub(crate) rounds: usize,
    /// When and where, of each visit.
    visits: Vec<Visit>,
    /// Of each of the cell's quantities a figure a visit: if it is timed,
    /// nanoseconds per unit.
    figures: Vec<Vec<f64>>,
    /// What each visit counted, if it is a window.
    windows: Vec<WindowCounts>,
    /// The points of each visit's line, if it is one.
    lines: Vec<Vec<(f64, f64)>>,
    /// What the experiment's counters counted per unit, one a process.
    counts: Vec<Result<Vec<f64>, String>>,
    pub(crate) failed: Option<String>,
}

/// When and where a cell was visited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit {
    /// Milliseconds since the run began.
    pub(crate) at: u32,
    /// Twice the round, and one more on the way back.
    pub(crate) turn: u32,
    /// The place of the build among the run's.
    pub(crate) build: u32,
    /// What the core took for the probe, in nanoseconds.
    pub(crate) probe: f64,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(
        experiment: &'a Experiment,
        cell: &'a Cell,
        is_twin: bool,
        profile: Profile,
    ) -> Candidate<'a> {
        Candidate {
            experiment,
            cell,
            group: cell.group_name(),
            is_twin,
            counts_it: experiment.counts(cell, profile) && !is_twin,
            operations: 1,
            operation: Duration::ZERO,
            rounds: 0,
            visits: Vec::new(),
            figures: vec![Vec::new(); cell.figures(&experiment.quantity).len()],
            windows: Vec::new(),
            lines: Vec::new(),
            counts: vec![Ok(Vec::new()); experiment.counters.len()],
            failed: None,
        }
    }

    pub(crate) fn is_timed(&self) -> bool {
        matches!(self.cell.kind, CellKind::Timed { .. })
    }

    /// Whether something is to be counted of it in this pass, and can be.
    pub(crate) fn is_counted(&self, pass: Pass) -> bool {
        let counters = self.experiment.counters.iter().zip(&self.counts);
        let mut counters = counters.filter(|(c, _)| c.pass() == pass);
        self.counts_it && counters.any(|(_, points)| points.is_ok())
    }

    pub(crate) fn name(&self) -> String {
        self.experiment.cell_name(self.cell)
    }

    /// Its times so far.
    fn points(&self) -> Vec<f64> {
        self.figures[0].clone()
    }

    /// Its times as they stand so far, with the interval of this run.
    pub(crate) fn so_far(&self, rounds: usize) -> Option<Interval> {
        let points = self.points();
        match measured(&self.visits, points, rounds, Source::Criterion) {
            Outcome::Measured(measured) => Some(measured.interval()),
            Outcome::Failed(_) => None,
        }
    }

    /// The median of its times in the rounds from this one on; `None` if it was not
    /// visited there.
    pub(crate) fn time_since(&self, round: usize) -> Option<f64> {
        let visits = self.visits.iter().zip(&self.figures[0]);
        let fresh =
            visits.filter(|(visit, _)| visit.turn as usize >= 2 * round);
        let times: Vec<f64> = fresh.map(|(_, &time)| time).collect();
        (!times.is_empty()).then(|| median(&times))
    }

    fn per(&self) -> f64 {
        match self.cell.kind {
            CellKind::Timed { per, .. } => per as f64,
            CellKind::Window { .. }
            | CellKind::Readings { .. }
            | CellKind::Line { .. } => 1.0,
        }
    }

    /// How often it is visited in the planned processes.
    pub(crate) fn visits_in(&self, plan: &Plan) -> usize {
        if self.is_timed() {
            return 2 * self.rounds;
        }
        let ways = [false, true].into_iter();
        let ways = ways.filter(|&back| self.cell.is_visited(plan, true, back));
        ways.count() * plan.processes
    }

    /// Takes up what a visit found.
    pub(crate) fn visited(&mut self, visit: Visit, found: VisitOutcome) {
        let figures = match found {
            VisitOutcome::Time(operation_ns) => vec![operation_ns / self.per()],
            VisitOutcome::Readings(figures) => figures,
            VisitOutcome::Window(counts) => {
                let figures = counts.figures();
                self.windows.push(counts);
                figures
            }
            VisitOutcome::Line { slope, points } => {
                self.lines.push(points);
                vec![slope]
            }
        };
        self.visits.push(visit);
        for (points, figure) in self.figures.iter_mut().zip(figures) {
            points.push(five_digits(figure));
        }
    }

    /// Takes up one process's counts per operation, one for each counter of this
    /// pass.
    pub(crate) fn counted(
        &mut self,
        pass: Pass,
        counts: Vec<Result<f64, String>>,
    ) {
        let per = self.per();
        for (points, count) in self.counts_of(pass).zip(counts) {
            match count {
                Err(reason) => *points = Err(reason),
                Ok(count) => {
                    if let Ok(points) = points {
                        points.push(five_digits(count / per));
                    }
                }
            }
        }
    }

    /// Takes up one process's system calls, by their number, in so many
    /// operations.
    pub(crate) fn traced(
        &mut self,
        calls: &BTreeMap<u64, u64>,
        operations: u64,
    ) {
        let counters = self.experiment.counters.iter();
        let counts = counters.filter(|c| c.pass() == Pass::Calls);
        let counts = counts
            .map(|counter| Ok(counter.among(calls) as f64 / operations as f64));
        self.counted(Pass::Calls, counts.collect());
    }

    /// Takes up that counting failed: the times that were taken before stand.
    pub(crate) fn not_counted(
        &mut self,
        pass: Pass,
        reason: &str,
        progress: &Progress,
    ) {
        progress.note(&format!("not counted: {}: {reason}", self.name()));
        self.counts_of(pass)
            .for_each(|points| *points = Err(reason.to_owned()));
    }

    fn counts_of(
        &mut self,
        pass: Pass,
    ) -> impl Iterator<Item = &mut Result<Vec<f64>, String>> {
        let counters = self.experiment.counters.iter();
        let counts = counters.zip(&mut self.counts);
        counts.filter(move |(c, _)| c.pass() == pass).map(|(_, points)| points)
    }

    pub(crate) fn fail(&mut self, reason: String, progress: &Progress) {
        progress.note(&format!("failed: {}: {reason}", self.name()));
        self.failed = Some(reason);
    }

    /// How many operations take as long as so many samples: of those that are
    /// longer than a sample fewer, but at least one.
    pub(crate) fn fill(&self, samples: u32, sample: Duration) -> u64 {
        let most = self.operations * u64::from(samples);
        let time = sample.as_secs_f64() * f64::from(samples);
        let operations = time / self.operation.as_secs_f64();
        (operations.ceil() as u64).clamp(1, most)
    }

    /// Whether it is what `other` is compared with by a difference: the baseline of
    /// its experiment at the same setting, whatever the arm.
    fn is_baseline_of(&self, other: &Candidate<'_>) -> bool {
        let setting = |candidate: &Candidate<'_>| {
            let mut parameters = candidate.cell.parameters.clone();
            parameters.0.remove("arm");
            parameters
        };
        let experiment = self.experiment;
        experiment.name == other.experiment.name
            && self.cell.contender == experiment.baseline
            && setting(self) == setting(other)
    }

    /// What its time is beyond the baseline's, turn by turn, if the cell asks for
    /// that and the baseline is among the candidates.
    pub(crate) fn beyond_baseline<'c>(
        &self,
        mut candidates: impl Iterator<Item = &'c Candidate<'c>>,
        rounds: usize,
    ) -> Option<Row> {
        let Some(Difference { quantity, base: Base::Baseline }) =
            &self.cell.difference
        else {
            return None;
        };
        if self.is_twin {
            return None;
        }
        let baseline =
            candidates.find(|c| !c.is_twin && c.is_baseline_of(self))?;
        let failed = self.failed.as_ref().or(baseline.failed.as_ref());
        let outcome = match failed {
            Some(reason) => Outcome::Failed(reason.clone()),
            None => {
                let base: BTreeMap<u32, (f64, f64)> = baseline
                    .visits
                    .iter()
                    .zip(&baseline.figures[0])
                    .map(|(visit, &time)| (visit.turn, (time, visit.probe)))
                    .collect();
                let own = self.visits.iter().zip(&self.figures[0]);
                let beyond = own.filter_map(|(visit, time)| {
                    let (base, probe) = base.get(&visit.turn)?;
                    // Disturbed is what disturbed either.
                    let probe = visit.probe.max(*probe);
                    let visit = Visit { probe, ..*visit };
                    Some((visit, five_digits(time - base)))
                });
                let (visits, points): (Vec<Visit>, Vec<f64>) = beyond.unzip();
                measured(&visits, points, rounds, Source::Criterion)
            }
        };
        let derived_from = vec![
            self.row(&self.experiment.quantity, failed_for_name()).name(),
            baseline.row(&self.experiment.quantity, failed_for_name()).name(),
        ];
        let row = self.row(quantity, outcome);
        Some(Row { difference: true, derived_from, ..row })
    }

    fn row(&self, quantity: &str, outcome: Outcome) -> Row {
        let contender = &self.cell.contender;
        Row {
            experiment: self.experiment.name.clone(),
            contender: contender.clone(),
            parameters: self.cell.parameters.clone(),
            quantity: quantity.to_owned(),
            unit: unit_of(quantity).expect("the chapter's were checked"),
            difference: false,
            group: Some(self.group.clone()),
            twin_of: self.is_twin.then(|| contender.clone()),
            derived_from: Vec::new(),
            outcome,
        }
    }

    /// Its rows, after so many processes of so many rounds.
    pub(crate) fn into_rows(self, processes: usize, rounds: usize) -> Vec<Row> {
        let row = |quantity: &str, outcome| self.row(quantity, outcome);
        let window = self.window();
        let failed = self.failed.as_ref().or(window.as_ref().err());
        let outcome = |points: Vec<f64>, source| match failed {
            Some(reason) => Outcome::Failed(reason.clone()),
            None => measured(&self.visits, points, rounds, source),
        };
        let beyond = |points: &[f64], source| {
            let Some(Difference { quantity, base: Base::Known { time, per } }) =
                &self.cell.difference
            else {
                return None;
            };
            let known = time.as_nanos() as f64;
            let beyond =
                |point: &f64| (point * self.per() - known) / *per as f64;
            let points = points.iter().map(beyond).map(five_digits);
            let outcome = outcome(points.collect(), source);
            Some(Row { difference: true, ..row(quantity, outcome) })
        };
        let figures = self.cell.figures(&self.experiment.quantity);
        let (_, source) = figures[0];
        let rows = figures.into_iter().zip(&self.figures);
        let rows = rows.map(|((quantity, source), points)| {
            row(quantity, outcome(points.clone(), source))
        });
        let mut rows: Vec<Row> = rows.collect();
        rows.extend(beyond(&self.figures[0], source));
        if !self.windows.is_empty()
            && !self.windows.iter().any(WindowCounts::has_latencies)
        {
            // The percentiles come last.
            rows.truncate(rows.len() - window::PERCENTILES.len());
        }
        if let Ok(Some(window)) = &window {
            over_all_windows(&mut rows, &window.histogram);
        }
        if let Outcome::Measured(measured) = &mut rows[0].outcome {
            measured.window = window.ok().flatten();
            measured.fit = self.fit(measured.interval());
        }
        let counters = self.experiment.counters.iter().zip(&self.counts);
        let per = self.experiment.per();
        if let Some(per) = per.filter(|_| self.counts_it) {
            rows.extend(counters.map(|(counter, points): (&Counter, _)| {
                let failed = self.failed.clone().map_or(Ok(()), Err);
                let outcome = match failed.and(points.clone()) {
                    Err(reason) => Outcome::Failed(reason),
                    Ok(points) => Outcome::Measured(Measured::from_points(
                        points,
                        processes,
                        counter.source(),
                    )),
                };
                row(&counter.quantity(per), outcome)
            }));
        }
        rows
    }

    /// What its visits counted, if they were windows.
    fn window(&self) -> Result<Option<Window>, String> {
        if self.windows.is_empty() {
            return Ok(None);
        }
        let counts = self.windows.iter().zip(&self.visits);
        let mut counts: Vec<_> = counts.collect();
        counts.sort_by_key(|(_, visit)| visit.turn);
        let counts = counts.into_iter().map(|(counts, _)| counts);
        window::together(&counts.collect::<Vec<_>>()).map(Some)
    }

    /// The line of which its figures are the slopes, if they are.
    fn fit(&self, slope: Interval) -> Option<Fit> {
        let mut lines: Vec<_> = self.lines.iter().zip(&self.visits).collect();
        lines.sort_by_key(|(_, visit)| visit.turn);
        let points: Vec<(f64, f64)> =
            lines.into_iter().flat_map(|(line, _)| line.clone()).collect();
        let Interval { estimate, low, high } = slope;
        (!points.is_empty()).then_some(Fit {
            points,
            slope: estimate,
            low,
            high,
        })
    }
}

/// An outcome of which only the row's name is wanted.
fn failed_for_name() -> Outcome {
    Outcome::Failed(String::new())
}

/// The figures of visits, in the order of their turns.
fn measured(
    visits: &[Visit],
    points: Vec<f64>,
    rounds: usize,
    source: Source,
) -> Outcome {
    let least = if source == Source::Criterion { 6 } else { 1 };
    if points.len() < least {
        return Outcome::Failed(format!(
            "only {} visits came to an end",
            points.len()
        ));
    }
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&index| visits[index].turn);
    let sorted = |of: &dyn Fn(&Visit) -> u32| -> Vec<u32> {
        order.iter().map(|&index| of(&visits[index])).collect()
    };
    let visits = Visits {
        at: sorted(&|visit| visit.at),
        turn: sorted(&|visit| visit.turn),
        build: sorted(&|visit| visit.build),
        probe: order.iter().map(|&index| visits[index].probe).collect(),
    };
    let points = order.iter().map(|&index| points[index]).collect();
    Outcome::Measured(Measured::of_visits(points, visits, rounds, source))
}

/// Makes a percentile of latency that over all windows together, if they have
/// histograms: the median window's would leave out what disturbed others, which is
/// what tails are about. The interval is stretched to hold it.
fn over_all_windows(rows: &mut [Row], histograms: &[Latencies]) {
    let Ok(all) = Latencies::together(histograms) else { return };
    for row in rows {
        let known = window::PERCENTILES.iter();
        let mut known = known.filter(|(quantity, _)| *quantity == row.quantity);
        if let (Some((_, share)), Outcome::Measured(measured)) =
            (known.next(), &mut row.outcome)
        {
            let estimate = five_digits(all.at_share(*share) as f64);
            measured.estimate = estimate;
            measured.low = measured.low.min(estimate);
            measured.high = measured.high.max(estimate);
        }
    }
}

/// Rounds to five significant digits: no visit is more precise, and files stay
/// readable.
fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().expect("a number was printed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_of_a_run_is_that_over_all_its_windows() {
        let windows = ["10x98 90x2", "20x100", "10x90 790 99200x99"];
        let windows =
            windows.map(|text| text.parse::<Latencies>().expect("buckets"));
        let row = |quantity: &str, share| {
            let points = windows.iter().map(|of| of.at_share(share) as f64);
            let points = points.collect();
            let measured = Measured::from_points(points, 3, Source::Histogram);
            Row {
                experiment: "serving".to_owned(),
                contender: "smol".to_owned(),
                parameters: measurement::Parameters::default(),
                quantity: quantity.to_owned(),
                unit: unit_of(quantity).expect("it is known"),
                difference: false,
                group: None,
                twin_of: None,
                derived_from: Vec::new(),
                outcome: Outcome::Measured(measured),
            }
        };
        let mut rows = [
            row("latency p50", 0.5),
            row("latency p99", 0.99),
            row("latency max", 1.0),
            row("lateness p99", 0.99),
        ];
        let before = rows.clone();
        over_all_windows(&mut rows, &windows);
        let estimates = rows.each_ref().map(|row| {
            let measured = row.figures().expect("it was measured");
            let Interval { estimate, low, high } = measured.interval();
            assert!(low <= estimate && estimate <= high, "{measured:?}");
            estimate
        });
        assert_eq!(estimates[..3], [20.0, 1e5, 1e5]);
        assert_eq!(rows[3], before[3], "its histograms are not these");
        let interval = |row: &Row| row.measured().map(Measured::interval);
        assert_eq!(interval(&rows[0]), interval(&before[0]), "it held 20");
    }
}
