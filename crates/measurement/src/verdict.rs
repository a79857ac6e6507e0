//! Predicates, and the verdicts that they give on an interval.

use std::fmt;
use std::str::FromStr;

use crate::{Estimate, Interval, Order, Scattered};

/// What a claim says of a quantity or a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Predicate {
    /// `above x`
    Above(f64),
    /// `below x`
    Below(f64),
    /// `between a and b`
    Between(f64, f64),
    /// `within m %` of a ratio of 1; holds the share, 0.05 for 5 %.
    Within(f64),
}

/// By what a claim is judged. The predicate and what it is about fix that beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// By the interval of the machine's mean.
    Mean,
    /// By the order of its full runs: mere directions, since how far two lie apart does not matter there; and
    /// tails, which scatter too much for an interval.
    Order,
}

/// How a claim stands on a machine. Its words are the only ones that are printed as verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// What was found satisfies the predicate.
    Holds,
    /// What was found violates it.
    Fails,
    /// What was found may do either.
    Undecided,
    /// The visits fall into two modes, one of which satisfies it.
    Depends,
    /// It was measured in one run, on a machine that borrows from nobody: nothing tells how much runs differ.
    OneRun,
    /// There is no measurement, for this reason.
    NotMeasured(String),
}

/// How many full runs decide by their order alone, and how many if not even visits of theirs overlap.
const AGREEING: usize = 5;
const SEPARATED: usize = 3;

/// How far from its bound an order has to lie, as a factor: below it nobody acts.
pub const MATTERS: f64 = 1.1;

impl Predicate {
    /// The values that satisfy it, as a closed range.
    fn range(self) -> (f64, f64) {
        match self {
            Predicate::Above(bound) => (bound, f64::INFINITY),
            Predicate::Below(bound) => (f64::NEG_INFINITY, bound),
            Predicate::Between(low, high) => (low, high),
            Predicate::Within(share) => (1.0 / (1.0 + share), 1.0 + share),
        }
    }

    /// By what it is judged, of a ratio or else a value of this quantity.
    pub fn test(self, is_ratio: bool, quantity: &str) -> Test {
        let is_one_sided = matches!(self, Predicate::Above(_) | Predicate::Below(_));
        let is_direction =
            is_ratio && matches!(self, Predicate::Above(1.0) | Predicate::Below(1.0));
        let is_tail = ["p99", "p99.9", "max"].iter().any(|tail| quantity.ends_with(tail));
        if is_direction || (is_one_sided && is_tail) {
            Test::Order
        } else {
            Test::Mean
        }
    }

    /// Holds it against what a machine found.
    pub fn judge(self, test: Test, found: &Estimate) -> Verdict {
        let Some(mean) = found.mean else { return Verdict::OneRun };
        if let Some(Scattered::Modes(modes)) = found.scattered {
            let [one, other] = modes.map(|mode| self.is_met(mode.interval.estimate));
            if one != other {
                return Verdict::Depends;
            }
        }
        let is_decided = match test {
            Test::Mean => self.is_decided_by_interval(mean),
            Test::Order => self.is_decided_by_order(&found.order, mean.estimate),
        };
        match is_decided {
            false => Verdict::Undecided,
            true if self.is_met(mean.estimate) => Verdict::Holds,
            true => Verdict::Fails,
        }
    }

    /// Whether all of an interval satisfies it, or nothing.
    fn is_decided_by_interval(self, Interval { low, high, .. }: Interval) -> bool {
        let (from, to) = self.range();
        (from <= low && high <= to) || high < from || to < low
    }

    fn is_decided_by_order(self, order: &Order, estimate: f64) -> bool {
        let (from, to) = self.range();
        let bound = if from.is_finite() { from } else { to };
        // With other signs they are far apart.
        let matters = estimate * bound < 0.0 || (estimate / bound).max(bound / estimate) >= MATTERS;
        let is_met = self.is_met(estimate);
        let agree = |figures: &[f64]| figures.iter().all(|figure| self.is_met(*figure) == is_met);
        let Order { runs, least, most } = order;
        matters
            && ((runs.len() >= AGREEING && agree(runs))
                || (runs.len() >= SEPARATED && agree(&[*least, *most])))
    }

