//! Figures: what a value or a ratio comes to in a machine's runs, and how it is told.

pub mod least_visit;

use std::iter;

use language::subject::{Form, Subject};
use measurement::number_format::{self, Dimension, ends};
use measurement::{Estimate, Evidence, Interval, NoRatio, Row, Scattered, Unit};

use crate::find::{self, Missing, in_one_unit};

/// In the place of an interval that nothing tells, since nothing tells how much runs differ.
const ONE_RUN: &str = "one run";

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
    /// The figure of a subject, as this evidence has it.
    ///
    /// # Errors
    ///
    /// There are no such rows, or no figure comes of them.
    pub fn find(subject: &Subject, evidence: &Evidence) -> Result<Figure, Missing> {
        let rows = subject.terms.iter().map(|term| find::term(term, evidence));
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        let rows: Vec<&Row> = rows.iter().map(|row| &**row).collect();
        match (subject.form, &rows[..]) {
            (Form::Ratio, [left, right]) => Figure::of_ratio(left, right, evidence),
            (Form::Share, [parts @ .., all]) => Figure::of_share(parts, all),
            (Form::Total(count), [row]) => Ok(Figure::of_row(row)?.times(count as f64)),
            (Form::Total(count), rows) => Figure::total(count, rows),
            (_, rows) => Figure::of_row(rows[0]),
        }
    }

    /// The figure of a row.
    ///
    /// # Errors
    ///
    /// It was not measured.
    pub fn of_row(row: &Row) -> Result<Figure, Missing> {
        let found = row.figures().map_err(Missing::Unmeasured)?.together();
        let alike = row.difference.then_some(NO_DIFFERENCE);
        Ok(Figure { found, dimension: Dimension::of_row(row), alike })
    }

    /// The ratio of two rows.
    ///
    /// # Errors
    ///
    /// They are in different units, or one was not measured, or may be nothing.
    pub fn of_ratio(left: &Row, right: &Row, evidence: &Evidence) -> Result<Figure, Missing> {
        in_one_unit(left, right)?;
        let found = evidence.ratio(left, right).map_err(|none| match none {
            NoRatio::Unmeasured(reason) => Missing::Unmeasured(reason),
            NoRatio::ReachesZero(reason) => Missing::Untold(reason),
        })?;
        Ok(Figure { found, dimension: Dimension::Ratio, alike: Some(RATIO_OF_ALIKE) })
    }

    /// What two rows make together, as a share of a third. They need not have been measured together: the
    /// intervals are from the least that those of all three allow to the most, but not from less than nothing
    /// or to more than all.
    fn of_share(parts: &[&Row], all: &Row) -> Result<Figure, Missing> {
        let is_count = |row: &&&Row| row.unit == Unit::One;
        let unit = parts.iter().find(|row| !is_count(row)).map_or(Unit::One, |row| row.unit);
        if unit != all.unit || !parts.iter().any(|row| is_count(&row)) {
            return Err(Missing::Mistake(format!(
                "{:?} times {:?} is no share of {:?}: one of the two is to be a count, and the other in the unit of \
                 the third",
                parts[0].name(),
                parts[1].name(),
                all.name()
            )));
        }
        let figures = parts.iter().chain([&all]).map(|row| Figure::of_row(row));
        let figures: Vec<Figure> = figures.collect::<Result<_, _>>()?;
        if figures.last().is_some_and(|all| all.found.next.low <= 0.0) {
            return Err(Missing::Untold("what the share is of may be nothing".to_owned()));
        }
        let share = |of: &[Interval]| {
            let [one, other, all] = of else { unreachable!("a share is of three") };
            let products = [one.low, one.high].map(|a| [other.low, other.high].map(|b| a * b));
            let products = products.as_flattened().iter();
            let (low, high) = ends(products.flat_map(|end| [end / all.low, end / all.high]));
            // What a part costs may have been found to be less than nothing.
            let estimate = (one.estimate * other.estimate / all.estimate).max(0.0);
            Interval { estimate, low, high }.within(0.0, 1.0)
        };
        Ok(Figure { found: made_of(&figures, share), dimension: Dimension::Share, alike: None })
    }

    /// What so many take of which each takes all of these. Its ends are the sums of theirs, as if all
    /// were off to the same side.
    fn total(count: u64, rows: &[&Row]) -> Result<Figure, Missing> {
        let figure = |row: &&Row| {
            in_one_unit(rows[0], row)?;
            Figure::of_row(row)
        };
        let figures: Vec<Figure> = rows.iter().map(figure).collect::<Result<_, _>>()?;
        let total = |of: &[Interval]| {
            let sum = |end: fn(&Interval) -> f64| count as f64 * of.iter().map(end).sum::<f64>();
            Interval {
                estimate: sum(|of| of.estimate),
                low: sum(|of| of.low),
                high: sum(|of| of.high),
            }
        };
        let alike = figures.iter().find_map(|figure| figure.alike);
        Ok(Figure { found: made_of(&figures, total), dimension: figures[0].dimension, alike })
    }

    /// So many times as much.
    pub fn times(mut self, count: f64) -> Figure {
        let times = |of: &mut Interval| {
            [&mut of.estimate, &mut of.low, &mut of.high].into_iter().for_each(|end| *end *= count);
        };
        let Estimate { next, mean, scattered } = &mut self.found;
        iter::once(next).chain(mean).for_each(times);
        if let Some(Scattered { low, high }) = scattered {
            [low, high].into_iter().for_each(|end| *end *= count);
        }
        self
    }

    /// What the runs found, for a predicate.
    pub fn found(&self) -> &Estimate {
        &self.found
    }

    /// The interval that is told: that of the machine's mean for what two things do to each other, which is a ratio or
    /// a difference, as claims and charts have it; that of the next run for a single figure. Of one run that borrows
    /// from nobody there is none, so it is without width.
    pub fn interval(&self) -> Interval {
        let Interval { estimate, .. } = self.found.next;
        match (self.found.mean, self.alike) {
            (None, _) => Interval { estimate, low: estimate, high: estimate },
            (Some(mean), Some(_)) => mean,
            (Some(_), None) => self.found.next,
        }
    }

    /// In what it is told.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Whether this machine's mean ratio lies on one side of 1.
    pub fn is_told_apart(&self) -> bool {
        let is_apart = |mean: Interval| mean.high < RATIO_OF_ALIKE || RATIO_OF_ALIKE < mean.low;
        self.found.mean.is_some_and(is_apart)
    }

    /// Whether nothing tells how much its runs differ, so that it has no interval.
    pub fn is_of_one_run(&self) -> bool {
        self.found.mean.is_none()
    }

    /// Whether the figure misleads without its interval: one that may as well be that of two things that
    /// are alike, or of which the interval says next to nothing.
    fn misleads_alone(&self) -> bool {
        if self.found.scattered.is_some() {
            // The ends are what is told.
            return false;
        }
        let interval = self.interval();
        let of_alike =
            |alike| self.is_of_one_run() || (interval.low < alike && alike < interval.high);
        self.alike.is_some_and(of_alike) || number_format::is_unknown(interval)
    }

    /// A ratio as a factor, `× 34` or `÷ 3`; never `÷` where its interval has 1 in it.
    pub fn factor(&self) -> String {
        if self.found.scattered.is_some() {
            return format!("× {}", self.in_words());
        }
        let turned = self.turned(self.interval());
        let estimate = number_format::estimate(turned, self.dimension);
        match turned {
            _ if number_format::is_unknown(turned) => estimate,
            _ if turned == self.interval() => format!("× {estimate}"),
            _ => format!("÷ {estimate}"),
        }
    }

    /// A ratio as what is told as a factor: turned over if it is below 1, and told apart from it.
    fn turned(&self, ratio: Interval) -> Interval {
        let Interval { estimate, low, high } = ratio;
        if estimate < RATIO_OF_ALIKE && (self.is_told_apart() || self.is_of_one_run()) {
            Interval { estimate: 1.0 / estimate, low: 1.0 / high, high: 1.0 / low }
        } else {
            ratio
        }
    }

    /// The estimate; or of scattered visits where nine of ten lie, `30 to 270 ns`.
    pub fn in_words(&self) -> String {
        match self.found.scattered {
            None => number_format::estimate(self.interval(), self.dimension),
            Some(Scattered { low, high }) => {
                number_format::range(Interval { low, high, ..self.found.next }, self.dimension)
            }
        }
    }

    /// The interval, or that there is none, of one run alone; of scattered visits, how many lie between the ends that
    /// [`Figure::in_words`] tells. Nothing of what [has no width](number_format::has_width).
    pub fn range(&self) -> String {
        self.range_of(|interval| interval)
    }

    fn range_of(&self, told: impl Fn(Interval) -> Interval) -> String {
        if self.found.scattered.is_some() {
            return format!("nine of ten {}", self.dimension.points());
        }
        let told = told(self.interval());
        match self.found.mean {
            None => ONE_RUN.to_owned(),
            Some(_) if !number_format::has_width(told) => String::new(),
            Some(_) => number_format::range(told, self.dimension),
        }
    }

    /// The interval of this machine's mean, in words.
    pub fn mean_range(&self) -> String {
        let told = |mean| number_format::range(mean, self.dimension);
        self.found.mean.map_or(ONE_RUN.to_owned(), told)
    }

    /// The figure with its interval, in words: `158 ns (150 to 166 ns)`; of what has no width the figure alone.
    pub fn with_range(&self) -> String {
        let (figure, range) = (self.in_words(), self.range());
        if range.is_empty() { figure } else { format!("{figure} ({range})") }
    }

    /// The figure in a text, as that of `of`, with its interval.
    pub fn told(&self, of: String) -> FigureText {
        let (figure, range) = (self.in_words(), self.range());
        FigureText { of, figure, range, is_open: self.misleads_alone() }
    }

    /// The same of a ratio as a factor.
    pub fn told_as_factor(&self, of: String) -> FigureText {
        let range = self.range_of(|interval| self.turned(interval));
        let is_open = !self.is_told_apart() || self.misleads_alone();
        FigureText { of, figure: self.factor(), range, is_open }
    }

    /// The figure with what it is judged by, in words.
    pub fn judged_by(&self) -> String {
        let by = match self.found.mean {
            None => ONE_RUN.to_owned(),
            Some(mean) if !number_format::has_width(mean) => "each time".to_owned(),
            Some(mean) => format!("mean {}", number_format::range(mean, self.dimension)),
        };
        format!("{} ({by})", self.in_words())
    }
}

/// What is computed of several figures, interval by interval.
fn made_of(figures: &[Figure], of: impl Fn(&[Interval]) -> Interval) -> Estimate {
    let all = |interval: fn(&Estimate) -> Option<Interval>| {
        let intervals = figures.iter().map(|figure| interval(&figure.found));
        intervals.collect::<Option<Vec<_>>>().map(|intervals| of(&intervals))
    };
    Estimate {
        next: all(|found| Some(found.next)).expect("every figure has one"),
        mean: all(|found| found.mean),
        scattered: None,
    }
}

/// A figure as it is told.
#[derive(Debug, Clone)]
pub struct FigureText {
    /// Whose it is.
    pub of: String,
    /// The figure, in words.
    pub figure: String,
    /// Its interval, or why there is none; empty where it has no width.
    pub range: String,
    /// Whether the interval stands beside it unasked: then the figure alone would mislead.
    pub is_open: bool,
}

impl FigureText {
    /// The same as that of another machine than most figures are of.
    pub fn measured_on(self, machine: Option<&str>) -> FigureText {
        let Some(machine) = machine else { return self };
        let range = match &*self.range {
            "" => machine.to_owned(),
            range => format!("{range}, {machine}"),
        };
        FigureText { range, ..self }
    }
}
