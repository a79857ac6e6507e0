//! A cell that is being measured: what is known of it so far, and the rows that
//! become of it.

use std::collections::BTreeMap;
use std::time::Duration;

use measurement::{
    Fit, Interval, Latencies, Measured, Outcome, Profile, Row, Source, Visits,
};

use crate::cell::{Base, Cell, CellKind};
use crate::counters::Pass;
use crate::experiment::Experiment;
use crate::plan::Plan;
use crate::protocol::Found;
use crate::window;

/// A cell that is being measured.
pub(crate) struct Candidate<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) cell: &'a Cell,
    pub(crate) name: String,
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
    /// In the order of their turns.
    visits: Vec<Visit>,
    /// What the experiment's counters counted per unit, one a process.
    counts: Vec<Result<Vec<f64>, String>>,
    pub(crate) failed: Option<String>,
}

/// A visit of a cell.
pub(crate) struct Visit {
    pub(crate) moment: VisitMoment,
    pub(crate) found: Found,
}

/// When and where a cell was visited.
#[derive(Clone, Copy)]
pub(crate) struct VisitMoment {
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
            name: experiment.cell_name(cell),
            group: cell.group_name(),
            is_twin,
            counts_it: experiment.counts(cell, profile) && !is_twin,
            operations: 1,
            operation: Duration::ZERO,
            rounds: 0,
            visits: Vec::new(),
            counts: vec![Ok(Vec::new()); experiment.counters.len()],
            failed: None,
        }
    }

    pub(crate) fn is_timed(&self) -> bool {
        self.cell.kind == CellKind::Timed
    }

    /// Whether something is to be counted of it in this pass, and can be.
    pub(crate) fn is_counted(&self, pass: Pass) -> bool {
        let counters = self.experiment.counters.iter().zip(&self.counts);
        let mut counters = counters.filter(|(c, _)| c.pass() == pass);
        self.counts_it
            && self.failed.is_none()
            && counters.any(|(_, points)| points.is_ok())
    }

    /// The figures of one of its quantities so far, by its place.
    fn points(&self, place: usize) -> Vec<(VisitMoment, f64)> {
        let figure = |visit: &Visit| {
            Some((visit.moment, *visit.found.figures.get(place)?))
        };
        self.visits.iter().filter_map(figure).collect()
    }

    /// How often it is visited in the planned processes.
    pub(crate) fn visits_in(&self, plan: &Plan) -> usize {
        if self.is_timed() {
            return 2 * self.rounds;
        }
        let is_visited = |&back: &bool| self.cell.is_visited(plan, true, back);
        [false, true].iter().filter(|back| is_visited(back)).count()
            * plan.processes
    }

    /// Takes up what a visit found.
    pub(crate) fn visited(&mut self, mut visit: Visit) {
        for figure in &mut visit.found.figures {
            *figure = five_digits(*figure / self.cell.per as f64);
        }
        self.visits.push(visit);
    }

    /// Takes up one process's counts per operation, one for each counter of this
    /// pass. Where one failed, the times that were taken before stand.
    pub(crate) fn counted(
        &mut self,
        pass: Pass,
        counts: impl IntoIterator<Item = Result<f64, String>>,
    ) {
        let counters = self.experiment.counters.iter().zip(&mut self.counts);
        let counted = counters.filter(|(counter, _)| counter.pass() == pass);
        for ((_, points), count) in counted.zip(counts) {
            match (points.as_mut(), count) {
                (Ok(points), Ok(count)) => {
                    points.push(five_digits(count / self.cell.per as f64));
                }
                (_, Err(reason)) => *points = Err(reason),
                (Err(_), Ok(_)) => {}
            }
        }
    }

    /// How many operations take as long as so many samples: of those that are
    /// longer than a sample fewer, but at least one.
    pub(crate) fn fill(&self, samples: u32, sample: Duration) -> u64 {
        let most = self.operations * u64::from(samples);
        let time = (sample * samples).as_secs_f64();
        let operations = time / self.operation.as_secs_f64();
        (operations.ceil() as u64).clamp(1, most)
    }

    /// What its time is beyond the baseline's, turn by turn, if the cell asks for
    /// that and the baseline, at the same setting, is among the candidates.
    pub(crate) fn beyond_baseline(
        &self,
        candidates: &[Candidate<'_>],
        rounds: usize,
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
        let outcome = match failed {
            Some(reason) => Outcome::Failed(reason.clone()),
            None => {
                let base = baseline.points(0).into_iter();
                let base: BTreeMap<u32, (VisitMoment, f64)> =
                    base.map(|point| (point.0.turn, point)).collect();
                let beyond = |(moment, time): (VisitMoment, f64)| {
                    let (other, base) = base.get(&moment.turn)?;
                    // Disturbed is what disturbed either.
                    let probe = moment.probe.max(other.probe);
                    Some((
                        VisitMoment { probe, ..moment },
                        five_digits(time - base),
                    ))
                };
                let beyond = self.points(0).into_iter().filter_map(beyond);
                measured(beyond.collect(), rounds, Source::Criterion)
            }
        };
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

    /// Its rows, after so many processes of so many rounds.
    pub(crate) fn rows(&self, processes: usize, rounds: usize) -> Vec<Row> {
        let windows =
            self.visits.iter().filter_map(|of| of.found.window.as_ref());
        let window = window::together(windows);
        let failed = self.failed.as_ref().or(window.as_ref().err());
        let outcome = |points, source| match failed {
            Some(reason) => Outcome::Failed(reason.clone()),
            None => measured(points, rounds, source),
        };
        let mut figures = self.cell.figures(&self.experiment.quantity);
        let (_, source) = figures[0];
        // Where no window had a histogram, there are no percentiles.
        let known = self.visits.iter().map(|of| of.found.figures.len()).max();
        figures.truncate(known.unwrap_or(usize::MAX));
        let figures = figures.into_iter().enumerate();
        let mut rows: Vec<Row> = figures
            .map(|(place, (quantity, source))| {
                self.row(quantity, outcome(self.points(place), source))
            })
            .collect();
        if let Some((Base::Known { time, per }, quantity)) =
            &self.cell.difference
        {
            let known = time.as_nanos() as f64;
            let mut points = self.points(0);
            for (_, point) in &mut points {
                let beyond = *point * self.cell.per as f64 - known;
                *point = five_digits(beyond / *per as f64);
            }
            let row = self.row(quantity, outcome(points, source));
            rows.push(Row { difference: true, ..row });
        }
        if let Ok(Some(window)) = &window {
            over_all_windows(&mut rows, &window.histogram);
        }
        if let Outcome::Measured(measured) = &mut rows[0].outcome {
            measured.window = window.ok().flatten();
            measured.fit = self.fit(measured.interval());
        }
        if let Some(per) = self.experiment.per().filter(|_| self.counts_it) {
            let counters = self.experiment.counters.iter().zip(&self.counts);
            rows.extend(counters.map(|(counter, points)| {
                let points = self.failed.as_ref().map_or(points.as_ref(), Err);
                let outcome = match points {
                    Err(reason) => Outcome::Failed(reason.clone()),
                    Ok(points) => Outcome::Measured(Measured::from_points(
                        points.clone(),
                        processes,
                        counter.source(),
                    )),
                };
                self.row(&counter.quantity(per), outcome)
            }));
        }
        rows
    }

    /// The line of which its figures are the slopes, if they are.
    fn fit(&self, Interval { estimate, low, high }: Interval) -> Option<Fit> {
        let lines = self.visits.iter().flat_map(|visit| &visit.found.line);
        let points: Vec<(f64, f64)> = lines.copied().collect();
        let fit = Fit { points, slope: estimate, low, high };
        (!fit.points.is_empty()).then_some(fit)
    }
}

/// The figures of visits.
fn measured(
    points: Vec<(VisitMoment, f64)>,
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
    let mut visits = Visits::default();
    for (VisitMoment { at, turn, build, probe }, _) in &points {
        visits.at.push(*at);
        visits.turn.push(*turn);
        visits.build.push(*build);
        visits.probe.push(*probe);
    }
    let points = points.into_iter().map(|(_, point)| point).collect();
    Outcome::Measured(Measured::of_visits(points, visits, rounds, source))
}

/// Makes a percentile of latency that over all windows together, if they have
/// histograms: the median window's would leave out what disturbed others, which is
/// what tails are about. The interval is stretched to hold it.
fn over_all_windows(rows: &mut [Row], histograms: &[Latencies]) {
    let Ok(all) = Latencies::together(histograms) else { return };
    for row in rows {
        let mut known = window::PERCENTILES.iter();
        if let (Some((_, share)), Outcome::Measured(measured)) = (
            known.find(|(quantity, _)| *quantity == row.quantity),
            &mut row.outcome,
        ) {
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
        let experiment = Experiment::new("serving", "throughput", "smol");
        let cell = Cell::new("smol", 1, crate::Body::here(|| || 1));
        let smol = Candidate::new(&experiment, &cell, false, Profile::Full);
        let row = |quantity: &str, share| {
            let points = windows.iter().map(|of| of.at_share(share) as f64);
            let points = points.collect();
            let measured = Measured::from_points(points, 3, Source::Histogram);
            smol.row(quantity, Outcome::Measured(measured))
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
