//! What each run makes of what the others of its experiment say: whether its estimates lie inside their
//! intervals, and on which side of their verdicts.

use measurement::statistics::median;
use measurement::{Estimate, HeldOut, Row, Test, Tried, Verdict};

use crate::claim::Claim;
use crate::data::{Data, label};
use crate::html::escape;

/// A trial of the intervals and verdicts of an experiment on a machine: each of its runs in turn is held out of
/// the others.
#[derive(Debug)]
pub struct Trial {
    /// The machine.
    pub machine: String,
    /// The chapter, a slash, the experiment.
    pub experiment: String,
    /// How many runs there are.
    pub runs: usize,
    /// On how many boots of the machine they were made.
    pub boots: usize,
    /// Whether these runs are history: what they measured has changed since.
    pub is_stale: bool,
    /// The rows that a run and the others have, run by run.
    pub rows: Vec<TriedRow>,
    /// The claims that the others decide and the run has a figure of, run by run.
    pub verdicts: Vec<TriedVerdict>,
}

/// A row of a run, held against the others.
#[derive(Debug)]
pub struct TriedRow {
    /// Its name.
    pub name: String,
    /// When the run began.
    pub run: String,
    /// What the run made of the others' interval.
    pub tried: Tried,
}

/// A verdict of all runs but one, held against that one.
#[derive(Debug)]
pub struct TriedVerdict {
    /// The claim's id.
    pub id: String,
    /// When the run began.
    pub run: String,
    /// The verdict of the others.
    pub verdict: Verdict,
    /// Where the run's own estimate lies.
    pub side: Side,
}

/// Where the estimate of a run lies, as a verdict of the others goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// On its side of the bound.
    Same,
    /// Beyond the bound, by less than what decided the verdict.
    Other,
    /// Beyond it by more: it contradicts the verdict.
    Against,
}

impl Trial {
    /// The share of the rows that lie inside, 0 to 1.
    pub fn inside(&self) -> f64 {
        share(&self.rows, |row| row.tried.is_inside())
    }

    /// The median of half the intervals' widths, as a share of the estimates.
    pub fn half_width(&self) -> f64 {
        let widths: Vec<f64> = self.rows.iter().map(|row| row.tried.half_width).collect();
        if widths.is_empty() { f64::NAN } else { median(&widths) }
    }

    /// How many verdicts have an estimate on this side.
    pub fn on(&self, side: Side) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.side == side).count()
    }
}

fn share<T>(of: &[T], is_it: impl Fn(&T) -> bool) -> f64 {
    of.iter().filter(|one| is_it(one)).count() as f64 / of.len() as f64
}

/// All trials as one: of runs that are not stale.
pub fn in_all(trials: Vec<Trial>) -> Trial {
    let mut all = Trial {
        machine: String::new(),
        experiment: String::new(),
        runs: 0,
        boots: 0,
        is_stale: false,
        rows: Vec::new(),
        verdicts: Vec::new(),
    };
    for trial in trials.into_iter().filter(|trial| !trial.is_stale) {
        all.runs += trial.runs;
        all.boots = all.boots.max(trial.boots);
        all.rows.extend(trial.rows);
        all.verdicts.extend(trial.verdicts);
    }
    all
}

