//! Claims: sentences with a predicate over rows, and their verdicts.

pub(crate) mod agreement;
pub(crate) mod card;
pub(crate) mod family;
pub(crate) mod index;
pub(crate) mod ledger;
pub mod records;
pub mod trials;

use measurement::{Estimate, Evidence, Interval, LineError, Predicate, Test, Verdict, unit_of};
use serde::Deserialize;

use crate::data::published::Published;
use crate::data::{Data, MachineData};
use crate::figure::names::FigureNames;
use crate::figure::number_format::{self, Dimension};
use crate::figure::selector::Missing;
use crate::figure::{Figure, Form, Subject};
use crate::toml_block::{KeyError, check_id, from_toml};

/// A fenced `claim` block.
///
/// ```toml
/// id         = "spawn-cost.threads"
/// sentence   = "Creating 1,000 threads costs more than {bound} times what 1,000 tasks cost."
/// ratio      = "units: std::thread, units=1000, arm=ours / tokio multi-thread"
/// predicate  = "above 10"
/// replicates = "spawning.spawn-overhead"
/// ```
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimBlock {
    /// Stable id: the chapter, a dot, a few words.
    pub id: String,
    /// What is claimed, in words, with `{bound}` for the bounds of its predicate.
    pub sentence: String,
    /// The ratio that it is about ...
    pub ratio: Option<String>,
    /// ... or the quantity.
    pub value: Option<String>,
    /// What is claimed of it: see [`Predicate`]. A quantity is compared in its row's unit.
    pub predicate: String,
    /// The id of the published claim that this one answers.
    pub replicates: Option<String>,
    /// Whether a quick run judges it. A chapter names eight such claims at most: the more a run judges
    /// by wide intervals, the more of its verdicts are chance.
    #[serde(default)]
    pub quick: bool,
}

/// Why a quick run does not judge a claim.
const FULL_ONLY: &str = "full only";

/// Why nothing judges it so far.
const NO_RUN_YET: &str = "there is no run of the experiment yet";

/// How many claims of a chapter a quick run judges at most.
pub(crate) const MOST_QUICK: usize = 8;

/// Where a claim stands.
#[derive(Debug, Clone, Copy)]
pub struct ClaimPlace<'a> {
    /// The page, relative to src/, as HTML.
    pub page: &'a str,
    /// The line of that page's source.
    pub line: usize,
    /// The heading above it, which is its question or the answer; empty below the page's title alone.
    pub question: &'a str,
    /// The chapter whose rows are meant where none is named.
    pub chapter: &'a str,
}

/// A claim that has been read: all that it names is of the right form.
#[derive(Debug, Clone)]
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
    /// Whether a quick run judges it.
    pub(crate) quick: bool,
    /// The page on which it stands, relative to src/, as HTML.
    pub page: String,
    /// The line of that page's source on which its block begins.
    pub line: usize,
    /// The heading under which it stands, see [`ClaimPlace::question`].
    pub question: String,
    /// The chapter whose rows it is about.
    pub chapter: String,
    /// The machine whose verdict the pages tell.
    pub reference: String,
    /// How it stands on each machine that has a run of the chapter, reference first.
    pub judgements: Vec<Judgement>,
}

/// How a claim stands on a machine.
#[derive(Debug, Clone)]
pub struct Judgement {
    /// The machine.
    pub machine: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether its runs are stale: what they measured has changed since.
    pub(crate) is_stale: bool,
    /// What was measured, with what it is judged by, for people, if it was.
    pub measured: Option<String>,
    /// How far apart the ends of what judges it would still be after ten runs.
    pub of_ten_runs: Option<Interval>,
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
    /// Reads a block that stands at `place`, in which these names hold.
    ///
    /// # Errors
    ///
    /// With the line within the block.
    pub fn parse(
        block: &str,
        names: &FigureNames,
        place: &ClaimPlace<'_>,
    ) -> Result<Claim, LineError> {
        let spec: ClaimBlock = from_toml(block)?;
        Claim::of(spec, names, place).map_err(|wrong| wrong.on_line_of(block))
    }

