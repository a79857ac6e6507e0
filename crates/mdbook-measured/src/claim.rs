//! Claims: sentences with a predicate over rows, and their verdicts.

use measurement::{Evidence, Interval, Predicate, Profile, Ratio, Regime, Row, Verdict};
use serde::Deserialize;

use crate::data::{self, Data};
use crate::format::{self, Dimension, Form};
use crate::html::{anchor, escape};
use crate::line_of;
use crate::page::Book;
use crate::published::Published;
use crate::select::{Missing, Selector, Term, in_one_unit, nearest, parse_ratio};

/// A fenced `claim` block.
///
/// ```toml
/// id         = "spawn-cost.threads"
/// sentence   = "Creating 1,000 threads costs more than ten times what 1,000 tasks cost."
/// ratio      = "units: std::thread, units=1000, arm=ours / tokio multi-thread"
/// predicate  = "above 10"
/// replicates = "spawning.spawn-overhead"
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Stable id: the chapter, a dot, a few words.
    pub id: String,
    /// What is claimed, in words.
    pub sentence: String,
    /// The ratio that it is about ...
    pub ratio: Option<String>,
    /// ... or the quantity.
    pub value: Option<String>,
    /// What is claimed of it: see [`Predicate`]. A quantity is compared in its row's unit.
    pub predicate: String,
    /// The id of the published claim that this one answers.
    pub replicates: Option<String>,
    /// Which noise floor a ratio is held against in data of method 2: a class of kernel, by default the
    /// widest. Since then it is that of the group's own twin.
    pub floor: Option<String>,
}

/// A claim that has been read: all that it names is of the right form.
#[derive(Debug)]
pub struct Claim {
    /// Stable id.
    pub id: String,
    /// What is claimed, in words.
    pub sentence: String,
    /// What it is about.
    pub subject: Subject,
    /// What is claimed of it.
    pub predicate: Predicate,
    /// The published claim that it answers.
    pub replicates: Option<String>,
    /// The noise floor that it names.
    pub(crate) floor: Option<String>,
    /// The page on which it stands, relative to src/, as HTML.
    pub page: String,
    /// The line of that page's source on which its block begins.
    pub line: usize,
    /// The chapter whose rows it is about.
    pub chapter: String,
    /// The machine whose verdict the pages tell.
    pub reference: String,
    /// How it stands on each machine that has a run of the chapter, reference first.
    pub judgements: Vec<Judgement>,
}

/// What a claim is about.
#[derive(Debug)]
pub enum Subject {
    /// A quantity of one row, or what it is beyond another's.
    Value(Term),
    /// A ratio of two of one run.
    Ratio(Term, Term),
}

/// How a claim stands on a machine.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The machine.
    pub machine: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What was measured, for people, if it was.
    pub measured: Option<String>,
}

impl Judgement {
    /// What was measured, or why nothing was.
    pub fn in_words(&self) -> &str {
        match (&self.measured, &self.verdict) {
            (Some(measured), _) => measured,
            (None, Verdict::NotMeasured(reason)) => reason,
            (None, _) => "",
        }
    }
}

impl Claim {
    /// Reads a block that stands on a line of `page`, whose chapter is `chapter`.
    ///
    /// # Errors
    ///
    /// In words, with the line within the block, from 1.
    pub fn parse(
        block: &str,
        page: &str,
        line: usize,
        chapter: &str,
    ) -> Result<Claim, (usize, String)> {
        let spec: Spec = from_toml(block)?;
        let at = |key: &str| line_of_key(block, key);
        let subject = match (&spec.value, &spec.ratio) {
            (Some(value), None) => {
                Subject::Value(Term::parse(value).map_err(|message| (at("value"), message))?)
            }
            (None, Some(ratio)) => {
                let (left, right) = parse_ratio(ratio).map_err(|message| (at("ratio"), message))?;
                Subject::Ratio(left, right)
            }
            _ => return Err((1, "a claim is about either a `value` or a `ratio`".to_owned())),
        };
        let predicate: Predicate =
            spec.predicate.parse().map_err(|error| (at("predicate"), format!("{error}")))?;
        if matches!((&subject, predicate), (Subject::Value(_), Predicate::Within(_))) {
            return Err((at("predicate"), "`within m %` is for a ratio".to_owned()));
        }
        check_id(&spec.id).map_err(|message| (at("id"), message))?;
        if spec.sentence.trim().is_empty() {
            return Err((at("sentence"), "the sentence is empty".to_owned()));
        }
        Ok(Claim {
            chapter: subject.chapter().unwrap_or(chapter).to_owned(),
            id: spec.id,
            sentence: spec.sentence,
            subject,
            predicate,
            replicates: spec.replicates,
            floor: spec.floor,
            page: page.to_owned(),
            line,
            reference: String::new(),
            judgements: Vec::new(),
        })
    }

