//! What a machine's runs say together.
//!
//! What is generic here only borrows runs, and hands them to what is not: that is compiled once, with this
//! package and optimised as it is, and not in each package that calls it.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::prediction_interval::{Pool, Sample, ScatterScale};
use crate::probed_visit::{enough, that_count, undisturbed, BestProbe, CoreState, ProbedVisit};
use crate::quantity::{is_part, SHARE};
use crate::row::{process_of, within_processes};
use crate::statistics::{median, ratio_interval, two_regimes};
use crate::{Interval, Measured, Outcome, Regime, Row, Run, RunHeader, Source};

/// A cell whose visits found the core undisturbed more rarely than the rest of its experiment by this
/// share slows the core itself: it is told, and nothing is left out.
const OWN_LOAD: f64 = 0.3;

/// What a machine's runs say together of the experiments of a chapter.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Each row once, with the interval for the next run; twins stand among them.
    pub rows: Vec<Row>,
    parts: Vec<EvidencePart>,
}

/// What has runs of its own: an experiment, or in method 2 a chapter.
#[derive(Debug, Clone, PartialEq)]
struct EvidencePart {
    headers: Vec<RunHeader>,
    /// A run of method 2 is asked itself.
    method_2: Option<Run>,
    pools: Pools,
    /// Of each run, the share of its visits that found their core undisturbed.
    undisturbed: Vec<Option<f64>>,
}

/// A ratio of two rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The ratio, with the interval for the next run; in method 2 that of the run.
    pub interval: Interval,
    /// Two regimes into which the pairs fall.
    pub regimes: Option<[Regime; 2]>,
}

/// What all machines say together of the rows of a kind.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pools(Arc<Pooled>);

#[derive(Debug, PartialEq, Default)]
struct Pooled {
    /// How much they scatter.
    scatter: HashMap<RowKind, Pool>,
    /// The experiments whose [`SHARE`] is no part of a whole, since a visit found more than all of it.
    no_parts: HashSet<String>,
}

/// Rows that scatter alike: those of an experiment at a placement and of one source, since what is
/// simulated doesn't scatter as what is measured; or its ratios.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RowKind {
    experiment: String,
    quantity: String,
    /// `None` for what failed.
    source: Option<Source>,
    /// `None` for all placements.
    placement: Option<String>,
    is_ratio: bool,
}

impl RowKind {
    fn of(row: &Row, is_ratio: bool) -> RowKind {
        let placement = row.parameters.get("placement").map(ToString::to_string);
        RowKind {
            experiment: row.experiment.clone(),
            quantity: row.quantity.clone(),
            source: row.measured().map(|measured| measured.source),
            placement: Some(placement.unwrap_or_default()),
            is_ratio,
        }
    }

    fn at_any_placement(&self) -> RowKind {
        RowKind { placement: None, ..self.clone() }
    }
}

impl BestProbe {
    /// Of all runs of a machine; `None` if they probed nothing.
    pub fn of_runs(runs: &[&Run]) -> Option<BestProbe> {
        let probes: Vec<Vec<f64>> = runs.iter().map(|run| run.probes()).collect();
        BestProbe::of(probes.concat())
    }
}

impl Pools {
    /// What all machines say together: of each the runs of one or several experiments, oldest first,
    /// and what its cores can do at their best.
    pub fn of<'a, R: Borrow<Run> + 'a>(
        machines: impl Iterator<Item = (&'a [R], Option<BestProbe>)>,
    ) -> Pools {
        let machines = machines.map(|(runs, best)| (borrowed(runs), best));
        Pools::of_machines(&machines.collect::<Vec<_>>())
    }

    fn of_machines(machines: &[(Vec<&Run>, Option<BestProbe>)]) -> Pools {
        let mut samples: HashMap<RowKind, Vec<Sample>> = HashMap::new();
        let mut no_parts = HashSet::new();
        let mut add = |kind: RowKind, sample: Sample| {
            samples.entry(kind.at_any_placement()).or_default().push(sample.clone());
            samples.entry(kind).or_default().push(sample);
        };
        for (runs, best) in machines {
            let (rows, _) = gather(runs, *best);
            for row in &rows {
                let Some(measured) = row.measured() else { continue };
                if scale(row) == ScatterScale::Log {
                    add(RowKind::of(row, false), Sample::of(&measured.seen, ScatterScale::Log));
                }
                if row.quantity == SHARE && largest(measured) > ALL {
                    no_parts.insert(row.experiment.clone());
                }
            }
            for (first, other) in beside_each_other(&rows) {
                if let Some(seen) = pairs(other, first, |a, b| a / b) {
                    add(RowKind::of(other, true), Sample::of(&seen, ScatterScale::Log));
                }
            }
        }
        let scatter =
            samples.into_iter().filter_map(|(kind, of)| Some((kind, Pool::of(of.iter())?)));
        Pools(Arc::new(Pooled { scatter: scatter.collect(), no_parts }))
    }

    /// How much a kind scatters, or its experiment at any placement; `None` if these have too few rows.
    fn scatter(&self, kind: &RowKind) -> Option<Pool> {
        let scatter = &self.0.scatter;
        let wider = scatter.get(&kind.at_any_placement()).copied();
        let own = scatter.get(kind).copied().or(wider)?;
        Some(Pool { runs: own.runs.or(wider.and_then(|wider| wider.runs)), ..own })
    }
}

impl Evidence {
    /// What one run of method 2 says of a chapter, by that method.
    pub fn of_method_2(run: Run) -> Evidence {
        let rows = run.rows.clone();
        let headers = vec![run.header.clone()];
        let part = EvidencePart {
            headers,
            method_2: Some(run),
            pools: Pools::default(),
            undisturbed: Vec::new(),
        };
        Evidence { rows, parts: vec![part] }
    }

