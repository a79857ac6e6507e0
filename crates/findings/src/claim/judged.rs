//! Judges claims on each machine.

use language::Mistake;
use language::claim::Claim;
use language::page::Page;
use measurement::{Evidence, Verdict};

use crate::data::{Data, LOCAL, Published};
use crate::figure::Figure;
use crate::find::{self, Missing};

/// A claim, with its verdict on each machine.
#[derive(Debug)]
pub struct JudgedClaim {
    /// The claim as its page states it.
    pub claim: Claim,
    /// The judgements on all machines that have a run of the chapter. There is at least one; the
    /// first is for the reference machine, whose verdict the pages show.
    pub judgements: Vec<Judgement>,
}

/// One machine's verdict on a claim, with the figure that it rests on.
#[derive(Debug)]
pub struct Judgement {
    /// The name of the machine that measured.
    pub machine: String,
    /// The verdict. If nothing was measured, the verdict includes the reason.
    pub verdict: Verdict,
    /// The measured figure, or the reason why there is no figure.
    pub figure: Result<Figure, Missing>,
    /// True if the figure is from stale runs, that is, if the measured code has changed since.
    pub is_stale: bool,
}

fn unmeasured(why: &str) -> Result<Figure, Missing> {
    Err(Missing::Unmeasured(why.to_owned()))
}

/// The reason for not judging a claim if the machine has only quick runs.
const FULL_ONLY: &str = "full only";

const NO_RUN_YET: &str = "there is no run of the experiment yet";

/// The reason for not judging a claim if only another machine has measured its row.
const NO_SUCH_ROW: &str = "its run has no such row";

/// The minimum share of offered requests that a server has to answer during a measurement. Below
/// it, the queue was growing, so latencies depend on when the measurement ended.
const ANSWERED: f64 = 0.95;

/// Returns the reason why a claim can't be judged if the servers behind its rows answered too few
/// of the offered requests.
fn unanswered(claim: &Claim, evidence: &Evidence) -> Option<String> {
    let rows = claim.subject.selectors().filter_map(|of| find::one(of, evidence).ok());
    let shares = rows.filter_map(|row| Some((row, evidence.answered(row)?)));
    let mut fewer = shares.filter(|(_, share)| *share < ANSWERED);
    fewer.next().map(|(row, share)| {
        let percent = 100.0 * share;
        format!("{} answered {percent:.0} % of what was offered", row.contender)
    })
}

/// Judges the claims of a page. Also returns the mistakes in claims that could not be judged.
pub fn on_page(
    page: &Page,
    data: &Data,
    published: &Published,
) -> (Vec<JudgedClaim>, Vec<Mistake>) {
    let (mut judged, mut mistakes) = (Vec::new(), page.wrong.clone());
    for claim in &page.claims {
        match JudgedClaim::of(claim.clone(), data, published) {
            Ok(claim) => judged.push(claim),
            Err(message) => mistakes.push(page.mistake(claim.place.line, message)),
        }
    }
    (judged, mistakes)
}