    /// Reads what a block says.
    ///
    /// # Errors
    ///
    /// With the key that is to blame.
    pub(crate) fn of(
        spec: ClaimBlock,
        names: &FigureNames,
        place: &ClaimPlace<'_>,
    ) -> Result<Claim, KeyError> {
        let under = |key| move |message| KeyError { key, message };
        let subject = match (&spec.value, &spec.ratio) {
            (Some(value), None) => names.value(value).map_err(under("value"))?,
            (None, Some(ratio)) => names.ratio(ratio).map_err(under("ratio"))?,
            _ => return Err(KeyError::new("", "a claim is about either a `value` or a `ratio`")),
        };
        let predicate: Predicate = spec
            .predicate
            .parse()
            .map_err(|error| KeyError::new("predicate", format!("{error}")))?;
        if !subject.is_ratio() && matches!(predicate, Predicate::Within(_)) {
            return Err(KeyError::new("predicate", "`within m %` is for a ratio"));
        }
        check_id(&spec.id).map_err(under("id"))?;
        let sentence = spec.sentence.replace("{bound}", &bound(&subject, predicate));
        if sentence.trim().is_empty() {
            return Err(KeyError::new("sentence", "the sentence is empty"));
        }
        if let Some(start) = sentence.find('{') {
            let end = sentence[start..].find('}').map_or(sentence.len(), |end| start + end + 1);
            let message =
                format!("nothing stands for {:?}: write {{bound}}", &sentence[start..end]);
            return Err(KeyError::new("sentence", message));
        }
        Ok(Claim {
            chapter: subject.chapter().unwrap_or(place.chapter).to_owned(),
            id: spec.id,
            sentence,
            subject,
            predicate,
            replicates: spec.replicates,
            quick: spec.quick,
            page: place.page.to_owned(),
            line: place.line,
            question: place.question.to_owned(),
            reference: String::new(),
            judgements: Vec::new(),
        })
    }

    /// Judges the claim on every machine that has a run of its chapter.
    ///
    /// # Errors
    ///
    /// If it names no row on the reference machine, or replicates what nobody published, or what is said
    /// not to be testable here.
    pub fn judge(&mut self, data: &Data, published: &Published) -> Result<(), String> {
        if let Some(id) = &self.replicates
            && let Some(reason) = &published.claim(id)?.not_testable
        {
            return Err(format!(
                "it answers {id:?}, of which data/published says that it is not testable here, since \
                 {reason}: drop `not_testable` there, or `replicates` here"
            ));
        }
        // A predicate is to be older than its data: before there are any, it stands on the page as well.
        let is_measured = data.is_measured(&self.chapter, self.experiment());
        let reference = data.reference(&self.chapter, self.experiment());
        let has_chapter = |machine: &&MachineData| machine.chapters.contains_key(&self.chapter);
        let first = || data.machines.iter().find(has_chapter).map(MachineData::name);
        let first = if is_measured { None } else { first() };
        let reference = first.unwrap_or(reference).to_owned();
        if data.chapter(&reference, &self.chapter).is_none() {
            // Not even its chapter has been measured anywhere.
            self.judgements.push(not_measured(&reference, NO_RUN_YET.to_owned()));
        }
        for machine in data.in_order(&self.chapter, self.experiment()) {
            let Some(chapter) = machine.chapters.get(&self.chapter) else { continue };
            let is_reference = machine.name() == reference;
            let is_there =
                self.subject.is_in(&chapter.evidence) || (is_reference && !self.is_known(data));
            let found = is_there.then(|| self.subject.find(&chapter.evidence));
            let is_quick = chapter.is_quick(self.experiment());
            let judgement = match found {
                // A quick run has no order.
                Some(Ok(_)) if is_quick && (!self.quick || self.test() == Test::Order) => {
                    not_measured(machine.name(), FULL_ONLY.to_owned())
                }
                Some(Ok(figure)) => self.judgement(machine.name(), &figure),
                Some(Err(Missing::Unmeasured(reason))) => not_measured(machine.name(), reason),
                Some(Err(Missing::Mistake(message))) if is_reference && is_measured => {
                    return Err(message);
                }
                // Another machine, or a quick run, may have measured less.
                None | Some(Err(Missing::Mistake(_))) => {
                    let why = match (is_measured, is_quick) {
                        (false, _) => NO_RUN_YET,
                        (true, true) => FULL_ONLY,
                        (true, false) => "its run has no such row",
                    };
                    not_measured(machine.name(), why.to_owned())
                }
            };
            let is_stale =
                judgement.measured.is_some() && !chapter.stale(self.experiment()).is_empty();
            self.judgements.push(Judgement { is_stale, ..judgement });
        }
        self.reference = reference;
        Ok(())
    }