    /// What a machine's runs of one experiment say, oldest first.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn of_runs<R: Borrow<Run>>(runs: &[R], best: Option<BestProbe>, pools: &Pools) -> Evidence {
        Evidence::of_borrowed(&borrowed(runs), best, pools)
    }

    fn of_borrowed(runs: &[&Run], best: Option<BestProbe>, pools: &Pools) -> Evidence {
        assert!(!runs.is_empty(), "evidence is of one run at least");
        let (all, places) = gather(runs, best);
        let rows = all.iter().map(|row| with_interval(row, &all, &places, pools)).collect();
        let headers = runs.iter().map(|run| run.header.clone()).collect();
        let undisturbed = (0..runs.len() as u32).map(|run| undisturbed_in(&all, run)).collect();
        let part = EvidencePart { headers, method_2: None, pools: pools.clone(), undisturbed };
        Evidence { rows, parts: vec![part] }
    }

    /// Rows whose figures stand as they were found, with the header of their run: those of recordings, since
    /// the processes of one run are all that is known of them.
    pub fn of_found(header: RunHeader, rows: Vec<Row>) -> Evidence {
        let part = EvidencePart {
            headers: vec![header],
            method_2: None,
            pools: Pools::default(),
            undisturbed: Vec::new(),
        };
        Evidence { rows, parts: vec![part] }
    }

    /// The evidence of several experiments of a chapter as one.
    pub fn join(parts: impl IntoIterator<Item = Evidence>) -> Evidence {
        let mut all = Evidence { rows: Vec::new(), parts: Vec::new() };
        for evidence in parts {
            all.rows.extend(evidence.rows);
            all.parts.extend(evidence.parts);
        }
        all
    }

    /// The headers of all runs that an experiment's rows come from, oldest first; of one that was measured
    /// and recorded, those that measured it.
    pub fn headers(&self, experiment: &str) -> &[RunHeader] {
        self.part(experiment).map_or(&[], |part| &part.headers)
    }

    /// The least share of its visits for which a run found their core undisturbed, as its machine's best
    /// goes, of all runs that an experiment's rows come from; 0 to 1, `None` where no probe was taken.
    pub fn least_undisturbed(&self, experiment: &str) -> Option<f64> {
        let shares = self.part(experiment)?.undisturbed.iter().flatten().copied();
        shares.reduce(f64::min)
    }

    /// The headers of all runs, each experiment's.
    pub fn all_headers(&self) -> impl Iterator<Item = &RunHeader> {
        self.parts.iter().flat_map(|part| &part.headers)
    }

    /// Whose runs an experiment's rows come from: its own, else those of the chapter.
    fn part(&self, experiment: &str) -> Option<&EvidencePart> {
        let of = |part: &&EvidencePart| {
            part.headers.first().and_then(|header| header.experiment.clone())
        };
        let own = self.parts.iter().find(|part| of(part).as_deref() == Some(experiment));
        own.or_else(|| self.parts.iter().find(|part| of(part).is_none()))
    }

