//! Recordings in the terminal: the steps of each, and what recording took.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use measurement::statistics::median;
use recordings::recording::Recorded;
use recordings::RecordingRun;

/// The recordings of some experiments, as text.
pub(crate) fn render(runs: &[RecordingRun]) -> String {
    let mut text = String::new();
    for run in runs {
        let experiment = &run.header.experiment;
        for recording in &run.recordings {
            text += &format!("\n{experiment}: {}\n", recording.name());
            text += &match recording.recorded() {
                Ok(recorded) => steps(recorded),
                Err(reason) => format!("  not recorded: {reason}\n"),
            };
        }
    }
    text
}

fn steps(recorded: &Recorded) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.set_header(["step", "median", "in the one shown"]);
    for (step, shown) in recorded.steps.iter().zip(&recorded.shown.steps) {
        table.add_row([
            step.name.clone(),
            ns(&step.took),
            format!("{shown} ns"),
        ]);
    }
    let shown = format!("{} ns", recorded.shown.length);
    table.add_row([
        "left over".to_owned(),
        ns(&recorded.left_over()),
        String::new(),
    ]);
    table.add_row(["all".to_owned(), ns(&recorded.lengths), shown]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let Recorded { operation, operations, others, .. } = recorded;
    let stamps_only = if recorded.stamps_only {
        "too short for the kernel's events: recorded by the program's own stamps alone\n"
    } else {
        ""
    };
    let unrecorded = if recorded.unrecorded.is_empty() {
        String::new()
    } else {
        format!(", {} found without recording", ns(&recorded.unrecorded))
    };
    format!(
        "{table}\n{stamps_only}{operations} times a {operation}, {others} went another way; \
         {} with {:.0} events, {} with {:.0}, {} an event, {} extrapolated{unrecorded}\n",
        ns(&recorded.lengths),
        median(&recorded.events),
        ns(&recorded.few_lengths),
        median(&recorded.few_events),
        ns(&recorded.event_costs()),
        ns(&recorded.extrapolated()),
    )
}

fn ns(of_processes: &[f64]) -> String {
    format!("{:.0} ns", median(of_processes))
}
