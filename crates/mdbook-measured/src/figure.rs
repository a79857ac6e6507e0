//! Figures: what a value or a ratio comes to in a machine's runs, and how it is told.

pub(crate) mod least_visit;
pub mod names;
pub mod number_format;
pub(crate) mod rich_text;
pub(crate) mod row_order;
pub mod selector;

use measurement::{Estimate, Evidence, Interval, Mode, Order, Row, Scattered, Test, Unit};

use crate::figure::number_format::{Detail, Dimension};
use crate::figure::rich_text::FigureText;
use crate::figure::selector::{Missing, Selector, Term, in_one_unit};

/// What a figure is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A quantity of one row, or what it is beyond another's.
    Value(Term),
    /// A ratio of two.
    Ratio(Term, Term),
    /// What two make together, as a share of a third: how often something happens, times what it costs,
    /// of what all costs. They need not be of one run.
    Share([Term; 2], Term),
    /// What so many take of which each takes all of these together.
    Total(u64, Vec<Term>),
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Subject::Value(selector) => write!(f, "{selector}"),
            Subject::Ratio(left, right) => write!(f, "{left} / {right}"),
            Subject::Share([one, other], all) => write!(f, "{one} * {other} / {all}"),
            Subject::Total(count, terms) => {
                let terms: Vec<String> = terms.iter().map(Term::to_string).collect();
                write!(f, "{count} x {}", terms.join(" + "))
            }
        }
    }
}

impl Subject {
    /// The value or the ratio, as this evidence has it.
    pub(crate) fn find(&self, evidence: &Evidence) -> Result<Figure, Missing> {
        match self {
            Subject::Value(term) => Figure::of_row(&*term.find(evidence)?),
            Subject::Ratio(left, right) => {
                Figure::of_ratio(&*left.find(evidence)?, &*right.find(evidence)?, evidence)
            }
            Subject::Share([one, other], all) => {
                let (one, other) = (one.find(evidence)?, other.find(evidence)?);
                Figure::of_share([&*one, &*other], &*all.find(evidence)?)
            }
            Subject::Total(count, terms) => Figure::total(*count, terms, evidence),
        }
    }

    /// The same with its chapter named, and its parameters in order: equal if the same is asked for.
    pub(crate) fn in_full(&self, chapter: &str) -> Subject {
        match self {
            Subject::Value(term) => Subject::Value(term.in_full(chapter)),
            Subject::Ratio(left, right) => {
                Subject::Ratio(left.in_full(chapter), right.in_full(chapter))
            }
            Subject::Share(parts, all) => {
                let parts = parts.each_ref().map(|part| part.in_full(chapter));
                Subject::Share(parts, all.in_full(chapter))
            }
            Subject::Total(count, terms) => {
                Subject::Total(*count, terms.iter().map(|term| term.in_full(chapter)).collect())
            }
        }
    }

    /// The selectors of its rows.
    pub(crate) fn selectors(&self) -> Vec<&Selector> {
        match self {
            Subject::Value(term) => term.selectors().collect(),
            Subject::Ratio(left, right) => left.selectors().chain(right.selectors()).collect(),
            Subject::Share([one, other], all) => {
                [one, other, all].into_iter().flat_map(Term::selectors).collect()
            }
            Subject::Total(_, terms) => terms.iter().flat_map(Term::selectors).collect(),
        }
    }

    /// Whether there is a row for all that it names. Asked where there need not be one, since the message
    /// of [`Subject::find`] takes long to put together.
    pub(crate) fn is_in(&self, evidence: &Evidence) -> bool {
        let is_there = |of: &Selector| evidence.rows.iter().any(|row| of.matches(row));
        self.selectors().into_iter().all(is_there)
    }

    /// The chapter whose rows it names, if it is not the page's own.
    pub(crate) fn chapter(&self) -> Option<&str> {
        self.first().chapter.as_deref()
    }

    /// The experiment of the first row that it names.
    pub(crate) fn experiment(&self) -> &str {
        &self.first().experiment
    }

    /// The quantity of the first row that it names, as far as it names it.
    pub(crate) fn quantity(&self) -> Option<&str> {
        self.first().quantity.as_deref()
    }

    /// The first row that it names.
    fn first(&self) -> &Selector {
        match self {
            Subject::Value(first) | Subject::Ratio(first, _) | Subject::Share([first, _], _) => {
                &first.row
            }
            Subject::Total(_, terms) => &terms.first().expect("a total has a term").row,
        }
    }

