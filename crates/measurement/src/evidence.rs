//! What a machine's runs say together.
//!
//! What is generic here only borrows runs, and hands them to what is not: that is compiled once, with this
//! package and optimised as it is, and not in each package that calls it.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::estimate::{Estimate, Order};
use crate::interval::{LinkFigure, Pool, Sample, Scale};
use crate::quantity::{is_part, SHARE};
use crate::row::{process_of, Together};
use crate::scattered::Scattered;
use crate::{BestProbe, Interval, Measured, Outcome, Profile, Row, Run, RunHeader, Source};

/// What a machine's runs say together of the experiments of a chapter.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Each row once, with the interval for the next run; twins stand among them.
    pub rows: Vec<Row>,
    parts: Vec<Part>,
}

/// An experiment, which has runs of its own.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    experiment: String,
    headers: Vec<RunHeader>,
    pools: Pools,
}

/// How much a machine's rows of each kind scatter. Another machine that has one run borrows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pools(Arc<HashMap<RowKind, Pool>>);

/// Rows that scatter alike: those of an experiment at a placement and of one source, since what is
/// simulated doesn't scatter as what is measured; or its ratios.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RowKind {
    quantity: String,
    source: Source,
    /// `None` for all placements.
    placement: Option<String>,
    is_ratio: bool,
}

impl RowKind {
    fn of(row: &Row, source: Source, is_ratio: bool) -> RowKind {
        let placement = row.parameters.get("placement").map(ToString::to_string);
        let placement = Some(placement.unwrap_or_default());
        RowKind { quantity: row.quantity.clone(), source, placement, is_ratio }
    }

    fn at_any_placement(&self) -> RowKind {
        RowKind { placement: None, ..self.clone() }
    }
}

impl Pools {
    fn of(all: &[Gathered]) -> Pools {
        let mut samples: HashMap<RowKind, Vec<Sample>> = HashMap::new();
        let mut add = |kind: RowKind, links: &[LinkFigure]| {
            for kind in [kind.at_any_placement(), kind] {
                samples.entry(kind).or_default().push(Sample::of(links, Scale::Log));
            }
        };
        // The first of each group, with which the others are compared.
        let mut firsts: HashMap<(&str, &str), &Gathered> = HashMap::new();
        // Twins differ by less than other cells do.
        let has_logarithms = |of: &&Gathered| of.row.twin_of.is_none() && of.scale() == Scale::Log;
        for of in all.iter().filter(has_logarithms) {
            let Some(measured) = of.row.measured() else { continue };
            add(RowKind::of(&of.row, measured.source, false), &of.links);
            let Some(group) = &of.row.group else { continue };
            let key = (group.as_str(), of.row.quantity.as_str());
            match firsts.get(&key) {
                Some(first) => {
                    let ratios = by_link(&of.links, &first.links, Scale::Log);
                    if !ratios.is_empty() {
                        add(RowKind::of(&of.row, measured.source, true), &ratios);
                    }
                }
                None => {
                    firsts.insert(key, of);
                }
            }
        }
        let pools = samples.into_iter().filter_map(|(kind, of)| Some((kind, Pool::of(&of)?)));
        Pools(Arc::new(pools.collect()))
    }

    /// How much a kind scatters, or the same at any placement; `None` if these have too few rows.
    fn get(&self, kind: &RowKind) -> Option<&Pool> {
        self.0.get(kind).or_else(|| self.0.get(&kind.at_any_placement()))
    }
}

