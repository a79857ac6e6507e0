//! Figures: what a value or a ratio comes to in a machine's runs, and how it is told.

use measurement::{Evidence, Interval, Predicate, Ratio, Regime, Row, Unit, Verdict};

use crate::number_format::{self, Detail, Dimension};
use crate::rich_text::FigureText;
use crate::selector::{Missing, Selector, Term, in_one_unit, nearest};

/// What a figure is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A quantity of one row, or what it is beyond another's.
    Value(Term),
    /// A ratio of two of one run.
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
    /// The value or the ratio in one run.
    pub(crate) fn find(&self, evidence: &Evidence) -> Result<Figure, Missing> {
        match self {
            Subject::Value(term) => Figure::of_row(&*term.find(evidence)?),
            Subject::Ratio(left, right) => {
                let (above, below) = (left.find(evidence)?, right.find(evidence)?);
                let magnified =
                    left.magnifies(evidence, &above)?.max(right.magnifies(evidence, &below)?);
                Ok(Figure { magnified, ..Figure::of_ratio(&above, &below, evidence)? })
            }
            Subject::Share([one, other], all) => {
                let (one, other) = (one.find(evidence)?, other.find(evidence)?);
                Figure::of_share([&*one, &*other], &*all.find(evidence)?)
            }
            Subject::Total(count, terms) => Figure::total(*count, terms, evidence),
        }
    }

    /// What identical contenders differ by where the two sides of a ratio stand; 0 for what compares
    /// nothing.
    pub(crate) fn floor(&self, evidence: &Evidence, class: Option<&str>) -> Result<f64, Missing> {
        match self {
            Subject::Value(_) | Subject::Share(..) | Subject::Total(..) => Ok(0.0),
            // A difference stands where the row stands of which it is.
            Subject::Ratio(left, right) => {
                let row = |term: &Term| term.row.one(evidence).map_err(Missing::Mistake);
                noise_floor(evidence, row(left)?, row(right)?, class)
            }
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

/// The noise floor that a ratio of two rows is held against: that of their groups' own twins. In method 2
/// it is that of a class of kernel, by default the widest.
pub(crate) fn noise_floor(
    evidence: &Evidence,
    left: &Row,
    right: &Row,
    class: Option<&str>,
) -> Result<f64, Missing> {
    let header = evidence.headers(&left.experiment).last();
    let Some(header) = header.filter(|header| header.experiment.is_none()) else {
        return evidence.floor(left, right).map_err(Missing::Unmeasured);
    };
    header.noise_floor(class).ok_or_else(|| match class {
        Some(class) => {
            let known: Vec<&String> = header.floor.keys().collect();
            let near = nearest(class, &known);
            Missing::Mistake(format!("the run has no noise floor {class:?}{near}"))
        }
        None => Missing::Unmeasured("its run has no noise floor".to_owned()),
    })
}

/// Which contenders those are that are identical and give the noise floor.
pub(crate) fn whose_floor(evidence: &Evidence, experiment: &str, class: Option<&str>) -> String {
    let is_of_method_2 = |evidence: &Evidence| {
        evidence.headers(experiment).last().is_some_and(|header| header.experiment.is_none())
    };
    match class {
        _ if !is_of_method_2(evidence) => "twins of its own cells".to_owned(),
        Some(class) => format!("of the class {class}"),
        None => "of the class that differs most".to_owned(),
    }
}

/// Of what two things that are alike have the difference, and the ratio.
const NO_DIFFERENCE: f64 = 0.0;
const RATIO_OF_ALIKE: f64 = 1.0;

/// A value or a ratio, as found in one run.
#[derive(Debug, Clone)]
pub struct Figure {
    interval: Interval,
    regimes: Option<[Regime; 2]>,
    dimension: Dimension,
    /// What it would be of two things that are alike, for a difference or a ratio.
    alike: Option<f64>,
    /// What identical contenders differ by, for a ratio.
    floor: f64,
    /// How many times as much that is, for a ratio of differences.
    magnified: f64,
}

impl Figure {
    pub(crate) fn of_row(row: &Row) -> Result<Figure, Missing> {
        let measured = row.figures().map_err(Missing::Unmeasured)?;
        let (interval, regimes) = (measured.interval(), measured.regimes());
        let dimension = Dimension::of_row(row);
        let alike = row.difference.then_some(NO_DIFFERENCE);
        Ok(Figure { interval, regimes, dimension, alike, floor: 0.0, magnified: 1.0 })
    }

    /// The ratio of two rows.
    pub(crate) fn of_ratio(
        left: &Row,
        right: &Row,
        evidence: &Evidence,
    ) -> Result<Figure, Missing> {
        in_one_unit(left, right)?;
        let Ratio { interval, regimes } =
            evidence.ratio(left, right).map_err(Missing::Unmeasured)?;
        let (dimension, alike) = (Dimension::Count, Some(RATIO_OF_ALIKE));
        Ok(Figure { interval, regimes, dimension, alike, floor: 0.0, magnified: 1.0 })
    }

    /// What two rows make together, as a share of a third. They were not visited in the same turns, so
    /// nothing is paired: the interval is from the least that all three allow to the most, but not from
    /// less than nothing or to more than all.
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
        let interval = |row: &Row| row.figures().map(|m| m.interval()).map_err(Missing::Unmeasured);
        let (one, other, all) = (interval(one)?, interval(other)?, interval(all)?);
        if all.low <= 0.0 {
            let reason = "what the share is of may be nothing".to_owned();
            return Err(Missing::Unmeasured(reason));
        }
        let ends = [one.low, one.high].map(|a| [other.low, other.high].map(|b| a * b));
        let ends = ends.as_flattened().iter().flat_map(|end| [end / all.low, end / all.high]);
        let interval = Interval {
            // What a part costs may have been found to be less than nothing.
            estimate: (one.estimate * other.estimate / all.estimate).max(0.0),
            low: ends.clone().fold(f64::INFINITY, f64::min),
            high: ends.fold(f64::NEG_INFINITY, f64::max),
        };
        let interval = interval.within(0.0, 1.0);
        let dimension = Dimension::Share;
        Ok(Figure { interval, regimes: None, dimension, alike: None, floor: 0.0, magnified: 1.0 })
    }

    /// What so many take of which each takes all of these. Its ends are the sums of theirs, as if all
    /// were off to the same side.
    fn total(count: u64, terms: &[Term], evidence: &Evidence) -> Result<Figure, Missing> {
        let rows: Result<Vec<_>, Missing> = terms.iter().map(|term| term.find(evidence)).collect();
        let rows = rows?;
        let (first, others) = rows.split_first().expect("a total has a term");
        let mut total = Figure::of_row(first)?.of_larger_regime();
        for row in others {
            in_one_unit(first, row)?;
            let one = Figure::of_row(row)?.of_larger_regime();
            total.alike = total.alike.or(one.alike);
            total.interval.estimate += one.interval.estimate;
            total.interval.low += one.interval.low;
            total.interval.high += one.interval.high;
        }
        let times = |value: f64| value * count as f64;
        let Interval { estimate, low, high } = total.interval;
        total.interval = Interval { estimate: times(estimate), low: times(low), high: times(high) };
        Ok(total)
    }

    /// The same with the larger regime alone, where there are two.
    fn of_larger_regime(self) -> Figure {
        Figure { interval: self.mostly().0, regimes: None, ..self }
    }

    /// The same, held against this noise floor, where it is a ratio.
    pub(crate) fn with_floor(self, floor: f64) -> Figure {
        Figure { floor: floor * self.magnified, ..self }
    }

    /// What identical contenders differ by, as a share.
    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }

    /// The estimate alone, as if it were certain.
    pub(crate) fn certain(&self) -> Interval {
        let estimate = self.interval.estimate;
        Interval { estimate, low: estimate, high: estimate }
    }

    /// The interval, or that of the larger regime, and in what it is.
    pub(crate) fn mostly(&self) -> (Interval, Dimension) {
        (self.regimes.map_or(self.interval, |[most, _]| most.interval), self.dimension)
    }

    /// How a predicate stands on it.
    pub(crate) fn verdict(&self, predicate: Predicate) -> Verdict {
        match self.regimes {
            Some(regimes) => {
                predicate.judge_regimes(regimes.map(|regime| regime.interval.widened(self.floor)))
            }
            None => predicate.judge(self.interval.widened(self.floor)),
        }
    }

    /// Whether the ratio is one of 1, as far as can be told by contenders that are identical but
    /// for `floor`.
    pub(crate) fn is_level(&self, floor: f64) -> bool {
        let Interval { low, high, .. } = self.interval.widened(floor * self.magnified);
        low <= RATIO_OF_ALIKE && RATIO_OF_ALIKE <= high
    }

    /// Whether the figure misleads without its interval: one that may as well be that of two things that
    /// are alike, or of which the interval says next to nothing.
    fn misleads_alone(&self) -> bool {
        let misleads = |interval: Interval| {
            let of_alike = |alike| interval.low < alike && alike < interval.high;
            self.alike.is_some_and(of_alike) || number_format::is_unknown(interval)
        };
        self.intervals().any(misleads)
    }

    /// A ratio as a factor, `× 34` or `÷ 3`; one for each regime; never `÷` if identical contenders
    /// could differ as much, since its interval then is on both sides of 1.
    pub(crate) fn factor(&self, floor: f64, form: Detail) -> String {
        let is_level = self.is_level(floor);
        let one = |interval: Interval| {
            let sign = if interval.estimate >= 1.0 || is_level { "×" } else { "÷" };
            let factor = if is_level { interval } else { from_one_up(interval) };
            format!("{sign} {}", number_format::estimate(factor, self.dimension))
        };
        match (self.regimes, form) {
            (None, _) => one(self.interval),
            (Some([most, _]), Detail::Brief) => format!("mostly {}", one(most.interval)),
            (Some(regimes), Detail::Full) => {
                regimes.map(|regime| one(regime.interval)).join(" or ")
            }
        }
    }

    /// The estimate, or one for each regime.
    fn estimate(&self, form: Detail) -> String {
        match (form, self.dimension) {
            (Detail::Brief, dimension) => {
                number_format::mostly(self.interval, self.regimes, dimension)
            }
            // Only times have regimes, and ratios of them.
            (Detail::Full, Dimension::Count) => number_format::ratio(self.interval, self.regimes),
            (Detail::Full, dimension) => {
                number_format::measured(self.interval, self.regimes, dimension)
            }
        }
    }

    /// The interval.
    pub(crate) fn range(&self) -> String {
        self.range_after(|interval| interval)
    }

    /// The interval with each end changed, or those of its two regimes.
    fn range_after(&self, change: impl Fn(Interval) -> Interval) -> String {
        let regimes = self.regimes.map(|regimes| {
            regimes.map(|regime| Regime { interval: change(regime.interval), ..regime })
        });
        number_format::measured_range(change(self.interval), regimes, self.dimension)
    }

    /// On what a predicate is judged, where the interval by itself would decide otherwise: the one that is
    /// widened by the noise floor.
    pub(crate) fn judged_on(&self, predicate: Predicate) -> Option<String> {
        let with = |floor: f64| {
            self.intervals().map(|interval| predicate.judge(interval.widened(floor))).collect()
        };
        let (by_itself, judged): (Vec<Verdict>, Vec<Verdict>) = (with(0.0), with(self.floor));
        (by_itself != judged).then(|| self.range_with_floor())
    }

    /// The interval, or those of its two regimes.
    fn intervals(&self) -> impl Iterator<Item = Interval> {
        let of_regimes = self.regimes.map(|regimes| regimes.map(|regime| regime.interval));
        let one = of_regimes.is_none().then_some(self.interval);
        of_regimes.into_iter().flatten().chain(one)
    }

    /// `2 to 450 with the noise floor`.
    fn range_with_floor(&self) -> String {
        format!("{} with the noise floor", self.widened_range())
    }

    /// The interval, widened by the noise floor.
    fn widened_range(&self) -> String {
        self.range_after(|interval| interval.widened(self.floor))
    }

    /// The figure in a text, as that of `of`.
    pub(crate) fn told(&self, of: String, form: Detail) -> FigureText {
        let (figure, range) = (self.estimate(form), self.range());
        FigureText { of, figure, range, is_open: self.misleads_alone() }
    }

    /// The same of a ratio as a factor. Where only the noise floor makes it one of 1, the interval is told
    /// with it.
    pub(crate) fn told_as_factor(&self, of: String, floor: f64, form: Detail) -> FigureText {
        let figure = self.factor(floor, form);
        let is_level = self.is_level(floor);
        let range = if !is_level {
            self.range_after(from_one_up)
        } else if !self.is_level(0.0) {
            self.clone().with_floor(floor).range_with_floor()
        } else {
            self.range()
        };
        FigureText { of, figure, range, is_open: is_level || self.misleads_alone() }
    }

    /// The figure with its interval, in words.
    pub(crate) fn in_words(&self) -> String {
        format!("{} ({})", self.estimate(Detail::Full), self.range())
    }

    /// By how much identical contenders differ, and what that makes of the interval, in words; none for
    /// what is held against no noise floor.
    pub(crate) fn floor_in_words(&self, whose: &str) -> Option<String> {
        let (percent, range) = (self.floor * 100.0, self.widened_range());
        let words = || {
            format!(
                "identical contenders ({whose}) differ by up to {percent:.1} %, with which the \
                 interval is {range}"
            )
        };
        (self.floor > 0.0).then(words)
    }

    /// Both, briefly.
    pub(crate) fn with_floor_in_words(&self) -> String {
        let widened = || format!(", with the noise floor {}", self.widened_range());
        self.in_words() + &if self.floor > 0.0 { widened() } else { String::new() }
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
    use crate::figure_names::FigureNames;

    #[test]
    fn a_share_is_as_uncertain_as_all_that_it_is_made_of() {
        let row_of = |contender: &str,
                      [experiment, quantity, unit]: [&str; 3],
                      [low, estimate, high]: [f64; 3]| {
            format!(
                r#"{{"experiment":"{experiment}","contender":"{contender}","parameters":{{}},"quantity":"{quantity}","unit":"{unit}","estimate":{estimate:?},"low":{low:?},"high":{high:?},"points":[{low:?},{estimate:?},{high:?}],"source":"counter"}}"#
            )
        };
        let header = r#"{"run":"2026-11-30T10:12:00Z","machine":"epyc-zen5-vm-2","chapter":"cache-locality","profile":"full","commit":"","method":1,"sources":"","rustc":"1.95.0","crates":{},"floor":{},"load":0.0,"processes":3,"rounds":1}"#;
        let row = |of, ends| row_of("smol", of, ends);
        let moves = row(["moves", "moves per message", "1"], [0.25, 0.5, 0.75]);
        let of_move = ["move", "time per move", "ns"];
        let cost = row(of_move, [100.0, 200.0, 400.0]);
        let baseline = row_of("baseline", of_move, [500.0, 600.0, 700.0]);
        let all = row(["echo", "CPU time per message", "ns"], [4000.0, 5000.0, 8000.0]);
        let run = Run::parse(&[header, &moves, &cost, &baseline, &all].join("\n")).unwrap();
        let evidence = Evidence::of_method_2(run);
        let value = |text: &str| FigureNames::default().value(text).unwrap();
        let share = value("moves: smol * move: smol / echo: smol");
        let Interval { estimate, low, high } = share.find(&evidence).unwrap().interval;
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
        let nothing = value("moves: smol * move: smol - baseline / echo: smol");
        let Interval { estimate, low, high } = nothing.find(&evidence).unwrap().interval;
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
        Figure { interval, regimes: None, dimension, alike, floor: 0.0, magnified: 1.0 }
    }

    fn plain(told: FigureText) -> String {
        crate::rich_text::RichText::from(told).plain().replace('\u{a0}', " ")
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
    fn what_a_verdict_rests_on_is_told_where_the_interval_alone_would_decide_otherwise() {
        let above_five = Predicate::Above(5.0);
        let judged_on = |ends, floor| {
            let ratio = figure(ends, Some(RATIO_OF_ALIKE)).with_floor(floor);
            (ratio.verdict(above_five).word(), ratio.judged_on(above_five))
        };
        let told = Some("3 to 60 with the noise floor".to_owned());
        assert_eq!(judged_on([8.0, 16.0, 24.0], 1.5), ("undecided", told));
        // The floor changes nothing.
        assert_eq!(judged_on([8.0, 16.0, 24.0], 0.2), ("holds", None));
        assert_eq!(judged_on([4.0, 16.0, 25.0], 1.5), ("undecided", None));
        assert_eq!(judged_on([1.0, 1.1, 1.2], 0.2), ("fails", None));
        // Of two regimes one holds still.
        let regime = |low, high| {
            let interval = Interval { estimate: low, low, high };
            Regime { share: 0.5, interval }
        };
        let ratio = figure([6.0, 7.0, 21.0], Some(RATIO_OF_ALIKE)).with_floor(0.5);
        let ratio = Figure { regimes: Some([regime(20.0, 21.0), regime(6.0, 7.0)]), ..ratio };
        assert_eq!(ratio.verdict(above_five), Verdict::Depends);
        assert!(
            ratio.judged_on(above_five).unwrap().ends_with(" or 4.0 to 10.5 with the noise floor")
        );
        // It may depend on the regime with and without the floor, which decides of one.
        for (high, is_told) in [(4.0, true), (3.0, false)] {
            let regimes = Some([regime(20.0, 21.0), regime(2.0, high)]);
            let ratio = Figure { regimes, ..ratio.clone() };
            assert_eq!(ratio.clone().with_floor(0.0).verdict(above_five), Verdict::Depends);
            assert_eq!(ratio.verdict(above_five), Verdict::Depends);
            assert_eq!(ratio.judged_on(above_five).is_some(), is_told, "{high}");
        }
    }

    #[test]
    fn a_factor_that_may_be_one_stands_on_the_side_of_its_interval() {
        let told = |ends, floor| {
            let ratio = figure(ends, Some(RATIO_OF_ALIKE));
            plain(ratio.told_as_factor(String::new(), floor, Detail::Full))
        };
        assert_eq!(told([0.25, 0.333, 0.4], 0.0), "÷ 3.0");
        // The interval is turned over with the ratio.
        let ratio = figure([0.1, 0.25, 0.5], Some(RATIO_OF_ALIKE));
        assert_eq!(ratio.told_as_factor(String::new(), 0.0, Detail::Full).range, "2.0 to 10.0");
        assert_eq!(told([2.9, 3.0, 3.1], 0.1), "× 3.00");
        assert_eq!(told([0.86, 0.97, 1.14], 0.0), "× 0.97 (0.86 to 1.14)");
        // Twins differ by more than these two.
        let by_floor = "× 0.950 (0.85 to 1.07 with the noise floor)";
        assert_eq!(told([0.93, 0.95, 0.97], 0.1), by_floor);
    }
}
