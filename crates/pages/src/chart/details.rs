//! The details below a chart: its figures, the runs that measured them, and how to measure them
//! again.

use findings::data::{ChapterData, MachineData};
use findings::figure::Figure;
use indexmap::IndexSet;
use language::block::{CONTENDER, ChartKind};
use language::config::{Config, EXPERIMENTS};
use measurement::{Combined, EvidenceRow, Fingerprint, Outcome, RunHeader, number_format};

use super::rows::varied;
use super::{Canvas, MachineRows, value_of};
use crate::html::{Html, each, html};
use crate::table;

/// Returns a `<details>` element with the table of rows, each machine's runs, the reasons why
/// other machines aren't drawn, and the command that measures the rows. Without scripts the
/// element is open; measured.js closes it.
pub(super) fn details(canvas: &Canvas<'_>, left_out: &[String], config: &Config) -> Html {
    html!(
        "<details class=\"measured-table\" open><summary>The figures, the run and the command behind this chart</summary>\n\
         {}{}{}<p class=\"measured-small\">Measure it on your machine: \
         <code>cargo book measure {}</code></p>\n</details>",
        figures(canvas),
        each(&canvas.shown, |shown| runs(canvas, shown).in_words(&lacks(shown), config)),
        each(left_out, |why| html!("<p class=\"measured-small\">{}.</p>\n", why)),
        canvas.chapter
    )
}

/// Returns a table of rows. Its columns are the contender and each parameter that differs between
/// rows. Parameters that all rows share are listed below the table.
fn figures(canvas: &Canvas<'_>) -> Html {
    let Canvas { spec, shown, .. } = canvas;
    let (mut columns, mut common) = (Vec::new(), String::new());
    for (name, values) in varied(canvas.rows()) {
        if name == CONTENDER || name == spec.x || values.len() > 1 {
            columns.push(name);
        } else {
            let before = if common.is_empty() { "; in all rows" } else { "," };
            common += &format!("{before} {name} = {}", values.concat());
        }
    }
    let machine = if shown.len() > 1 { "machine" } else { "" };
    let heads = columns.iter().map(String::as_str).chain([machine, spec.quantity()]);
    let heads = heads.chain(["95 % interval", "points", "source"]).filter(|head| !head.is_empty());
    let line = |shown: &MachineRows<'_>, row: &EvidenceRow| {
        let value = |name| spec.words.of_value(&value_of(row, name).unwrap_or_default());
        let mut cells: Vec<String> = columns.iter().map(|name| value(name)).collect();
        if !machine.is_empty() {
            cells.push(shown.machine.short().to_owned());
        }
        let mut failed = None;
        match (&row.outcome, Figure::of_row(row)) {
            (Outcome::Measured(m), Ok(found)) => {
                cells.extend([found.in_words(), found.range(), points(m), source(m)]);
            }
            (Outcome::Failed(reason), _) => {
                failed = Some(html!("<td colspan=\"4\">not measured: {}</td>", reason));
            }
            _ => {}
        }
        table::row_of(&row.contender, html!("{}{}", table::cells(cells), failed))
    };
    let rows = each(shown, |shown| each(&shown.rows, |row| line(shown, row)));
    html!(
        "{}<p class=\"measured-small\">Experiment <code>{}</code>{}.</p>\n",
        table::of_rows(heads, rows),
        &*spec.rows.experiment,
        common
    )
}

pub(super) fn source(measured: &Combined) -> String {
    format!("{:?}", measured.source).to_lowercase()
}

/// Returns the number of measurements that a figure rests on. If the measurement failed in other
/// runs, also returns how many runs failed, and why.
pub(super) fn points(measured: &Combined) -> String {
    let count = measured.points.len();
    match &measured.failed_runs[..] {
        [] => count.to_string(),
        failed @ [.., reason] => format!("{count}; failed in {} more runs: {reason}", failed.len()),
    }
}

fn runs<'a>(canvas: &Canvas<'a>, shown: &MachineRows<'a>) -> Runs<'a> {
    let (chapter, experiment) = (canvas.chapter, &*canvas.spec.rows.experiment);
    Runs { machine: shown.machine, data: shown.data, chapter, experiment }
}