    /// How it stands on a machine.
    pub(crate) fn on(&self, machine: &str) -> Option<&Judgement> {
        self.judgements.iter().find(|found| found.machine == machine)
    }

    /// How it stands on a machine that found this.
    fn judgement(&self, machine: &str, figure: &Figure) -> Judgement {
        Judgement {
            is_stale: false,
            machine: machine.to_owned(),
            verdict: self.predicate.judge(self.test(), figure.found()),
            measured: Some(figure.judged_by(self.test())),
            of_ten_runs: figure.found().of_ten_runs,
        }
    }

    /// By what it is judged, which its predicate and its subject fix.
    pub fn test(&self) -> Test {
        self.predicate.test(self.subject.is_ratio(), self.subject.quantity().unwrap_or_default())
    }

    /// Whether some machine has the rows that it names. Then it is no mistake that the reference's run,
    /// which is older than the cells, has not.
    fn is_known(&self, data: &Data) -> bool {
        let ours = data.machines.iter().filter(|machine| !machine.is_local());
        let mut chapters = ours.filter_map(|machine| machine.chapters.get(&self.chapter));
        chapters.any(|chapter| self.subject.is_in(&chapter.evidence))
    }

    /// What this evidence found of it; `None` if it is not measured there.
    pub(crate) fn estimate(&self, evidence: &Evidence) -> Option<Estimate> {
        let is_there = self.subject.is_in(evidence);
        is_there.then(|| self.subject.find(evidence).ok())?.map(|figure| figure.found().clone())
    }

    /// The experiment that it is about.
    pub(crate) fn experiment(&self) -> &str {
        self.subject.experiment()
    }

    /// The predicate with its subject: `ratio above 10`.
    pub fn in_words(&self) -> String {
        let dimension = dimension(&self.subject);
        let predicate = match dimension.filter(|dimension| *dimension != Dimension::Count) {
            Some(dimension) => {
                self.predicate.in_words(|bound| number_format::value(bound, dimension))
            }
            None => self.predicate.to_string(),
        };
        format!("{} {predicate}", self.subject.noun())
    }

    /// The rows that it names, in words.
    pub fn about(&self) -> String {
        self.subject.to_string()
    }
}

fn not_measured(machine: &str, reason: String) -> Judgement {
    let (machine, verdict) = (machine.to_owned(), Verdict::NotMeasured(reason));
    Judgement { machine, verdict, is_stale: false, measured: None, of_ten_runs: None }
}

/// In what a value is told whose quantity is named.
fn dimension(subject: &Subject) -> Option<Dimension> {
    if matches!(subject.form, Form::Ratio | Form::Share) {
        return None;
    }
    let quantity = subject.quantity()?;
    Some(Dimension::of(quantity, unit_of(quantity).ok()?))
}

