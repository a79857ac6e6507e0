//! The predicates of claims, and the verdicts on whether the evidence satisfies them.

use std::fmt;
use std::str::FromStr;

use crate::{Estimate, Interval};

/// The predicate of a claim. A figure or a ratio has to satisfy it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Predicate {
    /// `above x`
    Above(f64),
    /// `below x`
    Below(f64),
    /// `between a and b`
    Between(f64, f64),
    /// `within m %`, for a ratio that should be near 1. Holds m as a share: 0.05 for 5 %.
    Within(f64),
}

/// The verdict on a claim, on one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The evidence satisfies the predicate.
    Holds,
    /// The evidence violates the predicate.
    Fails,
    /// The evidence is compatible with both outcomes.
    Undecided,
    /// There is only a single run, and no other machine to borrow from, so the run-to-run
    /// variance is unknown.
    OneRun,
    /// The figure was not measured, for the given reason.
    NotMeasured(String),
}

impl Predicate {
    /// Returns the range of values that satisfy the predicate. The ends are excluded, since a
    /// value equal to a bound is neither above nor below it.
    fn range(self) -> (f64, f64) {
        match self {
            Predicate::Above(bound) => (bound, f64::INFINITY),
            Predicate::Below(bound) => (f64::NEG_INFINITY, bound),
            Predicate::Between(low, high) => (low, high),
            Predicate::Within(share) => (1.0 / (1.0 + share), 1.0 + share),
        }
    }

    /// Returns the verdict on a machine's estimate. The predicate holds if every value in the
    /// interval of the mean satisfies it, and fails if none does.
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

    /// Returns the distance from a figure to the nearer bound of the predicate. The distance is
    /// positive inside the bounds and negative outside. If all values are positive, compares
    /// their logarithms.
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

    /// Returns whether a value satisfies the predicate.
    pub fn is_met(self, value: f64) -> bool {
        let (from, to) = self.range();
        from < value && (value < to || to.is_infinite())
    }

    /// Returns the predicate in words, with the bounds formatted by `shown`.
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
    /// Returns the verdict in one or two words.
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
