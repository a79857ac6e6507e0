//! What one run promises of the next one, by the interval that its own visits give: an exhibit of how
//! benchmarks lie, computed from all runs that are shown.

use std::collections::HashMap;

use measurement::statistics::median;
use measurement::{Row, Run, Source, Tried};

use crate::data::{Data, label};
use crate::html::escape;
use crate::trials::{Trial, TriedRow};

/// Runs of an experiment on a machine, each held against the one before it.
#[derive(Debug, PartialEq)]
struct Successions {
    /// Of each two runs that follow each other: the share of the rows whose later estimate lies in the
    /// earlier run's own interval, 0 to 1.
    inside: Vec<f64>,
    /// How many rows were compared, in all pairs of runs.
    rows: usize,
}

impl Successions {
    /// `None` of fewer than two runs, or where they have no row in common.
    fn of(runs: &[&Run]) -> Option<Successions> {
        let mut all = Successions { inside: Vec::new(), rows: 0 };
        for pair in runs.windows(2) {
            let later: HashMap<String, &Row> =
                pair[1].rows.iter().map(|row| (row.name(), row)).collect();
            let held: Vec<bool> =
                pair[0].rows.iter().filter_map(|row| is_confirmed(row, &later)).collect();
            if held.is_empty() {
                continue;
            }
            let inside = held.iter().filter(|is_inside| **is_inside).count();
            all.inside.push(inside as f64 / held.len() as f64);
            all.rows += held.len();
        }
        (!all.inside.is_empty()).then_some(all)
    }
}

/// Whether the estimate of a later run, whose rows are given by their names, lies in the interval of a row of
/// one run, both as they stand in the file; `None` if one of them has no such time.
fn is_confirmed(row: &Row, later: &HashMap<String, &Row>) -> Option<bool> {
    let expected = row.measured().filter(|measured| measured.source == Source::Criterion)?;
    let found = later.get(&row.name())?.measured()?;
    let interval = expected.interval();
    Some((interval.low..=interval.high).contains(&found.estimate))
}

/// The share of the rows of criterion that lie in the interval that all other runs give, 0 to 1; `None` if there
/// are none.
fn inside_ours(rows: &[TriedRow]) -> Option<f64> {
    let tried = rows.iter().filter(|row| row.source == Source::Criterion).map(|row| row.tried);
    let tried: Vec<Tried> = tried.collect();
    let inside = tried.iter().filter(|tried| tried.is_inside()).count();
    (!tried.is_empty()).then(|| inside as f64 / tried.len() as f64)
}

/// A table: how often the next run kept what one run promised, beside what the book's intervals do, of which
/// each run that is shown is a trial: the last one of each experiment is among the `trials`.
pub(crate) fn table(data: &Data, trials: &[Trial]) -> String {
    let percent = |share: f64| format!("{:.0}\u{a0}%", share * 100.0);
    let worst = |shares: &[f64]| shares.iter().copied().fold(1.0, f64::min);
    let mut rows = String::new();
    for machine in &data.machines {
        for (chapter, of_chapter) in &machine.chapters {
            for source in of_chapter.sources.iter().filter(|source| source.has_several()) {
                let Some(experiment) = &source.experiment else { continue };
                let runs: Vec<&Run> = source.shown.iter().map(|&run| &source.runs[run]).collect();
                let Some(successions) = Successions::of(&runs) else { continue };
                let named = format!("{chapter}/{experiment}");
                let is_it =
                    |trial: &&Trial| trial.machine == machine.name() && trial.experiment == named;
                let last = trials.iter().find(is_it).map_or(&[][..], |trial| &trial.rows);
                let earlier = source.shown[..source.shown.len() - 1].iter().map(|&run| {
                    let held = data.hold_out(machine, chapter, source, run);
                    inside_ours(&TriedRow::all(&held).0)
                });
                let ours: Vec<f64> = earlier.chain([inside_ours(last)]).flatten().collect();
                let ours = if ours.is_empty() { vec![f64::NAN] } else { ours };
                let cells = [
                    format!("{named}, {}", label(machine.name())),
                    runs.len().to_string(),
                    (successions.rows / successions.inside.len()).to_string(),
                    percent(median(&successions.inside)),
                    percent(worst(&successions.inside)),
                    percent(median(&ours)),
                    percent(worst(&ours)),
                ];
                let cells = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell)));
                rows += &format!("<tr>{}</tr>\n", cells.collect::<String>());
            }
        }
    }
    let heads =
        ["experiment", "runs", "rows", "inside one run's", "at worst", "inside ours", "at worst"];
    let heads: String = heads.iter().map(|head| format!("<th>{head}</th>")).collect();
    format!(
        "\n<div class=\"table-wrapper\"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of two cells with these medians, whose visits scatter by a hundredth.
    fn run(hour: u32, medians: [f64; 2]) -> Run {
        let row = |(contender, median): (&str, f64)| {
            let points: Vec<f64> =
                (0..6).map(|place| median * (1.0 + 0.002 * f64::from(place))).collect();
            let (low, high) = (median, median * 1.01);
            format!(
                r#"{{"experiment":"hops","contender":"{contender}","parameters":{{}},"quantity":"time per hop","unit":"ns","estimate":{},"low":{low},"high":{high},"points":{points:?},"source":"criterion"}}"#,
                measurement::statistics::median(&points)
            )
        };
        let rows: Vec<String> = ["smol", "rayon"].into_iter().zip(medians).map(row).collect();
        let header = format!(
            r#"{{"run":"2026-11-30T{hour}:12:00Z","machine":"m","chapter":"c","experiment":"hops","profile":"full","commit":"","method":3,"workload":"a","build":"b","builds":[7,8],"rustc":"1.95.0","crates":{{}},"load":0.0,"processes":2,"rounds":1}}"#
        );
        Run::parse(&format!("{header}\n{}\n", rows.join("\n"))).unwrap()
    }

    #[test]
    fn each_run_is_held_against_the_one_before_it() {
        let runs = [run(10, [5.0, 7.0]), run(11, [5.0, 8.0]), run(12, [5.0, 8.0])];
        let successions = Successions::of(&runs.iter().collect::<Vec<_>>()).unwrap();
        assert_eq!(successions, Successions { inside: vec![0.5, 1.0], rows: 4 });
        assert_eq!(Successions::of(&[&runs[0]]), None);
    }
}
