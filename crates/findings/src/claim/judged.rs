//! How claims stand on machines.

use language::Mistake;
use language::claim::Claim;
use language::page::Page;
use measurement::{Evidence, Verdict};

use crate::data::{Data, LOCAL, Published};
use crate::figure::Figure;
use crate::find::{self, Missing};

/// A claim, held against the data of each machine.
#[derive(Debug)]
pub struct JudgedClaim {
    /// What is claimed.
    pub claim: Claim,
    /// How it stands on each machine that has a run of the chapter, the one whose verdict the pages tell first; one
    /// at least.
    pub judgements: Vec<Judgement>,
}

/// How a claim stands on a machine.
#[derive(Debug)]
pub struct Judgement {
    /// The machine.
    pub machine: String,
    /// The verdict, which says why if nothing was measured.
    pub verdict: Verdict,
    /// What was measured, or why nothing was.
    pub figure: Result<Figure, Missing>,
    /// Whether its runs are stale: what they measured has changed since.
    pub is_stale: bool,
}

fn unmeasured(why: &str) -> Result<Figure, Missing> {
    Err(Missing::Unmeasured(why.to_owned()))
}

/// Why a quick run does not judge a claim.
const FULL_ONLY: &str = "full only";

/// Why nothing judges it so far.
const NO_RUN_YET: &str = "there is no run of the experiment yet";

/// The same where another machine has measured more.
const NO_SUCH_ROW: &str = "its run has no such row";

/// A window that answered less of what was offered is of a queue that grows: how long its requests waited depends
/// on when it ended.
const ANSWERED: f64 = 0.95;

/// Why windows that did not keep up judge no claim on their rows, if there are such.
fn unanswered(claim: &Claim, evidence: &Evidence) -> Option<String> {
    let rows = claim.subject.selectors().filter_map(|of| find::one(of, evidence).ok());
    let shares = rows.filter_map(|row| Some((row, evidence.answered(row)?)));
    let mut fewer = shares.filter(|(_, share)| *share < ANSWERED);
    fewer.next().map(|(row, share)| {
        let percent = 100.0 * share;
        format!("{} answered {percent:.0} % of what was offered", row.contender)
    })
}

/// The claims that stand on a page, each judged, and what is wrong with others.
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
    /// Judges a claim on every machine that has a run of its chapter. Wrong is one that names no row on the
    /// reference machine, or replicates what nobody published, or what is said not to be testable here.
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
        // A predicate is to be older than its data: before there are any, it stands on the page as well.
        let is_measured = ours().any(|runs| !runs.evidence.headers(experiment).is_empty());
        // What some machine has, the reference's run, which is older than the cells, may lack.
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
                    // Another machine may have measured less.
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
            // Not even its chapter has been measured anywhere.
            let reference = data.reference(chapter, experiment);
            judgements.push(Judgement::of(&claim, reference, unmeasured(NO_RUN_YET), false));
        }
        Ok(JudgedClaim { claim, judgements })
    }

    /// How it stands on a machine.
    pub fn on(&self, machine: &str) -> Option<&Judgement> {
        self.judgements.iter().find(|found| found.machine == machine)
    }

    /// How it stands on the machine whose verdict the pages tell.
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
            // It was measured, and decides nothing.
            Err(Missing::Untold(_)) => Verdict::Undecided,
            Err(Missing::Unmeasured(reason) | Missing::Mistake(reason)) => {
                Verdict::NotMeasured(reason.clone())
            }
        };
        let is_stale = is_stale && figure.is_ok();
        Judgement { machine: machine.to_owned(), verdict, figure, is_stale }
    }

    /// What was measured, with the interval that it is judged by, or why nothing was.
    pub fn in_words(&self) -> String {
        match &self.figure {
            Ok(figure) => figure.judged_by(),
            Err(
                Missing::Unmeasured(reason) | Missing::Untold(reason) | Missing::Mistake(reason),
            ) => reason.clone(),
        }
    }

    /// Whether its machine was asked and refused, so that no further run will tell.
    pub fn is_refused(&self) -> bool {
        let is_to_come = |why: &str| [FULL_ONLY, NO_RUN_YET, NO_SUCH_ROW].contains(&why);
        matches!(&self.figure, Err(Missing::Unmeasured(why)) if !is_to_come(why))
    }

    /// Whether its machine has quick runs only, and another's verdict is told: whether the card can leave it out.
    pub fn is_for_full_runs_elsewhere(&self, reference: &str) -> bool {
        let is_full_only =
            matches!(&self.figure, Err(Missing::Unmeasured(why)) if why == FULL_ONLY);
        is_full_only && ![reference, LOCAL].contains(&self.machine.as_str())
    }

    /// Whether its machine's runs were enough to judge the claim by.
    pub fn judges(&self) -> bool {
        !matches!(self.verdict, Verdict::NotMeasured(_) | Verdict::OneRun)
    }
}