impl Evidence {
    /// What a machine's runs of one experiment say, oldest first. One run alone knows nothing of how runs
    /// differ, and borrows that.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn of_runs<R: Borrow<Run>>(runs: &[R], lent: Option<&Pools>) -> Evidence {
        Evidence::of_borrowed(&runs.iter().map(Borrow::borrow).collect::<Vec<_>>(), lent)
    }

    fn of_borrowed(runs: &[&Run], lent: Option<&Pools>) -> Evidence {
        let headers: Vec<RunHeader> = runs.iter().map(|run| run.header.clone()).collect();
        let experiment =
            headers.first().expect("evidence is of one run at least").experiment.clone();
        let (all, places) = gather(runs);
        let pools = match (runs.len(), lent) {
            (1, Some(lent)) => lent.clone(),
            (1, None) => Pools::default(),
            _ => Pools::of(&all),
        };
        let part = Part { experiment, headers, pools };
        let rows = all.iter().map(|of| part.with_intervals(of, &all, &places)).collect();
        Evidence { rows, parts: vec![part] }
    }

    /// Rows whose figures stand as they were found, with the header of their run: those of recordings, since
    /// the processes of one run are all that is known of them.
    pub fn of_found(header: RunHeader, rows: Vec<Row>) -> Evidence {
        let experiment = header.experiment.clone();
        let part = Part { experiment, headers: vec![header], pools: Pools::default() };
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

    /// The headers of all runs, each experiment's.
    pub fn all_headers(&self) -> impl Iterator<Item = &RunHeader> {
        self.parts.iter().flat_map(|part| &part.headers)
    }

    /// On how many boots of its machine an experiment was measured; runs that name none count as one.
    pub fn boots(&self, experiment: &str) -> usize {
        let boot = |header: &RunHeader| header.host.as_ref().and_then(|host| host.boot.clone());
        self.headers(experiment).iter().map(boot).collect::<BTreeSet<_>>().len()
    }

    /// How much an experiment's rows scatter, for a machine with one run of it to borrow.
    pub fn pools(&self, experiment: &str) -> Option<&Pools> {
        self.part(experiment).map(|part| &part.pools)
    }

    fn part(&self, experiment: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.experiment == experiment)
    }

    /// The ratio `numerator / denominator` of two rows, link by link where both have the link.
    ///
    /// # Errors
    ///
    /// If one failed, reaches zero, or they were not measured alike in one run.
    pub fn ratio(&self, numerator: &Row, denominator: &Row) -> Result<Estimate, String> {
        let part = self.part_of(numerator, denominator)?;
        let (n, d) = (numerator.figures()?, denominator.figures()?);
        let (of_n, of_d) = of_both(numerator, n, denominator, d)?;
        let is_positive = |links: &[LinkFigure]| links.iter().all(|link| link.value > 0.0);
        if !is_positive(&of_n.links) || !is_positive(&of_d.links) {
            return Err(if numerator.difference || denominator.difference {
                "a difference is not above zero in every link, so there is no ratio".to_owned()
            } else {
                let zero = if is_positive(&of_d.links) { numerator } else { denominator };
                format!("{:?} reaches zero, so it has no ratio", zero.name())
            });
        }
        let links = by_link(&of_n.links, &of_d.links, Scale::Log);
        if links.is_empty() {
            return Err(never_together(numerator, denominator));
        }
        // A plain row has half of what a ratio of two scatters by, a difference as much as it is magnified.
        let magnified = |row: &Row, of: &Together| {
            if row.difference {
                of.magnified.powi(2)
            } else {
                0.5
            }
        };
        let scale = (magnified(numerator, of_n) + magnified(denominator, of_d)).sqrt();
        let sample = Sample::of(&links, Scale::Log);
        let pool = part.pools.get(&RowKind::of(numerator, n.source, true));
        let (next, mean, of_ten_runs) = sample.intervals(pool, scale);
        let visits = links.iter().map(|link| link.value);
        let scattered = may_scatter(numerator, n).then(|| Scattered::of(visits, next.estimate));
        let (n, d) = (&of_n.order, &of_d.order);
        let is_bounded = n.least > 0.0 && d.least > 0.0;
        let order = Order {
            runs: part.full_runs(&sample),
            least: if is_bounded { n.least / d.most } else { f64::NEG_INFINITY },
            most: if is_bounded { n.most / d.least } else { f64::INFINITY },
        };
        Ok(Estimate { next, mean, of_ten_runs, scattered: scattered.flatten(), order })
    }

    /// The difference `row - less` of two rows, link by link where both have the link.
    ///
    /// # Errors
    ///
    /// If one failed, they are in different units, or were not measured alike in one run.
    pub fn difference(&self, row: &Row, less: &Row) -> Result<Row, String> {
        let part = self.part_of(row, less)?;
        if row.unit != less.unit {
            let (row, less) = (row.name(), less.name());
            return Err(format!("{row:?} and {less:?} are in different units"));
        }
        let (minuend, subtrahend) = (row.figures()?, less.figures()?);
        let (of, of_less) = of_both(row, minuend, less, subtrahend)?;
        let links = by_link(&of.links, &of_less.links, Scale::Linear);
        if links.is_empty() {
            return Err(never_together(row, less));
        }
        let sample = Sample::of(&links, Scale::Linear);
        let size = minuend.estimate.abs().max(subtrahend.estimate.abs());
        let pool = part.pools.get(&RowKind::of(row, minuend.source, true));
        let (next, mean, of_ten_runs) = sample.intervals(pool, size);
        let order = Order {
            runs: part.full_runs(&sample),
            least: of.order.least - of_less.order.most,
            most: of.order.most - of_less.order.least,
        };
        let points = links.iter().map(|link| link.value).collect();
        let together = Together {
            mean,
            of_ten_runs,
            scattered: None,
            order,
            links,
            slowed: None,
            failed_runs: Vec::new(),
            magnified: magnified(size, &sample),
        };
        let measured =
            Measured { together: Some(together), ..Measured::new(next, points, minuend.source) };
        Ok(Row { difference: true, ..row.with(Outcome::Measured(measured)) })
    }

    fn part_of(&self, left: &Row, right: &Row) -> Result<&Part, String> {
        let part = self.part(&left.experiment).filter(|_| left.experiment == right.experiment);
        part.ok_or_else(|| never_together(left, right))
    }
}

