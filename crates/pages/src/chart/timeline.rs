//! A `timeline` block shows recorded operations, nanosecond by nanosecond, and their steps in
//! words.

use findings::data::{MachineData, RecordingsFile};
use language::block::{At, BlockError, from_toml};
use language::page::FencedBlock;
use language::selector::nearest;
use language::wrong;
use measurement::number_format::{self, Dimension};
use measurement::statistics::{median, median_interval};
use recordings::recording::{Recorded, Recording};
use serde::Deserialize;

use super::timeline_picture;
use super::timeline_picture::time;
use crate::block::Shown;
use crate::html::{Html, anchor, each, html};
use crate::on_page::OnPage;
use crate::title::title;

/// The text of a `timeline` block: one or two recordings on one axis.
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
struct TimelineBlock {
    /// The permanent id: the name of the chapter, a dot, and a few words.
    id: String,
    /// The finding, in a sentence. Figures in it are written as directives.
    title: String,
    /// The name of the experiment, or `chapter/experiment` for an experiment of another chapter.
    experiment: String,
    /// One or two recordings, keyed by their headings. A recording is named by its contender and
    /// as many parameters as are needed to identify it.
    recordings: indexmap::IndexMap<String, String>,
}

pub(crate) fn render(
    FencedBlock { body, .. }: &FencedBlock,
    on: &OnPage<'_>,
) -> Result<Shown, BlockError> {
    let spec: TimelineBlock = from_toml(body)?;
    let title = title(&spec.id, &spec.title, on)?;
    if !(1..=2).contains(&spec.recordings.len()) {
        wrong!(1, "a timeline has one or two [recordings]");
    }
    let (chapter, experiment) =
        spec.experiment.split_once('/').unwrap_or((&on.page.chapter, &spec.experiment));
    let (machine, file) = of_reference(on, chapter, experiment).at("experiment")?;
    let mut shown = Vec::new();
    for (head, name) in &spec.recordings {
        let place = ("recordings", head);
        let recorded = find(file, name).at(place)?.recorded().map_err(|reason| {
            format!("{name:?} could not be recorded on {}: {reason}", machine.name())
        });
        shown.push((head.as_str(), recorded.at(place)?));
    }
    let picture = Html(timeline_picture::svg(title.plain(), &shown));
    let html = html!(
        "<figure class=\"measured-chart measured-timeline\" id=\"{}\">\n<figcaption>{}</figcaption>\n{}\n{}\
         <details class=\"measured-table\" open>\
         <summary>All recorded steps, and what recording cost</summary>\n{}</details>\n\
         <p class=\"measured-small\">{}</p>\n</figure>",
        anchor("chart", &spec.id),
        title,
        picture,
        each(&shown, |(head, recorded)| steps(head, recorded)),
        each(&shown, |(head, recorded)| all_of_them(head, recorded)),
        provenance(machine, file)
    );
    Ok(Shown { id: Some(spec.id), ..Shown::from(html) })
}

/// Returns the recordings of an experiment that the pages show. They are from the reference
/// machine or, if it has none, from the first machine that has any.
fn of_reference<'a>(
    on: &OnPage<'a>,
    chapter: &str,
    experiment: &str,
) -> Result<(&'a MachineData, &'a RecordingsFile), String> {
    let mut machines = on.book.data.having(chapter, experiment).into_iter();
    let found =
        machines.find_map(|(machine, data)| Some((machine, data.recordings_of(experiment)?)));
    found.ok_or_else(|| {
        format!(
            "no machine has recordings of {chapter}/{experiment}: make them, as root, with \
             `cargo book measure {chapter}/{experiment} --record --machine NAME`"
        )
    })
}

