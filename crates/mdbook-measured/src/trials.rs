//! What a machine's last run made of what the earlier ones had said: whether its estimates lie inside
//! their intervals, and its claims keep their verdicts.

use measurement::statistics::median;
use measurement::{CALM, HeldOut, Row, Source, Tried, Verdict};

use crate::claim::Claim;
use crate::data::{ChapterData, Data, label};
use crate::html::escape;

/// A trial of the intervals of an experiment on a machine.
#[derive(Debug)]
pub struct Trial {
    /// The machine.
    pub machine: String,
    /// The chapter, a slash, the experiment.
    pub experiment: String,
    /// How many runs there were before the last one.
    pub earlier: usize,
    /// Whether these runs are history: what they measured has changed since.
    pub is_stale: bool,
    /// The rows that both have, and for which the last run found a core undisturbed in half of its processes
    /// at least.
    pub rows: Vec<TriedRow>,
    /// How many rows it did not: they have no figure that could be confirmed.
    pub disturbed: usize,
    /// The claims that both judge.
    pub claims: Vec<Judged>,
}

/// A row of the last run, held against the earlier ones.
#[derive(Debug)]
pub struct TriedRow {
    /// Its name.
    pub name: String,
    /// By what means it was measured.
    pub source: Source,
    /// What the last run made of its interval.
    pub tried: Tried,
}

impl TriedRow {
    /// Those of a run that was held out that have a figure to try, and how many have none.
    pub(crate) fn all(held: &HeldOut) -> (Vec<TriedRow>, usize) {
        let rows = held.rows();
        let all = rows.len();
        let tried = |(row, tried): (&Row, Option<Tried>)| {
            let source = row.measured()?.source;
            Some(TriedRow { name: row.name(), source, tried: tried? })
        };
        let tried: Vec<TriedRow> = rows.into_iter().filter_map(tried).collect();
        let without = all - tried.len();
        (tried, without)
    }
}

/// A claim, judged before and after the last run.
#[derive(Debug)]
pub struct Judged {
    /// Its id.
    pub id: String,
    /// The verdict on the earlier runs.
    pub before: Verdict,
    /// The verdict on all.
    pub after: Verdict,
    /// Whether the last run's own estimate contradicts the verdict before it.
    pub contradicted: bool,
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

    /// The share of the claims that hold or fail on all runs, 0 to 1.
    pub fn decided(&self) -> f64 {
        share(&self.claims, |claim| matches!(claim.after, Verdict::Holds | Verdict::Fails))
    }

    /// How many verdicts the last run changed.
    pub fn changed(&self) -> usize {
        self.claims.iter().filter(|claim| claim.before != claim.after).count()
    }

    /// What share of the verdicts that is, 0 to 1.
    pub fn share_changed(&self) -> f64 {
        self.changed() as f64 / self.claims.len() as f64
    }

    /// How many verdicts it turned round, or has an estimate against.
    pub fn contradicted(&self) -> usize {
        self.claims.iter().filter(|claim| claim.contradicted).count()
    }
}

fn share<T>(of: &[T], is_it: impl Fn(&T) -> bool) -> f64 {
    of.iter().filter(|one| is_it(one)).count() as f64 / of.len() as f64
}

/// Tries every experiment of every machine that has two runs at least.
pub fn trials(data: &Data, claims: &[Claim]) -> Vec<Trial> {
    let mut trials = Vec::new();
    for machine in &data.machines {
        for (chapter, all) in &machine.chapters {
            for source in all.sources.iter().filter(|source| source.has_several()) {
                let (Some(experiment), Some(&last)) = (&source.experiment, source.shown.last())
                else {
                    continue;
                };
                let held = data.hold_out(machine, chapter, source, last);
                let is_about_it =
                    |claim: &&Claim| claim.chapter == *chapter && claim.experiment() == experiment;
                let claims = claims.iter().filter(is_about_it);
                let (rows, disturbed) = TriedRow::all(&held);
                trials.push(Trial {
                    machine: machine.name().to_owned(),
                    experiment: format!("{chapter}/{experiment}"),
                    earlier: source.shown.len() - 1,
                    is_stale: !source.stale.is_empty(),
                    disturbed,
                    rows,
                    claims: claims.filter_map(|claim| judged(claim, &held, all)).collect(),
                });
            }
        }
    }
    trials
}

/// How a claim stands before and after the run that was held out; `None` if either does not judge it.
fn judged(claim: &Claim, held: &HeldOut, all: &ChapterData) -> Option<Judged> {
    let (before, _) = claim.stands(&held.expected)?;
    let (after, _) = claim.stands(&all.evidence)?;
    let (_, alone) = claim.stands(&held.found)?;
    let opposite = |one: &Verdict, other: &Verdict| {
        matches!((one, other), (Verdict::Holds, Verdict::Fails) | (Verdict::Fails, Verdict::Holds))
    };
    let is_calm = claim.calm_processes(&held.found)? >= CALM;
    let contradicted = (is_calm && opposite(&before, &alone)) || opposite(&before, &after);
    Some(Judged { id: claim.id.clone(), before, after, contradicted })
}

/// The trials as a table, for the page that promises something of intervals.
pub(crate) fn table(trials: &[Trial]) -> String {
    let percent = |share: f64| {
        if share.is_nan() { "none".to_owned() } else { format!("{:.0}\u{a0}%", share * 100.0) }
    };
    let rows = trials.iter().map(|trial| {
        let cells = [
            format!(
                "{}, {}{}",
                trial.experiment,
                label(&trial.machine),
                if trial.is_stale { " (stale)" } else { "" }
            ),
            trial.earlier.to_string(),
            trial.rows.len().to_string(),
            trial.disturbed.to_string(),
            percent(trial.inside()),
            percent(trial.half_width()),
            trial.claims.len().to_string(),
            percent(trial.decided()),
            trial.changed().to_string(),
            trial.contradicted().to_string(),
        ];
        let cells = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell)));
        format!("<tr class=\"measured-trial\">{}</tr>\n", cells.collect::<String>())
    });
    let heads = [
        "experiment",
        "earlier",
        "rows",
        "disturbed",
        "inside",
        "half-width",
        "claims",
        "decided",
        "changed",
        "against",
    ];
    let heads: String = heads.iter().map(|head| format!("<th>{head}</th>")).collect();
    format!(
        "\n<div class=\"table-wrapper\"><table><thead><tr>{heads}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        rows.collect::<String>()
    )
}