    /// Judges the claim on every machine that has a run of its chapter.
    ///
    /// # Errors
    ///
    /// If it names no row on the reference machine, or replicates what nobody published.
    pub fn judge(&mut self, data: &Data, published: &Published) -> Result<(), String> {
        if let Some(id) = &self.replicates {
            published.claim(id)?;
        }
        let reference = data.reference(&self.chapter, self.experiment()).to_owned();
        if data.chapter(&reference, &self.chapter).is_none() {
            return Err(missing_run(&reference, &self.chapter));
        }
        for machine in data.in_order(&self.chapter, self.experiment()) {
            let Some(chapter) = machine.chapters.get(&self.chapter) else { continue };
            let is_reference = machine.name() == reference;
            let is_there = is_reference || self.subject.is_in(&chapter.evidence);
            let found = is_there.then(|| self.measure(&chapter.evidence));
            let judgement = match found {
                Some(Ok(finding)) => Judgement {
                    machine: machine.name().to_owned(),
                    verdict: finding.verdict(self.predicate),
                    measured: Some(finding.in_words()),
                },
                Some(Err(Missing::Unmeasured(reason))) => not_measured(machine.name(), reason),
                Some(Err(Missing::Mistake(message))) if is_reference => return Err(message),
                // Another machine, or a quick run, may have measured less.
                None | Some(Err(Missing::Mistake(_))) => {
                    let headers = chapter.evidence.headers(self.experiment());
                    let is_quick = headers.iter().all(|header| header.profile == Profile::Quick);
                    let why = if is_quick { "full only" } else { "its run has no such row" };
                    not_measured(machine.name(), why.to_owned())
                }
            };
            self.judgements.push(judgement);
        }
        self.reference = reference;
        Ok(())
    }

    /// How the claim stands on this evidence, and as what: on the evidence's interval, and on its
    /// estimate alone. `None` if it is not measured there.
    pub(crate) fn stands(&self, evidence: &Evidence) -> Option<(Verdict, Verdict)> {
        if !self.subject.is_in(evidence) {
            return None;
        }
        let finding = self.measure(evidence).ok()?;
        let Interval { estimate, .. } = finding.interval;
        let alone = Interval { estimate, low: estimate, high: estimate };
        Some((finding.verdict(self.predicate), self.predicate.judge(alone)))
    }

    /// In what share of its processes the evidence found a core undisturbed, for the row of those that it
    /// is about for which that is least; `None` if one of them is not there.
    pub(crate) fn calm_processes(&self, evidence: &Evidence) -> Option<f64> {
        let terms = match &self.subject {
            Subject::Value(term) => vec![term],
            Subject::Ratio(left, right) => vec![left, right],
        };
        let rows = terms.iter().flat_map(|term| [Some(&term.row), term.less.as_deref()]);
        let mut calm = rows.flatten().map(|selector| {
            let row = selector.one(evidence).ok()?;
            Some(row.measured()?.calm_processes())
        });
        calm.try_fold(1.0, |least: f64, calm| Some(least.min(calm?)))
    }

    /// The experiment that it is about.
    pub(crate) fn experiment(&self) -> &str {
        self.subject.experiment()
    }

    /// The value or the ratio in one run, a ratio with the noise floor.
    fn measure(&self, evidence: &Evidence) -> Result<Finding, Missing> {
        let mut finding = self.subject.find(evidence)?;
        if let Subject::Ratio(..) = self.subject {
            let floor = self.subject.floor(evidence, self.floor.as_deref())?;
            finding.floor = floor * finding.magnified;
        }
        match self.predicate {
            Predicate::Within(share) if share < finding.floor => Err(Missing::Unmeasured(format!(
                "identical contenders differed by up to {:.1} %, more than {}",
                finding.floor * 100.0,
                self.predicate
            ))),
            _ => Ok(finding),
        }
    }

