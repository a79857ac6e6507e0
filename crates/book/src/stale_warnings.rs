//! Warnings of stale data, measured with another tree: a message a machine, with what to do.

use mdbook_measured::data::runs_file::RunsFile;
use mdbook_measured::data::{Data, MachineData};

use crate::again;

/// How many reasons are told of a machine.
const REASONS: usize = 2;

/// A message for each machine that has stale data.
pub fn warnings(data: &Data) -> Vec<String> {
    data.machines.iter().filter_map(warning).collect()
}

fn warning(machine: &MachineData) -> Option<String> {
    let is_stale = |source: &RunsFile| !source.stale.is_empty();
    let stale: Vec<&RunsFile> = machine.sources().filter(|source| is_stale(source)).collect();
    if stale.is_empty() {
        return None;
    }
    let mut reasons: Vec<&str> = Vec::new();
    for reason in stale.iter().flat_map(|source| &source.stale) {
        if !reasons.contains(&reason.as_str()) {
            reasons.push(reason);
        }
    }
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
    Some(format!(
        "{whose} are stale in {} of {} files: {}{more}.\n  \
         The pages say so. To measure again, on that machine: {}",
        stale.len(),
        machine.sources().count(),
        reasons.join("; "),
        again::command(machine, is_stale),
    ))
}
