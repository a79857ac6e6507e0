//! A `timeline` block: recorded operations, drawn nanosecond by nanosecond, and their steps in words.

use maud::{Markup, PreEscaped, html};
use measurement::statistics::{median, median_interval};
use measurement::{Interval, LineError, Unit};
use recordings::recording::{Recorded, Recording};
use serde::Deserialize;

use super::chart_context::ChartContext;
use super::timeline_picture;
use crate::data::recordings_file::RecordingsFile;
use crate::data::{self, MachineData};
use crate::figure::number_format::{self, Dimension};
use crate::figure::selector::nearest;
use crate::html::{Escaped, anchor};
use crate::toml_block::{check_id, from_toml, line_of_key};

const TIME: Dimension = Dimension::Of(Unit::Nanoseconds);

/// A fenced `timeline` block: which recordings, on one axis.
///
/// ```toml
/// id         = "context-switches.hop"
/// title      = "Most of a hop to another core is waking it"
/// experiment = "switch"
///
/// [recordings]
/// "to another core"  = "std::thread, kernel=pipe, arm=ours, placement=neighbours"
/// "on the same core" = "std::thread, kernel=pipe, placement=one core"
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TimelineBlock {
    /// Stable id: the chapter, a dot, a few words.
    pub(crate) id: String,
    /// What was found, in a sentence; directives in it take the figures from the data.
    pub(crate) title: String,
    /// The experiment, of another chapter as `chapter/experiment`.
    pub(crate) experiment: String,
    /// One or two recordings, by what stands over each, in which `code` is not read; each as much of a
    /// contender and its parameters as it takes to be the only one.
    pub(crate) recordings: indexmap::IndexMap<String, String>,
}

/// The block as HTML, and its id.
///
/// # Errors
///
/// With the line within the block: what is no timeline, or names no recording.
pub(crate) fn render(block: &str, place: &ChartContext<'_>) -> Result<(String, String), LineError> {
    let spec: TimelineBlock = from_toml(block)?;
    let at = |key: &str, message: String| LineError::new(line_of_key(block, key), message);
    check_id(&spec.id).map_err(|message| at("id", message))?;
    let title = (place.inline)(&spec.title).map_err(|message| at("title", message))?;
    if !(1..=2).contains(&spec.recordings.len()) {
        return Err(LineError::new(1, "a timeline has one or two [recordings]"));
    }
    let (chapter, experiment) =
        spec.experiment.split_once('/').unwrap_or((place.chapter, &spec.experiment));
    let (machine, file) =
        of_reference(place, chapter, experiment).map_err(|message| at("experiment", message))?;
    let mut shown = Vec::new();
    for (head, name) in &spec.recordings {
        let key = format!("{head:?}");
        let found = find(file, name).map_err(|message| at(&key, message))?;
        let recorded = found.recorded().map_err(|reason| {
            at(&key, format!("{name:?} could not be recorded on {}: {reason}", machine.name()))
        })?;
        shown.push((head.as_str(), recorded));
    }
    let picture = timeline_picture::svg(&shown);
    let html = html! {
        figure.measured-chart.measured-timeline id=(anchor("chart", &spec.id)) {
            "\n"
            figcaption { (title.html()) }
            "\n"
            (PreEscaped(picture))
            "\n"
            @for (head, recorded) in &shown { (steps(head, recorded)) "\n" }
            details.measured-table open {
                summary { "The steps of all that were recorded, and what recording took" }
                "\n"
                @for (head, recorded) in &shown { (all_of_them(head, recorded)) "\n" }
            }
            "\n"
            p.measured-small { (PreEscaped(provenance(machine, file))) }
            "\n"
        }
    };
    Ok((html.into_string(), spec.id))
}

/// The recordings that the pages tell of an experiment: those of the reference, else of the first machine
/// that has any.
fn of_reference<'a>(
    place: &ChartContext<'a>,
    chapter: &str,
    experiment: &str,
) -> Result<(&'a MachineData, &'a RecordingsFile), String> {
    let machines = place.data.in_order(chapter, experiment);
    let found = machines.into_iter().find_map(|machine| {
        Some((machine, machine.chapters.get(chapter)?.recordings_of(experiment)?))
    });
    found.ok_or_else(|| {
        format!(
            "no machine has recordings of {chapter}/{experiment}: make them, as root, with \
             `cargo book measure {chapter}/{experiment} --record --machine NAME`"
        )
    })
}