fn lacks(shown: &MachineRows<'_>) -> String {
    match (shown.of_reference.saturating_sub(shown.rows.len()), shown.of_reference) {
        (0, _) => String::new(),
        (lacks, of) => format!(" It lacks {lacks} of the {of} rows."),
    }
}

pub(super) struct Runs<'a> {
    pub machine: &'a MachineData,
    pub data: &'a ChapterData,
    pub chapter: &'a str,
    pub experiment: &'a str,
}

impl Runs<'_> {
    /// Describes when and where the runs were made, which code they measured, and how far they
    /// can be trusted. `lacks` is a sentence about missing rows.
    pub(super) fn in_words(&self, lacks: &str, config: &Config) -> Html {
        let headers = self.data.evidence.headers(self.experiment);
        let Some(header) = headers.last() else { return Html::default() };
        let when = match (headers.len(), headers[0].day(), header.day()) {
            (1, _, last) => format!("in one run on {last}"),
            (count, first, last) if first == last => format!("in {count} runs on {last}"),
            (count, first, last) => format!("in {count} runs from {first} to {last}"),
        };
        let versions = header.crates.iter().map(|(name, version)| format!("{name} {version}"));
        let versions: Vec<String> = versions.chain([format!("rustc {}", header.rustc)]).collect();
        let code = format!("{EXPERIMENTS}/{}", self.chapter);
        let commit = &header.commit;
        let code = match config.code_url(&code, commit) {
            Some(url) => html!("<a href=\"{}\">{}</a>", url, code),
            None => html!("<code>{}</code>", code),
        };
        let [kernel, idle] = [
            of_runs(headers, "kernel ", |host| host.kernel.as_deref()),
            of_runs(headers, "idle cores: ", |host| host.idle.as_deref()),
        ];
        html!(
            "<p class=\"measured-small\">{}: {}{}{}. Measured {}, {} profile, with {}. The code: {} at commit <code>{}</code>. \
             {}{}{}</p>\n",
            if self.machine.is_local() { "Yours" } else { self.machine.name() },
            self.machine.machine.facts.in_words(),
            kernel,
            idle,
            when,
            header.profile.to_string(),
            versions.join(", "),
            code,
            commit.chars().take(12).collect::<String>(),
            self.conditions(),
            lacks,
            self.stale()
        )
    }

    /// Returns the name of the machine that measured the figures, and the day of its last run.
    pub(super) fn measured_on(&self) -> String {
        let headers = self.data.evidence.headers(self.experiment);
        let day = headers.last().map_or("", |header| header.day());
        let runs = match headers.len() {
            1 => format!("in one run on {day}"),
            count => format!("in {count} runs, the last on {day}"),
        };
        format!("{}, {runs}.{}", measured_on(self.machine), self.stale())
    }

    fn stale(&self) -> String {
        stale_in_words(self.data.stale(self.experiment))
    }

    /// Returns the conditions that all runs share, the number of different builds of the program,
    /// and how much of the machine's CPU time others used.
    fn conditions(&self) -> Html {
        let Runs { data, experiment, .. } = self;
        let headers = data.evidence.headers(experiment);
        // The build that cargo made counts as the one with seed 0. The others are relinked with
        // another seed.
        let links =
            headers.iter().flat_map(|header| &header.builds).filter(|seed| **seed != 0).count();
        let links = match links {
            0 => "All processes ran the same link of the program.".to_owned(),
            links => format!("The program was linked {links} times."),
        };
        let most = |of: fn(&RunHeader) -> f64| {
            format!("{:.1} %", headers.iter().map(of).fold(0.0, f64::max) * 100.0)
        };
        let boots = match (headers.len(), data.evidence.boots(experiment)) {
            (1, _) => {
                "one run: how much runs differ is borrowed from the reference, if that has several"
            }
            (_, 1) => "all on one boot of the machine",
            (_, boots) => &format!("on {boots} boots of the machine"),
        };
        let source = data.source(experiment);
        let history = source.map(|source| source.history.len()).filter(|count| *count > 0);
        let faulty = source.into_iter().flat_map(|source| &source.faulty);
        html!(
            "The intervals are for the next run, those of differences and ratios of the mean; {}. {} Others used up to {} of the machine's CPU time, \
             the hypervisor kept up to {}.{}{}",
            boots,
            links,
            most(|header| header.load),
            most(|header| header.steal.unwrap_or(0.0)),
            history.map(|count| match count {
                1 => html!(" An older run, measured otherwise, is kept and not shown."),
                _ => html!(" {} older runs, measured otherwise, are kept and not shown.", count),
            }),
            each(faulty, |header| {
                let (day, fault) = (header.day(), header.fault.as_deref());
                html!(" A run of {} is kept and counts for nothing: {}.", day, fault)
            })
        )
    }
}

