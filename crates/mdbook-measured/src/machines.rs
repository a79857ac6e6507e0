//! The machines, and how quiet each was: what the directives `{{machines}}` and `{{floors}}` put in.

use measurement::machine::Machine;

use crate::data::{Data, MachineData};
use crate::format;
use crate::html::{anchor, escape};

/// Each machine as a table, made from its machine.json.
pub(crate) fn tables(data: &Data) -> String {
    let sections = data.machines.iter().map(|machine| {
        let name = machine.name();
        let title = if machine.is_local() { "Yours" } else { name };
        let rows: String = facts(&machine.machine)
            .iter()
            .map(|(what, value)| row(&[escape(what), escape(value)]))
            .collect();
        format!(
            "<h2 id=\"{}\">{}</h2>\n<div class=\"table-wrapper\"><table><tbody>\n{rows}\
             </tbody></table></div>\n",
            anchor("machine", name),
            escape(title),
        )
    });
    format!("\n{}\n", sections.collect::<String>())
}

fn row(cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr>{cells}</tr>\n")
}

/// What is known of a machine, in the order in which one would ask.
fn facts(machine: &Machine) -> Vec<(String, String)> {
    let list = |entries: &std::collections::BTreeMap<String, String>, equals: &str| {
        let entries = entries.iter().map(|(name, value)| format!("{name}{equals}{value}"));
        Some(entries.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
    };
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64);
    let known = [
        ("Processor", Some(machine.cpu.clone())),
        ("Instruction set", Some(machine.architecture.clone())),
        ("Logical processors", Some(machine.cpus.to_string())),
        ("Hardware threads on a core", machine.threads_per_core.map(|count| count.to_string())),
        ("Caches that a core uses", list(&machine.caches, " ")),
        ("Memory", machine.memory_bytes.map(gibibytes)),
        ("Virtual machine", machine.virtual_machine.map(yes)),
        ("System", Some(machine.os.clone())),
        ("Kernel", machine.kernel.clone()),
        ("Clock source", machine.clock_source.clone()),
        ("Frequency governor", machine.governor.clone()),
        ("Mitigations", list(&machine.mitigations, ": ")),
        ("Limits", list(&machine.limits, " ")),
    ];
    let unknown = || "not visible from inside".to_owned();
    let fact =
        |(name, value): (&str, Option<String>)| (name.to_owned(), value.unwrap_or_else(unknown));
    known.into_iter().map(fact).collect()
}

/// How quiet each run was, and by how much identical contenders differed in it.
pub(crate) fn floors(data: &Data) -> String {
    let runs = || data.machines.iter().flat_map(runs_of);
    let mut classes: Vec<&String> = runs().flat_map(|(_, run)| run.floor.keys()).collect();
    classes.sort();
    classes.dedup();
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let rows: String = runs()
        .map(|(machine, header)| {
            let floor = |class: &&String| {
                header.floor.get(*class).map_or("not measured".to_owned(), |share| percent(*share))
            };
            let visits = format!(
                "{} processes of {} rounds",
                header.processes,
                header.rounds.map_or("?".to_owned(), |rounds| rounds.to_string())
            );
            let mut cells = vec![
                format!("{}, {}", header.chapter, crate::data::label(machine.name())),
                header.run.split('T').next().unwrap_or_default().to_owned(),
                visits,
            ];
            cells.extend(classes.iter().map(floor));
            cells.extend([
                percent(header.load),
                header.steal.map_or("not known".to_owned(), percent),
                header.repeated().to_string(),
                canary(header).unwrap_or_else(|| "not logged".to_owned()),
            ]);
            row(&cells.iter().map(|cell| escape(cell)).collect::<Vec<_>>())
        })
        .collect();
    let heads = ["run", "day", "visits"].into_iter().chain(classes.iter().map(|c| c.as_str()));
    let heads = heads.chain(["load of others", "steal", "rounds repeated", "canary, low to high"]);
    let heads: String = heads.map(|head| format!("<th>{}</th>", escape(head))).collect();
    format!(
        "\n<div class=\"table-wrapper\"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\
         </tbody></table></div>\n"
    )
}

fn runs_of(machine: &MachineData) -> impl Iterator<Item = (&MachineData, &measurement::RunHeader)> {
    machine.chapters.values().map(move |chapter| (machine, &chapter.run.header))
}

/// From which to which time the canary went over the rounds.
fn canary(header: &measurement::RunHeader) -> Option<String> {
    let times = || header.log.iter().filter_map(|round| round.canary);
    let low = times().reduce(f64::min)?;
    let high = times().reduce(f64::max)?;
    let time = |nanoseconds| format::value(nanoseconds, measurement::Unit::Nanoseconds);
    Some(format!("{} to {}", time(low), time(high)))
}
