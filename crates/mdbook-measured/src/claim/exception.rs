//! What a sentence says of its claim where that does not simply hold.

use measurement::{Predicate, Verdict};

use crate::claim::{Claim, JudgedClaim, Judgement, bound};
use crate::data::Data;
use crate::figure::Figure;

impl JudgedClaim {
    /// In words how it stands, for the sentence that it is about: nothing where it holds on every machine that judged
    /// it, by runs that are not stale.
    pub(crate) fn exception(&self, data: &Data) -> Option<String> {
        let reference = self.on_reference();
        let judges = |found: &&Judgement| !found.is_stale && found.judges();
        let judged = self.judgements.iter().filter(judges);
        let known: Vec<&str> = judged.map(|found| found.machine.as_str()).collect();
        let others = || self.judgements[1..].iter().filter(judges);
        let names = |is_meant: &dyn Fn(&Verdict) -> bool| {
            let found = others().filter(|found| is_meant(&found.verdict));
            let found: Vec<&str> = found.map(|found| found.machine.as_str()).collect();
            (!found.is_empty()).then(|| data.names(&found, &known))
        };
        let holds = names(&|verdict| *verdict == Verdict::Holds);
        let fails = names(&|verdict| *verdict == Verdict::Fails);
        let contradicts = |names| {
            // What violates a direction is the opposite.
            let is_direction = self.claim.predicate.is_direction(self.claim.subject.is_ratio());
            let how = if is_direction { "the opposite" } else { "not so" };
            format!("{names}: {how}")
        };
        if reference.verdict == Verdict::Holds && !reference.is_stale {
            let open = names(&|verdict| *verdict != Verdict::Holds);
            return match (fails, holds, open) {
                (Some(fails), ..) => Some(contradicts(fails)),
                (None, _, None) => None,
                (None, None, Some(_)) => Some("one machine only".to_owned()),
                (None, Some(_), Some(open)) => Some(format!("{open}: {TOO_CLOSE}")),
            };
        }
        let (here, _) = here(&self.claim, reference);
        // That it fails elsewhere, too, is no news.
        let fails = fails.filter(|_| reference.verdict != Verdict::Fails).map(contradicts);
        let holds = holds.map(|names| format!("{names}: as expected"));
        Some([Some(here), fails, holds].into_iter().flatten().collect::<Vec<_>>().join("; "))
    }

    /// The same in a word or two, to be counted.
    pub(crate) fn outcome(&self, data: &Data) -> &'static str {
        match here(&self.claim, self.on_reference()) {
            (_, "right") if self.exception(data).is_some() => "right on some machines",
            (_, outcome) => outcome,
        }
    }
}

const TOO_CLOSE: &str = "too close to call";

/// How a claim stands on the reference, in its sentence and to be counted.
fn here(claim: &Claim, found: &Judgement) -> (String, &'static str) {
    let (words, outcome) = match &found.verdict {
        Verdict::Holds if found.is_stale => ("by older runs", "right by older runs"),
        Verdict::Holds => ("", "right"),
        Verdict::Fails if claim.replicates.is_some() => ("not reproduced here", "not reproduced"),
        Verdict::Fails => ("we expected otherwise", "wrong"),
        Verdict::Undecided => return (too_close_here(claim, found), TOO_CLOSE),
        Verdict::OneRun => ("one run so far", "waiting for a second run"),
        Verdict::NotMeasured(_) => ("no figure yet", "without a figure"),
    };
    (words.to_owned(), outcome)
}

/// Where it is plain that there is an effect, and only its size is open, with the interval and what that is too
/// close to.
fn too_close_here(claim: &Claim, found: &Judgement) -> String {
    let figure = found.figure.as_ref().ok();
    let plain = figure.filter(|figure| !claim.subject.is_ratio() || figure.is_told_apart());
    match (plain.map(Figure::mean_range), claim.predicate) {
        (Some(range), Predicate::Above(_) | Predicate::Below(_)) => {
            let bound = bound(&claim.subject, claim.predicate);
            format!("{range} here, too close to {bound} to call")
        }
        (Some(range), _) => format!("{TOO_CLOSE} here: {range}"),
        (None, _) => format!("{TOO_CLOSE} here"),
    }
}

