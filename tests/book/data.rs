//! The committed data: every interval follows from its points. That estimates are medians, and that
//! rows are complete, is checked whenever they are read.

use mdbook_measured::data::paths::{runs_paths, RunsPath};
use measurement::{Measured, Run, Source};

use crate::common::{read, root};
use crate::BOOK;

#[test]
fn every_interval_is_what_its_points_give() {
    let mut checked = 0;
    for machine in BOOK.analysis.data.machines.iter().map(|machine| machine.name()) {
        let machine = root().join("data").join(machine);
        for RunsPath { path, is_of_recordings, .. } in runs_paths(&machine).unwrap() {
            if is_of_recordings {
                continue;
            }
            let file = path.strip_prefix(root()).unwrap().display();
            for run in Run::parse_all(&read(&path)).unwrap() {
                for row in &run.rows {
                    let Some(measured) = row.measured() else { continue };
                    let place = format!("{file}: {}, {}", run.header.run, row.name());
                    check_interval(&run, measured, &place);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 0);
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
    // A percentile over all windows may be outside the interval of its windows, which is then
    // extended.
    if source == Source::Histogram {
        (low, high) = (low.min(found.estimate), high.max(found.estimate));
    }
    let is_interval = near(found.low, low) && near(found.high, high);
    assert!(is_interval, "{place}: {} to {}, not {low} to {high}", found.low, found.high);
}
