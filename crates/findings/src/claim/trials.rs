//! Tests how often intervals and verdicts are wrong: by predicting each run from the others
//! ("holding it out"), and by comparing two measurements of the same thing ("twins").

use language::claim::Claim;
use measurement::statistics::median;
use measurement::{EvidenceRow, HeldOut, Source, Verdict};

use crate::claim::JudgedClaim;
use crate::data::{Data, RunsFile, label};
use crate::figure::Figure;
use crate::find;
use crate::table::Table;

/// How well the runs of an experiment on a machine predict each other. Each run in turn is held
/// out and predicted from the others.
#[derive(Debug, Default)]
struct Trial {
    runs: usize,
    /// The number of boots of the machine that the runs cover.
    boots: usize,
    /// Half the width of each row's interval, as a share of the row's estimate.
    half_widths: Vec<f64>,
    /// The number of rows in which the figure of the held-out run is inside the predicted
    /// interval.
    inside: usize,
    /// The number of claims that the other runs decide, and for which the held-out run has a
    /// figure.
    verdicts: usize,
    /// The number of held-out figures that are on the wrong side of a claim's bound, but no
    /// further from it than the interval that decided the claim.
    other_side: usize,
    /// The number of held-out figures that are further on the wrong side, and so contradict the
    /// verdict.
    against: usize,
}

/// Predicts the runs of every experiment that has at least two runs on one machine. The first row
/// of the table is the total over all experiments that aren't stale; every other row is for one
/// experiment.
pub fn trials(data: &Data, claims: &[JudgedClaim]) -> Table {
    let (mut all, mut rows) = (Trial::default(), Vec::new());
    for machine in &data.machines {
        for file in machine.sources().filter(|file| file.runs.len() > 1) {
            let RunsFile { chapter, experiment, runs, stale, .. } = file;
            let mut trial = Trial {
                runs: runs.len(),
                boots: machine.chapters[chapter].evidence.boots(experiment),
                ..Trial::default()
            };
            for (place, run) in runs.iter().enumerate() {
                let others = runs[..place].iter().chain(&runs[place + 1..]);
                let held = HeldOut::of(run, others, data.lent(machine, file));
                let of_it = claims.iter().map(|judged| &judged.claim);
                let of_it =
                    of_it.filter(|it| it.chapter == *chapter && it.experiment() == experiment);
                trial.try_run(&held, of_it);
            }
            let history = if stale.is_empty() { "" } else { " (stale)" };
            let name = format!("{chapter}/{experiment}, {}{history}", label(machine.name()));
            rows.push(trial.cells(name));
            if stale.is_empty() {
                all.add(trial);
            }
        }
    }
    rows.insert(0, all.cells("all that are not stale".to_owned()));
    let heads = &[
        "experiment",
        "runs",
        "boots",
        "rows",
        "inside",
        "half-width",
        "verdicts",
        "other side",
        "against",
    ];
    Table { heads, rows }
}

impl Trial {
    /// Compares the held-out run with the intervals and verdicts that the other runs give.
    fn try_run<'a>(&mut self, held: &HeldOut, claims: impl Iterator<Item = &'a Claim>) {
        for (row, tried) in held.rows() {
            // Skip figures that a single run predicts, unless the runs of another machine show
            // how much runs differ.
            if row.measured().is_some_and(|measured| measured.estimate.mean.is_some()) {
                self.half_widths.push(tried.half_width);
                self.inside += usize::from(tried.is_inside());
            }
        }
        for (beyond, margin) in claims.filter_map(|claim| beyond(claim, held)) {
            self.verdicts += 1;
            match beyond {
                ..=0.0 => {}
                _ if beyond <= margin => self.other_side += 1,
                _ => self.against += 1,
            }
        }
    }

    fn add(&mut self, other: Trial) {
        self.runs += other.runs;
        self.boots = self.boots.max(other.boots);
        self.half_widths.extend(other.half_widths);
        self.inside += other.inside;
        self.verdicts += other.verdicts;
        self.other_side += other.other_side;
        self.against += other.against;
    }

    fn cells(&self, name: String) -> Vec<String> {
        let rows = self.half_widths.len();
        let percent = |share: f64| match rows {
            0 => "none".to_owned(),
            _ => format!("{:.0}\u{a0}%", share * 100.0),
        };
        let half_width = if rows == 0 { 0.0 } else { median(&self.half_widths) };
        vec![
            name,
            self.runs.to_string(),
            self.boots.to_string(),
            rows.to_string(),
            percent(self.inside as f64 / rows as f64),
            percent(half_width),
            self.verdicts.to_string(),
            self.other_side.to_string(),
            self.against.to_string(),
        ]
    }
}

/// Returns a table of pairs of measurements of the same thing ("twins"). It counts the pairs that
/// the rule for claims calls different, by machine and kind of quantity.
pub fn twins(data: &Data) -> Table {
    let mut rows = Vec::new();
    for machine in data.machines.iter().filter(|machine| !machine.is_local()) {
        // Counts the pairs that are called different, and all pairs: for times, for percentiles
        // of latencies, and for other quantities.
        let mut counts = [[0; 2]; 3];
        for evidence in machine.chapters.values().map(|chapter| &chapter.evidence) {
            for twin in evidence.rows.iter().filter(|row| row.twin_of.is_some()) {
                let is_other = |row: &&EvidenceRow| {
                    row.twin_of.is_none()
                        && row.same_setting(twin)
                        && row.contender == twin.contender
                };
                let Some(row) = evidence.rows.iter().find(is_other) else { continue };
                let Ok(figure) = Figure::of_ratio(twin, row, evidence) else { continue };
                if figure.found().mean.is_some() {
                    let kind = match row.measured().map(|measured| measured.source) {
                        Some(Source::Criterion) => 0,
                        Some(Source::Histogram) => 1,
                        _ => 2,
                    };
                    counts[kind][0] += usize::from(figure.is_told_apart());
                    counts[kind][1] += 1;
                }
            }
        }
        if counts != [[0; 2]; 3] {
            let told = counts.map(|[different, pairs]| format!("{different} of {pairs}"));
            rows.push([&[machine.short().to_owned()], &told[..]].concat());
        }
    }
    Table { heads: &["called different", "times", "latencies", "other quantities"], rows }
}

/// Returns how far the estimate of a held-out run is on the wrong side of the bound, judging by
/// the other runs' verdict, and how far the bound is from the nearer end of the interval that
/// decided this verdict. Returns `None` if the other runs don't decide the claim, or if the
/// held-out run has no figure for it.
fn beyond(claim: &Claim, held: &HeldOut) -> Option<(f64, f64)> {
    let (subject, predicate) = (&claim.subject, claim.predicate);
    // Search for the rows first, because it takes long to compose the message about a missing
    // row.
    let is_there = find::is_in(subject, &held.expected) && find::is_in(subject, &held.found);
    let expected = is_there.then(|| Figure::find(subject, &held.expected).ok())??;
    let found = Figure::find(subject, &held.found).ok()?.found().next.estimate;
    let sign = match predicate.judge(expected.found()) {
        Verdict::Holds => 1.0,
        Verdict::Fails => -1.0,
        _ => return None,
    };
    let depth = |value: f64| sign * predicate.depth(value);
    let mean = expected.found().mean?;
    Some((-depth(found), depth(mean.low).min(depth(mean.high))))
}
