//! Decides if this computer is the machine that made the existing runs. Another host with the
//! same processor is treated as the same machine; any other difference is reported.

use std::fs;
use std::path::Path;

use anyhow::{Error, Result, ensure};
use findings::data::LOCAL;
use findings::data::paths::{self, MACHINE};
use measurement::named_machine::NamedMachine;

/// Describes this computer under the names that `file`, a machine.json, contains. Also returns
/// the lines that are only in the old description (-) or only in the new one (+). If there is no
/// such file, returns `this` unchanged. Fails if the processor differs, or if the file can't be
/// read.
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

/// Gives a new machine a short name that no other machine below `data` has, because pages
/// distinguish machines by short names. If the name is taken, the name of the machine's directory
/// is appended.
pub(crate) fn with_own_name(data: &Path, mut this: NamedMachine) -> NamedMachine {
    let mut others = fs::read_dir(data).into_iter().flatten().flatten().filter_map(|entry| {
        let text = paths::read(&entry.path().join(MACHINE)).ok()?;
        (entry.file_name() != LOCAL).then(|| NamedMachine::parse(&text).ok())?
    });
    if others.any(|other| other.short == this.short) {
        this.short = format!("{}, {}", this.short, this.facts.machine);
    }
    this
}

fn processor(of: &NamedMachine) -> String {
    format!("{} × {}", of.facts.cpus, of.facts.cpu)
}