impl Part {
    /// A row with the intervals that all its visits make.
    fn with_intervals(
        &self,
        of: &Gathered,
        all: &[Gathered],
        places: &HashMap<String, usize>,
    ) -> Row {
        let Some(measured) = of.row.measured() else { return of.row.clone() };
        let sample = Sample::of(&of.links, of.scale());
        let size = |of: &Gathered| Sample::of(&of.links, of.scale()).centre().abs();
        let (kind, scale, magnified) = match (computed_from(&of.row, all, places), of.scale()) {
            (Some((minuend, subtrahend)), _) => {
                let size = size(minuend).max(size(subtrahend));
                let kind = RowKind::of(&minuend.row, measured.source, true);
                (kind, size, magnified(size, &sample))
            }
            (None, Scale::Log) => (RowKind::of(&of.row, measured.source, false), 1.0, 1.0),
            (None, Scale::Linear) => (RowKind::of(&of.row, measured.source, false), size(of), 1.0),
        };
        let pool = self.pools.get(&kind);
        let (next, mean, of_ten_runs) = sample.intervals(pool, scale);
        let (least, most) = bounds(of, all);
        let within = |interval: Interval| interval.within(least, most);
        // Of a percentile over all windows the run's own windows tell something.
        let is_alone = pool.is_none() && sample.is_alone();
        let next = within(if is_alone { measured.interval() } else { next });
        let visits = of.visits.iter().map(|visit| visit.value);
        let scattered =
            may_scatter(&of.row, measured).then(|| Scattered::of(visits.clone(), next.estimate));
        let together = Together {
            mean: mean.map(within),
            of_ten_runs,
            scattered: scattered.flatten(),
            order: self.order(&sample, &of.visits),
            links: of.links.clone(),
            slowed: of.slowed(),
            failed_runs: of.failed_runs.clone(),
            magnified,
        };
        let is_of_one_run = sample.runs().count() == 1;
        let measured = Measured {
            // Those of one run: several have no common histogram or line.
            window: measured.window.clone().filter(|_| is_of_one_run),
            fit: measured.fit.clone().filter(|_| is_of_one_run),
            together: Some(together),
            ..Measured::new(next, visits.collect(), measured.source)
        };
        of.row.with(Outcome::Measured(measured))
    }

    fn is_full(&self, run: u32) -> bool {
        self.headers[run as usize].profile == Profile::Full
    }

    fn full_runs(&self, sample: &Sample) -> Vec<f64> {
        sample.runs().filter(|(run, _)| self.is_full(*run)).map(|(_, figure)| figure).collect()
    }

    fn order(&self, sample: &Sample, visits: &[LinkFigure]) -> Order {
        let of_full =
            || visits.iter().filter(|visit| self.is_full(visit.run)).map(|visit| visit.value);
        let least = of_full().fold(f64::INFINITY, f64::min);
        let most = of_full().fold(f64::NEG_INFINITY, f64::max);
        Order { runs: self.full_runs(sample), least, most }
    }
}

