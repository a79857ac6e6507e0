//! How figures come from runs.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;
use std::slice::from_ref;

use anyhow::{ensure, Context, Error, Result};
use measurement::statistics::median;
use measurement::{
    BestProbe, CoreState, Evidence, HeldOut, Interval, Pools, Row, Run,
};

use crate::programs::{COPIES, EMPTY, ONE, OTHER};

/// The runs so far: those of each experiment, oldest first.
#[derive(Default)]
pub(crate) struct Runs(BTreeMap<String, Vec<Run>>);

/// How many pairs were called different, and how many of these because the second
/// takes longer.
#[derive(Default)]
pub(crate) struct VerdictTally {
    /// All pairs that were judged.
    pub(crate) pairs: usize,
    /// By the interval of their ratio, widened by the noise floor of their group,
    /// as the book judges its claims.
    pub(crate) different: usize,
    pub(crate) longer: usize,
    /// By the interval alone.
    pub(crate) different_bare: usize,
    pub(crate) longer_bare: usize,
}

impl AddAssign for VerdictTally {
    fn add_assign(&mut self, more: VerdictTally) {
        self.pairs += more.pairs;
        self.different += more.different;
        self.longer += more.longer;
        self.different_bare += more.different_bare;
        self.longer_bare += more.longer_bare;
    }
}

/// The least and the most by which cells lay apart in a link, as ratios.
pub(crate) struct Apart {
    least: f64,
    most: f64,
}

impl Apart {
    /// Of each link's ratio; `None` of none.
    fn of(ratios: &[f64]) -> Option<Apart> {
        let least = ratios.iter().copied().reduce(f64::min)?;
        let most = ratios.iter().copied().reduce(f64::max)?;
        Some(Apart { least, most })
    }
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} to {:.2}", self.least, self.most)
    }
}

/// What a run made of the intervals of the earlier ones.
#[derive(Default)]
pub(crate) struct Confirmed {
    /// The rows that were tried.
    pub(crate) rows: usize,
    /// Those of them whose last estimate lies inside.
    pub(crate) inside: usize,
    /// The rows for which the last run hardly found its core undisturbed: they have
    /// no figure to try.
    pub(crate) disturbed: usize,
}

impl Runs {
    /// Adds one run of each experiment.
    pub(crate) fn add(&mut self, runs: Vec<Run>) {
        for run in runs {
            let experiment = run.header.experiment.clone().unwrap_or_default();
            self.0.entry(experiment).or_default().push(run);
        }
    }

    /// Whether others used the machine during the last run.
    pub(crate) fn is_disturbed(&self) -> bool {
        let mut last = self.0.values().filter_map(|runs| runs.last());
        last.any(|run| run.header.is_disturbed())
    }

    /// The links of the program that were measured, each by its run and its seed;
    /// none if it is always the one that cargo made.
    pub(crate) fn links(&self) -> Vec<(usize, u64)> {
        let runs = self.0.get(COPIES).into_iter().flatten().enumerate();
        let links = runs.flat_map(|(place, run)| {
            run.header.builds.iter().map(move |&seed| (place, seed))
        });
        links.filter(|(_, seed)| *seed != 0).collect()
    }

    /// Judges the pairs of an experiment by its last run alone. What that cannot
    /// know, such as how much runs differ, is taken from all runs so far.
    pub(crate) fn judge_last(&self, experiment: &str) -> Result<VerdictTally> {
        let last = self.of(experiment)?.last();
        self.judge(last.map(from_ref).unwrap_or_default())
    }

    /// The same by all runs.
    pub(crate) fn judge_all(&self, experiment: &str) -> Result<VerdictTally> {
        self.judge(self.of(experiment)?)
    }

    fn judge(&self, runs: &[Run]) -> Result<VerdictTally> {
        let evidence = Evidence::of_runs(runs, self.best(), &self.pools());
        let rows: Vec<&Row> = originals(&evidence.rows).collect();
        let mut tally = VerdictTally::default();
        for (place, second) in rows.iter().enumerate() {
            let beside =
                rows[..place].iter().filter(|r| r.group == second.group);
            for first in beside {
                let ratio =
                    evidence.ratio(second, first).map_err(Error::msg)?;
                let floor =
                    evidence.floor(second, first).map_err(Error::msg)?;
                let bare = ratio.interval;
                let widened = bare.widened(floor);
                tally += VerdictTally {
                    pairs: 1,
                    different: usize::from(differs(widened)),
                    longer: usize::from(widened.low > 1.0),
                    different_bare: usize::from(differs(bare)),
                    longer_bare: usize::from(bare.low > 1.0),
                };
            }
        }
        ensure!(tally.pairs > 0, "there are no pairs to be judged");
        Ok(tally)
    }