/// The one recording that has this contender and these parameters, in any order.
fn find<'a>(file: &'a RecordingsFile, wanted: &str) -> Result<&'a Recording, String> {
    let mut items = wanted.split(',').map(str::trim);
    let contender = items.next().unwrap_or_default();
    let items: Vec<&str> = items.collect();
    let is_it = |recording: &&Recording| {
        let parameters = recording.parameters.to_string();
        let own: Vec<&str> = parameters.split(", ").collect();
        recording.contender == contender && items.iter().all(|item| own.contains(item))
    };
    let found: Vec<&Recording> = file.run.recordings.iter().filter(is_it).collect();
    match found[..] {
        [one] => Ok(one),
        [] => {
            let names = file.run.recordings.iter().map(Recording::name).collect::<Vec<_>>();
            Err(format!("no recording is {wanted:?}{}", nearest(wanted, &names)))
        }
        _ => {
            let names = found.iter().map(|recording| recording.name()).collect::<Vec<_>>();
            Err(format!("{wanted:?} is several: say more of\n    {}", names.join("\n    ")))
        }
    }
}

/// The steps of the recording that is shown in words, for those who do not see the picture as well.
fn steps(head: &str, recorded: &Recorded) -> Markup {
    let Recorded { operation, shown, .. } = recorded;
    html! {
        p.measured-small {
            strong { (Escaped(head)) } ": the " (Escaped(operation)) " of median length, "
            (Escaped(time(shown.length as f64)))
        }
        ol.measured-steps {
            @for (step, took) in recorded.steps.iter().zip(&shown.steps) {
                li { (Escaped(&step.name)) ": " b { (Escaped(time(*took as f64))) } }
            }
        }
    }
}

/// What all operations that went this way took, step by step, and what it took to record them.
fn all_of_them(head: &str, recorded: &Recorded) -> Markup {
    let interval = |took: &[f64]| median_interval(took, took.len());
    let in_words = |took: &[f64]| {
        let interval = interval(took);
        let (estimate, range) =
            (number_format::estimate(interval, TIME), number_format::range(interval, TIME));
        format!("{estimate} ({range})")
    };
    let Recorded { operations, others, .. } = recorded;
    let count = |count: &usize| number_format::thousands(&count.to_string());
    let left_over = interval(&recorded.left_over());
    let (by, event) = if recorded.stamps_only {
        (
            "by the program's own stamps alone, since it is too short for the kernel's events",
            "stamp",
        )
    } else {
        ("by the kernel's tracepoints and the program's own stamps", "event")
    };
    html! {
        p.measured-small { strong { (Escaped(head)) } ", " (by) ". Each step's median and 95 % interval:" }
        ol.measured-steps {
            @for step in &recorded.steps {
                li { (Escaped(&step.name)) ": " (Escaped(in_words(&step.took))) }
            }
        }
        p.measured-small {
            "All of it: " (Escaped(in_words(&recorded.lengths)))
            ", from which the medians of the steps differ by " (Escaped(difference(left_over)))
            ". " (Escaped(count(operations))) " went this way, " (Escaped(count(others))) " another. "
            // Processes differ, so that what recording costs may seem to be less than nothing.
            @if interval(&recorded.event_costs()).low > 0.0 {
                "To record it costs " (Escaped(in_words(&recorded.event_costs()))) " for each " (event)
                ", so that without the " (Escaped(time_free(median(&recorded.events))))
                " it would take " (Escaped(in_words(&recorded.extrapolated()))) "."
            } @else {
                "To record it: no cost detected."
            }
            @if !recorded.unrecorded.is_empty() {
                " With nothing recorded it took " (Escaped(in_words(&recorded.unrecorded))) " on average."
            }
        }
    }
}

/// A time of one operation, as it was.
fn time(nanoseconds: f64) -> String {
    number_format::value(number_format::rounded(nanoseconds, 3), TIME)
}

/// A count of events, which need not be whole where half of the processes had another one.
fn time_free(events: f64) -> String {
    number_format::value(events, Dimension::Count)
}

/// A difference, in whole nanoseconds.
fn difference(interval: Interval) -> String {
    format!("{:.0} ns", interval.estimate.abs())
}

/// Where and when it was recorded, and whether the tree has changed since.
fn provenance(machine: &MachineData, file: &RecordingsFile) -> String {
    let header = &file.run.header;
    let stale = if file.stale.is_empty() {
        ""
    } else {
        " The experiment has changed since: this is how it was then."
    };
    html! {
        "Recorded on " (Escaped(data::label(machine.name()))) ", " (Escaped(header.day()))
        ". A piece tells its name and its time when it is pointed at."
        (stale)
    }
    .into_string()
}
