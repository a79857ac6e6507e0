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
    /// The values that satisfy it lie between these: neither bound does, so what is equal is neither more nor less.
    fn range(self) -> (f64, f64) {
        match self {
            Predicate::Above(bound) => (bound, f64::INFINITY),
            Predicate::Below(bound) => (f64::NEG_INFINITY, bound),
            Predicate::Between(low, high) => (low, high),
            Predicate::Within(share) => (1.0 / (1.0 + share), 1.0 + share),
        }
    }

    /// Whether it says of two which is more: it is about a ratio, and its bound is 1.
    pub fn is_direction(self, is_ratio: bool) -> bool {
        is_ratio && matches!(self, Predicate::Above(1.0) | Predicate::Below(1.0))
    }

    /// By what it is judged, of a ratio or else a value of this quantity.
    pub fn test(self, is_ratio: bool, quantity: &str) -> Test {
        let is_one_sided = matches!(self, Predicate::Above(_) | Predicate::Below(_));
        let is_tail = ["p99", "p99.9", "max"].iter().any(|tail| quantity.ends_with(tail));
        if self.is_direction(is_ratio) || (is_one_sided && is_tail) {
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
        (self.is_met(low) && self.is_met(high)) || high <= from || to <= low
    }

    fn is_decided_by_order(self, order: &Order, estimate: f64) -> bool {
        let Order { runs, least, most } = order;
        let separated = || self.agree(&[*least, *most], estimate);
        self.matters(estimate)
            && ((runs.len() >= AGREEING && self.agree(runs, estimate))
                || (runs.len() >= SEPARATED && separated()))
    }

    /// What all full runs say, met or not, where they agree by as much as matters. If it is undecided by order all the
    /// same, they are too few.
    pub fn said_by_all_runs(self, found: &Estimate) -> Option<bool> {
        let estimate = found.mean?.estimate;
        let runs = &found.order.runs;
        let agree = !runs.is_empty() && self.matters(estimate) && self.agree(runs, estimate);
        agree.then(|| self.is_met(estimate))
    }

    fn agree(self, figures: &[f64], estimate: f64) -> bool {
        let is_met = self.is_met(estimate);
        figures.iter().all(|figure| self.is_met(*figure) == is_met)
    }

    /// Whether an estimate is so far from its bound that its side matters.
    fn matters(self, estimate: f64) -> bool {
        let (from, to) = self.range();
        let bound = if from.is_finite() { from } else { to };
        // With other signs they are far apart.
        estimate * bound < 0.0 || (estimate / bound).max(bound / estimate) >= MATTERS
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
            Verdict::Depends => "depends",
            Verdict::OneRun => "one run",
            Verdict::NotMeasured(_) => "not measured",
        }
    }
}