/// In the place of a link's number, where there is none to compare by: in a process that counts, and over all
/// windows of a run.
const COUNTED: u32 = 1 << 30;
const ALL_WINDOWS: u32 = 1 << 31;

/// A row of one machine, with what all its runs found.
struct Gathered {
    /// As its first run has it that measured it.
    row: Row,
    visits: Vec<LinkFigure>,
    links: Vec<LinkFigure>,
    /// How many visits were probed, and how many of them met a slowed core.
    probed: usize,
    were_slowed: usize,
    failed_runs: Vec<String>,
}

impl Gathered {
    /// On which scale it scatters.
    fn scale(&self) -> Scale {
        let is_positive = self.visits.iter().all(|visit| visit.value > 0.0);
        if !self.row.difference && is_positive {
            Scale::Log
        } else {
            Scale::Linear
        }
    }

    fn slowed(&self) -> Option<f64> {
        (self.probed > 0).then(|| self.were_slowed as f64 / self.probed as f64)
    }

    fn add(
        &mut self,
        measured: &Measured,
        run: u32,
        header: &RunHeader,
        best: Option<BestProbe>,
        is_of_all_windows: bool,
    ) {
        let rounds = header.rounds.unwrap_or(1);
        // Processes beyond the links run these again; where there is one link only, processes may differ.
        let is_relinked = header.builds.len() > 1;
        let link = |index: usize| match &measured.visits {
            Some(visits) if is_relinked => visits.build[index],
            Some(visits) => process_of(visits.turn[index], rounds),
            // What is counted once in a process is one visit of it, and of no link.
            None => COUNTED + index as u32,
        };
        let points = measured.points.iter().enumerate();
        self.visits.extend(points.map(|(index, &value)| LinkFigure {
            run,
            link: link(index),
            value,
        }));
        if is_of_all_windows {
            self.links.push(LinkFigure { run, link: ALL_WINDOWS, value: measured.estimate });
        }
        if let (Some(visits), Some(best)) = (&measured.visits, best) {
            self.probed += visits.probe.len();
            self.were_slowed += visits.probe.iter().filter(|probe| best.is_slowed(**probe)).count();
        }
    }
}

/// The rows of runs in the order in which they were first met, and their places by name.
fn gather(runs: &[&Run]) -> (Vec<Gathered>, HashMap<String, usize>) {
    let best = BestProbe::of(runs.iter().flat_map(|run| run.probes()));
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut all: Vec<Gathered> = Vec::new();
    for (run, of) in (0..).zip(runs) {
        for row in &of.rows {
            let place = *places.entry(row.name()).or_insert_with(|| {
                all.push(Gathered {
                    row: row.clone(),
                    visits: Vec::new(),
                    links: Vec::new(),
                    probed: 0,
                    were_slowed: 0,
                    failed_runs: Vec::new(),
                });
                all.len() - 1
            });
            let gathered = &mut all[place];
            match &row.outcome {
                Outcome::Measured(measured) => {
                    if gathered.row.measured().is_none() {
                        gathered.row = row.clone();
                    }
                    let is_of_all_windows = of.is_of_all_windows(row);
                    gathered.add(measured, run, &of.header, best, is_of_all_windows);
                }
                Outcome::Failed(reason) => gathered.failed_runs.push(reason.clone()),
            }
        }
    }
    for of in all.iter_mut().filter(|of| of.links.is_empty()) {
        of.links = LinkFigure::of(of.visits.iter().copied());
    }
    (all, places)
}

/// What is known of both from runs.
fn of_both<'a>(
    left: &Row,
    one: &'a Measured,
    right: &Row,
    other: &'a Measured,
) -> Result<(&'a Together, &'a Together), String> {
    let both = one.together.as_ref().zip(other.together.as_ref());
    both.ok_or_else(|| never_together(left, right))
}

fn never_together(left: &Row, right: &Row) -> String {
    format!(
        "{:?} and {:?} were never measured in one run, so they have no ratio and no difference",
        left.name(),
        right.name()
    )
}

