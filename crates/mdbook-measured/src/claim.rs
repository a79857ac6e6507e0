//! Claims: sentences with a predicate over rows, and their verdicts.

use measurement::statistics::{ratio_interval, two_regimes};
use measurement::{Interval, Predicate, Regime, Row, Run, Source, Unit, Verdict};
use serde::Deserialize;

use crate::data::{self, Data};
use crate::format;
use crate::html::{anchor, escape};
use crate::line_of;
use crate::page::Book;
use crate::published::Published;
use crate::select::{Selector, nearest, parse_ratio};

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
    /// Which noise floor a ratio is held against: a class of kernel, by default the widest.
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
    floor: Option<String>,
    /// The page on which it stands, relative to src/, as HTML.
    pub page: String,
    /// The chapter whose rows it is about.
    pub chapter: String,
    /// How it stands on each machine that has a run of the chapter, reference first.
    pub judgements: Vec<Judgement>,
}

/// What a claim is about.
#[derive(Debug)]
pub enum Subject {
    /// A quantity of one row.
    Value(Selector),
    /// A ratio of two rows of one run.
    Ratio(Selector, Selector),
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
    /// Reads a block that stands on `page`, whose chapter is `chapter`.
    ///
    /// # Errors
    ///
    /// In words, with the line within the block, from 1.
    pub fn parse(block: &str, page: &str, chapter: &str) -> Result<Claim, (usize, String)> {
        let spec: Spec = from_toml(block)?;
        let at = |key: &str| line_of_key(block, key);
        let subject = match (&spec.value, &spec.ratio) {
            (Some(value), None) => {
                Subject::Value(Selector::parse(value).map_err(|message| (at("value"), message))?)
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
            judgements: Vec::new(),
        })
    }

    /// Judges the claim on every machine that has a run of its chapter.
    ///
    /// # Errors
    ///
    /// If it names no row on the reference machine, or replicates what nobody published.
    pub fn judge(
        &mut self,
        data: &Data,
        reference: &str,
        published: &Published,
    ) -> Result<(), String> {
        if let Some(id) = &self.replicates {
            published.claim(id)?;
        }
        if data.run(reference, &self.chapter).is_none() {
            return Err(missing_run(reference, &self.chapter));
        }
        for machine in &data.machines {
            let Some(chapter) = machine.chapters.get(&self.chapter) else { continue };
            let judgement = match self.measure(&chapter.run) {
                Ok(finding) => Judgement {
                    machine: machine.name().to_owned(),
                    verdict: finding.verdict(self.predicate),
                    measured: Some(finding.in_words()),
                },
                Err(Missing::Unmeasured(reason)) => not_measured(machine.name(), reason),
                Err(Missing::Mistake(message)) if machine.name() == reference => {
                    return Err(message);
                }
                // Another machine, or a quick run, may have measured less.
                Err(Missing::Mistake(_)) => {
                    not_measured(machine.name(), "its run has no such row".to_owned())
                }
            };
            self.judgements.push(judgement);
        }
        Ok(())
    }

    /// The value or the ratio in one run, a ratio with the noise floor.
    fn measure(&self, run: &Run) -> Result<Finding, Missing> {
        let mut finding = self.subject.find(run)?;
        if let Subject::Ratio(..) = self.subject {
            finding.floor = self.noise_floor(run)?;
        }
        Ok(finding)
    }

    /// The noise floor that a ratio is held against.
    fn noise_floor(&self, run: &Run) -> Result<f64, Missing> {
        let floor = run.header.noise_floor(self.floor.as_deref());
        let floor = floor.ok_or_else(|| match &self.floor {
            Some(class) => {
                let known: Vec<&String> = run.header.floor.keys().collect();
                Missing::Mistake(format!(
                    "the run has no noise floor {class:?}{}",
                    nearest(class, &known)
                ))
            }
            None => Missing::Unmeasured("its run has no noise floor".to_owned()),
        })?;
        match self.predicate {
            Predicate::Within(share) if share < floor => Err(Missing::Unmeasured(format!(
                "identical contenders differed by up to {:.1} %, more than {}",
                floor * 100.0,
                self.predicate
            ))),
            _ => Ok(floor),
        }
    }

