//! Records a cell in this process, which is there for nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use measurement::statistics::median;

use super::operations::{find_operations, FoundOperation};
use super::event::{KernelEvent, ThreadId};
use super::plan::{Followed, RecordingPlan};
use super::process_recording::ProcessRecording;
use super::timeline::timeline;
use super::tracepoints::{Tracepoints, Wanted};
use super::unseen_switches::unseen_switches;

/// How often a process runs a batch without recording, with few events and with all of them, in turns.
const TURNS: usize = 3;

/// An operation that takes less than so many nanoseconds has no room for the kernel's events, each of which
/// takes some 300 to 700.
const SHORTEST: f64 = 5_000.0;

/// Which share of the operations that begin may be lost on their way where the kernel does not tell of
/// switches. Where more are, those that are found need not be like the others.
const MOST_LOST: f64 = 0.2;

/// Records what a plan asks for, of a batch whose operations each answer so and have so many of what is
/// recorded.
///
/// # Errors
///
/// Why it cannot be, and what to do.
pub fn record(
    plan: &RecordingPlan,
    per: u64,
    run: &mut dyn FnMut(u64) -> Result<Duration, String>,
) -> Result<ProcessRecording, String> {
    let mut run = || run(plan.batch);
    run()?;
    let whole =
        plan.followed().ok_or("the plan of a recording has no steps")?;
    let mut few = Tracepoints::open(Wanted::Ends(&whole.ends()))?;
    let (events, timed) = few.during(&mut run)?;
    timed?;
    let length = length_in_few(plan, &whole, &events)?;
    drop(few);
    let calls = plan.calls();
    let stamps_only = length < SHORTEST;
    let (followed, wanted) = if stamps_only {
        let stamps = plan.stamps().ok_or_else(|| {
            format!(
                "a {} takes {:.1} µs: under {} µs the kernel's events would be most of what is \
                 recorded, and the plan does not begin and end with stamps of the program's own",
                plan.operation,
                length / 1e3,
                SHORTEST / 1e3
            )
        })?;
        (stamps, Wanted::Stamps)
    } else {
        (whole, Wanted::All(&calls))
    };
    let mut few = Tracepoints::open(Wanted::Ends(&followed.ends()))?;
    let mut all = Tracepoints::open(wanted)?;
    let (begins, whole, steps) =
        (followed.begins(), followed.whole(), followed.steps());
    let (mut unrecorded, mut of_few, mut of_all) =
        (Vec::new(), Vec::new(), Vec::new());
    let mut unfinished = None;
    let (mut lost, mut unseen) = (0, BTreeMap::<u32, usize>::new());
    for _ in 0..TURNS {
        let timed = run()?;
        unrecorded
            .push(timed.as_nanos() as f64 / (plan.batch * per) as f64);
        let (events, timed) = few.during(&mut run)?;
        timed?;
        let found = find_operations(&events, begins, &whole);
        of_few.extend(found.operations);
        let (events, timed) = all.during(&mut run)?;
        timed?;
        let found = find_operations(&events, begins, &steps);
        unfinished = unfinished.max(found.unfinished);
        lost += found.lost;
        for (core, switches) in unseen_switches(&events) {
            *unseen.entry(core).or_default() += switches;
        }
        of_all.push((events, found.operations));
    }
    let mut ways: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for found in of_all.iter().flat_map(|(_, found)| found) {
        *ways.entry(found.way()).or_default() += 1;
    }
    let total: usize = ways.values().sum();
    if are_unseen(total, lost, &unseen) && !plan.is_alike_on_all_cores {
        return Err(too_many_lost(plan, (total, lost), &unseen));
    }
    let way = ways.iter().max_by_key(|(_, count)| **count).map(|(way, _)| way);
    let (Some(way), false) = (way, of_few.is_empty()) else {
        return Err(none_found(plan, &followed, unfinished));
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
    // Where those of others are not seen among all events, they do not count among few.
    let wakers: BTreeSet<ThreadId> =
        usual.iter().map(|(_, operation)| operation.waker).collect();
    let is_of_them =
        |operation: &FoundOperation| wakers.contains(&operation.waker);
    if of_few.iter().any(is_of_them) {
        of_few.retain(is_of_them);
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
    let names = followed.step_names(way).into_iter().enumerate();
    let steps = names.map(|(place, name)| {
        (name, of_usual(&|operation| operation.steps[place].1 as f64))
    });
    let of_few = |figure: &dyn Fn(&FoundOperation) -> f64| {
        median(&of_few.iter().map(figure).collect::<Vec<_>>())
    };
    Ok(ProcessRecording {
        stamps_only,
        steps: steps.collect(),
        operations: usual.len(),
        others: total - usual.len(),
        length: of_usual(&length),
        events: of_usual(&events),
        few_length: of_few(&length),
        few_events: of_few(&events),
        unrecorded: (!plan.is_apart).then(|| median(&unrecorded)),
        shown: timeline(&of_all[turn].0, middle, &plan.parties),
    })
}

/// How long an operation is of which only the two ends are recorded: the median, in nanoseconds.
fn length_in_few(
    plan: &RecordingPlan,
    followed: &Followed<'_>,
    events: &[KernelEvent],
) -> Result<f64, String> {
    let found = find_operations(events, followed.begins(), &followed.whole());
    let lengths: Vec<f64> =
        found.operations.iter().map(|of| of.length() as f64).collect();
    if lengths.is_empty() {
        return Err(none_found(plan, followed, None));
    }
    Ok(median(&lengths))
}

/// Whether so many operations are lost for switches that the kernel did not tell of that those which were
/// found need not be like the others. Others are lost as well, such as what begins anew.
fn are_unseen(
    found: usize,
    lost: usize,
    unseen: &BTreeMap<u32, usize>,
) -> bool {
    let is_much = lost as f64 > MOST_LOST * (found + lost) as f64;
    is_much && 2 * unseen.values().sum::<usize>() >= lost
}

/// Says on which cores the kernel did not tell of switches.
fn too_many_lost(
    plan: &RecordingPlan,
    (found, lost): (usize, usize),
    unseen: &BTreeMap<u32, usize>,
) -> String {
    let (operation, all) = (&plan.operation, found + lost);
    let cores = unseen
        .iter()
        .map(|(core, switches)| format!("{switches} of core {core}"));
    let cores = cores.collect::<Vec<_>>().join(", ");
    format!(
        "of {all} times a {operation} only {found} were seen to end, and these need not be like the others \
         (switches that the kernel did not tell of: {cores}): put who sleeps on a core that is seen"
    )
}

/// Says of operations that did not end how far they came.
fn none_found(
    plan: &RecordingPlan,
    followed: &Followed<'_>,
    unfinished: Option<usize>,
) -> String {
    let last = match unfinished {
        Some(step) => {
            format!(": none came further than {:?}", followed.name_of(step))
        }
        None => ": none began and ended as its plan says".to_owned(),
    };
    format!("no {} was found among the events{last}", plan.operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_blind_core_hides_makes_the_rest_no_sample() {
        let of_core = |switches| BTreeMap::from([(1, switches)]);
        assert!(are_unseen(450, 450, &of_core(450)));
        // Those that begin anew are lost, and nothing is hidden.
        assert!(!are_unseen(450, 450, &BTreeMap::new()));
        assert!(!are_unseen(900, 20, &of_core(20)));
    }
}
