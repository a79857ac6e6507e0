//! A cell's recording, put together from what several processes recorded.

use std::collections::BTreeMap;

use recordings::recording::{Recorded, RecordedStep};

use super::process_recording::ProcessRecording;

/// How many processes record a cell: an odd number, so that one has the median.
pub const PROCESSES: usize = 5;

/// Puts together what processes recorded. Where operations went through other steps in some of them,
/// those of the other processes count.
///
/// # Errors
///
/// If fewer than half of the processes agree on the steps.
pub fn put_together(
    operation: &str,
    processes: Vec<ProcessRecording>,
) -> Result<Recorded, String> {
    let all = processes.len();
    let mut ways: BTreeMap<(bool, Vec<String>), Vec<ProcessRecording>> =
        BTreeMap::new();
    for process in processes {
        let names = process.steps.iter().map(|(name, _)| name.clone());
        let way = (process.stamps_only, names.collect());
        ways.entry(way).or_default().push(process);
    }
    let usual = ways.into_iter().max_by_key(|(_, of)| of.len());
    let Some(((stamps_only, way), processes)) =
        usual.filter(|(_, of)| 2 * of.len() > all)
    else {
        return Err(format!(
            "no half of the {all} processes went through the same steps: let steps be missing that are not \
             always there, or pin the threads"
        ));
    };
    let list = |figure: fn(&ProcessRecording) -> f64| {
        processes.iter().map(figure).collect::<Vec<_>>()
    };
    let lengths = list(|process| process.length);
    let shown = Recorded::median_process(&lengths)
        .expect("half of the processes are some");
    let steps = way.into_iter().enumerate().map(|(place, name)| RecordedStep {
        name,
        took: processes.iter().map(|process| process.steps[place].1).collect(),
    });
    Ok(Recorded {
        operation: operation.to_owned(),
        stamps_only,
        operations: processes.iter().map(|process| process.operations).sum(),
        others: processes.iter().map(|process| process.others).sum(),
        events: list(|process| process.events),
        few_lengths: list(|process| process.few_length),
        few_events: list(|process| process.few_events),
        unrecorded: processes.iter().filter_map(|of| of.unrecorded).collect(),
        steps: steps.collect(),
        shown: processes[shown].shown.clone(),
        lengths,
    })
}
