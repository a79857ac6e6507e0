//! The committed data: every interval is what its points give, and every percentile that of the histograms that
//! are kept beside it. That estimates are medians, and that rows have all they need, is asked whenever they are read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use ::book::histograms;
use mdbook_measured::data::paths::{histograms_file, runs_paths, RunsPath};
use measurement::statistics::median;
use measurement::{Latencies, Measured, Run, Source};

use crate::common::{read, root};
use crate::BOOK;

const PERCENTILES: [(&str, f64); 4] =
    [("latency p50", 0.5), ("latency p99", 0.99), ("latency p99.9", 0.999), ("latency max", 1.0)];

/// What tells the cells of all runs of an experiment apart.
type Cell = (String, String, String, bool);

#[test]
fn every_figure_is_what_its_points_give() {
    let mut checked = [0; 2];
    for machine in BOOK.analysis.data.machines.iter().map(|machine| machine.name()) {
        let machine = root().join("data").join(machine);
        for RunsPath { path, chapter, experiment, is_of_recordings } in runs_paths(&machine) {
            if is_of_recordings {
                continue;
            }
            let file = path.strip_prefix(root()).unwrap().display();
            let kept = match fs::read(machine.join(histograms_file(&chapter, &experiment))) {
                Ok(gzip) => histograms::read(&gzip).unwrap_or_else(|it| panic!("{file}: {it}")),
                Err(_) => Vec::new(),
            };
            let count = kept.len();
            let cells = kept.into_iter().map(|of| {
                let cell = (of.run, of.contender, of.parameters.to_string(), of.twin_of.is_some());
                (cell, of.histogram)
            });
            let kept: BTreeMap<Cell, Vec<Latencies>> = cells.collect();
            assert_eq!(kept.len(), count, "{file}: a cell's histograms are kept twice");
            let mut used = BTreeSet::new();
            for run in Run::parse_all(&read(&path)).unwrap() {
                for row in &run.rows {
                    let Some(measured) = row.measured() else { continue };
                    let place = format!("{file}: {}, {}", run.header.run, row.name());
                    check_interval(&run, measured, &place);
                    let is_kept_beside = measured.window.iter().all(|of| of.histogram.is_empty());
                    assert!(is_kept_beside, "{place}: histograms stand among the rows");
                    checked[0] += 1;
                    let share = PERCENTILES.iter().find(|(quantity, _)| row.quantity == *quantity);
                    let Some((_, share)) = share.filter(|_| run.is_of_all_windows(row)) else {
                        continue;
                    };
                    let (run, contender) = (run.header.run.clone(), row.contender.clone());
                    let cell = (run, contender, row.parameters.to_string(), row.twin_of.is_some());
                    let Some(of) = kept.get(&cell) else {
                        // Whoever tells medians alone may keep no histograms at all: each is that of its windows.
                        let none_are_kept = kept.is_empty() && *share == 0.5;
                        assert!(none_are_kept, "{place} has no histograms");
                        let median = median(&measured.points);
                        assert_eq!(measured.estimate, median, "{place} has no histograms");
                        continue;
                    };
                    let of_visits: Vec<f64> = of.iter().map(|of| five_digits(of, *share)).collect();
                    assert_eq!(measured.points, of_visits, "{place}");
                    let all = five_digits(&Latencies::together(of).unwrap(), *share);
                    assert_eq!(measured.estimate, all, "{place}");
                    used.insert(cell);
                    checked[1] += 1;
                }
            }
            let unused: Vec<_> = kept.keys().filter(|cell| !used.contains(*cell)).collect();
            assert!(unused.is_empty(), "{file}: no percentile is of {unused:?}");
        }
    }
    assert!(checked.iter().all(|&count| count > 0), "{checked:?}");
}

/// As the harness rounds what a visit found.
fn five_digits(histogram: &Latencies, share: f64) -> f64 {
    format!("{:.4e}", histogram.at_share(share) as f64).parse().unwrap()
}

fn check_interval(run: &Run, found: &Measured, place: &str) {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let (points, source) = (found.points.clone(), found.source);
    let Measured { mut low, mut high, .. } = match &found.visits {
        Some(visits) => {
            Measured::of_visits(points, visits.clone(), run.header.rounds.unwrap_or(1), source)
        }
        None => Measured::from_points(points, run.header.processes, source),
    };
    // A percentile over all windows need not lie within the interval of its windows, which is stretched.
    if source == Source::Histogram {
        (low, high) = (low.min(found.estimate), high.max(found.estimate));
    }
    let is_interval = near(found.low, low) && near(found.high, high);
    assert!(is_interval, "{place}: {} to {}, not {low} to {high}", found.low, found.high);
}