    /// The ratio `numerator / denominator` of two rows, turn by turn where they are of one group.
    ///
    /// # Errors
    ///
    /// In words, if one failed, reaches zero, or they were not visited in the same turns.
    pub fn ratio(&self, numerator: &Row, denominator: &Row) -> Result<Ratio, String> {
        let part = self.part_of(numerator, denominator)?;
        let (n, d) = (numerator.figures()?, denominator.figures()?);
        let of_visits = n.source == Source::Criterion;
        if let Some(run) = &part.method_2 {
            let ratios = run.paired_ratios(numerator, denominator)?;
            let regimes = Some(&ratios).filter(|_| of_visits).and_then(|r| two_regimes(r));
            return Ok(Ratio { interval: ratio_interval(&ratios, run.header.processes), regimes });
        }
        let positive = |measured: &Measured| measured.seen.iter().all(|seen| seen.value > 0.0);
        if !positive(n) || !positive(d) {
            let is_difference = numerator.difference || denominator.difference;
            return Err(if is_difference {
                "a difference is not above zero in every turn, so there is no ratio".to_owned()
            } else {
                format!("{:?} reaches zero, so it has no ratio", denominator.name())
            });
        }
        let seen = self.paired(numerator, denominator, |a, b| a / b)?;
        let pool = part.pools.scatter(&RowKind::of(numerator, true));
        // A plain row has half of what a ratio of two scatters by, a difference as much as it is magnified.
        let part = |row: &Row, m: &Measured| {
            if row.difference {
                m.magnified.powi(2)
            } else {
                0.5
            }
        };
        let magnified = (part(numerator, n) + part(denominator, d)).sqrt();
        let interval = Sample::of(&seen, ScatterScale::Log).interval(pool.as_ref(), magnified);
        let regimes = Some(counting(&seen)).filter(|_| of_visits).and_then(|r| two_regimes(&r));
        let regimes = regimes.filter(|regimes| within_processes(&seen, regimes));
        Ok(Ratio { interval, regimes })
    }

    /// The difference `row - less` of two rows, turn by turn where they are of one group.
    ///
    /// # Errors
    ///
    /// In words, if one failed, or they are not of one kind.
    pub fn difference(&self, row: &Row, less: &Row) -> Result<Row, String> {
        let part = self.part_of(row, less)?;
        if let Some(run) = &part.method_2 {
            return run.difference(row, less);
        }
        if row.unit != less.unit {
            let (row, less) = (row.name(), less.name());
            return Err(format!("{row:?} and {less:?} are in different units"));
        }
        let (minuend, subtrahend) = (row.figures()?, less.figures()?);
        let seen = self.paired(row, less, |a, b| a - b)?;
        let sample = Sample::of(&seen, ScatterScale::Linear);
        let magnified = magnified(&sample, minuend.estimate, subtrahend.estimate);
        let pool = part.pools.scatter(&RowKind::of(row, true));
        let interval = sample.interval(pool.as_ref(), magnified);
        let points = counting(&seen);
        let measured = Measured::of_runs(interval, points, minuend.source, seen);
        let measured = Measured { magnified, ..measured };
        Ok(Row { difference: true, ..row.with(Outcome::Measured(measured)) })
    }

    /// By how much identical cells differ in the groups of two rows, as a share of 1: how far the ratio of
    /// a group's twins lies from 1. 0 where a group has no twin. That twins scatter, as any two cells do, is
    /// in a ratio's interval already, and does not count twice.
    ///
    /// # Errors
    ///
    /// In words, if twins cannot be compared.
    pub fn floor(&self, left: &Row, right: &Row) -> Result<f64, String> {
        let mut floor: f64 = 0.0;
        for group in [&left.group, &right.group].into_iter().flatten() {
            let is_twin = |row: &&Row| {
                row.group.as_ref() == Some(group)
                    && row.twin_of.is_some()
                    && row.experiment == left.experiment
                    && row.quantity == left.quantity
            };
            let Some(twin) = self.rows.iter().find(is_twin) else { continue };
            let is_original = |row: &&Row| {
                row.twin_of.is_none() && row.contender == twin.contender && row.same_setting(twin)
            };
            let Some(original) = self.rows.iter().find(is_original) else { continue };
            let Ratio { interval, .. } = self.ratio(twin, original)?;
            floor = floor.max(interval.estimate - 1.0).max(1.0 / interval.estimate - 1.0);
        }
        Ok(floor)
    }

    /// Pairs by turn, or in words why there are none.
    fn paired(
        &self,
        left: &Row,
        right: &Row,
        of: impl Fn(f64, f64) -> f64 + Copy,
    ) -> Result<Vec<ProbedVisit>, String> {
        pairs(left, right, of).ok_or_else(|| {
            format!(
                "{:?} and {:?} were never measured alike in one run, so they have no ratio and no \
                 difference",
                left.name(),
                right.name()
            )
        })
    }