/// Returns the only recording that matches `wanted`, which consists of a contender and some of
/// the recording's parameters, in any order.
fn find<'a>(file: &'a RecordingsFile, wanted: &str) -> Result<&'a Recording, String> {
    let mut items = wanted.split(',').map(str::trim);
    let contender = items.next().unwrap_or_default();
    let items: Vec<&str> = items.collect();
    let is_it = |recording: &&Recording| {
        let parameters = recording.parameters.to_string();
        let own: Vec<&str> = parameters.split(", ").collect();
        recording.contender == contender && items.iter().all(|item| own.contains(item))
    };
    let all = &file.run.recordings;
    let found: Vec<&Recording> = all.iter().filter(is_it).collect();
    match found[..] {
        [one] => Ok(one),
        [] => {
            let names: Vec<String> = all.iter().map(Recording::name).collect();
            Err(format!("no recording is {wanted:?}{}", nearest(wanted, &names)))
        }
        _ => {
            let names: Vec<String> = found.into_iter().map(Recording::name).collect();
            Err(format!("{wanted:?} is several: say more of\n    {}", names.join("\n    ")))
        }
    }
}

/// Returns the steps of the shown operation in words. Readers who can't see the picture rely on
/// them.
fn steps(head: &str, recorded: &Recorded) -> Html {
    let shown = &recorded.shown;
    let steps = each(recorded.steps.iter().zip(&shown.steps), |(step, took)| {
        html!("<li>{}: <b>{}</b></li>", step.name, time(*took))
    });
    html!(
        "<p class=\"measured-small\"><strong>{}</strong>: the {} of median length, {}</p>\
         <ol class=\"measured-steps\">{}</ol>\n",
        head,
        recorded.operation,
        time(shown.length),
        steps
    )
}

/// Returns the median duration of each step, over all operations with the same steps, and the
/// cost of recording them.
fn all_of_them(head: &str, recorded: &Recorded) -> Html {
    let interval = |took: &[f64]| median_interval(took, took.len());
    let in_words = |took: &[f64]| {
        let interval = interval(took);
        let range = number_format::range(interval, Dimension::TIME);
        format!("{} ({range})", number_format::estimate(interval, Dimension::TIME))
    };
    let count = |count: usize| number_format::thousands(&count.to_string());
    let left_over = interval(&recorded.left_over()).estimate.abs();
    let costs = recorded.event_costs();
    let (by, event) = if recorded.stamps_only {
        (
            "by the program's own stamps alone, since it is too short for the kernel's events",
            "stamp",
        )
    } else {
        ("by the kernel's tracepoints and the program's own stamps", "event")
    };
    let steps =
        each(&recorded.steps, |step| html!("<li>{}: {}</li>", step.name, in_words(&step.took)));
    // The cost is a difference between processes, so it may come out negative.
    let cost = if interval(&costs).low > 0.0 {
        html!(
            "Recording costs {} per {}, so without the {} it would take {}.",
            in_words(&costs),
            event,
            // The median number of events may lie halfway between two integers.
            number_format::value(median(&recorded.events), Dimension::Count),
            in_words(&recorded.extrapolated())
        )
    } else {
        html!("We detect no cost of recording.")
    };
    let unrecorded = (!recorded.unrecorded.is_empty()).then(|| {
        html!(" Without recording, it took {} on average.", in_words(&recorded.unrecorded))
    });
    html!(
        "<p class=\"measured-small\"><strong>{}</strong>, {}. Each step's median and 95 % interval:</p>\
         <ol class=\"measured-steps\">{}</ol><p class=\"measured-small\">The whole operation takes {}; the medians of \
         the steps add up to that within {}. {} operations took these steps, {} others didn't. {}{}</p>\n",
        head,
        by,
        steps,
        in_words(&recorded.lengths),
        format!("{left_over:.0} ns"),
        count(recorded.operations),
        count(recorded.others),
        cost,
        unrecorded
    )
}

/// Returns where and when a recording was made, and whether the experiment's code has changed
/// since.
fn provenance(machine: &MachineData, file: &RecordingsFile) -> Html {
    let stale = (!file.stale.is_empty())
        .then_some(" The experiment has changed since: this is how it was then.");
    html!(
        "Recorded on {} on {}. Point at a piece for its name and time.{}",
        machine.for_people(),
        file.run.header.day(),
        stale
    )
}