    /// Whether its bounds lie closer together than the ends of this interval, which then satisfies it nowhere.
    /// A bound on one side never does.
    pub fn is_narrower_than(self, interval: Interval) -> bool {
        let (from, to) = self.range();
        if interval.low > 0.0 && from > 0.0 {
            to / from < interval.high / interval.low
        } else {
            to - from < interval.high - interval.low
        }
    }

    /// How far inside its bounds a figure lies, below 0 outside: on logarithms, where all are above 0.
    pub fn depth(self, value: f64) -> f64 {
        let (from, to) = self.range();
        let has_logarithm = value > 0.0 && to > 0.0 && (from > 0.0 || from.is_infinite());
        let apart = |one: f64, other: f64| {
            if has_logarithm {
                (one / other.max(0.0)).ln()
            } else {
                one - other
            }
        };
        apart(value, from).min(apart(to, value))
    }

    /// Whether a figure satisfies it.
    pub fn is_met(self, value: f64) -> bool {
        let (from, to) = self.range();
        (from..=to).contains(&value)
    }

    /// The predicate with its bounds as `shown` writes them.
    pub fn in_words(self, shown: impl Fn(f64) -> String) -> String {
        match self {
            Predicate::Above(bound) => format!("above {}", shown(bound)),
            Predicate::Below(bound) => format!("below {}", shown(bound)),
            Predicate::Between(low, high) => format!("between {} and {}", shown(low), shown(high)),
            Predicate::Within(share) => format!("within {} %", share * 100.0),
        }
    }

    fn read(text: &str) -> Option<Predicate> {
        let number = |word: &str| {
            word.replace(',', "").parse().ok().filter(|number: &f64| number.is_finite())
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        Some(match words[..] {
            ["above", bound] => Predicate::Above(number(bound)?),
            ["below", bound] => Predicate::Below(number(bound)?),
            ["between", low, "and", high] => Predicate::Between(number(low)?, number(high)?),
            ["within", share, "%"] => {
                Predicate::Within(number(share).filter(|share| *share > 0.0)? / 100.0)
            }
            _ => return None,
        })
    }
}

impl FromStr for Predicate {
    type Err = String;

    fn from_str(text: &str) -> Result<Predicate, String> {
        let has_room = |predicate: &Predicate| predicate.range().0 < predicate.range().1;
        Predicate::read(text).filter(has_room).ok_or_else(|| {
            format!(
                "{text:?} is no predicate: write \"above x\", \"below x\", \"between a and b\" (a below b) \
                 or \"within m %\""
            )
        })
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(|bound| bound.to_string()))
    }
}

impl Verdict {
    /// The verdict in a word or two.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Undecided => "undecided",
            Verdict::Depends => "depends",
            Verdict::OneRun => "one run",
            Verdict::NotMeasured(_) => "not measured",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    fn found(low: f64, high: f64) -> Estimate {
        let interval = Interval { estimate: (low + high) / 2.0, low, high };
        let order = Order { runs: Vec::new(), least: low, most: high };
        let mean = Some(interval);
        Estimate { next: interval, mean, of_ten_runs: mean, scattered: None, order }
    }

