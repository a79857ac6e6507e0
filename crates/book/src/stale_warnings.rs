//! Warnings of stale data, measured with another tree: a message a machine, with what to do.

use mdbook_measured::data::{Data, MachineData};
use mdbook_measured::runs_file::RunsFile;
use measurement::Profile;

/// How many reasons are told of a machine.
const REASONS: usize = 2;

/// A message for each machine that has stale data.
pub fn warnings(data: &Data) -> Vec<String> {
    data.machines.iter().filter_map(warning).collect()
}

fn warning(machine: &MachineData) -> Option<String> {
    let all = || machine.chapters.values().flat_map(|chapter| &chapter.sources);
    let is_stale = |source: &&RunsFile| !source.stale.is_empty();
    let stale: Vec<&RunsFile> = all().filter(is_stale).collect();
    if stale.is_empty() {
        return None;
    }
    let mut reasons: Vec<String> = Vec::new();
    for reason in stale.iter().flat_map(|source| &source.stale).map(ToString::to_string) {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let more = match reasons.len().saturating_sub(REASONS) {
        0 => String::new(),
        more => format!("; and {more} more reasons"),
    };
    reasons.truncate(REASONS);
    let is_full =
        |source: &&RunsFile| source.last().is_some_and(|run| run.header.profile == Profile::Full);
    let full = if stale.iter().any(is_full) { " --full" } else { "" };
    let name = machine.name();
    let (whose, there) = if machine.is_local() {
        ("your data".to_owned(), String::new())
    } else {
        (format!("the data of {name}"), format!(" --machine {name}"))
    };
    Some(format!(
        "{whose} are stale in {} of {} files: {}{more}.\n  \
         The pages say so. To measure again, on that machine: cargo book measure {}{full}{there}",
        stale.len(),
        all().count(),
        reasons.join("; "),
        to_measure(machine).join(" "),
    ))
}

/// What is to be measured again: chapters, and where some of a chapter's experiments are up to date,
/// the others.
fn to_measure(machine: &MachineData) -> Vec<String> {
    let mut names = Vec::new();
    for (chapter, data) in &machine.chapters {
        let is_stale = |source: &&RunsFile| !source.stale.is_empty();
        let stale: Vec<&RunsFile> = data.sources.iter().filter(is_stale).collect();
        let experiments: Option<Vec<&String>> =
            stale.iter().map(|source| source.experiment.as_ref()).collect();
        match experiments {
            Some(experiments) if experiments.len() < data.sources.len() => {
                names.extend(experiments.iter().map(|name| format!("{chapter}/{name}")));
            }
            _ => names.push(chapter.clone()),
        }
    }
    names
}
