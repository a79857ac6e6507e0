//! The percentiles in the data are those of the histograms that are kept beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use ::book::histograms::{self, CellHistograms};
use mdbook_measured::data::paths::{histograms_file, runs_paths, RunsPath};
use measurement::statistics::median;
use measurement::{Latencies, Row, Run};

const PERCENTILES: [(&str, f64); 4] =
    [("latency p50", 0.5), ("latency p99", 0.99), ("latency p99.9", 0.999), ("latency max", 1.0)];

/// As the harness rounds what a visit found.
fn five_digits(value: u64) -> f64 {
    format!("{:.4e}", value as f64).parse().unwrap()
}

/// What tells the cells of all runs of an experiment apart.
type Cell = (String, String, String, bool);

/// Whether a percentile is that of its histograms, the run's over all of them together.
fn check(row: &Row, share: f64, histograms: &[Latencies]) {
    let measured = row.measured().unwrap();
    let of_visits: Vec<f64> = histograms.iter().map(|of| five_digits(of.at_share(share))).collect();
    assert_eq!(measured.points, of_visits, "{}", row.name());
    let all = Latencies::together(histograms).unwrap();
    assert_eq!(measured.estimate, five_digits(all.at_share(share)), "{}", row.name());
}

#[test]
fn every_percentile_is_that_of_its_run_s_histograms() {
    let mut checked = 0;
    for machine in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("data")).unwrap() {
        let machine = machine.unwrap().path();
        if machine.ends_with("local") {
            continue;
        }
        for RunsPath { path, chapter, experiment, is_of_recordings } in runs_paths(&machine) {
            if is_of_recordings {
                continue;
            }
            let file = path.display();
            let beside = machine.join(histograms_file(&chapter, &experiment));
            let kept = match fs::read(&beside) {
                Ok(gzip) => {
                    histograms::read(&gzip).unwrap_or_else(|error| panic!("{file}: {error}"))
                }
                Err(_) => Vec::new(),
            };
            let (count, mut used) = (kept.len(), BTreeSet::new());
            let of_cell = |of: CellHistograms| {
                let twin = of.twin_of.is_some();
                ((of.run, of.contender, of.parameters.to_string(), twin), of.histogram)
            };
            let kept: BTreeMap<Cell, Vec<Latencies>> = kept.into_iter().map(of_cell).collect();
            assert_eq!(kept.len(), count, "{file}: a cell's histograms are kept twice");
            for run in Run::parse_all(&fs::read_to_string(&path).unwrap()).unwrap() {
                for window in run.rows.iter().filter_map(|row| row.measured()?.window.as_ref()) {
                    assert!(window.histogram.is_empty(), "{file}: histograms stand among the rows");
                }
                for row in run.rows.iter().filter(|row| !run.is_of_all_windows(row)) {
                    if let Some(measured) = row.measured() {
                        let (estimate, middle) = (measured.estimate, median(&measured.points));
                        let is_it = (estimate - middle).abs() <= 1e-6 * middle.abs();
                        assert!(is_it, "{file}: {}: {estimate}, not {middle}", row.name());
                    }
                }
                for (quantity, share) in PERCENTILES {
                    for row in run.rows.iter().filter(|row| row.quantity == quantity) {
                        if !run.is_of_all_windows(row) {
                            continue;
                        }
                        let (contender, setting) =
                            (row.contender.clone(), row.parameters.to_string());
                        let cell =
                            (run.header.run.clone(), contender, setting, row.twin_of.is_some());
                        let histograms = kept.get(&cell);
                        check(
                            row,
                            share,
                            histograms.unwrap_or_else(|| panic!("{file}: {cell:?} has none")),
                        );
                        used.insert(cell);
                        checked += 1;
                    }
                }
            }
            let unused: Vec<_> = kept.keys().filter(|cell| !used.contains(*cell)).collect();
            assert!(unused.is_empty(), "{file}: no percentile is of {unused:?}");
        }
    }
    assert!(checked > 0, "there are no percentiles");
}