/// Returns a sentence for each reason why the measured code differs from the source tree.
pub(super) fn stale_in_words<'a>(reasons: impl IntoIterator<Item = &'a String>) -> String {
    reasons.into_iter().map(|reason| format!(" Stale: {reason}.")).collect()
}

/// Returns the beginning of a note: the machine that measured the figures.
pub(super) fn measured_on(machine: &MachineData) -> String {
    if machine.is_local() {
        return "Yours".to_owned();
    }
    format!("Measured on {}", machine.for_people())
}

/// Returns the values that the runs recorded about their host, without repetitions and in the
/// order of the runs, as `, name value and value`. Returns an empty string if no run recorded
/// one, since machine.json describes only the last host.
fn of_runs<'a>(
    headers: &'a [RunHeader],
    name: &str,
    of: impl Fn(&'a Fingerprint) -> Option<&'a str>,
) -> String {
    let told: Vec<&str> = headers.iter().filter_map(|run| of(run.host.as_ref()?)).collect();
    let (count, runs) = (told.len(), headers.len());
    let values: IndexSet<&str> = told.into_iter().collect();
    let values: Vec<&str> = values.into_iter().collect();
    match count {
        0 => String::new(),
        _ if count == runs => format!(", {name}{}", values.join(" and ")),
        _ => format!(", {name}{} in {count} of {runs} runs", values.join(" and ")),
    }
}

/// Returns the note below a view of a chart: whose figures are shown, when they were measured, and
/// how to read the marks.
pub(super) fn note(canvas: &Canvas<'_>) -> String {
    let rows = || canvas.rows();
    let mut note = match rows().filter(|row| row.measured().is_none()).count() {
        0 => String::new(),
        1 => " One row could not be measured: the table below says why.".to_owned(),
        count => format!(" {count} rows could not be measured: the table below says why."),
    };
    let is_distribution = canvas.spec.kind == ChartKind::Distribution;
    if is_distribution || rows().filter_map(EvidenceRow::measured).any(is_scattered) {
        note += " Each faint dot is one measurement.";
    }
    note += &intervals_note(rows());
    let machines = canvas.shown.iter().map(|shown| runs(canvas, shown).measured_on());
    Vec::from_iter(machines).join(" ") + &note
}

fn is_scattered(measured: &Combined) -> bool {
    measured.estimate.scattered.is_some()
}

/// Returns sentences that explain why some bars of a chart aren't intervals, and why some
/// intervals aren't drawn. Empty if there is nothing to explain.
pub(super) fn intervals_note<'a>(rows: impl Iterator<Item = &'a EvidenceRow>) -> String {
    let measured: Vec<&Combined> = rows.filter_map(EvidenceRow::measured).collect();
    let is_unknown =
        |of: &Combined| !is_scattered(of) && number_format::is_unknown(of.estimate.next);
    let mut note = String::new();
    if measured.iter().any(|of| is_scattered(of)) {
        note += " Where measurements scatter widely, the bar spans nine in ten of them.";
    }
    if measured.iter().any(|of| is_unknown(of)) {
        note += " Intervals too wide to help aren't drawn; the table lists them.";
    }
    note
}