    fn part_of(&self, left: &Row, right: &Row) -> Result<&EvidencePart, String> {
        let part = self.part(&left.experiment);
        let other = self.part(&right.experiment);
        match (part, other) {
            (Some(part), Some(other)) if std::ptr::eq(part, other) => Ok(part),
            _ => Err(format!(
                "{:?} and {:?} were not taken in the same rounds, so they have no paired ratio and \
                 no difference",
                left.name(),
                right.name()
            )),
        }
    }
}

fn borrowed<R: Borrow<Run>>(runs: &[R]) -> Vec<&Run> {
    runs.iter().map(Borrow::borrow).collect()
}

/// The share of the visits of a run that found their core undisturbed, 0 to 1; `None` where none was probed.
fn undisturbed_in(rows: &[Row], run: u32) -> Option<f64> {
    let seen = rows.iter().filter_map(Row::measured).flat_map(|measured| &measured.seen);
    undisturbed(seen.filter(|seen| seen.run == run))
}

/// Rows of one machine by name, in the order in which they were first met, each with the visits of
/// all runs, and their places by name. Their intervals are still those of one run.
fn gather(runs: &[&Run], best: Option<BestProbe>) -> (Vec<Row>, HashMap<String, usize>) {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        for row in &run.rows {
            let seen = row.measured();
            let seen = seen.map(|m| seen_in(m, index as u32, &run.header, best));
            let seen = seen.unwrap_or_default();
            let place = *places.entry(row.name()).or_insert_with(|| {
                rows.push(row.clone());
                rows.len() - 1
            });
            match (&mut rows[place].outcome, &row.outcome) {
                (Outcome::Measured(all), Outcome::Measured(_)) => all.seen.extend(seen),
                // What failed in a run is told with the figures of the others.
                (Outcome::Measured(all), Outcome::Failed(reason)) => {
                    all.failed_runs.push(reason.clone());
                }
                (all @ Outcome::Failed(_), Outcome::Measured(measured)) => {
                    let Outcome::Failed(reason) = all else { unreachable!("it was matched") };
                    let failed_runs = vec![reason.clone()];
                    *all = Outcome::Measured(Measured { seen, failed_runs, ..measured.clone() });
                }
                (Outcome::Failed(_), Outcome::Failed(_)) => {}
            }
        }
    }
    tell_own_load(&mut rows);
    (rows, places)
}

/// The visits of a row of a run; what is counted once in a process is one visit of it.
fn seen_in(
    measured: &Measured,
    run: u32,
    header: &RunHeader,
    best: Option<BestProbe>,
) -> Vec<ProbedVisit> {
    let rounds = header.rounds.unwrap_or(1);
    let points = measured.points.iter().enumerate();
    let Some(visits) = &measured.visits else {
        return points
            .map(|(index, &value)| {
                let place = index as u32;
                ProbedVisit { run, build: place, turn: place, value, state: CoreState::Unknown }
            })
            .collect();
    };
    // Processes beyond the links run these again; where there is one link only, processes may differ.
    let is_relinked = header.builds.len() > 1;
    let visit = |(index, &value): (usize, &f64)| ProbedVisit {
        run,
        build: if is_relinked {
            visits.build[index]
        } else {
            process_of(visits.turn[index], rounds)
        },
        turn: visits.turn[index],
        value,
        state: best.map_or(CoreState::Unknown, |best| best.judge(visits.probe[index])),
    };
    points.map(visit).collect()
}

/// Of a cell that found its core disturbed much more often than the rest of its experiment no visit is left
/// out: it slows the core itself.
fn tell_own_load(rows: &mut [Row]) {
    let share = |row: &Row| row.measured().and_then(Measured::undisturbed);
    let mut experiments: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for row in rows.iter() {
        if let Some(share) = share(row) {
            experiments.entry(row.experiment.clone()).or_default().push(share);
        }
    }
    for row in rows.iter_mut() {
        let Some(own) = share(row) else { continue };
        let all = &experiments[&row.experiment];
        let rest = (all.iter().sum::<f64>() - own) / (all.len() - 1).max(1) as f64;
        if let (true, Outcome::Measured(measured)) = (own + OWN_LOAD < rest, &mut row.outcome) {
            measured.slows_itself = true;
            for seen in &mut measured.seen {
                seen.state = CoreState::Unknown;
            }
        }
    }
}

