//! Records an operation in this process, which exists only for this purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use measurement::statistics::median;
use recordings::recording::{Recorded, RecordedStep};

use crate::event::KernelEvent;
use crate::operations::{find_operations, FoundOperation, FoundOperations};
use crate::plan::{PlannedStep, RecordingPlan};
use crate::timeline::timeline;
use crate::tracepoints::Tracepoints;
use crate::unseen_switches::unseen_switches;

/// How many times each kind of measurement is repeated. The kinds take turns: without recording,
/// with few events, and with all events.
const TURNS: usize = 3;

/// The minimum length, in nanoseconds, of an operation that is recorded with the kernel's events.
/// Each event takes some 300 to 700 ns.
const SHORTEST: f64 = 5_000.0;

/// The largest share of operations that may be lost on a machine whose kernel doesn't report all
/// switches. If more are lost, the remaining ones may not be representative.
const MOST_LOST: f64 = 0.2;

/// Records an operation as described by `plan`. `run(n)` runs the code `n` times, with `per`
/// operations each, and returns how long that took. The lists in the result have one element
/// each.
pub fn record(
    plan: &RecordingPlan,
    per: u64,
    mut run: impl FnMut(u64) -> Result<Duration, String>,
) -> Result<Recorded, String> {
    if plan.steps.len() < 2 {
        return Err("the plan of a recording has no steps".to_owned());
    }
    let mut run = || run(plan.batch);
    run()?;
    let whole = ends(&plan.steps);
    let found = {
        let events = Tracepoints::open(whole.map(|of| of.until.kind))?.during(&mut run)?;
        find_operations(&events, &whole).operations
    };
    if found.is_empty() {
        return Err(none_found(plan, None));
    }
    let takes = median_of(&found.iter().collect::<Vec<_>>(), length);
    let stamps_only = takes < SHORTEST;
    let (steps, mut all) = if stamps_only {
        let stamps = plan.stamps().ok_or_else(|| {
            format!(
                "a {} takes {:.1} µs: under {} µs the kernel's events would be most of what is \
                 recorded, and the plan does not begin and end with stamps of the program's own",
                plan.operation,
                takes / 1e3,
                SHORTEST / 1e3
            )
        })?;
        (stamps, Tracepoints::open([])?)
    } else {
        (plan.steps.clone(), Tracepoints::open(plan.kinds())?)
    };
    let whole = ends(&steps);
    let mut few = Tracepoints::open(whole.map(|of| of.until.kind))?;
    let (mut unrecorded, mut of_few, mut turns) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        unrecorded.push(run()?.as_nanos() as f64 / (plan.batch * per) as f64);
        of_few.extend(find_operations(&few.during(&mut run)?, &whole).operations);
        let events = all.during(&mut run)?;
        let found = find_operations(&events, &steps);
        turns.push((events, found));
    }
    let mut ways: BTreeMap<Vec<usize>, Vec<(&[KernelEvent], &FoundOperation)>> = BTreeMap::new();
    for (events, FoundOperations { operations, .. }) in &turns {
        for operation in operations {
            ways.entry(operation.way()).or_default().push((events, operation));
        }
    }
    let total = ways.values().map(Vec::len).sum();
    if !plan.is_alike_on_all_cores {
        let lost = turns.iter().map(|(_, found)| found.lost).sum();
        let unseen = turns.iter().flat_map(|(events, _)| unseen_switches(events));
        are_seen(plan.operation, total, lost, unseen.collect())?;
    }
    let Some((way, mut usual)) =
        ways.into_iter().max_by_key(|(_, of)| of.len()).filter(|_| !of_few.is_empty())
    else {
        let unfinished = turns.iter().filter_map(|(_, found)| found.unfinished).max();
        return Err(none_found(plan, unfinished.map(|step| steps[step].name)));
    };
    usual.sort_by_key(|(_, operation)| operation.length());
    let (events, middle) = usual[usual.len() / 2];
    let usual: Vec<&FoundOperation> = usual.into_iter().map(|(_, operation)| operation).collect();
    // Uses the operations recorded with few events whose thread also began an operation recorded
    // with all events. If there are none, uses all.
    let wakers: BTreeSet<_> = usual.iter().map(|operation| operation.waker).collect();
    let (of_them, of_others): (Vec<_>, Vec<_>) =
        of_few.iter().partition(|operation| wakers.contains(&operation.waker));
    let of_few = if of_them.is_empty() { of_others } else { of_them };
    let mut before = steps[0].name;
    let step = |(place, &step): (usize, &usize)| {
        let until = steps[step].name;
        let name = format!("{} to {until}", std::mem::replace(&mut before, until));
        RecordedStep { name, took: vec![median_of(&usual, |of| of.steps[place].1 as f64)] }
    };
    Ok(Recorded {
        operation: plan.operation.to_owned(),
        stamps_only,
        steps: way.iter().enumerate().map(step).collect(),
        operations: usual.len(),
        others: total - usual.len(),
        lengths: vec![median_of(&usual, length)],
        events: vec![median_of(&usual, number_of_events)],
        few_lengths: vec![median_of(&of_few, length)],
        few_events: vec![median_of(&of_few, number_of_events)],
        unrecorded: if plan.is_apart { Vec::new() } else { vec![median(&unrecorded)] },
        shown: timeline(events, middle, &plan.parties),
    })
}

