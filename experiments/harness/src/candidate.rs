//! A cell that is being measured: what is known of it so far, and the rows that
//! become of it.

use std::collections::BTreeMap;

use std::time::Duration;

use measurement::statistics::pairs;
use measurement::{unit_of, Measured, Outcome, Profile, Row, Source};

use crate::chapter::{Cell, Difference, Experiment, Kind};
use crate::counters::{Counter, Pass};
use crate::progress::Progress;

/// A cell that is being measured.
pub(crate) struct Candidate<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) cell: &'a Cell,
    pub(crate) is_floor: bool,
    /// Whether the experiment's counters count it in this run.
    counts_it: bool,
    /// Operations in a sample.
    pub(crate) operations: u64,
    /// How long one of them takes.
    pub(crate) operation: Duration,
    /// In how many rounds of each process the cell is visited.
    pub(crate) visits: usize,
    /// Nanoseconds per unit, one a visit, in (process, round) order.
    pub(crate) points: Vec<f64>,
    /// What the experiment's counters counted per unit, one a process.
    counts: Vec<Result<Vec<f64>, String>>,
    /// Each of the cell's quantities, one a process.
    figures: Vec<Vec<f64>>,
    pub(crate) failed: Option<String>,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(
        experiment: &'a Experiment,
        cell: &'a Cell,
        is_floor: bool,
        profile: Profile,
    ) -> Candidate<'a> {
        let quantities = match &cell.kind {
            Kind::Timed { .. } => 0,
            Kind::Readings { quantities, .. } => quantities.len(),
        };
        Candidate {
            experiment,
            cell,
            is_floor,
            counts_it: experiment.counts(cell, profile),
            operations: 1,
            operation: Duration::ZERO,
            visits: 0,
            points: Vec::new(),
            counts: vec![Ok(Vec::new()); experiment.counters.len()],
            figures: vec![Vec::new(); quantities],
            failed: None,
        }
    }

    pub(crate) fn is_timed(&self) -> bool {
        matches!(self.cell.kind, Kind::Timed { .. })
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

    fn per(&self) -> f64 {
        match self.cell.kind {
            Kind::Timed { per, .. } => per as f64,
            Kind::Readings { .. } => 1.0,
        }
    }

    /// Takes up a visit's time of an operation.
    pub(crate) fn visited(&mut self, operation_ns: f64) {
        self.points.push(five_digits(operation_ns / self.per()));
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

    /// Takes up one process's readings.
    pub(crate) fn read(&mut self, figures: &[f64]) {
        for (points, &figure) in self.figures.iter_mut().zip(figures) {
            points.push(five_digits(figure));
        }
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

    /// What its time is beyond the baseline's, if the experiment asks for that
    /// and the baseline is among the candidates.
    pub(crate) fn beyond_baseline<'c>(
        &self,
        mut candidates: impl Iterator<Item = &'c Candidate<'c>>,
        processes: usize,
        rounds: usize,
    ) -> Option<Row> {
        let quantity = self.experiment.beyond_baseline.as_deref()?;
        let own = self.cell.contender == self.experiment.baseline;
        let counts = self.is_timed() && !self.cell.has_own_quantity();
        if own || !counts {
            return None;
        }
        let baseline = candidates.find(|c| c.is_baseline_of(self))?;
        let failed = self.failed.as_ref().or(baseline.failed.as_ref());
        let outcome = match failed {
            Some(reason) => Outcome::Failed(reason.clone()),
            None => {
                let (own, other) = (&self.points, &baseline.points);
                let pairs = pairs(own, other, processes, rounds);
                let beyond = pairs.iter().map(|(own, base)| own - base);
                Outcome::Measured(Measured::from_points(
                    beyond.map(five_digits).collect(),
                    processes,
                    Source::Criterion,
                ))
            }
        };
        Some(Row { difference: true, ..self.row(quantity, outcome) })
    }

    fn row(&self, quantity: &str, outcome: Outcome) -> Row {
        Row {
            experiment: self.experiment.name.clone(),
            contender: self.cell.contender.clone(),
            parameters: self.cell.parameters.clone(),
            quantity: quantity.to_owned(),
            unit: unit_of(quantity).expect("the chapter's were checked"),
            difference: false,
            outcome,
        }
    }

    /// Its rows, after `processes` processes.
    pub(crate) fn into_rows(self, processes: usize) -> Vec<Row> {
        let row = |quantity: &str, outcome| self.row(quantity, outcome);
        let outcome = |points: Result<Vec<f64>, String>, source| {
            let failed = self.failed.clone().map_or(Ok(()), Err);
            match failed.and(points) {
                Err(reason) => Outcome::Failed(reason),
                Ok(points) => Outcome::Measured(Measured::from_points(
                    points, processes, source,
                )),
            }
        };
        let beyond = |points: &[f64], source| {
            let Difference { quantity, known, per } =
                self.cell.difference.as_ref()?;
            let known = known.as_nanos() as f64;
            let beyond =
                |point: &f64| (point * self.per() - known) / *per as f64;
            let points = points.iter().map(beyond).map(five_digits);
            let outcome = outcome(Ok(points.collect()), source);
            Some(Row { difference: true, ..row(quantity, outcome) })
        };
        if let Kind::Readings { source, quantities, .. } = &self.cell.kind {
            let rows = quantities.iter().zip(&self.figures);
            let rows = rows.map(|(quantity, points)| {
                row(quantity, outcome(Ok(points.clone()), *source))
            });
            return rows.chain(beyond(&self.figures[0], *source)).collect();
        }
        let time = outcome(Ok(self.points.clone()), Source::Criterion);
        let quantity = self.experiment.quantity_of(self.cell);
        let mut rows = vec![row(quantity, time)];
        rows.extend(beyond(&self.points, Source::Criterion));
        let counters = self.experiment.counters.iter().zip(&self.counts);
        let per = self.experiment.per();
        if let Some(per) = per.filter(|_| self.counts_it) {
            rows.extend(counters.map(|(counter, points): (&Counter, _)| {
                let outcome = outcome(points.clone(), counter.source());
                row(&counter.quantity(per), outcome)
            }));
        }
        rows
    }
}

/// Rounds to five significant digits: no visit is more precise, and files stay
/// readable.
fn five_digits(value: f64) -> f64 {
    format!("{value:.4e}").parse().expect("a number was printed")
}
