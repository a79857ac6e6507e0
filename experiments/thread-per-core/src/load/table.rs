//! Formats the report as tables for people to read.

use std::fmt::Display;
use std::time::Duration;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::cpu_time::CpuShare;
use super::distribution::Distribution;
use super::percentile::{beyond, Percentile};
use super::punctuality::{Punctuality, LATE};
use super::report::{Connections, Report};
use super::settings::{Pace, Settings};
use crate::application_protocol::ApplicationProtocol;

/// The percentiles in the table, in thousandths.
const PERCENTILES: [(&str, u64); 3] =
    [("p50", 500), ("p99", 990), ("p99.9", 999)];

/// If the load's threads are busy for more than this fraction of the time,
/// the load may be the limit.
const BUSY: f64 = 0.9;

pub(super) fn render(settings: &Settings, report: &Report) -> String {
    let heading = heading(settings);
    let [counts, times] = [counts(settings, report), times(settings, report)]
        .map(|table| table.trim_fmt());
    format!("{heading}\n\n{counts}\n\n{times}\n")
}

fn heading(settings: &Settings) -> String {
    let pace = match settings.pace {
        Pace::Closed => "closed loop".to_owned(),
        Pace::Open { rate, arrivals, .. } => {
            let arrivals = format!("{arrivals:?}").to_lowercase();
            format!("open loop of {rate} requests a second, {arrivals}")
        }
    };
    let Settings { connections, message_bytes, pipeline, threads, .. } =
        settings;
    let message = match settings.protocol {
        ApplicationProtocol::Echo => count(*message_bytes, "byte"),
        ApplicationProtocol::Http => "HTTP".to_owned(),
    };
    let (connections, threads) =
        (count(*connections, "connection"), count(*threads, "thread"));
    format!("{pace}: {connections}, {message}, {pipeline} under way, {threads}")
}

fn counts(settings: &Settings, report: &Report) -> Table {
    let mut table = table();
    let mut row = |what: &str, found: String| {
        table.add_row([what, &found]);
    };
    let Report { answered, errors, wrong, lost, unanswered, .. } = report;
    let (achieved, elapsed) = (report.achieved, time(report.elapsed_ns));
    row("answered", format!("{answered} in {elapsed}, {achieved:.0} a second"));
    row(
        "errors",
        format!("{errors}: {wrong} wrong, {lost} lost on broken connections"),
    );
    row("unanswered", unanswered.to_string());
    if let (Some(offered), Some(open)) = (report.offered, &report.punctuality) {
        let Punctuality { due, late, waited, .. } = open;
        let bound = time(LATE);
        row("due", format!("{due}, {offered:.0} a second"));
        row(
            "late",
            format!("{late} more than {bound}, by this program's fault"),
        );
        row("waited", format!("{waited} for their connection"));
    }
    let Connections { made, refused, broken, reason, .. } = &report.connections;
    row(
        "connections",
        format!("{made} made, {refused} refused, {broken} broken"),
    );
    if let Some(reason) = reason {
        row("", format!("the first: {reason}"));
    }
    let Connections { least, median, most, .. } = report.connections;
    row("answers each", format!("{least} to {most}, {median} in the median"));
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    let CpuShare { user, system, empty_polls } = report.cpu;
    row(
        "own CPU time",
        format!(
            "{} of a core, and {} in the kernel",
            percent(user),
            percent(system)
        ),
    );
    if settings.spin {
        row(
            "",
            format!(
                "of it {} in polls that found nothing",
                percent(empty_polls)
            ),
        );
    }
    if user + system - empty_polls > BUSY * settings.threads as f64 {
        row("", "which may be the limit: the server may do more".to_owned());
    }
    table
}

fn times(settings: &Settings, report: &Report) -> Table {
    let mut table = table();
    let [p50, p99, p999] = PERCENTILES.map(|(name, _)| name);
    table.set_header(["", p50, p99, p999, "max"]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut row = |what: &str, durations: &Distribution, requests: u64| {
        let told = PERCENTILES.map(|(_, thousandths)| {
            match Percentile::of(durations, requests, thousandths) {
                Percentile::Known(duration) => time(duration),
                Percentile::TooFew => "too few".to_owned(),
                Percentile::Unanswered => "unanswered".to_owned(),
            }
        });
        let [p50, p99, p999] = told;
        table.add_row([what.to_owned(), p50, p99, p999, time(durations.max())]);
    };
    let requests = report.requests();
    let since = match settings.pace {
        Pace::Closed => "latency, since sent",
        Pace::Open { .. } => "latency, since due",
    };
    row(since, &report.latencies_ns, requests);
    if let Some(Punctuality { due, lateness_ns, .. }) = &report.punctuality {
        row("own lateness", lateness_ns, *due);
    }
    let slower = PERCENTILES
        .map(|(_, thousandths)| beyond(requests, thousandths).to_string());
    let [p50, p99, p999] = slower;
    table.add_row([
        format!("slower, of {requests}"),
        p50,
        p99,
        p999,
        String::new(),
    ]);
    table
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table
}

fn count(number: usize, of: impl Display) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {of}{s}")
}

fn time(nanoseconds: u64) -> String {
    format!("{:.1?}", Duration::from_nanos(nanoseconds))
}