    /// The card that stands in place of the block.
    pub(crate) fn card(&self, book: &Book<'_>, to_root: &str) -> String {
        let id = anchor("claim", &self.id);
        let verdicts: String = self
            .judgements
            .iter()
            .map(|judgement| format!("<li>{}</li>\n", self.verdict_line(judgement)))
            .collect();
        let record = book.records.and_then(|records| records.of(&self.id));
        // Old links land here.
        let was = record.map_or(&[][..], |record| &record.was);
        let was: String =
            was.iter().map(|old| format!("<a id=\"{}\"></a>", anchor("claim", old))).collect();
        let mut card = format!(
            "<div class=\"measured-claim\" id=\"{id}\">{was}\n<p class=\"measured-sentence\">{}</p>\n\
             <ul>\n{verdicts}</ul>\n<p class=\"measured-small\">Claimed: {}, of <code>{}</code>.",
            escape(&self.sentence),
            escape(&self.in_words()),
            escape(&self.about())
        );
        if let Some(source) = &self.replicates {
            card += &format!(" Replicates {}.", book.to_ledger(source, source, to_root));
        }
        if let Some(record) = record {
            card += &format!(" {}", escape(&record.in_words(&self.runs(book.data))));
        }
        card + &format!(
            " Permanent link: <a class=\"measured-permalink\" href=\"#{id}\">{}</a></p>\n</div>",
            escape(&self.id)
        )
    }

    /// The machines on which it has been measured, each with when that run began.
    fn runs<'a>(&self, data: &'a Data) -> Vec<(&'a str, &'a str)> {
        let measured = |name: &str| {
            let mut judgements = self.judgements.iter();
            judgements.any(|judgement| judgement.machine == name && judgement.measured.is_some())
        };
        let machines = data.machines.iter().filter(|machine| measured(machine.name()));
        let runs = machines.filter_map(|machine| {
            let chapter = machine.chapters.get(&self.chapter)?;
            let first = chapter.evidence.headers(self.experiment()).first()?;
            Some((machine.name(), first.run.as_str()))
        });
        runs.collect()
    }

    /// A verdict with its machine and what was measured there, or why not.
    pub(crate) fn verdict_line(&self, judgement: &Judgement) -> String {
        let machine = data::label(&judgement.machine);
        let mut line = format!("{} {}: ", badge(&judgement.verdict), escape(machine));
        if judgement.measured.is_some() {
            line += &format!("{} ", self.subject.noun());
        }
        line += &escape(judgement.in_words());
        if judgement.verdict == Verdict::Fails && self.replicates.is_some() {
            line += ", not reproduced on this machine";
        }
        line
    }

    /// The predicate with its subject: `ratio above 10`.
    pub fn in_words(&self) -> String {
        let dimension = match &self.subject {
            Subject::Value(Term { row: Selector { quantity: Some(quantity), .. }, .. }) => {
                measurement::unit_of(quantity).ok().map(|unit| Dimension::of(quantity, unit))
            }
            _ => None,
        };
        let predicate = match dimension.filter(|dimension| *dimension != Dimension::Count) {
            Some(dimension) => self.predicate.in_words(|bound| format::value(bound, dimension)),
            None => self.predicate.to_string(),
        };
        format!("{} {predicate}", self.subject.noun())
    }

    /// The rows that it names, in words.
    pub fn about(&self) -> String {
        self.subject.to_string()
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::Value(selector) => write!(f, "{selector}"),
            Subject::Ratio(left, right) => write!(f, "{left} / {right}"),
        }
    }
}

impl Subject {
    /// The value or the ratio in one run.
    pub(crate) fn find(&self, evidence: &Evidence) -> Result<Finding, Missing> {
        match self {
            Subject::Value(term) => Finding::of_row(&*term.find(evidence)?),
            Subject::Ratio(left, right) => {
                let (above, below) = (left.find(evidence)?, right.find(evidence)?);
                let magnified =
                    left.magnifies(evidence, &above)?.max(right.magnifies(evidence, &below)?);
                Ok(Finding { magnified, ..Finding::of_ratio(&above, &below, evidence)? })
            }
        }
    }

