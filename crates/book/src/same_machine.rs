//! Deciding if this computer is the machine of the existing runs. Another host with the same
//! processor counts as the same machine after a reboot, unless its idle cores are set differently;
//! any other difference is reported.

use std::fs;
use std::path::Path;

use anyhow::{Error, Result, bail, ensure};
use findings::data::LOCAL;
use findings::data::paths::{self, MACHINE};
use measurement::named_machine::NamedMachine;

/// Describes this computer under the names in `file`. Also returns the lines that are only in the
/// old (-) or the new description (+). Returns the plain description if there is no such file, and
/// an error if the processor or the idle settings differ, or if the file cannot be read.
pub(crate) fn described_anew(
    file: &Path,
    this: NamedMachine,
) -> Result<(NamedMachine, Vec<String>)> {
    if !file.exists() {
        return Ok((this, Vec::new()));
    }
    let text = paths::read(file);
    let file = file.display();
    let earlier = text.and_then(|text| NamedMachine::parse(&text)).map_err(|error| {
        Error::msg(format!("{file}:{error}: mend or remove it, then a run can be appended"))
    })?;
    ensure!(
        processor(&earlier) == processor(&this),
        "{file}: the runs there are of another processor, {:?}, and this computer's is {:?}: give its runs a \
         directory of their own, --machine NAME, or remove those that are there",
        processor(&earlier),
        processor(&this)
    );
    if let Some([theirs, ours]) = earlier.facts.idles_unlike(&this.facts) {
        bail!(
            "{file}: the runs there are of a machine with {theirs}, and this computer has {ours}, which changes what \
             a wake-up costs: set it as it was, give its runs a directory of their own, --machine NAME, or remove \
             those that are there"
        );
    }
    let this = NamedMachine { facts: this.facts, ..earlier.clone() };
    let lines = |of: &NamedMachine| -> Vec<String> {
        of.to_json().lines().map(|line| line.trim_end_matches(',').to_owned()).collect()
    };
    let [before, now] = [&earlier, &this].map(lines);
    let gone = before.iter().filter(|line| !now.contains(line)).map(|line| format!("-{line}"));
    let new = now.iter().filter(|line| !before.contains(line)).map(|line| format!("+{line}"));
    let differ = gone.chain(new).collect();
    Ok((this, differ))
}

/// Gives a new machine names that differ from those of the other directories below `data`. If one
/// of them has the same processor but other idle settings, the new machine gets its name plus the
/// behaviour of its own idle cores. Pages distinguish machines by their short names, so if a short
/// name is taken, the directory's name is appended after a comma.
pub(crate) fn with_own_names(data: &Path, mut this: NamedMachine) -> NamedMachine {
    let machines = fs::read_dir(data).into_iter().flatten().flatten();
    let others = machines.filter(|entry| entry.file_name() != LOCAL);
    let mut others: Vec<NamedMachine> = others
        .filter_map(|entry| {
            let text = paths::read(&entry.path().join(MACHINE)).ok()?;
            NamedMachine::parse(&text).ok()
        })
        .collect();
    others.sort_by(|one, other| one.facts.machine.cmp(&other.facts.machine));
    let differs = |other: &&NamedMachine| {
        processor(other) == processor(&this) && other.facts.idles_unlike(&this.facts).is_some()
    };
    if let Some((other, words)) = others.iter().find(differs).zip(this.facts.idle_cores()) {
        this.name = format!("{}, {words}", other.name);
        this.short = format!("{}, {words}", other.short);
    }
    if others.iter().any(|other| other.short == this.short) {
        this.short = format!("{}, {}", this.short, this.facts.machine);
    }
    this
}

/// Returns the number of processors of a machine, and their model.
fn processor(of: &NamedMachine) -> String {
    format!("{} × {}", of.facts.cpus, of.facts.cpu)
}
