//! Tables of the machines, and of how quiet each was: what the directives `{{machines}}` and
//! `{{conditions}}` put in.

use measurement::machine::Machine;
use measurement::{Fingerprint, METHOD, RoundLog, RunHeader, Unit};

use crate::data::processors;
use crate::data::{Data, MachineData};
use crate::figure::number_format::{self, Dimension};
use crate::html::{anchor, escape};

/// Each machine as a table, made from its machine.json.
pub(crate) fn tables(data: &Data) -> String {
    let sections = data.machines.iter().map(|machine| {
        let name = machine.name();
        let title = if machine.is_local() { "Yours" } else { name };
        let rows: String = facts(&machine.machine)
            .iter()
            .chain(&found_out(machine))
            .map(|(what, value)| row(&[escape(what), escape(value)]))
            .collect();
        format!(
            "<h2 id=\"{}\">{}</h2>\n{}<div class=\"table-wrapper\"><table><tbody>\n{rows}\
             </tbody></table></div>\n",
            anchor("machine", name),
            escape(title),
            history(machine),
        )
    });
    format!("\n{}\n", sections.collect::<String>())
}

fn row(cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr>{cells}</tr>\n")
}

/// A note on a machine of which no run is of today's method.
fn history(machine: &MachineData) -> String {
    let methods = runs_of(machine).map(|(_, header)| header.method);
    match methods.max() {
        Some(newest) if newest < METHOD => format!(
            "<p class=\"measured-small\">Its runs are history: method {newest} took them, today's is \
             method {METHOD}. They are shown where there is nothing newer.</p>\n"
        ),
        _ => String::new(),
    }
}

/// A list's entries as a text; `None` if there are none.
fn joined(entries: impl Iterator<Item = String>) -> Option<String> {
    Some(entries.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
}

/// What is known of a machine, in the order in which one would ask.
fn facts(machine: &Machine) -> Vec<(String, String)> {
    let list = |entries: &std::collections::BTreeMap<String, String>, equals: &str| {
        joined(entries.iter().map(|(name, value)| format!("{name}{equals}{value}")))
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
    // Not looked at before they were told, so nothing is said where they are absent.
    let parameters = machine.kernel_parameters.iter().map(|(name, value)| match value.as_str() {
        "" => name.clone(),
        value => format!("{name}={value}"),
    });
    let told = [
        ("Idle governor", machine.idle_governor.clone()),
        ("Kernel parameters that matter", joined(parameters)),
        (
            "Scheduler",
            machine.other_scheduler.as_ref().map(|shown| format!("not the stock one: {shown}")),
        ),
    ];
    let fact =
        |(name, value): (&str, Option<String>)| (name.to_owned(), value.unwrap_or_else(unknown));
    let known = known.into_iter().map(fact);
    let told = told.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    known.chain(told).collect()
}

/// What the runs found out about a machine, which its kernel does not tell.
fn found_out(machine: &MachineData) -> Vec<(String, String)> {
    let runs: Vec<&RunHeader> = runs_of(machine).map(|(_, header)| header).collect();
    let of = |what: &dyn Fn(&Fingerprint) -> Option<f64>| -> Option<(f64, f64)> {
        let found = || runs.iter().filter_map(|run| what(run.host.as_ref()?));
        Some((found().reduce(f64::min)?, found().reduce(f64::max)?))
    };
    let range = |(low, high): (f64, f64), unit: &str| {
        if low == high { format!("{low} {unit}") } else { format!("{low} to {high} {unit}") }
    };
    let siblings = processors::siblings(machine).map(|(factor, are)| {
        let factor = range(factor, "times as long");
        format!("{factor} as on one alone: {are}")
    });
    let line = of(&|host| host.line_ns.as_ref()?.iter().map(|trip| trip.2).reduce(f64::max));
    let known = [
        ("Work that fills a core, on two processors at once", siblings),
        ("A cache line to another processor and back", line.map(|line| range(line, "ns"))),
        ("Clock while one core computes", of(&|host| host.clock_ghz).map(|ghz| range(ghz, "GHz"))),
        ("Time-stamp counter", of(&|host| host.tsc_ghz).map(|ghz| range(ghz, "GHz"))),
    ];
    let fact = |(what, value): (&str, Option<String>)| Some((what.to_owned(), value?));
    known.into_iter().filter_map(fact).collect()
}

/// How quiet the machine was in each run that is shown, and on which of its boots that was.
pub(crate) fn conditions(data: &Data) -> String {
    let percent = |share: f64| format!("{:.1}\u{a0}%", share * 100.0);
    let logged = |found: Option<String>| found.unwrap_or_else(|| "not logged".to_owned());
    let of_machine = |machine: &MachineData| -> Vec<Vec<String>> {
        let mut runs: Vec<&RunHeader> = runs_of(machine).map(|(_, header)| header).collect();
        runs.sort_by(|one, other| one.run.cmp(&other.run));
        let mut boots: Vec<Option<&String>> = Vec::new();
        let mut row = |header: &RunHeader, boot| {
            let number = boots.iter().position(|known| *known == boot).unwrap_or_else(|| {
                boots.push(boot);
                boots.len() - 1
            });
            vec![
                format!(
                    "{}/{}, {}",
                    header.chapter,
                    header.experiment,
                    crate::data::label(machine.name())
                ),
                format!("{} {}", header.day(), header.time()),
                (number + 1).to_string(),
                format!("{} × {}", header.processes, header.rounds.unwrap_or(1)),
                percent(header.load),
                header.steal.map_or("not known".to_owned(), percent),
                header.repeated().to_string(),
                logged(header.slowed().map(percent)),
                logged(over_rounds(header, |round| round.line_ns)),
            ]
        };
        runs.iter()
            .map(|header| row(header, header.host.as_ref().and_then(|host| host.boot.as_ref())))
            .collect()
    };
    let heads = [
        "run",
        "began",
        "boot",
        "processes × rounds",
        "others",
        "steal",
        "repeated",
        "slowed",
        "line",
    ];
    format!("\n{}\n", table(&heads, data.machines.iter().flat_map(of_machine)))
}

fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let heads: String = heads.iter().map(|head| format!("<th>{}</th>", escape(head))).collect();
    let rows: String =
        rows.map(|cells| row(&cells.iter().map(|cell| escape(cell)).collect::<Vec<_>>())).collect();
    format!(
        "<div class=\"table-wrapper\"><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\
         </tbody></table></div>\n"
    )
}

fn runs_of(machine: &MachineData) -> impl Iterator<Item = (&MachineData, &RunHeader)> {
    let headers = machine.chapters.values().flat_map(|chapter| chapter.evidence.all_headers());
    headers.map(move |header| (machine, header))
}

/// From which to which time something went over the rounds.
fn over_rounds(header: &RunHeader, of: impl Fn(&RoundLog) -> Option<f64>) -> Option<String> {
    let times = || header.log.iter().filter_map(&of);
    let low = times().reduce(f64::min)?;
    let high = times().reduce(f64::max)?;
    let time = |nanoseconds| number_format::value(nanoseconds, Dimension::Of(Unit::Nanoseconds));
    Some(format!("{} to {}", time(low), time(high)))
}