impl JudgedClaim {
    /// Judges a claim on every machine that has a run of the claim's chapter. Fails if the
    /// experiment was measured but no machine has the claim's row, or if the claim replicates one
    /// that isn't published or can't be tested here.
    fn of(claim: Claim, data: &Data, published: &Published) -> Result<JudgedClaim, String> {
        if let Some(id) = &claim.replicates
            && let Some(reason) = &published.claim(id)?.not_testable
        {
            return Err(format!(
                "it answers {id:?}, of which data/published says that it is not testable here, since \
                 {reason}: drop `not_testable` there, or `replicates` here"
            ));
        }
        let (chapter, experiment) = (&claim.chapter, claim.experiment());
        let having = data.having(chapter, experiment);
        let ours =
            || having.iter().filter(|(machine, _)| !machine.is_local()).map(|(_, runs)| runs);
        // A predicate has to be older than its data, so a claim may be on its page before
        // anything was measured.
        let is_measured = ours().any(|runs| !runs.evidence.headers(experiment).is_empty());
        // The reference machine's runs may be older than this row. In that case, another machine
        // may have the row.
        let is_known = ours().any(|runs| find::is_in(&claim.subject, &runs.evidence));
        let mut judgements = Vec::new();
        for (machine, runs) in &having {
            let is_reference = judgements.is_empty();
            let is_quick = runs.is_quick(experiment);
            let is_there =
                find::is_in(&claim.subject, &runs.evidence) || (is_reference && !is_known);
            let found = match is_there.then(|| Figure::find(&claim.subject, &runs.evidence)) {
                Some(Ok(_)) if is_quick && !claim.quick => unmeasured(FULL_ONLY),
                Some(Err(Missing::Mistake(message))) if is_reference && is_measured => {
                    return Err(message);
                }
                None | Some(Err(Missing::Mistake(_))) => unmeasured(match () {
                    () if !is_measured => NO_RUN_YET,
                    () if is_quick => FULL_ONLY,
                    // Only another machine has measured the row.
                    () => NO_SUCH_ROW,
                }),
                Some(Ok(found)) => match unanswered(&claim, &runs.evidence) {
                    Some(reason) => Err(Missing::Unmeasured(reason)),
                    None => Ok(found),
                },
                Some(found) => found,
            };
            let is_stale = !runs.stale(experiment).is_empty();
            judgements.push(Judgement::of(&claim, machine.name(), found, is_stale));
        }
        if judgements.is_empty() {
            // No machine has measured the chapter yet, so the only judgement says that it wasn't
            // measured.
            let reference = data.reference(chapter, experiment);
            judgements.push(Judgement::of(&claim, reference, unmeasured(NO_RUN_YET), false));
        }
        Ok(JudgedClaim { claim, judgements })
    }

    /// Returns the judgement on a machine, or `None` if the machine has no run of the chapter.
    pub fn on(&self, machine: &str) -> Option<&Judgement> {
        self.judgements.iter().find(|found| found.machine == machine)
    }

    /// Returns the judgement on the reference machine, whose verdict the pages show.
    pub fn on_reference(&self) -> &Judgement {
        &self.judgements[0]
    }
}

impl Judgement {
    fn of(
        claim: &Claim,
        machine: &str,
        figure: Result<Figure, Missing>,
        is_stale: bool,
    ) -> Judgement {
        let verdict = match &figure {
            Ok(figure) => claim.predicate.judge(figure.found()),
            // The rows were measured, but a ratio can't be computed from their values.
            Err(Missing::Untold(_)) => Verdict::Undecided,
            Err(Missing::Unmeasured(reason) | Missing::Mistake(reason)) => {
                Verdict::NotMeasured(reason.clone())
            }
        };
        let is_stale = is_stale && figure.is_ok();
        Judgement { machine: machine.to_owned(), verdict, figure, is_stale }
    }

    /// Returns the figure in words, with the interval that decides the claim, or the reason why
    /// there is no figure.
    pub fn in_words(&self) -> String {
        match &self.figure {
            Ok(figure) => figure.judged_by(),
            Err(
                Missing::Unmeasured(reason) | Missing::Untold(reason) | Missing::Mistake(reason),
            ) => reason.clone(),
        }
    }

    /// Returns true if the machine is unable to measure the figure, so that more runs won't help.
    pub fn is_refused(&self) -> bool {
        let is_to_come = |why: &str| [FULL_ONLY, NO_RUN_YET, NO_SUCH_ROW].contains(&why);
        matches!(&self.figure, Err(Missing::Unmeasured(why)) if !is_to_come(why))
    }

    /// Returns true if the claim's card can leave this judgement out: the machine has only quick
    /// runs, and is neither the reference machine nor the reader's own.
    pub fn is_for_full_runs_elsewhere(&self, reference: &str) -> bool {
        let is_full_only =
            matches!(&self.figure, Err(Missing::Unmeasured(why)) if why == FULL_ONLY);
        is_full_only && ![reference, LOCAL].contains(&self.machine.as_str())
    }

    /// Returns true if the runs of this machine were sufficient to judge the claim.
    pub fn judges(&self) -> bool {
        !matches!(self.verdict, Verdict::NotMeasured(_) | Verdict::OneRun)
    }
}