/// How many of these there are, and what became of them: `3 predictions: 2 right, 1 too close to call`.
pub(crate) fn in_numbers(claims: &[&JudgedClaim], data: &Data) -> String {
    let mut counts: indexmap::IndexMap<&str, usize> = indexmap::IndexMap::new();
    for judged in claims {
        *counts.entry(judged.outcome(data)).or_default() += 1;
    }
    // The most frequent first; of equals the first on the page.
    counts.sort_by(|_, one, _, other| other.cmp(one));
    let told = counts.iter().map(|(outcome, count)| match (claims.len(), counts.len()) {
        (1, _) => (*outcome).to_owned(),
        (2, 1) => format!("both {outcome}"),
        (_, 1) => format!("all {count} {outcome}"),
        _ => format!("{count} {outcome}"),
    });
    let told: Vec<String> = told.collect();
    let s = if claims.len() == 1 { "" } else { "s" };
    format!("{} prediction{s}: {}", claims.len(), told.join(", "))
}

#[cfg(test)]
mod tests {
    use Verdict::{Fails, Holds, OneRun, Undecided};

    use super::*;
    use crate::claim::tests::claim;
    use crate::data::tests::machines;
    use crate::figure::Missing;

    /// A claim with these verdicts on Intel and on AMD's Zen 4 and Zen 5.
    fn judged(predicate: &str, verdicts: [Verdict; 3]) -> JudgedClaim {
        let claim = claim(&format!(
            "sentence = \"It is so.\"\nratio = \"boil: pot, time per unit / kettle\"\npredicate = \"{predicate}\""
        ));
        let judgement = |(machine, verdict): (&str, Verdict)| Judgement {
            machine: machine.to_owned(),
            verdict,
            figure: Err(Missing::Unmeasured(String::new())),
            is_stale: false,
        };
        let judgements = ["intel", "zen4", "zen5"].into_iter().zip(verdicts).map(judgement);
        JudgedClaim { claim, judgements: judgements.collect() }
    }

    #[test]
    fn a_sentence_tells_what_does_not_simply_hold() {
        let data = machines();
        let unmeasured = || Verdict::NotMeasured(String::new());
        for (predicate, verdicts, expected) in [
            ("above 1", [Holds, Holds, Holds], None),
            ("above 1", [Holds, unmeasured(), OneRun], None),
            ("above 1", [Holds, Fails, Fails], Some("AMD: the opposite")),
            ("above 1", [Holds, Fails, Undecided], Some("AMD, Zen 4: the opposite")),
            ("above 2", [Holds, OneRun, Fails], Some("AMD: not so")),
            ("above 2", [Holds, Undecided, Undecided], Some("one machine only")),
            ("above 2", [Holds, Holds, Undecided], Some("AMD, Zen 5: too close to call")),
            (
                "above 2",
                [Fails, Fails, Holds],
                Some("we expected otherwise; AMD, Zen 5: as expected"),
            ),
            (
                "above 1",
                [Undecided, Fails, Fails],
                Some("too close to call here; AMD: the opposite"),
            ),
            ("above 1", [OneRun, Holds, Holds], Some("one run so far; AMD: as expected")),
            ("above 1", [unmeasured(), unmeasured(), unmeasured()], Some("no figure yet")),
        ] {
            let judged = judged(predicate, verdicts.clone());
            assert_eq!(judged.exception(&data).as_deref(), expected, "{predicate}: {verdicts:?}");
        }
        let mut replicated = judged("above 1", [Fails, Fails, Fails]);
        replicated.claim.replicates = Some("grandma.tea".to_owned());
        assert_eq!(replicated.exception(&data).as_deref(), Some("not reproduced here"));
        assert_eq!(replicated.outcome(&data), "not reproduced");
    }

    #[test]
    fn stale_runs_of_others_say_nothing_and_our_own_are_marked() {
        let data = machines();
        let mut judged = judged("above 1", [Holds, Fails, Holds]);
        judged.judgements[1].is_stale = true;
        assert_eq!(judged.exception(&data), None);
        judged.judgements[0].is_stale = true;
        let expected = "by older runs; AMD: as expected";
        assert_eq!(judged.exception(&data).as_deref(), Some(expected));
        assert_eq!(in_numbers(&[&judged], &data), "1 prediction: right by older runs");
    }
}