/// Up to which value a bound is told in its row's own unit, as most sources publish it.
const IN_OWN_UNIT: f64 = 1e5;

/// The bounds of a predicate as a sentence tells them: `ten` and `a tenth` of a ratio, `1.5 and 3`,
/// `210 and 840 ns`, `20 %`.
fn bound(subject: &Subject, predicate: Predicate) -> String {
    let dimension = dimension(subject);
    let bounds = match predicate {
        Predicate::Above(bound) | Predicate::Below(bound) => vec![bound],
        Predicate::Between(low, high) => vec![low, high],
        Predicate::Within(share) => return format!("{} %", share * 100.0),
    };
    let number = |bound: &f64| number_format::thousands(&bound.to_string());
    match (subject.form, dimension, &bounds[..]) {
        (Form::Ratio | Form::Share, _, [bound]) => {
            factor(*bound).map_or(number(bound), str::to_owned)
        }
        (_, Some(Dimension::Of(unit)), bounds)
            if bounds.iter().all(|bound| *bound < IN_OWN_UNIT) =>
        {
            let numbers: Vec<String> = bounds.iter().map(number).collect();
            format!("{} {unit}", numbers.join(" and "))
        }
        (_, Some(dimension @ (Dimension::Of(_) | Dimension::Share)), bounds) => {
            let value = |bound: &f64| number_format::value(*bound, dimension);
            bounds.iter().map(value).collect::<Vec<_>>().join(" and ")
        }
        (_, _, bounds) => bounds.iter().map(number).collect::<Vec<_>>().join(" and "),
    }
}

/// A factor in words, as far as there are common ones.
fn factor(factor: f64) -> Option<&'static str> {
    let words = [
        (0.05, "a twentieth"),
        (0.1, "a tenth"),
        (0.2, "a fifth"),
        (0.25, "a quarter"),
        (0.5, "half"),
        (0.8, "four fifths"),
        (1.5, "one and a half"),
        (2.0, "two"),
        (3.0, "three"),
        (4.0, "four"),
        (5.0, "five"),
        (10.0, "ten"),
    ];
    words.iter().find(|(known, _)| *known == factor).map(|(_, words)| *words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(sentence: &str, key: &str, of: &str, predicate: &str) -> Result<String, String> {
        let block = format!(
            "id = \"a.b\"\nsentence = \"{sentence}\"\n{key} = \"{of}\"\npredicate = \"{predicate}\"\n"
        );
        let place = ClaimPlace { page: "a.html", line: 1, question: "", chapter: "a" };
        let claim = Claim::parse(&block, &FigureNames::default(), &place);
        claim.map(|claim| claim.sentence).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn the_bound_of_a_sentence_is_that_of_its_predicate() {
        for (of, predicate, expected) in [
            ("units: a, time per unit / b", "above 10", "ten"),
            ("units: a, time per unit / b", "below 0.1", "a tenth"),
            ("units: a, time per unit / b", "above 1.04", "1.04"),
            ("units: a, time per unit / b", "between 17 and 68", "17 and 68"),
            ("units: a, time per unit / b", "within 25 %", "25 %"),
            ("units: a, time per unit", "between 7120 and 28480", "7,120 and 28,480 ns"),
            ("units: a, time per unit", "above 25000000", "25 ms"),
            ("units: a, share", "above 0.15", "15 %"),
            ("units: a, system calls per hop", "between 1.9 and 2.1", "1.9 and 2.1"),
        ] {
            let key = if of.contains(" / ") { "ratio" } else { "value" };
            assert_eq!(
                sentence("It is {bound}.", key, of, predicate).unwrap(),
                format!("It is {expected}.")
            );
        }
    }

    #[test]
    fn a_sentence_has_no_other_place_for_a_bound() {
        let wrong = sentence("It is {bond}.", "value", "units: a", "above 1").unwrap_err();
        assert_eq!(wrong, "2: nothing stands for \"{bond}\": write {bound}");
    }
}