    /// What identical contenders differ by where the two sides of a ratio stand; 0 for a value.
    pub(crate) fn floor(&self, evidence: &Evidence, class: Option<&str>) -> Result<f64, Missing> {
        match self {
            Subject::Value(_) => Ok(0.0),
            Subject::Ratio(left, right) => {
                noise_floor(evidence, &*left.find(evidence)?, &*right.find(evidence)?, class)
            }
        }
    }

    /// Whether there is a row for all that it names. Asked where there need not be one, since the message
    /// of [`Subject::find`] takes long to put together.
    pub(crate) fn is_in(&self, evidence: &Evidence) -> bool {
        let terms = match self {
            Subject::Value(term) => vec![term],
            Subject::Ratio(left, right) => vec![left, right],
        };
        let named = terms.iter().flat_map(|term| [Some(&term.row), term.less.as_deref()]).flatten();
        let mut named = named.into_iter();
        named.all(|selector| evidence.rows.iter().any(|row| selector.matches(row)))
    }

    /// The chapter whose rows it names, if it is not the page's own.
    pub(crate) fn chapter(&self) -> Option<&str> {
        self.first().chapter.as_deref()
    }

    /// The experiment of the first row that it names.
    pub(crate) fn experiment(&self) -> &str {
        &self.first().experiment
    }

    /// The first row that it names.
    fn first(&self) -> &Selector {
        let (Subject::Value(first) | Subject::Ratio(first, _)) = self;
        &first.row
    }

    fn noun(&self) -> &'static str {
        match self {
            Subject::Value(_) => "value",
            Subject::Ratio(..) => "ratio",
        }
    }
}

/// A verdict, coloured by its word.
pub(crate) fn badge(verdict: &Verdict) -> String {
    let word = verdict.word();
    format!("<span class=\"measured-verdict measured-{}\">{word}</span>", word.replace(' ', "-"))
}

/// The noise floor that a ratio of two rows is held against: that of their groups' own twins. In method 2
/// it is that of a class of kernel, by default the widest.
pub(crate) fn noise_floor(
    evidence: &Evidence,
    left: &Row,
    right: &Row,
    class: Option<&str>,
) -> Result<f64, Missing> {
    let header = evidence.headers(&left.experiment).last();
    let Some(header) = header.filter(|header| header.experiment.is_none()) else {
        return evidence.floor(left, right).map_err(Missing::Unmeasured);
    };
    header.noise_floor(class).ok_or_else(|| match class {
        Some(class) => {
            let known: Vec<&String> = header.floor.keys().collect();
            let near = nearest(class, &known);
            Missing::Mistake(format!("the run has no noise floor {class:?}{near}"))
        }
        None => Missing::Unmeasured("its run has no noise floor".to_owned()),
    })
}

fn not_measured(machine: &str, reason: String) -> Judgement {
    Judgement { machine: machine.to_owned(), verdict: Verdict::NotMeasured(reason), measured: None }
}

/// What stands in place of a figure that tells nothing apart.
const NO_DIFFERENCE: &str = "no difference detected";

/// A value or a ratio, as found in one run.
pub(crate) struct Finding {
    interval: Interval,
    regimes: Option<[Regime; 2]>,
    dimension: Dimension,
    /// What identical contenders differ by, for a ratio.
    floor: f64,
    /// How many times as much that is, for a ratio of differences.
    magnified: f64,
}

impl Finding {
    pub(crate) fn of_row(row: &Row) -> Result<Finding, Missing> {
        let measured = row.figures().map_err(Missing::Unmeasured)?;
        let (interval, regimes) = (measured.interval(), measured.regimes());
        let dimension = Dimension::of_row(row);
        Ok(Finding { interval, regimes, dimension, floor: 0.0, magnified: 1.0 })
    }

    /// The ratio of two rows.
    pub(crate) fn of_ratio(
        left: &Row,
        right: &Row,
        evidence: &Evidence,
    ) -> Result<Finding, Missing> {
        in_one_unit(left, right)?;
        let Ratio { interval, regimes } =
            evidence.ratio(left, right).map_err(Missing::Unmeasured)?;
        Ok(Finding { interval, regimes, dimension: Dimension::Count, floor: 0.0, magnified: 1.0 })
    }

