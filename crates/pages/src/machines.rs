//! Describes the machines that measured, for the directive `{{machines}}`.

use std::collections::BTreeMap;

use findings::data::{Data, MachineData};
use findings::table::Table;
use indexmap::IndexMap;
use measurement::machine::{IdleState, Machine};
use measurement::number_format::ends;
use measurement::{METHOD, RunHeader};

use crate::html::{Html, anchor, each, html};
use crate::table;

pub(crate) fn tables(data: &Data) -> Html {
    let machines = each(&data.machines, |machine| {
        let newest = machine.headers().map(|run| run.method).max().filter(|it| *it < METHOD);
        let history = newest.map(|newest| {
            Html(format!(
                "<p class=\"measured-small\">Its runs are history: method {newest} took them, today's is method {METHOD}. \
                 They are shown where there is nothing newer.</p>\n"
            ))
        });
        html!(
            "<h2 id=\"{}\">{}</h2>\n{}{}",
            anchor("machine", machine.name()),
            sentence_case(machine.for_people()),
            history,
            table::html(&facts(machine))
        )
    });
    html!("\n{}\n", machines)
}

pub(crate) fn sentence_case(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Returns facts about a machine, most interesting first. Some of them aren't reported by the
/// kernel, and were determined by the runs.
fn facts(of: &MachineData) -> Table {
    let machine = &of.machine.facts;
    let list = |entries: &BTreeMap<String, String>, equals: &str| {
        let entries = entries.iter().map(|(name, value)| match value.as_str() {
            "" => name.clone(),
            value => format!("{name}{equals}{value}"),
        });
        Some(entries.collect::<Vec<_>>().join("; ")).filter(|text| !text.is_empty())
    };
    let visible = |value: Option<String>| value.or(Some("not visible from inside".to_owned()));
    let gibibytes = |bytes: u64| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64);
    let range = |unit: &str, found: &mut dyn Iterator<Item = f64>| {
        let (low, high) = ends(found);
        let both = if low == high { low.to_string() } else { format!("{low} to {high}") };
        low.is_finite().then(|| format!("{both} {unit}"))
    };
    let longer =
        range("times as long", &mut of.headers().filter_map(|run| run.host.as_ref()?.siblings));
    let longer = longer.zip(siblings(of));
    let mut lines = of.headers().flat_map(|run| &run.log).filter_map(|round| round.line_ns);
    let facts = [
        ("Its runs", Some(format!("data/{}/", of.name()))),
        ("Processor", Some(machine.cpu.clone())),
        ("Instruction set", Some(machine.architecture.clone())),
        ("Logical processors", Some(machine.cpus.to_string())),
        (
            "Hardware threads on a core",
            visible(machine.threads_per_core.map(|count| count.to_string())),
        ),
        ("Caches that a core uses", visible(list(&machine.caches, " "))),
        ("Memory", visible(machine.memory_bytes.map(gibibytes))),
        (
            "Virtual machine",
            visible(machine.virtual_machine.map(|it| if it { "yes" } else { "no" }.to_owned())),
        ),
        ("System", Some(machine.os.clone())),
        ("Kernel", visible(machine.kernel.clone())),
        ("Clock source", visible(machine.clock_source.clone())),
        ("Frequency governor", visible(machine.governor.clone())),
        ("Mitigations", visible(list(&machine.mitigations, ": "))),
        ("Limits", visible(list(&machine.limits, " "))),
        // Older runs didn't record the kernel, so a missing one means nothing.
        ("Kernels of its runs, as they tell", kernels(of)),
        ("Idle cores", machine.idling().map(|sentence| sentence_case(&sentence) + ".")),
        ("Idle driver", machine.idle_driver.clone()),
        ("Idle governor", machine.idle_governor.clone()),
        (
            "Idle states, and how long the kernel expects it to take to leave them",
            idle_states(machine),
        ),
        ("Settings of haltpoll", list(&machine.haltpoll, "=")),
        ("Hypervisor", machine.hypervisor.clone()),
        ("What it offers its guests", list(&machine.paravirtual, ": ")),
        ("Kernel parameters that matter", list(&machine.kernel_parameters, "=")),
        (
            "Scheduler",
            machine.other_scheduler.as_ref().map(|shown| format!("not the stock one: {shown}")),
        ),
        (
            "Work that fills a core, on two processors at once",
            longer.map(|(longer, are)| format!("{longer} as on one alone: {are}")),
        ),
        ("A cache line to another processor and back", range("ns", &mut lines)),
    ];
    let rows = facts.into_iter().filter_map(|(what, value)| Some(vec![what.to_owned(), value?]));
    Table { heads: &[], rows: rows.collect() }
}

/// Returns the kernels that a machine's runs recorded, each with the day of its first run.
/// Returns `None` if there is only one kernel.
fn kernels(machine: &MachineData) -> Option<String> {
    let mut runs: Vec<&RunHeader> = machine.headers().collect();
    runs.sort_by_key(|run| &run.run);
    let told =
        runs.iter().filter_map(|run| Some((run.host.as_ref()?.kernel.as_deref()?, run.day())));
    let mut first = IndexMap::new();
    for (kernel, day) in told {
        first.entry(kernel).or_insert(day);
    }
    let all: Vec<String> =
        first.into_iter().map(|(kernel, day)| format!("{kernel} from {day} on")).collect();
    (all.len() > 1).then(|| all.join("; "))
}

fn idle_states(machine: &Machine) -> Option<String> {
    let state = |state: &IdleState| {
        let is_off = if state.disabled { ", switched off" } else { "" };
        let IdleState { name, description, latency_us, .. } = state;
        format!("{name} ({description}), {latency_us} us{is_off}")
    };
    let states: Vec<String> = machine.idle_states.iter().map(state).collect();
    (!states.is_empty()).then(|| states.join("; "))
}

/// Returns whether two processors are separate cores or hardware threads of one core. To find
/// out, runs compare the time of the same work on both at once with its time on one alone.
fn siblings(machine: &MachineData) -> Option<&'static str> {
    let found = machine.headers().filter_map(|run| run.host.as_ref()?.siblings);
    // Other tenants of the machine sometimes make the work take longer, but nothing makes it
    // faster, so use the smallest ratio.
    Some(match found.reduce(f64::min)? {
        ..1.2 => "two cores, at least at times",
        1.4.. => "two hardware threads of one core, or neighbours all the time",
        _ => "not clear",
    })
}
