//! Warns about stale data, that is, data measured with another version of the code. Prints one
//! message per machine, with the command that repeats the measurement.

use findings::data::{Data, MachineData, RunsFile};
use indexmap::IndexSet;
use measurement::Profile;

/// The maximum number of reasons to print per machine. Any further reasons are only counted.
const REASONS: usize = 2;

pub(crate) fn warnings(data: &Data) -> Vec<String> {
    data.machines.iter().filter_map(warning).collect()
}

fn warning(machine: &MachineData) -> Option<String> {
    let stale: Vec<&RunsFile> = machine.sources().filter(|file| is_stale(file)).collect();
    let reasons = stale.iter().flat_map(|file| &file.stale).map(String::as_str);
    let reasons: Vec<&str> = reasons.collect::<IndexSet<_>>().into_iter().collect();
    let (told, more) = reasons.split_at(reasons.len().min(REASONS));
    let more = match more.len() {
        0 => String::new(),
        1 => "; and one more reason".to_owned(),
        more => format!("; and {more} more reasons"),
    };
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
            told.join("; "),
            measure_again(machine),
        )
    })
}

fn is_stale(file: &RunsFile) -> bool {
    !file.stale.is_empty()
}

/// Returns the command that measures a machine's stale data again. If only some experiments of a
/// chapter are stale, the command names these.
fn measure_again(machine: &MachineData) -> String {
    let mut command = "cargo book measure".to_owned();
    let mut full = "";
    for (chapter, data) in &machine.chapters {
        let stale: Vec<&RunsFile> = data.sources.iter().filter(|file| is_stale(file)).collect();
        let last_runs = stale.iter().filter_map(|file| file.runs.last());
        if last_runs.map(|run| run.header.profile).any(|it| it == Profile::Full) {
            full = " --full";
        }
        if stale.len() == data.sources.len() {
            command += &format!(" {chapter}");
        } else {
            command.extend(stale.iter().map(|file| format!(" {chapter}/{}", file.experiment)));
        }
    }
    command += full;
    if !machine.is_local() {
        command += &format!(" --machine {}", machine.name());
    }
    command
}
