//! Records a cell in this process, which is there for nothing else.

use std::collections::BTreeMap;

use measurement::statistics::median;

use super::find_operations::{find_operations, FoundOperation, Sought};
use super::plan::RecordingPlan;
use super::process_recording::ProcessRecording;
use super::thread_history::timeline;
use super::tracepoints::{Tracepoints, Wanted};
use crate::batch::Batch;

/// How often a process runs a batch without recording, with few events and with all of them, in turns.
const TURNS: usize = 3;

/// Records what a plan asks for, of a batch whose operations each answer so and have so many of what is
/// recorded.
///
/// # Errors
///
/// Why it cannot be, and what to do.
pub(crate) fn record(
    plan: &RecordingPlan,
    batch: &mut dyn Batch,
    answer: u64,
    per: u64,
) -> Result<ProcessRecording, String> {
    let calls = plan.calls();
    let (begins, last) =
        plan.ends().ok_or("the plan of a recording has no steps")?;
    let ends = [begins, last];
    let mut few = Tracepoints::open(Wanted::Ends(&ends))?;
    let mut all = Tracepoints::open(Wanted::All(&calls))?;
    let whole = [Sought { until: last, may_be_missing: false }];
    let steps: Vec<Sought> = plan
        .steps
        .iter()
        .map(|step| Sought {
            until: step.until.moment,
            may_be_missing: step.may_be_missing,
        })
        .collect();
    let mut run = || batch.run(plan.batch).checked(answer);
    run()?;
    let (mut unrecorded, mut of_few, mut of_all) =
        (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let timed = run()?;
        unrecorded
            .push(timed.elapsed.as_nanos() as f64 / (plan.batch * per) as f64);
        let (events, timed) = few.during(&mut run)?;
        timed?;
        of_few.extend(find_operations(&events, begins, &whole));
        let (events, timed) = all.during(&mut run)?;
        timed?;
        let found = find_operations(&events, begins, &steps);
        of_all.push((events, found));
    }
    let mut ways: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for found in of_all.iter().flat_map(|(_, found)| found) {
        *ways.entry(found.way()).or_default() += 1;
    }
    let total: usize = ways.values().sum();
    let way = ways.iter().max_by_key(|(_, count)| **count).map(|(way, _)| way);
    let (Some(way), false) = (way, of_few.is_empty()) else {
        return Err(format!(
            "no {} was found among the events: none began and ended as its plan says",
            plan.operation
        ));
    };
    let mut usual: Vec<(usize, &FoundOperation)> = Vec::new();
    for (turn, (_, found)) in of_all.iter().enumerate() {
        usual.extend(
            found
                .iter()
                .filter(|found| found.way() == *way)
                .map(|found| (turn, found)),
        );
    }
    usual.sort_by_key(|(_, operation)| operation.length());
    let (turn, middle) = usual[usual.len() / 2];
    let of_usual = |figure: &dyn Fn(&FoundOperation) -> f64| {
        median(
            &usual
                .iter()
                .map(|(_, operation)| figure(operation))
                .collect::<Vec<_>>(),
        )
    };
    let length = |operation: &FoundOperation| operation.length() as f64;
    let events = |operation: &FoundOperation| operation.events as f64;
    let names = plan.step_names(way).into_iter().enumerate();
    let steps = names.map(|(place, name)| {
        (name, of_usual(&|operation| operation.steps[place].1 as f64))
    });
    let of_few = |figure: &dyn Fn(&FoundOperation) -> f64| {
        median(&of_few.iter().map(figure).collect::<Vec<_>>())
    };
    Ok(ProcessRecording {
        steps: steps.collect(),
        operations: usual.len(),
        others: total - usual.len(),
        length: of_usual(&length),
        events: of_usual(&events),
        few_length: of_few(&length),
        few_events: of_few(&events),
        unrecorded: median(&unrecorded),
        shown: timeline(&of_all[turn].0, middle, &plan.parties),
    })
}
