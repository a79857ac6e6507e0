//! The verdicts on claims, for each machine.

use language::Mistake;
use language::claim::Claim;
use language::page::Page;
use measurement::{Evidence, Verdict};

use crate::data::{Data, LOCAL, Published};
use crate::figure::Figure;
use crate::find::{self, Missing};

/// A claim, compared with the data of each machine.
#[derive(Debug)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// The judgements on all machines that have a run of the chapter, at least one. The first is
    /// for the reference machine, whose verdict the pages show.
    pub judgements: Vec<Judgement>,
}

/// The judgement of a claim on one machine.
#[derive(Debug)]
pub struct Judgement {
    /// The machine.
    pub machine: String,
    /// The verdict. If nothing was measured, it includes the reason.
    pub verdict: Verdict,
    /// The measured figure, or the reason why there is no figure.
    pub figure: Result<Figure, Missing>,
    /// True if the figure is from stale runs: the measured code has changed since.
    pub is_stale: bool,
}

fn unmeasured(why: &str) -> Result<Figure, Missing> {
    Err(Missing::Unmeasured(why.to_owned()))
}

/// The reason why a quick run does not judge a claim.
const FULL_ONLY: &str = "full only";

const NO_RUN_YET: &str = "there is no run of the experiment yet";

/// The reason why no verdict is given if another machine has measured the row and this one
/// hasn't.
const NO_SUCH_ROW: &str = "its run has no such row";

/// A window that answered less than this share of the offered requests had a growing queue, so
/// its latencies depend on when the window ended.
const ANSWERED: f64 = 0.95;

/// Returns the reason why a claim can't be judged if the windows behind its rows answered too few
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

/// Returns the judged claims of a page, and the mistakes in the claims that could not be judged.
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
    /// Judges a claim on every machine that has a run of the claim's chapter. Fails if the claim
    /// names no row on the reference machine, or if it replicates a claim that isn't published or
    /// isn't testable here.
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
        // A predicate has to be older than its data, so the claim is on its page before anything
        // is measured.
        let is_measured = ours().any(|runs| !runs.evidence.headers(experiment).is_empty());
        // The reference machine's run may be older than the row, which another machine may have.
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
                    // Another machine has measured the row.
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
            // No machine has measured the chapter yet.
            let reference = data.reference(chapter, experiment);
            judgements.push(Judgement::of(&claim, reference, unmeasured(NO_RUN_YET), false));
        }
        Ok(JudgedClaim { claim, judgements })
    }

    /// Returns the judgement on a machine; `None` if the machine has no run of the chapter.
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
            // The rows were measured, but give no figure to judge.
            Err(Missing::Untold(_)) => Verdict::Undecided,
            Err(Missing::Unmeasured(reason) | Missing::Mistake(reason)) => {
                Verdict::NotMeasured(reason.clone())
            }
        };
        let is_stale = is_stale && figure.is_ok();
        Judgement { machine: machine.to_owned(), verdict, figure, is_stale }
    }

    /// Returns the measured figure with the interval by which the claim is judged, or the reason
    /// why there is no figure.
    pub fn in_words(&self) -> String {
        match &self.figure {
            Ok(figure) => figure.judged_by(),
            Err(
                Missing::Unmeasured(reason) | Missing::Untold(reason) | Missing::Mistake(reason),
            ) => reason.clone(),
        }
    }

    /// Returns whether the machine is unable to measure the figure, so that further runs won't
    /// help.
    pub fn is_refused(&self) -> bool {
        let is_to_come = |why: &str| [FULL_ONLY, NO_RUN_YET, NO_SUCH_ROW].contains(&why);
        matches!(&self.figure, Err(Missing::Unmeasured(why)) if !is_to_come(why))
    }

    /// Returns whether the claim's card can omit this judgement: the machine has only quick runs,
    /// and is neither the reference nor the reader's own.
    pub fn is_for_full_runs_elsewhere(&self, reference: &str) -> bool {
        let is_full_only =
            matches!(&self.figure, Err(Missing::Unmeasured(why)) if why == FULL_ONLY);
        is_full_only && ![reference, LOCAL].contains(&self.machine.as_str())
    }

    /// Returns whether the runs of the machine were sufficient to judge the claim.
    pub fn judges(&self) -> bool {
        !matches!(self.verdict, Verdict::NotMeasured(_) | Verdict::OneRun)
    }
}