    fn judge(predicate: &str, found: &Estimate) -> &'static str {
        predicate.parse::<Predicate>().unwrap().judge(Test::Mean, found).word()
    }

    #[test]
    fn a_verdict_needs_the_whole_interval() {
        let judge = |predicate: &str, low, high| judge(predicate, &found(low, high));
        assert_eq!(judge("above 10", 11.0, 12.0), "holds");
        assert_eq!(judge("above 10", 9.0, 12.0), "undecided");
        assert_eq!(judge("above 10", 8.0, 9.0), "fails");
        assert_eq!(judge("below 1,000", 8.0, 9.0), "holds");
        assert_eq!(judge("between 2 and 4", 2.5, 3.0), "holds");
        assert_eq!(judge("between 2 and 4", 1.0, 5.0), "undecided");
        assert_eq!(judge("between 2 and 4", 5.0, 6.0), "fails");
        assert_eq!(judge("within 5 %", 0.97, 1.04), "holds");
        assert_eq!(judge("within 5 %", 0.90, 1.04), "undecided");
        assert_eq!(judge("within 5 %", 0.80, 0.90), "fails");
    }

    #[test]
    fn bounds_that_lie_closer_together_than_an_interval_are_named() {
        let is_narrower = |predicate: &str, low, high| {
            let interval = Interval { estimate: (low + high) / 2.0, low, high };
            predicate.parse::<Predicate>().unwrap().is_narrower_than(interval)
        };
        // Wherever it lies.
        for shift in [0.1, 1.0, 10.0] {
            assert!(is_narrower("within 5 %", 0.94 * shift, 1.06 * shift));
            assert!(!is_narrower("within 5 %", 0.96 * shift, 1.04 * shift));
        }
        assert!(
            is_narrower("between -1 and 1", 4.0, 6.1) && !is_narrower("between -1 and 1", 4.0, 5.9)
        );
        assert!(!is_narrower("above 1", 0.1, 100.0) && !is_narrower("below 1", -1.0, 100.0));
    }

    #[test]
    fn one_run_that_borrows_from_nobody_judges_nothing() {
        let alone = Estimate { mean: None, ..found(11.0, 12.0) };
        assert_eq!(judge("above 10", &alone), "one run");
    }

    #[test]
    fn two_modes_that_differ_make_it_depend() {
        let mode = |estimate: f64| {
            let interval = Interval { estimate, low: estimate - 0.5, high: estimate + 0.5 };
            Mode { share: 0.5, interval }
        };
        let judge = |one, other| {
            let scattered = Some(Scattered::Modes([mode(one), mode(other)]));
            judge("above 10", &Estimate { scattered, ..found(11.0, 12.0) })
        };
        assert_eq!(judge(11.5, 20.0), "holds");
        assert_eq!(judge(11.5, 5.0), "depends");
    }

    #[test]
    fn directions_and_tails_are_judged_by_order() {
        let test = |predicate: &str, is_ratio, quantity| {
            predicate.parse::<Predicate>().unwrap().test(is_ratio, quantity)
        };
        assert_eq!(test("above 1", true, "time per unit"), Test::Order);
        assert_eq!(test("above 2", true, "latency p99"), Test::Order);
        assert_eq!(test("below 1000000", false, "latency max"), Test::Order);
        assert_eq!(test("above 1", false, "moves per message"), Test::Mean);
        assert_eq!(test("above 2", true, "latency p50"), Test::Mean);
        assert_eq!(test("within 5 %", true, "latency p99"), Test::Mean);
    }

    #[test]
    fn five_runs_that_agree_decide_or_three_that_are_separated() {
        let judge = |runs: &[f64], [least, most]: [f64; 2]| {
            let order = Order { runs: runs.to_vec(), least, most };
            let estimate = runs[0];
            let mean = Some(Interval { estimate, low: 0.1, high: 100.0 });
            Predicate::Above(1.0)
                .judge(Test::Order, &Estimate { mean, order, ..found(0.1, 100.0) })
                .word()
        };
        assert_eq!(judge(&[1.5; 5], [0.5, 3.0]), "holds");
        assert_eq!(judge(&[1.5; 4], [0.5, 3.0]), "undecided");
        assert_eq!(judge(&[1.5, 1.5, 1.5, 1.5, 0.9], [0.5, 3.0]), "undecided");
        assert_eq!(judge(&[1.5; 3], [1.01, 3.0]), "holds");
        assert_eq!(judge(&[1.5; 2], [1.01, 3.0]), "undecided");
        assert_eq!(judge(&[0.7; 3], [0.5, 0.99]), "fails");
        // Nobody acts on 5 %.
        assert_eq!(judge(&[1.05; 5], [1.01, 1.08]), "undecided");
    }

    #[test]
    fn depth_is_the_distance_to_the_nearer_bound() {
        let depth = |predicate: &str, value: f64| {
            let depth = predicate.parse::<Predicate>().unwrap().depth(value);
            (depth * 1e6).round() / 1e6
        };
        assert_eq!(depth("above 10", 10.0 * 1_f64.exp()), 1.0);
        assert_eq!(depth("above 10", 10.0 / 1_f64.exp()), -1.0);
        assert_eq!(depth("below 10", 10.0 / 1_f64.exp()), 1.0);
        assert_eq!(depth("between 1 and 100", 10.0), depth("above 1", 10.0));
        assert_eq!(depth("above 10", -3.0), -13.0);
        assert_eq!(depth("below 0", -3.0), 3.0);
    }

    #[test]
    fn what_is_no_predicate_is_refused() {
        for bad in [
            "",
            "above",
            "over 3",
            "above NaN",
            "above inf",
            "between 4 and 2",
            "within 5",
            "within 0 %",
        ] {
            assert!(bad.parse::<Predicate>().is_err(), "{bad}");
        }
    }
}