/// Tries every experiment of every machine that has two runs at least.
pub fn trials(data: &Data, claims: &[Claim]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for machine in &data.machines {
        for (chapter, all) in &machine.chapters {
            for source in all.sources.iter().filter(|source| source.has_several()) {
                let experiment = &source.experiment;
                let is_about_it =
                    |claim: &&Claim| claim.chapter == *chapter && claim.experiment() == experiment;
                let mut trial = Trial {
                    machine: machine.name().to_owned(),
                    experiment: format!("{chapter}/{experiment}"),
                    runs: source.shown.len(),
                    boots: all.evidence.boots(experiment),
                    is_stale: !source.stale.is_empty(),
                    rows: Vec::new(),
                    verdicts: Vec::new(),
                };
                for &index in &source.shown {
                    let run = &source.runs[index].header.run;
                    let held = data.hold_out(machine, chapter, source, index);
                    // One run that borrows from nobody promises nothing of the next.
                    let knows_runs =
                        |row: &Row| row.measured().is_some_and(|m| m.together().mean.is_some());
                    let rows = held.rows().into_iter().filter(|(row, _)| knows_runs(row));
                    trial.rows.extend(rows.map(|(row, tried)| TriedRow {
                        name: row.name(),
                        run: run.clone(),
                        tried,
                    }));
                    let claims = claims.iter().filter(is_about_it);
                    trial.verdicts.extend(claims.filter_map(|claim| tried(claim, &held, run)));
                }
                trials.push(trial);
            }
        }
    }
    trials
}

/// What a run makes of a claim; `None` if the others do not decide it, or the run has no figure of it.
fn tried(claim: &Claim, held: &HeldOut, run: &str) -> Option<TriedVerdict> {
    let expected = claim.estimate(&held.expected)?;
    let found = claim.estimate(&held.found)?.next.estimate;
    let verdict = claim.predicate.judge(claim.test(), &expected);
    let depth = claim.predicate.depth(found);
    // As deep as that the others lie on their side.
    let (beyond, margin) = match verdict {
        Verdict::Holds => (-depth, margin(claim, &expected, 1.0)?),
        Verdict::Fails => (depth, margin(claim, &expected, -1.0)?),
        _ => return None,
    };
    let side = match beyond {
        _ if beyond <= 0.0 => Side::Same,
        _ if beyond <= margin => Side::Other,
        _ => Side::Against,
    };
    Some(TriedVerdict { id: claim.id.clone(), run: run.to_owned(), verdict, side })
}

/// By what a verdict was decided: how far from the bound the nearer end of the mean's interval lies, or by order
/// the mean.
fn margin(claim: &Claim, expected: &Estimate, side: f64) -> Option<f64> {
    let mean = expected.mean?;
    let depth = |value: f64| side * claim.predicate.depth(value);
    Some(match claim.test() {
        Test::Mean => depth(mean.low).min(depth(mean.high)),
        Test::Order => depth(mean.estimate),
    })
}

/// A share, 0 to 1; of nothing there is none.
pub fn percent(share: f64) -> String {
    if share.is_nan() { "none".to_owned() } else { format!("{:.0}\u{a0}%", share * 100.0) }
}

/// The heads of a table of trials.
pub const HEADS: [&str; 9] = [
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

impl Trial {
    /// What stands under [`HEADS`].
    pub fn cells(&self) -> [String; 9] {
        let stale = if self.is_stale { " (stale)" } else { "" };
        let name = match self.experiment.as_str() {
            "" => "all that are not stale".to_owned(),
            name => format!("{name}, {}{stale}", label(&self.machine)),
        };
        [
            name,
            self.runs.to_string(),
            self.boots.to_string(),
            self.rows.len().to_string(),
            percent(self.inside()),
            percent(self.half_width()),
            self.verdicts.len().to_string(),
            self.on(Side::Other).to_string(),
            self.on(Side::Against).to_string(),
        ]
    }
}

/// The trials as a table, for the page that promises something of intervals.
pub(crate) fn table(trials: Vec<Trial>) -> String {
    let row = |trial: &Trial| {
        let cells = trial.cells();
        let cells = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell)));
        format!("<tr class=\"measured-trial\">{}</tr>\n", cells.collect::<String>())
    };
    let each: String = trials.iter().map(row).collect();
    let all = row(&in_all(trials));
    let heads: String = HEADS.iter().map(|head| format!("<th>{head}</th>")).collect();
    format!(
        "\n<div class=\"table-wrapper\"><table><thead><tr>{heads}</tr></thead><tbody>\n{all}{each}</tbody></table></div>\n"
    )
}
