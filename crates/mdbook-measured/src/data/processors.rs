//! Whether two processors of a machine are two cores, as its runs found out by trying. Who reads what a hop to
//! another core takes has to know it, and a virtual machine does not tell.

use indexmap::{IndexMap, IndexSet};
use measurement::Row;

use crate::data::{MachineData, label};

/// What two processors of a machine are, by how much longer work that fills a core takes on both at once than
/// on one alone.
pub(super) fn siblings(machine: &MachineData) -> Option<&'static str> {
    let found = machine.headers().filter_map(|run| run.host.as_ref()?.siblings);
    // A neighbour makes it longer at times, and nothing makes it shorter.
    Some(match found.reduce(f64::min)? {
        ..1.2 => "two cores, at least at times",
        1.4.. => "two hardware threads of one core, or neighbours all the time",
        _ => "not clear",
    })
}

/// A remark on figures of these rows, as far as their units ran side by side on two processors.
pub(crate) fn remark<'a>(rows: impl Iterator<Item = (&'a MachineData, &'a Row)>) -> Option<String> {
    // Pinned, each beside one on another processor.
    let is_of_neighbours = |row: &Row| {
        row.parameters.get("placement").is_some_and(|it| it.to_string() == "neighbours")
    };
    let mut found: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
    for (machine, _) in rows.filter(|(_, row)| is_of_neighbours(row)) {
        let are = siblings(machine).unwrap_or("not tried");
        found.entry(are).or_default().insert(label(machine.name()));
    }
    let told = found
        .into_iter()
        .map(|(are, machines)| format!("{are} ({})", Vec::from_iter(machines).join(", ")));
    let all = told.collect::<Vec<_>>().join("; ");
    (!all.is_empty()).then(|| {
        format!("Neighbours run on two processors. As the runs found out, these are: {all}.")
    })
}