/// The row with the interval for the next run, and with the points that count.
fn with_interval(row: &Row, all: &[Row], places: &HashMap<String, usize>, pools: &Pools) -> Row {
    let Some(measured) = row.measured() else { return row.clone() };
    let sample = Sample::of(&measured.seen, scale(row));
    let (pool, magnified) = match computed_from(row, all, places) {
        Some((minuend, subtrahend)) => {
            let estimate = |row: &Row| Some(median(&counting(&row.measured()?.seen)));
            let of = estimate(minuend).zip(estimate(subtrahend));
            let magnified = of.map_or(1.0, |(one, other)| magnified(&sample, one, other));
            (pools.scatter(&RowKind::of(minuend, true)), magnified)
        }
        None => (pools.scatter(&RowKind::of(row, false)), 1.0),
    };
    let (least, most) = bounds(row, measured, pools);
    let interval = sample.interval(pool.as_ref(), magnified).within(least, most);
    let points = counting(&measured.seen);
    let is_of_one_run = measured.seen.iter().all(|seen| seen.run == measured.seen[0].run);
    let together = Measured::of_runs(interval, points, measured.source, measured.seen.clone());
    let together = Measured {
        // Those of one run: several have no common histogram or line.
        window: measured.window.clone().filter(|_| is_of_one_run),
        fit: measured.fit.clone().filter(|_| is_of_one_run),
        slows_itself: measured.slows_itself,
        failed_runs: measured.failed_runs.clone(),
        magnified,
        ..together
    };
    row.with(Outcome::Measured(together))
}

/// A part of a whole may be found to be all of it and a little more, as when memory is read twice.
const ALL: f64 = 1.05;

/// What a row's figure can be neither less nor more than. Only a difference is less than nothing; and a part of
/// a whole is not more than all of it, or than what a visit has found.
fn bounds(row: &Row, measured: &Measured, pools: &Pools) -> (f64, f64) {
    if row.difference {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let is_part = match row.quantity.as_str() {
        SHARE => !pools.0.no_parts.contains(&row.experiment),
        quantity => is_part(quantity),
    };
    (0.0, if is_part { largest(measured).max(1.0) } else { f64::INFINITY })
}

/// The largest figure of a visit.
fn largest(measured: &Measured) -> f64 {
    measured.seen.iter().map(|seen| seen.value).fold(f64::NEG_INFINITY, f64::max)
}

/// The two rows of which a row is the difference, if it is one.
fn computed_from<'a>(
    row: &Row,
    all: &'a [Row],
    places: &HashMap<String, usize>,
) -> Option<(&'a Row, &'a Row)> {
    let [minuend, subtrahend] = &row.derived_from[..] else { return None };
    let named = |name: &String| places.get(name).map(|&place| &all[place]);
    Some((named(minuend)?, named(subtrahend)?))
}

/// How many times as large as a difference is the larger of what it is of.
fn magnified(difference: &Sample, minuend: f64, subtrahend: f64) -> f64 {
    let difference = difference.interval(None, 1.0).estimate;
    minuend.abs().max(subtrahend.abs()) / difference.abs().max(f64::MIN_POSITIVE)
}

/// On which scale a row scatters.
fn scale(row: &Row) -> ScatterScale {
    let is_positive = |m: &Measured| m.seen.iter().all(|seen| seen.value > 0.0);
    if !row.difference && row.measured().is_some_and(is_positive) {
        ScatterScale::Log
    } else {
        ScatterScale::Linear
    }
}

/// The figures that count.
fn counting(seen: &[ProbedVisit]) -> Vec<f64> {
    that_count(seen).iter().map(|seen| seen.value).collect()
}

/// Each row of a group with the group's first.
fn beside_each_other(rows: &[Row]) -> Vec<(&Row, &Row)> {
    let mut first: HashMap<(&str, &str, &str), &Row> = HashMap::new();
    let mut pairs = Vec::new();
    for row in rows.iter().filter(|row| row.measured().is_some() && scale(row) == ScatterScale::Log)
    {
        let Some(group) = &row.group else { continue };
        let key = (row.experiment.as_str(), group.as_str(), row.quantity.as_str());
        match first.get(&key) {
            Some(first) => pairs.push((*first, row)),
            None => {
                first.insert(key, row);
            }
        }
    }
    pairs
}

