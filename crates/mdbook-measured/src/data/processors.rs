//! Whether two processors of a machine are two cores, as its runs found out by trying. Who reads what a hop to
//! another core takes has to know it, and a virtual machine does not tell.

use measurement::Row;

use crate::data::{MachineData, label};

/// How much longer work that fills a core takes on two processors at once than on one alone, at least and at
/// most in all runs, and what that tells of them.
pub(crate) fn siblings(machine: &MachineData) -> Option<((f64, f64), &'static str)> {
    let headers = machine.chapters.values().flat_map(|chapter| chapter.evidence.all_headers());
    let found: Vec<f64> = headers.filter_map(|run| run.host.as_ref()?.siblings).collect();
    let least = found.iter().copied().reduce(f64::min)?;
    let most = found.iter().copied().reduce(f64::max)?;
    // A neighbour makes it longer at times, and nothing makes it shorter.
    let are = match least {
        ..1.2 => "two cores, at least at times",
        1.4.. => "two hardware threads of one core, or neighbours all the time",
        _ => "not clear",
    };
    Some(((least, most), are))
}

/// A remark on figures of these rows, as far as their units ran side by side on two processors.
pub(crate) fn remark<'a>(rows: impl Iterator<Item = (&'a MachineData, &'a Row)>) -> Option<String> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for (machine, _) in rows.filter(|(_, row)| is_of_neighbours(row)) {
        let (are, name) = (siblings(machine).map_or("not tried", |(_, are)| are), machine.name());
        match found.iter_mut().find(|(known, _)| *known == are) {
            Some((_, names)) if names.contains(&label(name)) => {}
            Some((_, names)) => names.push(label(name)),
            None => found.push((are, vec![label(name)])),
        }
    }
    let found: Vec<String> =
        found.into_iter().map(|(are, names)| format!("{are} ({})", names.join(", "))).collect();
    let all = found.join("; ");
    (!all.is_empty()).then(|| {
        format!("Neighbours run on two processors. As the runs found out, these are: {all}.")
    })
}

/// Whether its units were pinned, each beside one on another processor.
fn is_of_neighbours(row: &Row) -> bool {
    row.parameters.get("placement").is_some_and(|placement| placement.to_string() == "neighbours")
}
