//! Predicates, and the verdicts that they give on an interval.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::Interval;

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

/// How a claim stands on a machine. Its words are the only ones that are printed as verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval satisfies the predicate.
    Holds,
    /// The whole interval violates it.
    Fails,
    /// The interval straddles it.
    Undecided,
    /// The visits fall into two regimes, and these give different verdicts.
    Depends,
    /// There is no measurement, for this reason.
    NotMeasured(String),
}

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

    /// Holds it against two regimes.
    pub fn judge_regimes(self, regimes: [Interval; 2]) -> Verdict {
        let [first, second] = regimes.map(|interval| self.judge(interval));
        if first == second {
            first
        } else {
            Verdict::Depends
        }
    }

    /// Holds it against an interval.
    pub fn judge(self, interval: Interval) -> Verdict {
        let (from, to) = self.range();
        if from <= interval.low && interval.high <= to {
            Verdict::Holds
        } else if interval.high < from || to < interval.low {
            Verdict::Fails
        } else {
            Verdict::Undecided
        }
    }
}

/// A predicate that cannot be read.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0:?} is no predicate: write \"above x\", \"below x\", \"between a and b\" (a below b) or \"within m %\"")]
pub struct PredicateError(String);

impl FromStr for Predicate {
    type Err = PredicateError;

    fn from_str(text: &str) -> Result<Predicate, PredicateError> {
        let error = || PredicateError(text.to_owned());
        let number = |word: &str| {
            word.replace(',', "").parse::<f64>().ok().filter(|n| n.is_finite()).ok_or_else(error)
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["above", bound] => Ok(Predicate::Above(number(bound)?)),
            ["below", bound] => Ok(Predicate::Below(number(bound)?)),
            ["between", low, "and", high] => {
                let (low, high) = (number(low)?, number(high)?);
                if low < high {
                    Ok(Predicate::Between(low, high))
                } else {
                    Err(error())
                }
            }
            ["within", share, "%"] => {
                let share = number(share)? / 100.0;
                if share > 0.0 {
                    Ok(Predicate::Within(share))
                } else {
                    Err(error())
                }
            }
            _ => Err(error()),
        }
    }
}

impl Predicate {
    /// The predicate with its bounds as `shown` writes them.
    pub fn in_words(&self, shown: impl Fn(f64) -> String) -> String {
        match *self {
            Predicate::Above(bound) => format!("above {}", shown(bound)),
            Predicate::Below(bound) => format!("below {}", shown(bound)),
            Predicate::Between(low, high) => {
                format!("between {} and {}", shown(low), shown(high))
            }
            Predicate::Within(share) => format!("within {} %", share * 100.0),
        }
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
            Verdict::NotMeasured(_) => "not measured",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { estimate: (low + high) / 2.0, low, high }
    }

    #[test]
    fn a_verdict_needs_the_whole_interval() {
        let judge = |predicate: &str, low, high| {
            predicate.parse::<Predicate>().unwrap().judge(interval(low, high)).word()
        };
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
    fn two_regimes_that_differ_make_it_depend() {
        let above = Predicate::Above(10.0);
        let judge = |first, second| above.judge_regimes([first, second]).word();
        assert_eq!(judge(interval(11.0, 12.0), interval(20.0, 21.0)), "holds");
        assert_eq!(judge(interval(11.0, 12.0), interval(5.0, 6.0)), "depends");
        assert_eq!(judge(interval(3.0, 4.0), interval(5.0, 6.0)), "fails");
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

    #[test]
    fn a_difference_inside_the_floor_is_no_difference() {
        let measured = interval(1.02, 1.03);
        let above = Predicate::Above(1.0);
        assert_eq!(above.judge(measured), Verdict::Holds);
        assert_eq!(above.judge(measured.widened(0.04)), Verdict::Undecided);
    }
}