/// What links make of two rows, as a ratio or as a difference: in each run those that both have, else the
/// figures of the run.
fn by_link(left: &[LinkFigure], right: &[LinkFigure], scale: Scale) -> Vec<LinkFigure> {
    let of = |one: f64, other: f64| match scale {
        Scale::Log => one / other,
        Scale::Linear => one - other,
    };
    let at: HashMap<(u32, u32), f64> =
        right.iter().map(|link| ((link.run, link.link), link.value)).collect();
    let pair = |one: &LinkFigure| {
        let value = of(one.value, *at.get(&(one.run, one.link))?);
        Some(LinkFigure { value, ..*one })
    };
    let mut both: Vec<LinkFigure> = left.iter().filter_map(pair).collect();
    let paired: BTreeSet<u32> = both.iter().map(|link| link.run).collect();
    let others: HashMap<u32, f64> = Sample::of(right, scale).runs().collect();
    for (run, figure) in Sample::of(left, scale).runs().filter(|(run, _)| !paired.contains(run)) {
        if let Some(other) = others.get(&run) {
            both.push(LinkFigure { run, link: 0, value: of(figure, *other) });
        }
    }
    both
}

/// Whether a figure may be one that no visit comes near: not a percentile, which is of many latencies, and not
/// a difference, which may be nothing.
fn may_scatter(row: &Row, measured: &Measured) -> bool {
    !row.difference && measured.source != Source::Histogram
}

/// A part of a whole may be found to be all of it and a little more, as when memory is read twice.
const ALL: f64 = 1.05;

/// What a row's figure can be neither less nor more than. Only a difference is less than nothing; and a part of
/// a whole is not more than all of it, or than what a visit has found.
fn bounds(of: &Gathered, all: &[Gathered]) -> (f64, f64) {
    if of.row.difference {
        return (f64::NEG_INFINITY, f64::INFINITY);
    }
    let largest =
        |of: &Gathered| of.visits.iter().map(|visit| visit.value).fold(f64::NEG_INFINITY, f64::max);
    let is_part = match of.row.quantity.as_str() {
        // It is no part of a whole where a visit found more than all of it.
        SHARE => !all.iter().any(|other| other.row.quantity == SHARE && largest(other) > ALL),
        quantity => is_part(quantity),
    };
    (0.0, if is_part { largest(of).max(1.0) } else { f64::INFINITY })
}

/// The two rows of which a row is the difference, if it is one.
fn computed_from<'a>(
    row: &Row,
    all: &'a [Gathered],
    places: &HashMap<String, usize>,
) -> Option<(&'a Gathered, &'a Gathered)> {
    let [minuend, subtrahend] = &row.derived_from[..] else { return None };
    let named = |name: &String| places.get(name).map(|&place| &all[place]);
    Some((named(minuend)?, named(subtrahend)?))
}

