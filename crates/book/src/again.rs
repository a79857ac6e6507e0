//! What to measure again on a machine: the command for it.

use mdbook_measured::data::{MachineData, RunsFile};
use measurement::Profile;

/// The command that measures again what stands in these files of a machine, on that machine. Where only some of
/// a chapter's experiments are meant, it names these.
pub(crate) fn command(machine: &MachineData, is_meant: impl Fn(&RunsFile) -> bool) -> String {
    let mut command = "cargo book measure".to_owned();
    let mut full = "";
    for (chapter, data) in &machine.chapters {
        let meant: Vec<&RunsFile> = data.sources.iter().filter(|file| is_meant(file)).collect();
        let is_full = |file: &&RunsFile| {
            file.runs.last().is_some_and(|run| run.header.profile == Profile::Full)
        };
        if meant.iter().any(is_full) {
            full = " --full";
        }
        if meant.len() == data.sources.len() {
            command += &format!(" {chapter}");
        } else {
            command.extend(meant.iter().map(|file| format!(" {chapter}/{}", file.experiment)));
        }
    }
    command += full;
    if !machine.is_local() {
        command += &format!(" --machine {}", machine.name());
    }
    command
}