    fn verdict(&self, predicate: Predicate) -> Verdict {
        match self.regimes {
            Some(regimes) => {
                predicate.judge_regimes(regimes.map(|regime| regime.interval.widened(self.floor)))
            }
            None => predicate.judge(self.interval.widened(self.floor)),
        }
    }

    /// Whether the ratio is one of 1, as far as can be told by contenders that are identical but
    /// for `floor`.
    pub(crate) fn is_level(&self, floor: f64) -> bool {
        let Interval { low, high, .. } = self.interval.widened(floor * self.magnified);
        low <= 1.0 && 1.0 <= high
    }

    /// A ratio as a factor, `× 34` or `÷ 3`; one for each regime; no figure if identical contenders
    /// could differ as much.
    pub(crate) fn factor(&self, floor: f64, form: Form) -> String {
        if self.is_level(floor) {
            return NO_DIFFERENCE.to_owned();
        }
        let one = |interval: Interval| match interval.estimate < 1.0 {
            false => format!("× {}", format::estimate(interval, self.dimension)),
            true => {
                let Interval { estimate, low, high } = interval;
                let inverse =
                    Interval { estimate: 1.0 / estimate, low: 1.0 / high, high: 1.0 / low };
                format!("÷ {}", format::estimate(inverse, self.dimension))
            }
        };
        match (self.regimes, form) {
            (None, _) => one(self.interval),
            (Some([most, _]), Form::Brief) => format!("mostly {}", one(most.interval)),
            (Some(regimes), Form::Full) => regimes.map(|regime| one(regime.interval)).join(" or "),
        }
    }

    /// The figure, or one for each regime; none for a difference that may be on either side of zero.
    pub(crate) fn figure(&self, form: Form) -> String {
        if self.interval.low < 0.0 && 0.0 < self.interval.high {
            return NO_DIFFERENCE.to_owned();
        }
        match (form, self.dimension) {
            (Form::Brief, dimension) => format::mostly(self.interval, self.regimes, dimension),
            // Only times have regimes, and ratios of them.
            (Form::Full, Dimension::Count) => format::ratio(self.interval, self.regimes),
            (Form::Full, dimension) => format::measured(self.interval, self.regimes, dimension),
        }
    }

    /// The interval.
    pub(crate) fn range(&self) -> String {
        format::measured_range(self.interval, self.regimes, self.dimension)
    }

    /// Both, and with the noise floor, against which a ratio is judged.
    fn in_words(&self) -> String {
        let mut words = format!("{} ({})", self.figure(Form::Full), self.range());
        if self.floor > 0.0 {
            let widened = |interval: Interval| interval.widened(self.floor);
            let regimes = self.regimes.map(|regimes| {
                regimes.map(|regime| Regime { interval: widened(regime.interval), ..regime })
            });
            let range = format::measured_range(widened(self.interval), regimes, self.dimension);
            words += &format!(", with the noise floor {range}");
        }
        words
    }
}

/// What to say where the reference machine has no run of a chapter.
pub(crate) fn missing_run(reference: &str, chapter: &str) -> String {
    format!(
        "data/{reference} has no run of {chapter}: measure with \
         `cargo book measure {chapter} --full --machine {reference}`"
    )
}

/// Checks the id of a claim or a chart: two names and a dot.
pub(crate) fn check_id(id: &str) -> Result<(), String> {
    let is_name = |part: &str| measurement::name::check_slug("id", part).is_ok();
    match id.split('.').collect::<Vec<_>>()[..] {
        [chapter, name] if is_name(chapter) && is_name(name) => Ok(()),
        _ => Err(format!("{id:?} is no id: write it as \"spawn-cost.threads\"")),
    }
}

/// Reads TOML, and gives an error with its line, from 1.
pub(crate) fn from_toml<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T, (usize, String)> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        (line_of(text, offset), error.message().to_owned())
    })
}

/// The line of a key within a block, from 1.
pub(crate) fn line_of_key(block: &str, key: &str) -> usize {
    let is_key = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    block.lines().position(is_key).map_or(1, |index| index + 1)
}