/// Two rows' figures, each of one with its counterpart of the other: `None` if they were never measured
/// in one run.
fn pairs(left: &Row, right: &Row, of: impl Fn(f64, f64) -> f64 + Copy) -> Option<Vec<ProbedVisit>> {
    let (one, other) = (left.measured()?, right.measured()?);
    let is_visited = |m: &Measured| m.source == Source::Criterion;
    if is_visited(one) != is_visited(other) {
        return None;
    }
    let side_by_side = left.group.is_some() && left.group == right.group;
    if side_by_side && is_visited(one) {
        by_turn(&one.seen, &other.seen, of)
    } else {
        by_process(&one.seen, &other.seen, of)
    }
}

/// Turn by turn, where the core was [in the same state](in_the_same_state) for both.
fn by_turn(
    left: &[ProbedVisit],
    right: &[ProbedVisit],
    of: impl Fn(f64, f64) -> f64,
) -> Option<Vec<ProbedVisit>> {
    let turns: HashMap<(u32, u32), &ProbedVisit> =
        right.iter().map(|seen| ((seen.run, seen.turn), seen)).collect();
    let both = left.iter().filter_map(|one| Some((*one, **turns.get(&(one.run, one.turn))?)));
    in_the_same_state(both, of)
}

/// The pairs in which the core was in the same state for both, unless only [all are enough](enough).
fn in_the_same_state(
    pairs: impl Iterator<Item = (ProbedVisit, ProbedVisit)>,
    of: impl Fn(f64, f64) -> f64,
) -> Option<Vec<ProbedVisit>> {
    let (mut same, mut all) = (Vec::new(), Vec::new());
    for (one, other) in pairs {
        let seen = ProbedVisit { value: of(one.value, other.value), ..one };
        all.push(ProbedVisit { state: CoreState::Unknown, ..seen });
        let state = match (one.state, other.state) {
            (CoreState::Disturbed, CoreState::Disturbed) => CoreState::Disturbed,
            (CoreState::Disturbed, CoreState::Undisturbed)
            | (CoreState::Undisturbed, CoreState::Disturbed) => {
                continue;
            }
            (CoreState::Undisturbed, CoreState::Undisturbed) => CoreState::Undisturbed,
            (CoreState::Unknown, known) | (known, CoreState::Unknown) => known,
        };
        same.push(ProbedVisit { state, ..seen });
    }
    let seen = enough(same, all);
    (!seen.is_empty()).then_some(seen)
}

/// Of cells that were not visited side by side, what each process found is compared, where the core was
/// in the same state for both; of those that no process visited both, what each run found.
fn by_process(
    left: &[ProbedVisit],
    right: &[ProbedVisit],
    of: impl Fn(f64, f64) -> f64 + Copy,
) -> Option<Vec<ProbedVisit>> {
    let together = |level: &dyn Fn(&ProbedVisit) -> (u32, u32)| {
        let typical = |seen: &[ProbedVisit]| -> BTreeMap<(u32, u32), ProbedVisit> {
            let mut parts: BTreeMap<(u32, u32), Vec<ProbedVisit>> = BTreeMap::new();
            for visit in seen {
                parts.entry(level(visit)).or_default().push(*visit);
            }
            parts.into_iter().map(|(part, of)| (part, typical(part, &of))).collect()
        };
        let others = typical(right);
        let both =
            typical(left).into_iter().filter_map(|(part, one)| Some((one, *others.get(&part)?)));
        in_the_same_state(both, of)
    };
    together(&|seen| (seen.run, seen.build)).or_else(|| together(&|seen| (seen.run, 0)))
}

