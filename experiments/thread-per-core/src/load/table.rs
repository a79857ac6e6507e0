//! The report for people.

use std::fmt::Display;
use std::time::Duration;

use super::open::LATE;
use super::report::{Connections, Percentile, Report, ScheduleKept, BEYOND};
use super::settings::{Pace, Settings};

/// The percentiles that are told, in thousandths.
const PERCENTILES: [(&str, u64); 3] =
    [("p50", 500), ("p99", 990), ("p99.9", 999)];

/// A line for each thing that was found.
pub(super) fn render(settings: &Settings, report: &Report) -> String {
    let mut text = heading(settings) + "\n\n";
    let mut line =
        |what: &str, found: String| text += &format!("{what:<12}{found}\n");
    let a_second = |rate: f64| format!("{rate:.0} a second");
    let elapsed = time(report.elapsed_ns);
    let achieved = a_second(report.achieved);
    if let Some(ScheduleKept { offered, .. }) = report.schedule {
        line("offered", a_second(offered));
    }
    line("answered", format!("{achieved}: {} in {elapsed}", report.answered));
    let Report { errors, wrong, lost, .. } = report;
    line(
        "errors",
        format!("{errors}: {wrong} wrong, {lost} lost with their connection"),
    );
    line("unanswered", report.unanswered.to_string());
    if let Some(ScheduleKept { late, waited, lateness_ns, .. }) =
        &report.schedule
    {
        let most = time(lateness_ns.max());
        line(
            "late",
            format!("{late} taken up more than {} after they were due, at most {most}", time(LATE)),
        );
        line("waited", format!("{waited} for their connection"));
    }
    let from = match settings.pace {
        Pace::Closed => {
            "from when it was sent; leaves out coordinated omission's share"
        }
        Pace::Open { .. } => "from when it was due",
    };
    line("latency", from.to_owned());
    let requests = report.requests();
    for (name, thousandths) in PERCENTILES {
        let beyond = requests - (requests * thousandths).div_ceil(1_000);
        let found = match report.percentile(thousandths) {
            Percentile::Known(latency) => {
                format!(
                    "{}, of {requests} requests, {beyond} slower",
                    time(latency)
                )
            }
            Percentile::TooFew => {
                format!("too few: {beyond} of {requests} requests beyond it, {BEYOND} are needed")
            }
            Percentile::Unanswered => {
                "never: too many have no right answer".to_owned()
            }
        };
        line(&format!("  {name}"), found);
    }
    line("  max", time(report.latencies_ns.max()));
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let (user, system) = (percent(report.cpu.user), percent(report.cpu.system));
    line(
        "CPU time",
        format!(
            "{user} of a core in this program, {system} in the kernel for it"
        ),
    );
    let Connections { made, refused, broken, least, median, most, .. } =
        report.connections;
    line(
        "connections",
        format!("{made} made, {refused} refused, {broken} broken"),
    );
    if let Some(reason) = &report.connections.reason {
        line("", format!("the first one: {reason}"));
    }
    line(
        "  answers",
        format!("{least} to {most} each, {median} in the median"),
    );
    text
}

fn heading(settings: &Settings) -> String {
    let pace = match settings.pace {
        Pace::Closed => "closed loop".to_owned(),
        Pace::Open { rate, arrivals, .. } => {
            format!(
                "open loop of {rate} requests a second, {}",
                format!("{arrivals:?}").to_lowercase()
            )
        }
    };
    let Settings { connections, message_bytes, pipeline, threads, .. } =
        settings;
    let counted = [
        count(connections, "connection"),
        count(message_bytes, "byte"),
        format!("{pipeline} under way each"),
        count(threads, "thread"),
    ];
    format!("{pace}, {}", counted.join(", "))
}

fn count(number: &usize, of: impl Display) -> String {
    let s = if *number == 1 { "" } else { "s" };
    format!("{number} {of}{s}")
}

fn time(nanoseconds: u64) -> String {
    format!("{:.1?}", Duration::from_nanos(nanoseconds))
}