    /// The card that stands in place of the block.
    pub(crate) fn card(&self, book: &Book<'_>, to_root: &str) -> String {
        let published = book.published;
        let id = anchor("claim", &self.id);
        let mut card = format!(
            "<div class=\"measured-claim\" id=\"{id}\">\n<p class=\"measured-sentence\">{} \
             <a class=\"measured-permalink\" href=\"#{id}\">{}</a></p>\n<ul>\n",
            escape(&self.sentence),
            escape(&self.id),
        );
        for judgement in &self.judgements {
            card += &format!("<li>{}</li>\n", self.verdict_line(judgement));
        }
        card += &format!(
            "</ul>\n<p class=\"measured-small\">Claimed: {}, of <code>{}</code>.",
            escape(&self.in_words()),
            escape(&self.about())
        );
        if let Some(source) = self.replicates.as_ref().and_then(|id| published.claim(id).ok()) {
            card += &format!(" Replicates {}.", book.to_ledger(&source.id, &source.id, to_root));
        }
        card + "</p>\n</div>"
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
        let unit = match &self.subject {
            Subject::Value(selector) => {
                selector.quantity.as_deref().and_then(|q| measurement::unit_of(q).ok())
            }
            Subject::Ratio(..) => None,
        };
        let predicate = match unit.filter(|unit| *unit != Unit::One) {
            Some(unit) => self.predicate.in_words(|bound| format::value(bound, unit)),
            None => self.predicate.to_string(),
        };
        format!("{} {predicate}", self.subject.noun())
    }

    /// The rows that it names, in words.
    pub fn about(&self) -> String {
        match &self.subject {
            Subject::Value(selector) => selector.to_string(),
            Subject::Ratio(left, right) => format!("{left} / {right}"),
        }
    }
}

impl Subject {
    /// The value or the ratio in one run.
    pub(crate) fn find(&self, run: &Run) -> Result<Finding, Missing> {
        let one = |selector: &Selector| selector.one(run).map_err(Missing::Mistake);
        match self {
            Subject::Value(selector) => Finding::of_row(one(selector)?),
            Subject::Ratio(left, right) => Finding::of_ratio(one(left)?, one(right)?, run),
        }
    }

    /// The chapter whose rows it names, if it is not the page's own.
    pub(crate) fn chapter(&self) -> Option<&str> {
        let (Subject::Value(first) | Subject::Ratio(first, _)) = self;
        first.chapter.as_deref()
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

/// Why a claim could not be measured in a run.
pub(crate) enum Missing {
    /// The page asks for what is not there.
    Mistake(String),
    /// It is there, and could not be measured.
    Unmeasured(String),
}

fn not_measured(machine: &str, reason: String) -> Judgement {
    Judgement { machine: machine.to_owned(), verdict: Verdict::NotMeasured(reason), measured: None }
}

/// A value or a ratio, as found in one run.
pub(crate) struct Finding {
    interval: Interval,
    regimes: Option<[Regime; 2]>,
    unit: Unit,
    /// What identical contenders differ by, for a ratio.
    floor: f64,
}

impl Finding {
    fn of_row(row: &Row) -> Result<Finding, Missing> {
        let measured = row.figures().map_err(Missing::Unmeasured)?;
        let (interval, regimes) = (measured.interval(), measured.regimes());
        Ok(Finding { interval, regimes, unit: row.unit, floor: 0.0 })
    }

    /// The paired ratio of two rows of one run.
    fn of_ratio(left: &Row, right: &Row, run: &Run) -> Result<Finding, Missing> {
        if left.unit != right.unit {
            let (left, right) = (left.name(), right.name());
            let message = format!("{left:?} and {right:?} are in different units");
            return Err(Missing::Mistake(message));
        }
        let ratios = run.paired_ratios(left, right).map_err(Missing::Unmeasured)?;
        let of_visits = left.measured().is_some_and(|m| m.source == Source::Criterion);
        Ok(Finding {
            interval: ratio_interval(&ratios, run.header.processes),
            regimes: Some(&ratios).filter(|_| of_visits).and_then(|ratios| two_regimes(ratios)),
            unit: Unit::One,
            floor: 0.0,
        })
    }

    fn verdict(&self, predicate: Predicate) -> Verdict {
        match self.regimes {
            Some(regimes) => {
                predicate.judge_regimes(regimes.map(|regime| regime.interval.widened(self.floor)))
            }
            None => predicate.judge(self.interval.widened(self.floor)),
        }
    }

    /// The figure, or one for each regime.
    pub(crate) fn figure(&self) -> String {
        format::measured(self.interval, self.regimes, self.unit)
    }

    /// The interval.
    pub(crate) fn range(&self) -> String {
        format::measured_range(self.interval, self.regimes, self.unit)
    }

    /// Both, and with the noise floor, against which a ratio is judged.
    fn in_words(&self) -> String {
        let mut words = format!("{} ({})", self.figure(), self.range());
        if self.floor > 0.0 {
            let widened = |interval: Interval| interval.widened(self.floor);
            let regimes = self.regimes.map(|regimes| {
                regimes.map(|regime| Regime { interval: widened(regime.interval), ..regime })
            });
            let range = format::measured_range(widened(self.interval), regimes, self.unit);
            words += &format!(", with the noise floor {range}");
        }
        words
    }
}

/// What to say where the reference machine has no run of a chapter.
pub(crate) fn missing_run(reference: &str, chapter: &str) -> String {
    format!(
        "data/{reference}/{chapter}.jsonl does not exist: measure with \
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
