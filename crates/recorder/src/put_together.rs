//! Combines the recordings that several processes made of one operation.

use std::collections::BTreeMap;

use recordings::recording::Recorded;

/// The number of processes that record an operation. It is odd so that one process has the
/// median.
pub const PROCESSES: usize = 5;

/// Combines the recordings of several processes. Leaves out the processes whose operations went
/// through unusual steps.
///
/// Fails unless more than half of the processes agree on the steps.
pub fn put_together(processes: Vec<Recorded>) -> Result<Recorded, String> {
    let all = processes.len();
    let mut ways: BTreeMap<_, Vec<Recorded>> = BTreeMap::new();
    for process in processes {
        let names = process.steps.iter().map(|step| step.name.clone());
        let way = (process.stamps_only, names.collect::<Vec<_>>());
        ways.entry(way).or_default().push(process);
    }
    let usual = ways.into_values().max_by_key(Vec::len).filter(|of| 2 * of.len() > all);
    let join = |mut whole: Recorded, process: Recorded| {
        whole.operations += process.operations;
        whole.others += process.others;
        whole.lengths.extend(process.lengths);
        whole.events.extend(process.events);
        whole.few_lengths.extend(process.few_lengths);
        whole.few_events.extend(process.few_events);
        whole.unrecorded.extend(process.unrecorded);
        for (step, more) in whole.steps.iter_mut().zip(process.steps) {
            step.took.extend(more.took);
        }
        whole
    };
    let mut timelines: Vec<_> = usual.iter().flatten().map(|of| of.shown.clone()).collect();
    let Some(whole) = usual.into_iter().flatten().reduce(join) else {
        return Err(format!(
            "no half of the {all} processes went through the same steps: let steps be missing that are not \
             always there, or pin the threads"
        ));
    };
    let shown = timelines.swap_remove(whole.median_process());
    Ok(Recorded { shown, ..whole })
}
