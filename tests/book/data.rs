//! Checks the data in the repository: every interval follows from its measurements. (The code
//! that reads data already checks that estimates are medians, and that rows are complete.)

use findings::data::paths::{runs_paths, RunsPath};
use measurement::{Measured, Run, Source};

use crate::common::{read, root};
use crate::BOOK;

/// The beginning of the name of a machine's directory, followed by the name, the family and the
/// model of its processor.
const PROCESSORS: [(&str, &str); 4] = [
    ("epyc-zen3-", "AMD EPYC, family 25, model 1"),
    ("epyc-zen4-", "AMD EPYC, family 25, model 17"),
    ("epyc-zen5-", "AMD EPYC, family 26, model 2"),
    ("xeon-emr-", "Intel(R) Xeon(R) Processor, family 6, model 207"),
];

/// Runs don't record the processor, so this is the only check that would notice if the
/// descriptions of two machines were swapped.
#[test]
fn a_machine_is_what_its_directory_says() {
    for machine in &BOOK.analysis.data.machines {
        let facts = &machine.machine.facts;
        let known = PROCESSORS.iter().find(|(begins, _)| machine.name().starts_with(begins));
        let (_, processor) = known.expect("a new kind of machine is added to PROCESSORS");
        let place = format!("data/{}/machine.json", machine.name());
        assert_eq!(facts.cpu, *processor, "{place}");
        assert!(
            machine.name().ends_with(&format!("-{}", facts.cpus)),
            "{place}: {} CPUs",
            facts.cpus
        );
        let vendor = machine.machine.short.split(',').next().unwrap();
        assert!(facts.cpu.contains(vendor), "{place}: {vendor}");
    }
}

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
    // The percentile over all latencies may lie outside the interval that is computed from the
    // percentiles of separate time windows. In that case, the interval is extended to include it.
    if source == Source::Histogram {
        (low, high) = (low.min(found.estimate), high.max(found.estimate));
    }
    let is_interval = near(found.low, low) && near(found.high, high);
    assert!(is_interval, "{place}: {} to {}, not {low} to {high}", found.low, found.high);
}