    /// What it is called in a verdict.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Subject::Value(_) => "value",
            Subject::Ratio(..) => "ratio",
            Subject::Share(..) => "share",
            Subject::Total(..) => "total",
        }
    }
}

/// Of what two things that are alike have the difference, and the ratio.
const NO_DIFFERENCE: f64 = 0.0;
const RATIO_OF_ALIKE: f64 = 1.0;

/// A value or a ratio, as a machine's runs found it.
#[derive(Debug, Clone)]
pub struct Figure {
    found: Estimate,
    dimension: Dimension,
    /// What it would be of two things that are alike, for a difference or a ratio.
    alike: Option<f64>,
}

impl Figure {
    pub(crate) fn of_row(row: &Row) -> Result<Figure, Missing> {
        let found = row.figures().map_err(Missing::Unmeasured)?.together();
        let alike = row.difference.then_some(NO_DIFFERENCE);
        Ok(Figure { found, dimension: Dimension::of_row(row), alike })
    }

    /// The ratio of two rows.
    pub(crate) fn of_ratio(
        left: &Row,
        right: &Row,
        evidence: &Evidence,
    ) -> Result<Figure, Missing> {
        in_one_unit(left, right)?;
        let found = evidence.ratio(left, right).map_err(Missing::Unmeasured)?;
        Ok(Figure { found, dimension: Dimension::Count, alike: Some(RATIO_OF_ALIKE) })
    }

    /// What two rows make together, as a share of a third. They need not have been measured together: the
    /// intervals are from the least that those of all three allow to the most, but not from less than nothing
    /// or to more than all.
    fn of_share(parts: [&Row; 2], all: &Row) -> Result<Figure, Missing> {
        let of_one = |row: &&Row| row.unit == Unit::One;
        let [one, other] = parts;
        let is_share = match parts.iter().find(|row| !of_one(row)) {
            Some(row) => row.unit == all.unit && parts.iter().any(of_one),
            None => of_one(&all),
        };
        if !is_share {
            let message = format!(
                "{:?} times {:?} is no share of {:?}: one of the two is to be a count, and the other \
                 in the unit of the third",
                one.name(),
                other.name(),
                all.name()
            );
            return Err(Missing::Mistake(message));
        }
        let found = |row: &Row| row.figures().map(|m| m.together()).map_err(Missing::Unmeasured);
        let (one, other, all) = (found(one)?, found(other)?, found(all)?);
        if all.next.low <= 0.0 {
            let reason = "what the share is of may be nothing".to_owned();
            return Err(Missing::Unmeasured(reason));
        }
        let share = |one: Interval, other: Interval, all: Interval| {
            let ends = [one.low, one.high].map(|a| [other.low, other.high].map(|b| a * b));
            let ends = ends.as_flattened().iter().flat_map(|end| [end / all.low, end / all.high]);
            let interval = Interval {
                // What a part costs may have been found to be less than nothing.
                estimate: (one.estimate * other.estimate / all.estimate).max(0.0),
                low: ends.clone().fold(f64::INFINITY, f64::min),
                high: ends.fold(f64::NEG_INFINITY, f64::max),
            };
            interval.within(0.0, 1.0)
        };
        let mean = one.mean.zip(other.mean).zip(all.mean);
        let of_ten_runs = one.of_ten_runs.zip(other.of_ten_runs).zip(all.of_ten_runs);
        let found = Estimate {
            next: share(one.next, other.next, all.next),
            mean: mean.map(|((one, other), all)| share(one, other, all)),
            of_ten_runs: of_ten_runs.map(|((one, other), all)| share(one, other, all)),
            scattered: None,
            order: Order::default(),
        };
        Ok(Figure { found, dimension: Dimension::Share, alike: None })
    }

    /// What so many take of which each takes all of these. Its ends are the sums of theirs, as if all
    /// were off to the same side.
    fn total(count: u64, terms: &[Term], evidence: &Evidence) -> Result<Figure, Missing> {
        let rows: Result<Vec<_>, Missing> = terms.iter().map(|term| term.find(evidence)).collect();
        let rows = rows?;
        let (first, others) = rows.split_first().expect("a total has a term");
        let mut total = Figure::of_row(first)?;
        let sum = |one: Interval, other: Interval| Interval {
            estimate: one.estimate + other.estimate,
            low: one.low + other.low,
            high: one.high + other.high,
        };
        for row in others {
            in_one_unit(first, row)?;
            let one = Figure::of_row(row)?;
            total.alike = total.alike.or(one.alike);
            total.found.next = sum(total.found.next, one.found.next);
            let means = total.found.mean.zip(one.found.mean);
            total.found.mean = means.map(|(total, one)| sum(total, one));
            let of_ten_runs = total.found.of_ten_runs.zip(one.found.of_ten_runs);
            total.found.of_ten_runs = of_ten_runs.map(|(total, one)| sum(total, one));
        }
        let count = count as f64;
        let times = |Interval { estimate, low, high }| Interval {
            estimate: count * estimate,
            low: count * low,
            high: count * high,
        };
        total.found = Estimate {
            next: times(total.found.next),
            mean: total.found.mean.map(times),
            of_ten_runs: total.found.of_ten_runs.map(times),
            scattered: None,
            order: Order::default(),
        };
        Ok(total)
    }

