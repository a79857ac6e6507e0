//! A table of recordings for the terminal: the steps of each operation, and
//! the cost of recording.

use measurement::statistics::median;
use recordings::recording::{Recorded, LEFT_OVER, WHOLE};
use recordings::RecordingRun;

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
    let mut text = String::new();
    let mut line = |name: &str, median: &str, shown: &str| {
        text += &format!("{name:32}{median:>12}{shown:>20}\n");
    };
    line("step", "median", "in the one shown");
    let shown = |time: u64| format!("{time} ns");
    for (step, time) in recorded.steps.iter().zip(&recorded.shown.steps) {
        line(&step.name, &ns(&step.took), &shown(*time));
    }
    line(LEFT_OVER, &ns(&recorded.left_over()), "");
    let all = ns(&recorded.lengths);
    line(WHOLE, &all, &shown(recorded.shown.length));
    let Recorded { operation, operations, others, .. } = recorded;
    let mut stamps_only = "";
    if recorded.stamps_only {
        stamps_only = "too short for the kernel's events: recorded by the program's own stamps alone\n";
    }
    let mut unrecorded = String::new();
    if !recorded.unrecorded.is_empty() {
        let found = ns(&recorded.unrecorded);
        unrecorded = format!(", {found} found without recording");
    }
    format!(
        "{text}{stamps_only}{operations} times a {operation}, {others} went another way; \
         {all} with {:.0} events, {} with {:.0}, {} an event, {} extrapolated{unrecorded}\n",
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
