//! Warnings of stale data, measured with another tree: a message a machine, with what to do.

use std::collections::HashSet;

use mdbook_measured::data::{Data, MachineData, RunsFile};

use crate::again;

/// How many reasons are told of a machine.
const REASONS: usize = 2;

/// A message for each machine that has stale data.
pub(crate) fn warnings(data: &Data) -> Vec<String> {
    data.machines.iter().filter_map(warning).collect()
}

fn warning(machine: &MachineData) -> Option<String> {
    let is_stale = |file: &RunsFile| !file.stale.is_empty();
    let stale: Vec<&RunsFile> = machine.sources().filter(|file| is_stale(file)).collect();
    let mut seen = HashSet::new();
    let mut reasons: Vec<&str> =
        stale.iter().flat_map(|file| &file.stale).map(String::as_str).collect();
    reasons.retain(|reason| seen.insert(*reason));
    let more = match reasons.len().saturating_sub(REASONS) {
        0 => String::new(),
        more => format!("; and {more} more reasons"),
    };
    reasons.truncate(REASONS);
    let whose = if machine.is_local() {
        "your data".to_owned()
    } else {
        format!("the data of {}", machine.name())
    };
    (!stale.is_empty()).then(|| {
        format!(
            "{whose} are stale in {} of {} files: {}{more}.\n  \
             The pages say so. To measure again, on that machine: {}",
            stale.len(),
            machine.sources().count(),
            reasons.join("; "),
            again::command(machine, is_stale),
        )
    })
}