    /// By how much copies lay apart in a link, and by how much one of them and its
    /// twin, which are the same code in the same place. `None` if in no link all
    /// of them found the core undisturbed.
    pub(crate) fn copies_apart(&self) -> Option<(Apart, Apart)> {
        let best = self.best()?;
        let (mut among_copies, mut from_twin) = (Vec::new(), Vec::new());
        for run in self.0.get(COPIES)? {
            let copies: Vec<&Row> = originals(&run.rows).collect();
            let twin = run.rows.iter().find(|row| row.twin_of.is_some())?;
            let twins: Vec<&Row> = run
                .rows
                .iter()
                .filter(|row| row.contender == twin.contender)
                .collect();
            for build in 0..run.header.builds.len() as u32 {
                among_copies.extend(ratio_in_link(&copies, build, best));
                from_twin.extend(ratio_in_link(&twins, build, best));
            }
        }
        Apart::of(&among_copies).zip(Apart::of(&from_twin))
    }

    /// What the harness adds to an operation, in nanoseconds.
    pub(crate) fn added_ns(&self) -> Result<f64> {
        let added = |run: &Run| {
            let time = |contender| {
                let row = run.rows.iter().find(|r| r.contender == contender);
                let row = row.context("a row is missing")?;
                let measured = row.figures().map_err(Error::msg)?;
                Ok::<_, Error>(median(&measured.points))
            };
            Ok::<_, Error>(time(ONE)? - time(OTHER)?)
        };
        let added: Vec<f64> =
            self.of(EMPTY)?.iter().map(added).collect::<Result<_>>()?;
        Ok(median(&added))
    }

    /// Of how many rows the last run's estimate lies inside the interval of the
    /// earlier runs, as the book's own trial counts; `None` of fewer than three
    /// runs, since two tell how much runs differ.
    pub(crate) fn confirmed(&self) -> Option<Confirmed> {
        let mut earlier = Runs::default();
        for (experiment, runs) in &self.0 {
            let (_, before) = runs.split_last().filter(|(_, b)| b.len() > 1)?;
            earlier.0.insert(experiment.clone(), before.to_vec());
        }
        let (pools, best) = (earlier.pools(), earlier.best());
        let mut confirmed = Confirmed::default();
        for (experiment, before) in &earlier.0 {
            let last = self.0[experiment].last()?;
            for (_, tried) in HeldOut::of(last, before, best, &pools).rows() {
                match tried {
                    Some(tried) => {
                        confirmed.rows += 1;
                        confirmed.inside += usize::from(tried.is_inside());
                    }
                    None => confirmed.disturbed += 1,
                }
            }
        }
        Some(confirmed)
    }

    fn of(&self, experiment: &str) -> Result<&[Run]> {
        let runs = self.0.get(experiment);
        let runs = runs.with_context(|| format!("{experiment} has no run"))?;
        Ok(runs)
    }

    /// What the machine's cores can do at their best.
    fn best(&self) -> Option<BestProbe> {
        BestProbe::of(self.0.values().flatten().flat_map(Run::probes))
    }

    /// How much rows scatter.
    fn pools(&self) -> Pools {
        let best = self.best();
        Pools::of(self.0.values().map(|runs| (runs.as_slice(), best)))
    }
}

/// All rows but twins.
fn originals(rows: &[Row]) -> impl Iterator<Item = &Row> {
    rows.iter().filter(|row| row.twin_of.is_none())
}

/// Whether an interval of a ratio leaves out 1.
fn differs(ratio: Interval) -> bool {
    ratio.low > 1.0 || ratio.high < 1.0
}

/// How many times as long as the fastest of these rows the slowest takes in a
/// link; `None` if one of them never found the core undisturbed there, where who
/// disturbed it would be told as the place of the code.
fn ratio_in_link(rows: &[&Row], build: u32, best: BestProbe) -> Option<f64> {
    let time = |row: &&Row| {
        let measured = row.measured()?;
        let visits = measured.visits.as_ref()?;
        let counts = |&place: &usize| {
            let state = best.judge(visits.probe[place]);
            visits.build[place] == build && state == CoreState::Undisturbed
        };
        let places = (0..measured.points.len()).filter(counts);
        let times: Vec<f64> = places.map(|p| measured.points[p]).collect();
        (!times.is_empty()).then(|| median(&times))
    };
    let times: Vec<f64> = rows.iter().map(time).collect::<Option<_>>()?;
    let fastest = times.iter().copied().reduce(f64::min)?;
    let slowest = times.iter().copied().reduce(f64::max)?;
    Some(slowest / fastest)
}
