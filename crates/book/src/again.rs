//! What to measure again on a machine: the command for it.

use mdbook_measured::data::MachineData;
use mdbook_measured::data::runs_file::RunsFile;
use measurement::Profile;

/// The command that measures again what stands in these files of a machine, on that machine.
pub(crate) fn command(machine: &MachineData, is_meant: impl Fn(&RunsFile) -> bool) -> String {
    let is_full =
        |source: &RunsFile| source.last().is_some_and(|run| run.header.profile == Profile::Full);
    let full = machine.sources().any(|source| is_meant(source) && is_full(source));
    let full = if full { " --full" } else { "" };
    let there =
        if machine.is_local() { String::new() } else { format!(" --machine {}", machine.name()) };
    format!("cargo book measure {}{full}{there}", names(machine, is_meant).join(" "))
}

/// The chapters, and where only some of a chapter's experiments are meant, these.
fn names(machine: &MachineData, is_meant: impl Fn(&RunsFile) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    for (chapter, data) in &machine.chapters {
        let meant: Vec<&RunsFile> = data.sources.iter().filter(|file| is_meant(file)).collect();
        if meant.len() == data.sources.len() {
            names.push(chapter.clone());
        } else {
            names.extend(meant.iter().map(|file| format!("{chapter}/{}", file.experiment)));
        }
    }
    names
}