/// How many times as large as a difference is the larger of what it is of.
fn magnified(size: f64, difference: &Sample) -> f64 {
    size / difference.centre().abs().max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Predicate, Test};

    /// A full run whose cells have these figures in each visit, two visits a link.
    fn run(cells: &[(&str, bool, [f64; 4])], probe: [f64; 4]) -> Run {
        let header = r#"{"run":"2026-11-30T10:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":4,"workload":"a","builds":[7,8],"rustc":"1.95.0","crates":{},"load":0.0,"processes":2,"rounds":1}"#;
        let row = |(contender, is_twin, points): &(&str, bool, [f64; 4])| {
            // A row has six points at least, so each of the last two stands there twice.
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

    const CALM: [f64; 4] = [10.0; 4];

    #[test]
    fn runs_that_differ_are_told_by_the_interval() {
        let cells = |level: f64| [("smol", false, [level; 4])];
        let alike = Evidence::of_runs(&[run(&cells(5.0), CALM), run(&cells(5.0), CALM)], None);
        let apart = Evidence::of_runs(&[run(&cells(5.0), CALM), run(&cells(6.0), CALM)], None);
        let interval = |evidence: &Evidence| evidence.rows[0].measured().unwrap().interval();
        assert!(interval(&alike).high - interval(&alike).low < 1e-9);
        assert!(interval(&apart).low < 5.0 && interval(&apart).high > 6.0);
        assert_eq!(apart.headers("hops").len(), 2);
        assert!(apart.headers("another").is_empty());
    }

    #[test]
    fn a_ratio_and_a_difference_are_of_links() {
        // 25 and 10 in the first link, 36 and 10 in the second.
        let cells = [("slow", false, [20.0, 30.0, 36.0, 36.0]), ("fast", false, [10.0; 4])];
        let evidence = Evidence::of_runs(&[run(&cells, [10.0, 20.0, 10.0, 10.0])], None);
        let [slow, fast] = &evidence.rows[..] else { panic!() };
        assert_eq!(slow.measured().unwrap().estimate, 30.0);
        assert_eq!(slow.measured().unwrap().slowed(), Some(1.0 / 6.0));
        let ratio = evidence.ratio(slow, fast).unwrap();
        assert_eq!((ratio.next.estimate, ratio.mean), (3.0, None));
        assert_eq!((ratio.order.runs, ratio.order.least, ratio.order.most), (vec![3.0], 2.0, 3.6));
        let difference = evidence.difference(slow, fast).unwrap();
        assert_eq!(difference.measured().unwrap().estimate, 20.5);
        assert!(difference.difference);
    }

    #[test]
    fn one_run_borrows_from_a_machine_with_several() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let cells = |level: f64| names.map(|name| (name, false, [level; 4]));
        let reference = Evidence::of_runs(&[run(&cells(5.0), CALM), run(&cells(6.0), CALM)], None);
        let alone = [run(&cells(5.0), CALM)];
        let mean = |lent| Evidence::of_runs(&alone, lent).rows[0].measured().unwrap().together();
        let above = Predicate::Above(1.0);
        assert_eq!(above.judge(Test::Mean, &mean(reference.pools("hops"))).word(), "holds");
        assert_eq!(above.judge(Test::Mean, &mean(None)).word(), "one run");
    }

    #[test]
    fn no_interval_reaches_what_cannot_be() {
        // Of the first cell.
        let ends = |quantity: &str, cells: &[(&str, bool, [f64; 4])]| {
            let text = run(cells, CALM).to_json_lines();
            let time = r#""quantity":"time per hop","unit":"ns""#;
            assert!(text.contains(time), "{text}");
            let text = text.replace(time, &format!(r#""quantity":"{quantity}","unit":"1""#));
            let run = Run::parse(&text.replace("criterion", "harness")).unwrap();
            let evidence = Evidence::of_runs(&[run], None);
            let Interval { low, high, .. } = evidence.rows[0].measured().unwrap().interval();
            [low, high]
        };
        let part = ("smol", false, [0.0, 0.0, 0.9, 0.9]);
        assert_eq!(ends("share", &[part]), [0.0, 1.0]);
        // It is no surprise if the next visit finds as much as one has.
        assert_eq!(ends("share", &[("smol", false, [0.98, 1.0, 1.01, 1.02])])[1], 1.02);
        // What may be more than all is no part of it.
        let more = ("rayon", false, [2.0; 4]);
        let [low, high] = ends("share", &[part, more]);
        assert!(low == 0.0 && high > 1.2, "{high}");
        // Unless it says of what it is a part.
        assert_eq!(ends("share of time", &[part, more]), [0.0, 1.0]);
    }

    #[test]
    fn what_failed_in_one_run_is_told_with_the_figures_of_another() {
        let measured = run(&[("smol", false, [5.0; 4])], CALM);
        let mut failed = measured.clone();
        failed.rows[0].outcome = Outcome::Failed("no room".to_owned());
        for runs in [[&measured, &failed], [&failed, &measured]] {
            let evidence = Evidence::of_runs(&runs, None);
            let measured = evidence.rows[0].measured().unwrap();
            assert_eq!(
                (measured.estimate, measured.failed_runs()),
                (5.0, &["no room".to_owned()][..])
            );
        }
    }

    #[test]
    fn runs_stand_one_behind_the_other_in_a_file() {
        let run = run(&[("smol", false, [5.0; 4])], CALM);
        let text = run.to_json_lines();
        assert_eq!(Run::parse_all(&text.repeat(2)).unwrap(), [run.clone(), run]);
        let wrong = format!("{text}{}", text.replace("5.0", "-5.0"));
        assert_eq!(Run::parse_all(&wrong).unwrap_err().line, 4);
        assert_eq!(Run::parse_all("").unwrap_err().line, 1);
        assert!(Run::parse_all(&format!("{{}}\n{text}")).unwrap_err().line == 1);
    }
}