/// Returns the steps of a plan in which the whole operation is a single step.
fn ends(steps: &[PlannedStep]) -> [PlannedStep; 2] {
    [steps[0], PlannedStep { may_be_missing: false, ..steps[steps.len() - 1] }]
}

fn median_of(operations: &[&FoundOperation], figure: impl Fn(&FoundOperation) -> f64) -> f64 {
    median(&operations.iter().map(|operation| figure(operation)).collect::<Vec<_>>())
}

fn length(operation: &FoundOperation) -> f64 {
    operation.length() as f64
}

fn number_of_events(operation: &FoundOperation) -> f64 {
    (operation.last - operation.first + 1) as f64
}

/// Checks that the visible operations can represent all. They can't if many were lost because of
/// switches that the kernel didn't report; `unseen` has the core of each such switch. Operations
/// may also be lost for other reasons, for example because they begin again before they have
/// ended.
fn are_seen(operation: &str, found: usize, lost: usize, unseen: Vec<u32>) -> Result<(), String> {
    let all = found + lost;
    let is_much = lost as f64 > MOST_LOST * all as f64;
    if !is_much || 2 * unseen.len() < lost {
        return Ok(());
    }
    let mut by_core: BTreeMap<u32, usize> = BTreeMap::new();
    for core in unseen {
        *by_core.entry(core).or_default() += 1;
    }
    let cores = by_core.iter().map(|(core, switches)| format!("{switches} of core {core}"));
    let cores = cores.collect::<Vec<_>>().join(", ");
    Err(format!(
        "of {all} times a {operation} only {found} were seen to end, and these need not be like the others \
         (switches that the kernel did not tell of: {cores}): put who sleeps on a core that is seen"
    ))
}

/// Returns the error for a recording without a complete operation. `last` is the last step that
/// any operation reached.
fn none_found(plan: &RecordingPlan, last: Option<&str>) -> String {
    let last = match last {
        Some(step) => format!("none came further than {step:?}"),
        None => "none began and ended as its plan says".to_owned(),
    };
    format!("no {} was found among the events: {last}", plan.operation)
}

#[cfg(test)]
mod tests {
    use super::are_seen;

    #[test]
    fn what_a_blind_core_hides_makes_the_rest_no_sample() {
        let said = are_seen("hop", 450, 450, vec![1; 450]).unwrap_err();
        assert!(said.contains("of 900 times a hop only 450") && said.contains("450 of core 1"));
        // An operation that begins again is lost, but not because the kernel hides events.
        assert_eq!(are_seen("hop", 450, 450, Vec::new()), Ok(()));
        assert_eq!(are_seen("hop", 900, 20, vec![1; 20]), Ok(()));
    }
}