    /// What the runs found, for a predicate.
    pub fn found(&self) -> &Estimate {
        &self.found
    }

    /// The interval for the next run, or that of the larger mode, and in what it is.
    pub(crate) fn mostly(&self) -> (Interval, Dimension) {
        let interval = match self.found.scattered {
            Some(Scattered::Modes([most, _])) => most.interval,
            _ => self.found.next,
        };
        (interval, self.dimension)
    }

    /// Whether the next run's ratio may be on either side of 1.
    pub(crate) fn is_level(&self) -> bool {
        let Interval { low, high, .. } = self.found.next;
        low <= RATIO_OF_ALIKE && RATIO_OF_ALIKE <= high
    }

    /// Whether this machine's mean ratio lies on one side of 1.
    pub(crate) fn is_told_apart(&self) -> bool {
        let Interval { low, high, .. } = self.found.mean.unwrap_or(self.found.next);
        high < RATIO_OF_ALIKE || RATIO_OF_ALIKE < low
    }

    /// Whether the figure misleads without its interval: one that may as well be that of two things that
    /// are alike, or of which the interval says next to nothing.
    fn misleads_alone(&self) -> bool {
        let misleads = |interval: Interval| {
            let of_alike = |alike| interval.low < alike && alike < interval.high;
            self.alike.is_some_and(of_alike) || number_format::is_unknown(interval)
        };
        match self.found.scattered {
            None => misleads(self.found.next),
            Some(Scattered::Modes(modes)) => modes.iter().any(|mode| misleads(mode.interval)),
            // Its ends are what is told.
            Some(Scattered::Range { .. }) => false,
        }
    }

    /// A ratio as a factor, `× 34` or `÷ 3`; one for each mode; never `÷` where it may be on either side of 1.
    pub(crate) fn factor(&self, form: Detail) -> String {
        let is_level = self.is_level();
        let one = |interval: Interval| {
            let sign = if interval.estimate >= 1.0 || is_level { "×" } else { "÷" };
            let factor = if is_level { interval } else { from_one_up(interval) };
            format!("{sign} {}", number_format::estimate(factor, self.dimension))
        };
        match (self.found.scattered, form) {
            (None, _) => one(self.found.next),
            (Some(Scattered::Range { .. }), _) => format!("× {}", self.estimate(form)),
            (Some(Scattered::Modes([most, _])), Detail::Brief) => {
                format!("mostly {}", one(most.interval))
            }
            (Some(Scattered::Modes(modes)), Detail::Full) => {
                modes.map(|mode| one(mode.interval)).join(" or ")
            }
        }
    }

    /// The estimate, or what stands in its place.
    fn estimate(&self, form: Detail) -> String {
        let Estimate { next, scattered, .. } = self.found;
        match form {
            Detail::Brief => number_format::mostly(next, scattered, self.dimension),
            Detail::Full if self.is_ratio() => number_format::ratio(next, scattered),
            Detail::Full => number_format::measured(next, scattered, self.dimension),
        }
    }

    fn is_ratio(&self) -> bool {
        self.alike == Some(RATIO_OF_ALIKE)
    }

    /// The interval for the next run.
    pub(crate) fn range(&self) -> String {
        self.range_after(|interval| interval)
    }

    /// The interval with each end changed, or those of its two modes.
    fn range_after(&self, change: impl Fn(Interval) -> Interval) -> String {
        let scattered = self.found.scattered.map(|scattered| match scattered {
            Scattered::Modes(modes) => {
                Scattered::Modes(modes.map(|mode| Mode { interval: change(mode.interval), ..mode }))
            }
            range @ Scattered::Range { .. } => range,
        });
        let next = change(self.found.next);
        if self.is_ratio() {
            number_format::ratio_range(next, scattered)
        } else {
            number_format::measured_range(next, scattered, self.dimension)
        }
    }

