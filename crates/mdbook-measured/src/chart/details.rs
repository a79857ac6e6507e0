//! Details that stand behind a chart: its figures, the run that they are from, and how to make it again.

use measurement::{Measured, Outcome, RunHeader};

use super::chart_block::{Against, CONTENDER, ChartBlock, ChartKind};
use super::chart_context::ChartContext;
use super::formula;
use super::ladder::NOT_TOLD_APART;
use super::ladder_steps::{LadderStep, NO_DIFFERENCE};
use super::rows::{Shown, value_of, varied};
use super::rug;
use crate::data::ChapterData;
use crate::data::processors;
use crate::figure::number_format::{self, Dimension};
use crate::html::escape;

/// The rows as a table, each run, and the command. It stands open where no script runs, and
/// measured.js folds it.
pub(super) fn details(spec: &ChartBlock, shown: &[Shown<'_>], place: &ChartContext<'_>) -> String {
    let chapter = spec.chapter(place.chapter);
    let runs: String = shown.iter().map(|shown| runs(spec, shown, chapter, place)).collect();
    format!(
        "<details class=\"measured-table\" open><summary>The figures, the run and the command behind this chart</summary>\n\
         {}\n{steps}{}{runs}<p class=\"measured-small\">Measure it on your machine: \
         <code>cargo book measure {}</code></p>\n</details>",
        table(spec, shown),
        setting(spec, shown),
        escape(chapter),
        steps = ladder_steps(spec, shown),
    )
}

/// The factors of a ladder with their intervals.
fn ladder_steps(spec: &ChartBlock, shown: &[Shown<'_>]) -> String {
    if spec.kind != ChartKind::Ladder {
        return String::new();
    }
    let of_machine = |shown: &Shown<'_>| -> Vec<String> {
        let name = |rung: usize| spec.rungs[rung].name.as_str();
        let words = |step: &LadderStep| {
            let range = if step.range.is_empty() {
                String::new()
            } else {
                format!(" (ratio {})", step.range)
            };
            format!("from {} to {}: {}{range}", name(step.above), name(step.below), step.factor)
        };
        let steps = shown.steps.iter().map(words);
        steps.map(|words| escape(&format!("{}, {words}", shown.label()))).collect()
    };
    let steps: Vec<String> = shown.iter().flat_map(of_machine).collect();
    if steps.is_empty() {
        return String::new();
    }
    let against = match spec.against() {
        Against::Above => "each rung to the one above it",
        Against::First => "each rung to the first",
    };
    let steps = steps.join("; ");
    format!("<p class=\"measured-small\">Ratios of means, {against}: {steps}.</p>\n")
}

/// Each row: the contender, and each parameter in which they differ.
fn table(spec: &ChartBlock, shown: &[Shown<'_>]) -> String {
    let several = shown.len() > 1;
    let rows = || shown.iter().flat_map(|shown| shown.rows.iter().copied());
    let columns: Vec<String> = varied(rows())
        .into_iter()
        .filter(|(name, values)| name == CONTENDER || *name == spec.x() || values.len() > 1)
        .map(|(name, _)| name)
        .collect();
    let mut heads: Vec<&str> = columns.iter().map(String::as_str).collect();
    if several {
        heads.push("machine");
    }
    heads.extend([spec.quantity.as_str(), "95 % interval", "points", "source"]);
    let heads: String = heads.iter().map(|head| format!("<th>{}</th>", escape(head))).collect();
    let mut html =
        format!("<div class=\"table-wrapper\"><table><thead><tr>{heads}</tr></thead><tbody>\n",);
    for shown in shown {
        for row in &shown.rows {
            let mut cells: Vec<String> = columns
                .iter()
                .map(|name| number_format::parameter(&value_of(row, name).unwrap_or_default()))
                .collect();
            if several {
                cells.push(shown.label());
            }
            let dimension = Dimension::of_row(row);
            let failed = match &row.outcome {
                Outcome::Measured(m) => {
                    cells.extend([
                        number_format::measured(m.interval(), m.scattered(), dimension),
                        number_format::measured_range(m.interval(), m.scattered(), dimension),
                        points(m),
                        format!("{:?}", m.source).to_lowercase(),
                    ]);
                    String::new()
                }
                Outcome::Failed(reason) => {
                    format!("<td colspan=\"4\">not measured: {}</td>", escape(reason))
                }
            };
            let cells: String =
                cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            html += &format!("<tr>{cells}{failed}</tr>\n");
        }
    }
    html + "</tbody></table></div>"
}

/// In what all rows of the table agree.
fn setting(spec: &ChartBlock, shown: &[Shown<'_>]) -> String {
    let rows = shown.iter().flat_map(|shown| shown.rows.iter().copied());
    let common = varied(rows)
        .into_iter()
        .filter(|(name, values)| name != CONTENDER && *name != spec.x() && values.len() == 1)
        .map(|(name, values)| format!("{name} = {}", values.concat()));
    let common: Vec<String> = common.collect();
    let experiment = spec.experiment_name();
    let common = if common.is_empty() {
        String::new()
    } else {
        format!("; in all rows {}", common.join(", "))
    };
    format!(
        "<p class=\"measured-small\">Experiment <code>{}</code>{}.</p>\n",
        escape(experiment),
        escape(&common)
    )
}

/// How many points a figure rests on, and how many of them met a slowed core.
fn points(measured: &Measured) -> String {
    let count = measured.points.len();
    if let [.., reason] = measured.failed_runs() {
        return format!("{count}; failed in {} more runs: {reason}", measured.failed_runs().len());
    }
    match measured.slowed() {
        Some(share) if share > 0.0 => format!("{count}, {:.0} % on a slowed core", share * 100.0),
        _ => count.to_string(),
    }
}

/// Where rows come from, and how far they can be trusted.
fn runs(spec: &ChartBlock, shown: &Shown<'_>, chapter: &str, place: &ChartContext<'_>) -> String {
    let headers = shown.data.evidence.headers(spec.experiment_name());
    let Some(header) = headers.last() else { return String::new() };
    let versions = header.crates.iter().map(|(name, version)| format!("{name} {version}"));
    let versions: Vec<String> = versions.chain([format!("rustc {}", header.rustc)]).collect();
    let code = place.config.experiments.join(chapter).to_string_lossy().replace('\\', "/");
    let commit = &header.commit;
    let code = match place.config.code_url(&code, commit) {
        Some(url) => format!("<a href=\"{}\">{}</a>", escape(&url), escape(&code)),
        None => format!("<code>{}</code>", escape(&code)),
    };
    let conditions = conditions(shown.data, spec.experiment_name());
    format!(
        "<p class=\"measured-small\">{}: {}. Measured {}, with {}. The code: {code} at \
         commit <code>{}</code>. {conditions}</p>\n",
        escape(if shown.machine.is_local() { "Yours" } else { shown.machine.name() }),
        escape(&shown.machine.machine.in_words()),
        when(headers),
        escape(&versions.join(", ")),
        escape(&commit.chars().take(12).collect::<String>()),
    )
}

/// On which days, in which profile.
fn when(headers: &[RunHeader]) -> String {
    let (first, last) = (&headers[0], &headers[headers.len() - 1]);
    match headers {
        [only] => format!("in one run on {}, {} profile", only.day(), only.profile),
        _ if first.day() == last.day() => {
            format!("in {} runs on {}, {} profile", headers.len(), last.day(), last.profile)
        }
        _ => format!(
            "in {} runs from {} to {}, {} profile",
            headers.len(),
            first.day(),
            last.day(),
            last.profile
        ),
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// What runs have in common, how many links of the program they ran, and how quiet the machine was.
fn conditions(data: &ChapterData, experiment: &str) -> String {
    let headers = data.evidence.headers(experiment);
    // The one that cargo made has the seed 0.
    let links = headers.iter().flat_map(|header| &header.builds).filter(|seed| **seed != 0).count();
    let links = match links {
        0 => "All processes ran the same link of the program.".to_owned(),
        links => format!("The program was linked {links} times."),
    };
    let most = |of: &dyn Fn(&RunHeader) -> f64| headers.iter().map(of).fold(0.0, f64::max);
    let boots = match (headers.len(), data.evidence.boots(experiment)) {
        (1, _) => {
            "one run: how much runs differ is borrowed from the reference, if that has several"
                .to_owned()
        }
        (_, 1) => "all on one boot of the machine".to_owned(),
        (_, boots) => format!("on {boots} boots of the machine"),
    };
    let mut html = format!(
        "The intervals are for the next run; {boots}. {links} Others used up to {} of the machine's CPU time, \
         the hypervisor kept up to {}.",
        percent(most(&|header| header.load)),
        percent(most(&|header| header.steal.unwrap_or(0.0))),
    );
    if let Some(source) = data.source(experiment) {
        let history = source.runs.len() - source.shown.len();
        if history > 0 {
            html += &format!(" {history} older runs, measured otherwise, are kept and not shown.");
        }
        for header in &source.faulty {
            let fault = header.fault.as_deref().unwrap_or_default();
            let day = header.day();
            html += &format!(" A run of {day} is kept and counts for nothing: {}.", escape(fault));
        }
    }
    html
}

/// What has to be known to read the chart at all: whose figures it shows, from when, and whether they
/// are stale.
pub(super) fn note(spec: &ChartBlock, shown: &[Shown<'_>], left_out: &[String]) -> String {
    let (kind, experiment) = (spec.kind, spec.experiment_name());
    let runs: Vec<String> = shown
        .iter()
        .map(|shown| {
            let stale: String = shown
                .data
                .stale(experiment)
                .iter()
                .map(|stale| format!(" <strong>Stale: {}.</strong>", escape(stale)))
                .collect();
            let headers = shown.data.evidence.headers(experiment);
            let day = headers.last().map_or("", |header| header.day());
            let runs = match headers.len() {
                1 => "one run, ".to_owned(),
                count => format!("{count} runs, "),
            };
            let lacks = shown.lacks();
            let lacks = lacks.map(|(lacks, of)| format!("; it lacks {lacks} of the {of} rows"));
            let lacks = lacks.unwrap_or_default();
            format!("{}, {runs}{day}{lacks}.{stale}", escape(&shown.label()))
        })
        .collect();
    let rows = || shown.iter().flat_map(|shown| &shown.rows);
    let of_machines = shown.iter().flat_map(|shown| {
        let machine = shown.machine;
        shown.rows.iter().map(move |row| (machine, *row))
    });
    let processors = processors::remark(of_machines);
    let processors = processors.map_or(String::new(), |remark| format!(" {}", escape(&remark)));
    let failed = rows().filter(|row| row.measured().is_none()).count();
    let failed = match failed {
        0 => String::new(),
        1 => " One row could not be measured: the table below says why.".to_owned(),
        count => format!(" {count} rows could not be measured: the table below says why."),
    };
    let are_scattered =
        rows().filter_map(|row| row.measured()).any(|measured| measured.scattered().is_some());
    let left_out: String = left_out.iter().map(|why| format!(" {}.", escape(why))).collect();
    let scattered = match (are_scattered, kind) {
        (false, ChartKind::Distribution) => " Each faint dot is a visit.",
        (false, _) => "",
        (true, ChartKind::Lines | ChartKind::Bars | ChartKind::Distribution) => {
            " Faint dots are visits, forty of a row at most, where hardly any comes near one figure: a cross marks the \
             second of two modes; where they lie anywhere, the interval is that of nine in ten."
        }
        (true, ChartKind::Ladder) => {
            " Hardly any visit of some rows comes near one figure: a cross marks the second of two modes; where \
             visits lie anywhere, the interval is that of nine in ten."
        }
        (true, ChartKind::HeatMap) => {
            " Where a field has two values, visits fall into two modes, with next to nothing in between; the \
             colour is that of the larger."
        }
    };
    let is_unknown = |measured: &&Measured| {
        measured.scattered().is_none() && number_format::is_unknown(measured.interval())
    };
    let unknown = match rows().filter_map(|row| row.measured()).find(is_unknown) {
        Some(_) => {
            " An interval that tells next to nothing is not drawn: the table below says of which figure."
        }
        None => "",
    };
    let is_told_apart = |step: &LadderStep| step.factor != NO_DIFFERENCE;
    let not_told_apart = if shown.iter().flat_map(|shown| &shown.steps).all(is_told_apart) {
        String::new()
    } else {
        format!(" {NOT_TOLD_APART} stands for {NO_DIFFERENCE}.")
    };
    let formula = escape(&(formula::in_words(spec) + &rug::in_words(spec, shown)));
    format!(
        "<p class=\"measured-small\">{}{failed}{left_out}{processors}{scattered}{unknown}{not_told_apart}{formula}</p>\n",
        runs.join(" ")
    )
}
