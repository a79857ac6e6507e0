//! Whether two processors of a machine are two cores, as its runs found out by trying. Who reads what a hop to
//! another core takes has to know it, and a virtual machine does not tell.

use crate::data::MachineData;

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