    /// The interval of this machine's mean; of one run that borrows from nobody, of its links.
    pub(crate) fn mean_range(&self) -> String {
        number_format::range(self.found.mean.unwrap_or(self.found.next), self.dimension)
    }

    /// The figure in a text, as that of `of`.
    pub(crate) fn told(&self, of: String, form: Detail) -> FigureText {
        let (figure, range) = (self.estimate(form), self.range());
        FigureText { of, figure, range, is_open: self.misleads_alone() }
    }

    /// The same of a ratio as a factor.
    pub(crate) fn told_as_factor(&self, of: String, form: Detail) -> FigureText {
        let is_level = self.is_level();
        let range = if is_level { self.range() } else { self.range_after(from_one_up) };
        let is_open = is_level || self.misleads_alone();
        FigureText { of, figure: self.factor(form), range, is_open }
    }

    /// The figure with what it is judged by, in words.
    pub(crate) fn judged_by(&self, test: Test) -> String {
        let by = match (test, self.found.mean, &self.found.order.runs[..]) {
            (_, None, _) => "one run".to_owned(),
            (Test::Mean, Some(mean), _) => {
                format!("mean {}", number_format::range(mean, self.dimension))
            }
            (Test::Order, _, []) => "by order of full runs, of which there is none".to_owned(),
            (Test::Order, _, runs) => {
                let least = runs.iter().copied().fold(f64::INFINITY, f64::min);
                let most = runs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let runs = if runs.len() == 1 {
                    "1 run".to_owned()
                } else {
                    format!("{} runs", runs.len())
                };
                let ends = Interval { estimate: self.found.next.estimate, low: least, high: most };
                format!("by order of {runs}, {}", number_format::range(ends, self.dimension))
            }
        };
        format!("{} ({by})", self.estimate(Detail::Full))
    }
}

/// A ratio, turned over if it is below 1.
fn from_one_up(ratio: Interval) -> Interval {
    let Interval { estimate, low, high } = ratio;
    if estimate < 1.0 {
        Interval { estimate: 1.0 / estimate, low: 1.0 / high, high: 1.0 / low }
    } else {
        ratio
    }
}

#[cfg(test)]
mod tests {
    use measurement::Run;

    use super::*;
    use crate::figure::names::FigureNames;

    #[test]
    fn a_share_is_as_uncertain_as_all_that_it_is_made_of() {
        let row_of = |contender: &str,
                      [experiment, quantity, unit]: [&str; 3],
                      [low, estimate, high]: [f64; 3]| {
            format!(
                r#"{{"experiment":"{experiment}","contender":"{contender}","parameters":{{}},"quantity":"{quantity}","unit":"{unit}","estimate":{estimate:?},"low":{low:?},"high":{high:?},"points":[{low:?},{estimate:?},{high:?}],"source":"counter"}}"#
            )
        };
        let header = r#"{"run":"2026-11-30T10:12:00Z","machine":"epyc-zen5-vm-2","chapter":"cache-locality","experiment":"EXPERIMENT","profile":"full","commit":"","method":4,"rustc":"1.95.0","crates":{},"load":0.0,"processes":3,"rounds":1}"#;
        let row = |of, ends| row_of("smol", of, ends);
        let moves = row(["moves", "moves per message", "1"], [0.25, 0.5, 0.75]);
        let of_move = ["move", "time per move", "ns"];
        let cost = row(of_move, [100.0, 200.0, 400.0]);
        let baseline = row_of("baseline", of_move, [500.0, 600.0, 700.0]);
        let all = row(["echo", "CPU time per message", "ns"], [4000.0, 5000.0, 8000.0]);
        let run = |experiment: &str, rows: &[&str]| {
            let header = header.replace("EXPERIMENT", experiment);
            Run::parse(&[&[header.as_str()], rows].concat().join("\n")).unwrap()
        };
        let runs = [run("moves", &[&moves]), run("move", &[&cost]), run("echo", &[&all])];
        let found = runs.map(|Run { header, rows }| Evidence::of_found(header, rows));
        let evidence = Evidence::join(found);
        let value = |text: &str| FigureNames::default().value(text).unwrap();
        let share = value("moves: smol * move: smol / echo: smol");
        let Interval { estimate, low, high } = share.find(&evidence).unwrap().found.next;
        assert_eq!([estimate, low, high], [0.02, 0.003125, 0.075]);
        assert_eq!(share.to_string(), "moves: smol * move: smol / echo: smol");
        assert_eq!((share.noun(), share.selectors().len()), ("share", 3));
        for no_share in
            ["move: smol * echo: smol / echo: smol", "moves: smol * move: smol / moves: smol"]
        {
            let found = value(no_share).find(&evidence);
            assert!(matches!(found, Err(Missing::Mistake(_))), "{no_share}");
        }
        // What takes less than nothing, by all that is known, is none of it.
        let counted = cost.replace("time per move", "moves per message").replace("\"ns\"", "\"1\"");
        let nothing = value(
            "move: smol, moves per message * move: smol, time per move - baseline / move: baseline",
        );
        let evidence = Evidence::of_runs(&[run("move", &[&counted, &cost, &baseline])], None);
        let Interval { estimate, low, high } = nothing.find(&evidence).unwrap().found.next;
        assert_eq!([estimate, low, high], [0.0; 3]);
        let missing = value("moves: smol * move: rayon / echo: smol");
        assert!(!missing.is_in(&evidence) && missing.find(&evidence).is_err());
    }

