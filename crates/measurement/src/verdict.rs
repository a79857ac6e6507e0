//! Predicates, and the verdicts that they give on the interval of a machine's mean.

use std::fmt;
use std::str::FromStr;

use crate::{Estimate, Interval};

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
    /// What was found satisfies the predicate.
    Holds,
    /// What was found violates it.
    Fails,
    /// What was found may do either.
    Undecided,
    /// It was measured in one run, on a machine that borrows from nobody: nothing tells how much runs differ.
    OneRun,
    /// There is no measurement, for this reason.
    NotMeasured(String),
}

impl Predicate {
    /// The values that satisfy it lie between these: neither bound does, so what is equal is neither more nor less.
    fn range(self) -> (f64, f64) {
        match self {
            Predicate::Above(bound) => (bound, f64::INFINITY),
            Predicate::Below(bound) => (f64::NEG_INFINITY, bound),
            Predicate::Between(low, high) => (low, high),
            Predicate::Within(share) => (1.0 / (1.0 + share), 1.0 + share),
        }
    }

    /// Holds it against what a machine found: all of the interval of its mean has to satisfy it, or nothing.
    pub fn judge(self, found: &Estimate) -> Verdict {
        let Some(Interval { estimate, low, high }) = found.mean else { return Verdict::OneRun };
        let (from, to) = self.range();
        if self.is_met(estimate) && self.is_met(low) && self.is_met(high) {
            Verdict::Holds
        } else if high <= from || to <= low {
            Verdict::Fails
        } else {
            Verdict::Undecided
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
        from < value && (value < to || to.is_infinite())
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
            Verdict::OneRun => "one run",
            Verdict::NotMeasured(_) => "not measured",
        }
    }
}