/// The median of one process's figures, or of one run's, as one visit: of those that were not disturbed,
/// if there are any.
fn typical((run, build): (u32, u32), seen: &[ProbedVisit]) -> ProbedVisit {
    let calm: Vec<&ProbedVisit> =
        seen.iter().filter(|seen| seen.state != CoreState::Disturbed).collect();
    let state = calm.first().map_or(CoreState::Disturbed, |seen| seen.state);
    let of = |seen: &mut dyn Iterator<Item = &ProbedVisit>| {
        median(&seen.map(|s| s.value).collect::<Vec<_>>())
    };
    let value = if calm.is_empty() { of(&mut seen.iter()) } else { of(&mut calm.into_iter()) };
    ProbedVisit { run, build, turn: 0, value, state }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of method 3 whose cells have these figures in each turn, two turns a build.
    fn run(cells: &[(&str, bool, [f64; 4])], probe: [f64; 4]) -> Run {
        let header = r#"{"run":"2026-11-30T10:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":3,"workload":"a","build":"b","builds":[7,8],"rustc":"1.95.0","crates":{},"load":0.0,"processes":2,"rounds":1}"#;
        let row = |(contender, is_twin, points): &(&str, bool, [f64; 4])| {
            // A row has six points at least, so each turn stands with two more in a third one.
            let points = [points.as_slice(), &points[2..]].concat();
            let probe = [probe.as_slice(), &probe[2..]].concat();
            let measured = Measured::from_points(points.clone(), 2, Source::Criterion);
            let twin =
                if *is_twin { format!(r#""twin_of":"{contender}","#) } else { String::new() };
            format!(
                r#"{{"experiment":"hops","contender":"{contender}","parameters":{{}},"quantity":"time per hop","unit":"ns","group":"all",{twin}"estimate":{},"low":{},"high":{},"points":{points:?},"at":[0,1,2,3,4,5],"turn":[0,1,2,3,4,5],"build":[0,0,1,1,1,1],"probe":{probe:?},"source":"criterion"}}"#,
                measured.estimate, measured.low, measured.high
            )
        };
        let lines: Vec<String> = cells.iter().map(row).collect();
        Run::parse(&[header.to_owned(), lines.join("\n")].join("\n")).unwrap()
    }

    fn evidence(runs: &[Run]) -> Evidence {
        let best = BestProbe::of(runs.iter().flat_map(Run::probes));
        let pools = Pools::of([(runs, best)].into_iter());
        Evidence::of_runs(runs, best, &pools)
    }

    #[test]
    fn runs_that_differ_are_told_by_the_interval() {
        let cells = |level: f64| [("smol", false, [level; 4])];
        let calm = [10.0; 4];
        let alike = evidence(&[run(&cells(5.0), calm), run(&cells(5.0), calm)]);
        let apart = evidence(&[run(&cells(5.0), calm), run(&cells(6.0), calm)]);
        let interval = |evidence: &Evidence| evidence.rows[0].measured().unwrap().interval();
        assert!(interval(&alike).high - interval(&alike).low < 1e-9);
        assert!(interval(&apart).low < 5.0 && interval(&apart).high > 6.0);
        assert_eq!(apart.headers("hops").len(), 2);
        assert!(apart.headers("another").is_empty());
    }

    #[test]
    fn a_ratio_is_taken_where_the_core_was_in_the_same_state() {
        // The core was slowed in the last turns of a build, which the second cell alone felt.
        let cells = [("slow", false, [20.0, 30.0, 20.0, 30.0]), ("fast", false, [10.0; 4])];
        let evidence = evidence(&[run(&cells, [10.0, 20.0, 10.0, 20.0])]);
        let [slow, fast] = &evidence.rows[..] else { panic!() };
        assert_eq!(slow.measured().unwrap().undisturbed(), Some(0.5));
        let ratio = evidence.ratio(slow, fast).unwrap().interval;
        assert!((ratio.estimate - 2.0).abs() < 1e-12, "{ratio:?}");
        let difference = evidence.difference(slow, fast).unwrap();
        assert_eq!(difference.measured().unwrap().estimate, 10.0);
        assert!(difference.difference);
    }

    /// The ratio of two cells whose visits are of these processes. From the third on, the core was slowed for
    /// either of them, in turns.
    fn ratio_slowed_in_turns(processes: [u32; 6]) -> Interval {
        let cells = [("slow", false, [20.0, 20.0, 30.0, 40.0]), ("fast", false, [10.0; 4])];
        let mut both = run(&cells, [10.0; 4]);
        let probes = [[10.0, 10.0, 10.0, 20.0, 10.0, 20.0], [10.0, 10.0, 20.0, 10.0, 20.0, 10.0]];
        for (row, probe) in both.rows.iter_mut().zip(probes) {
            let Outcome::Measured(measured) = &mut row.outcome else { panic!() };
            let visits = measured.visits.as_mut().unwrap();
            (visits.probe, visits.build) = (probe.into(), processes.into());
        }
        let evidence = evidence(&[both]);
        evidence.ratio(&evidence.rows[0], &evidence.rows[1]).unwrap().interval
    }

    #[test]
    fn where_one_process_alone_found_the_core_in_the_same_state_all_pairs_count() {
        let ratio = ratio_slowed_in_turns([0, 0, 1, 1, 1, 1]);
        // 2 in one process, 3.5 in the other.
        assert!((ratio.estimate.powi(2) - 7.0).abs() < 1e-3, "{ratio:?}");
        assert!(ratio.low < 2.0 && ratio.high > 3.5, "{ratio:?}");
    }

    #[test]
    fn in_one_process_pairs_in_unlike_states_do_not_count() {
        let ratio = ratio_slowed_in_turns([0; 6]);
        assert!((ratio.estimate - 2.0).abs() < 1e-12, "{ratio:?}");
    }

    #[test]
    fn no_interval_reaches_what_cannot_be() {
        let run_of = |quantity: &str, cells: &[(&str, bool, [f64; 4])]| {
            let text = run(cells, [10.0; 4]).to_json_lines();
            let time = r#""quantity":"time per hop","unit":"ns""#;
            assert!(text.contains(time), "{text}");
            let text = text.replace(time, &format!(r#""quantity":"{quantity}","unit":"1""#));
            Run::parse(&text.replace("criterion", "harness")).unwrap()
        };
        // Of the first cell of the first machine.
        let ends = |machines: &[Run]| {
            let machines: Vec<&[Run]> = machines.iter().map(std::slice::from_ref).collect();
            let pools = Pools::of(machines.iter().map(|runs| (*runs, None)));
            let evidence = Evidence::of_runs(machines[0], None, &pools);
            let Interval { low, high, .. } = evidence.rows[0].measured().unwrap().interval();
            [low, high]
        };
        let part = ("smol", false, [0.0, 0.0, 0.9, 0.9]);
        let share = |cells: &[(&str, bool, [f64; 4])]| run_of("share", cells);
        assert_eq!(ends(&[share(&[part])]), [0.0, 1.0]);
        // It is no surprise if the next visit finds as much as one has.
        let all = ("smol", false, [0.98, 1.0, 1.01, 1.02]);
        assert_eq!(ends(&[share(&[all])])[1], 1.02);
        // What may be more than all is no part of it, whichever machine has seen that.
        let more = ("rayon", false, [2.0; 4]);
        for machines in [vec![share(&[part, more])], vec![share(&[part]), share(&[more])]] {
            let [low, high] = ends(&machines);
            assert!(low == 0.0 && high > 1.2, "{high}");
        }
        // Unless it says of what it is a part.
        let cells = [part, more];
        assert_eq!(ends(&[run_of("share of time", &cells)]), [0.0, 1.0]);
    }

    #[test]
    fn a_cell_that_slows_the_core_itself_is_told_and_not_filtered() {
        let mut both = run(&[("spins", false, [9.0; 4]), ("rests", false, [9.0; 4])], [10.0; 4]);
        let Outcome::Measured(spins) = &mut both.rows[0].outcome else { panic!() };
        spins.visits.as_mut().unwrap().probe = vec![20.0; 6];
        let evidence = evidence(&[both]);
        let [spins, rests] = &evidence.rows[..] else { panic!() };
        assert!(spins.measured().unwrap().slows_itself);
        assert_eq!(spins.measured().unwrap().points.len(), 6);
        assert!(!rests.measured().unwrap().slows_itself);
        assert!(evidence.ratio(spins, rests).is_ok());
    }

    #[test]
    fn the_floor_is_that_of_the_groups_own_twin() {
        let cells =
            [("smol", false, [10.0; 4]), ("smol", true, [10.4; 4]), ("rayon", false, [20.0; 4])];
        let evidence = evidence(&[run(&cells, [10.0; 4])]);
        let [smol, twin, rayon] = &evidence.rows[..] else { panic!() };
        assert_eq!(twin.name(), "hops: smol, time per hop, twin");
        let floor = evidence.floor(rayon, smol).unwrap();
        assert!((0.0399..0.0401).contains(&floor), "{floor}");
        let alone = [("smol", false, [10.0; 4])];
        let alone = self::evidence(&[run(&alone, [10.0; 4])]);
        assert_eq!(alone.floor(&alone.rows[0], &alone.rows[0]), Ok(0.0));
    }

    #[test]
    fn runs_stand_one_behind_the_other_in_a_file() {
        let run = run(&[("smol", false, [5.0; 4])], [10.0; 4]);
        let text = run.to_json_lines();
        assert_eq!(Run::parse_all(&text.repeat(2)).unwrap(), [run.clone(), run]);
        let wrong = format!("{text}{}", text.replace("5.0", "-5.0"));
        assert_eq!(Run::parse_all(&wrong).unwrap_err().line, 4);
        assert_eq!(Run::parse_all("").unwrap_err().line, 1);
        assert!(Run::parse_all(&format!("{{}}\n{text}")).unwrap_err().line == 1);
    }
}
