//! The remark that a page adds to a sentence based on a claim, and the words for outcomes of
//! claims.

use measurement::Verdict;

use crate::claim::JudgedClaim;
use crate::data::Data;

impl JudgedClaim {
    /// Returns the remark to add to a sentence based on the claim, or `None` if none is needed.
    /// The remark says that the reference machine doesn't decide the claim, or names the machines
    /// whose up-to-date runs show the opposite.
    pub fn exception(&self, data: &Data) -> Option<String> {
        let opposite = match self.on_reference().verdict {
            Verdict::Holds => Verdict::Fails,
            Verdict::Fails => Verdict::Holds,
            _ if self.only_its_bound_is_open() => {
                return Some(format!("undecided here, bound {}", self.claim.bounds()));
            }
            _ => return Some("undecided here".to_owned()),
        };
        let judged = self.judgements.iter().filter(|found| !found.is_stale && found.judges());
        let known: Vec<&str> = judged.clone().map(|found| found.machine.as_str()).collect();
        let contrary = judged.filter(|found| found.verdict == opposite);
        let contrary: Vec<&str> = contrary.map(|found| found.machine.as_str()).collect();
        let names = || data.names(&contrary, &known);
        (!contrary.is_empty()).then(|| format!("the opposite on {}", names()))
    }

    /// Returns true if only the size of the effect is undecided. This requires more than one run
    /// and, for a ratio, an interval that excludes 1.
    fn only_its_bound_is_open(&self) -> bool {
        self.on_reference().figure.as_ref().is_ok_and(|figure| {
            let is_seen = !self.claim.subject.is_ratio() || figure.is_told_apart();
            is_seen && !figure.is_of_one_run()
        })
    }

    /// Returns in a few words what became of the claim. Claims with the same words are counted
    /// together.
    pub fn outcome(&self, data: &Data) -> &'static str {
        let found = self.on_reference();
        match &found.verdict {
            Verdict::Holds if found.is_stale => "right by older runs",
            Verdict::Holds if self.exception(data).is_some() => "right on some machines",
            Verdict::Holds => "right",
            Verdict::Fails if self.claim.replicates.is_some() => "not reproduced",
            Verdict::Fails => "wrong",
            Verdict::Undecided => "too close to call",
            Verdict::OneRun => "waiting for a second run",
            Verdict::NotMeasured(_) => "without a figure",
        }
    }
}

/// Returns how many claims had each outcome, such as `3 predictions: 2 right, 1 too close to
/// call`.
pub fn in_numbers(claims: &[&JudgedClaim], data: &Data) -> String {
    let mut counts: indexmap::IndexMap<&str, usize> = indexmap::IndexMap::new();
    for judged in claims {
        *counts.entry(judged.outcome(data)).or_default() += 1;
    }
    // The most frequent outcome comes first. Outcomes that are equally frequent keep the order of
    // the page.
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
    use crate::claim::Judgement;
    use crate::claim::tests::claim;
    use crate::data::tests::machines;
    use crate::find::Missing;

    /// Returns a claim with the given verdicts on three machines: an Intel, an AMD Zen 4 and an
    /// AMD Zen 5.
    fn judged(verdicts: [Verdict; 3]) -> JudgedClaim {
        let claim = claim(
            "sentence = \"It is so.\"\nratio = \"boil: pot, time per unit / kettle\"\npredicate = \"above 1\"",
        );
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
    fn a_sentence_tells_what_is_undecided_and_what_others_contradict() {
        let data = machines();
        let unmeasured = || Verdict::NotMeasured(String::new());
        for (verdicts, expected, outcome) in [
            ([Holds, Holds, Undecided], None, "right"),
            ([Holds, unmeasured(), OneRun], None, "right"),
            ([Holds, Fails, Fails], Some("the opposite on AMD"), "right on some machines"),
            ([Holds, Fails, Holds], Some("the opposite on AMD, Zen 4"), "right on some machines"),
            ([Fails, Fails, Undecided], None, "wrong"),
            ([Fails, Fails, Holds], Some("the opposite on AMD, Zen 5"), "wrong"),
            ([Undecided, Fails, Fails], Some("undecided here"), "too close to call"),
            ([OneRun, Holds, Holds], Some("undecided here"), "waiting for a second run"),
            ([unmeasured(), Holds, Holds], Some("undecided here"), "without a figure"),
        ] {
            let judged = judged(verdicts.clone());
            assert_eq!(judged.exception(&data).as_deref(), expected, "{verdicts:?}");
            assert_eq!(judged.outcome(&data), outcome, "{verdicts:?}");
        }
        let mut replicated = judged([Fails, Fails, Fails]);
        replicated.claim.replicates = Some("grandma.tea".to_owned());
        assert_eq!(replicated.outcome(&data), "not reproduced");
    }

    #[test]
    fn stale_runs_of_others_say_nothing_and_our_own_are_marked() {
        let data = machines();
        let mut judged = judged([Holds, Fails, Holds]);
        judged.judgements[1].is_stale = true;
        assert_eq!(judged.exception(&data), None);
        judged.judgements[0].is_stale = true;
        assert_eq!(in_numbers(&[&judged], &data), "1 prediction: right by older runs");
    }
}