    fn figure([low, estimate, high]: [f64; 3], alike: Option<f64>) -> Figure {
        let interval = Interval { estimate, low, high };
        let dimension = match alike {
            Some(RATIO_OF_ALIKE) => Dimension::Count,
            _ => Dimension::Of(Unit::Nanoseconds),
        };
        let found = Estimate {
            next: interval,
            mean: None,
            of_ten_runs: None,
            scattered: None,
            order: Order::default(),
        };
        Figure { found, dimension, alike }
    }

    fn plain(told: FigureText) -> String {
        crate::figure::rich_text::RichText::from(told).plain().replace('\u{a0}', " ")
    }

    #[test]
    fn a_figure_that_misleads_alone_has_its_interval_beside_it() {
        let told = |ends, alike| plain(figure(ends, alike).told(String::new(), Detail::Full));
        assert_eq!(told([-1e3, 1.2e3, 3.4e3], Some(NO_DIFFERENCE)), "1.2 µs (-1.0 to 3.4 µs)");
        assert_eq!(told([0.5e3, 1.2e3, 3.4e3], Some(NO_DIFFERENCE)), "1.2 µs");
        assert_eq!(told([0.86, 1.02, 1.14], Some(RATIO_OF_ALIKE)), "1.02 (0.86 to 1.14)");
        assert_eq!(told([1.02, 1.1, 1.14], Some(RATIO_OF_ALIKE)), "1.10");
        // A plain figure may be nothing, and 1 is nothing special to it.
        assert_eq!(told([0.0, 1.2, 3.4], None), "1.2 ns");
        assert_eq!(told([0.5, 1.2, 3.4], None), "1.2 ns");
        assert_eq!(told([1e-2, 3e4, 6e10], None), "30 µs (not known within a factor of 1,000)");
    }

    #[test]
    fn a_figure_is_told_with_what_judges_it() {
        let mean = Some(Interval { estimate: 2.0, low: 1.9, high: 2.1 });
        let order = Order { runs: vec![1.7, 2.0, 2.3], least: 0.5, most: 4.0 };
        let figure = figure([1.5, 2.0, 2.5], Some(RATIO_OF_ALIKE));
        let one = figure.judged_by(Test::Mean);
        let several = Figure { found: Estimate { mean, order, ..figure.found }, ..figure };
        assert_eq!(one, "2.0 (one run)");
        assert_eq!(several.judged_by(Test::Mean), "2.0 (mean 1.90 to 2.10)");
        assert_eq!(several.judged_by(Test::Order), "2.0 (by order of 3 runs, 1.70 to 2.30)");
    }

    #[test]
    fn a_factor_that_may_be_one_stands_on_the_side_of_its_interval() {
        let told = |ends| {
            let ratio = figure(ends, Some(RATIO_OF_ALIKE));
            plain(ratio.told_as_factor(String::new(), Detail::Full))
        };
        assert_eq!(told([0.25, 0.333, 0.4]), "÷ 3.0");
        // The interval is turned over with the ratio.
        let ratio = figure([0.1, 0.25, 0.5], Some(RATIO_OF_ALIKE));
        assert_eq!(ratio.told_as_factor(String::new(), Detail::Full).range, "2.0 to 10.0");
        assert_eq!(told([2.9, 3.0, 3.1]), "× 3.00");
        assert_eq!(told([0.86, 0.97, 1.14]), "× 0.97 (0.86 to 1.14)");
    }
}
