//! Figures: values or ratios that a machine's runs measured, and their wording.

use std::iter;

use language::subject::{Form, Subject};
use measurement::number_format::{self, Dimension, ends};
use measurement::{Estimate, Evidence, EvidenceRow, Interval, NoRatio, Scattered, Unit};

use crate::find::{self, Missing, in_one_unit};

/// The text that replaces an interval if there is only one run, because one run doesn't show how
/// much runs differ.
const ONE_RUN: &str = "one run";

/// The difference between two equal values. Their ratio is [`RATIO_OF_ALIKE`].
const NO_DIFFERENCE: f64 = 0.0;
const RATIO_OF_ALIKE: f64 = 1.0;

/// A value or a ratio that a machine's runs measured.
#[derive(Debug, Clone)]
pub struct Figure {
    found: Estimate,
    dimension: Dimension,
    /// The difference (0) or the ratio (1) of two equal values. `None` if the figure is a single
    /// value.
    alike: Option<f64>,
}

impl Figure {
    /// Computes the figure that `subject` describes from the rows in `evidence`.
    ///
    /// # Errors
    ///
    /// Fails if a row is missing or was not measured, or if a ratio may be divided by zero.
    pub fn find(subject: &Subject, evidence: &Evidence) -> Result<Figure, Missing> {
        let rows = subject.terms.iter().map(|term| find::term(term, evidence));
        let rows: Vec<_> = rows.collect::<Result<_, _>>()?;
        let rows: Vec<&EvidenceRow> = rows.iter().map(|row| &**row).collect();
        match (subject.form, &rows[..]) {
            (Form::Ratio, [left, right]) => Figure::of_ratio(left, right, evidence),
            (Form::Share, [parts @ .., all]) => Figure::of_share(parts, all),
            (Form::Total(count), [row]) => Ok(Figure::of_row(row)?.times(count as f64)),
            (Form::Total(count), rows) => Figure::total(count, rows),
            (_, rows) => Figure::of_row(rows[0]),
        }
    }

    /// Returns the figure that a single row measured.
    ///
    /// # Errors
    ///
    /// Fails if the row was not measured.
    pub fn of_row(row: &EvidenceRow) -> Result<Figure, Missing> {
        let found = row.figures().map_err(Missing::Unmeasured)?.estimate;
        let alike = row.difference.then_some(NO_DIFFERENCE);
        Ok(Figure { found, dimension: Dimension::of_row(row), alike })
    }

    /// Returns the ratio of two rows, `left / right`.
    ///
    /// # Errors
    ///
    /// Fails if the rows are in different units, were not measured together, or may be zero.
    pub fn of_ratio(
        left: &EvidenceRow,
        right: &EvidenceRow,
        evidence: &Evidence,
    ) -> Result<Figure, Missing> {
        in_one_unit(left, right)?;
        let found = evidence.ratio(left, right).map_err(|none| match none {
            NoRatio::Unmeasured(reason) => Missing::Unmeasured(reason),
            NoRatio::ReachesZero(reason) => Missing::Untold(reason),
        })?;
        Ok(Figure { found, dimension: Dimension::Ratio, alike: Some(RATIO_OF_ALIKE) })
    }

    /// Returns the product of two rows divided by a third, as a share. The rows may come from
    /// different runs, so the interval covers all combinations of the three intervals, limited to
    /// the range from 0 to 1.
    fn of_share(parts: &[&EvidenceRow], all: &EvidenceRow) -> Result<Figure, Missing> {
        let is_count = |row: &&&EvidenceRow| row.unit == Unit::One;
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
            // A measured cost may be negative, because it is a difference.
            let estimate = (one.estimate * other.estimate / all.estimate).max(0.0);
            Interval { estimate, low, high }.within(0.0, 1.0)
        };
        Ok(Figure { found: made_of(&figures, share), dimension: Dimension::Share, alike: None })
    }

    /// Returns `count` times the sum of the rows. The ends of the interval are the sums of the
    /// rows' ends, as if all rows erred in the same direction.
    fn total(count: u64, rows: &[&EvidenceRow]) -> Result<Figure, Missing> {
        let figure = |row: &&EvidenceRow| {
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

    /// Multiplies the figure, with its interval, by `count`.
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

    /// Returns the estimate that decides claims about this figure.
    pub fn found(&self) -> &Estimate {
        &self.found
    }

    /// Returns the interval to show. For a ratio or a difference, this is the interval of the
    /// machine's mean, as in claims and charts; for a single value, it is the interval for the
    /// next run. If there is only one run, and no other machine's scatter can be borrowed, the
    /// interval has zero width.
    pub fn interval(&self) -> Interval {
        let Interval { estimate, .. } = self.found.next;
        match (self.found.mean, self.alike) {
            (None, _) => Interval { estimate, low: estimate, high: estimate },
            (Some(mean), Some(_)) => mean,
            (Some(_), None) => self.found.next,
        }
    }

    /// Returns the dimension of the figure, which determines the units in which it is shown.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Returns true if the whole interval of this machine's mean ratio is on one side of 1.
    pub fn is_told_apart(&self) -> bool {
        let is_apart = |mean: Interval| mean.high < RATIO_OF_ALIKE || RATIO_OF_ALIKE < mean.low;
        self.found.mean.is_some_and(is_apart)
    }

    /// Returns true if the figure has no interval, because there is only one run.
    pub fn is_of_one_run(&self) -> bool {
        self.found.mean.is_none()
    }

    /// Returns true if the figure would mislead without its interval. This is the case if the
    /// interval says almost nothing or, for a difference or a ratio, if there is only one run or
    /// the interval includes equality.
    fn misleads_alone(&self) -> bool {
        if self.found.scattered.is_some() {
            // If measurements vary widely, the text always includes their range.
            return false;
        }
        let interval = self.interval();
        let of_alike =
            |alike| self.is_of_one_run() || (interval.low < alike && alike < interval.high);
        self.alike.is_some_and(of_alike) || number_format::is_unknown(interval)
    }

    /// Returns a ratio as a factor, such as `× 34` or `÷ 3`. It is never `÷` if the interval
    /// includes 1.
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

    /// Returns the inverse of a ratio below 1, unless the interval includes 1. Otherwise returns
    /// the ratio unchanged.
    fn turned(&self, ratio: Interval) -> Interval {
        let Interval { estimate, low, high } = ratio;
        if estimate < RATIO_OF_ALIKE && (self.is_told_apart() || self.is_of_one_run()) {
            Interval { estimate: 1.0 / estimate, low: 1.0 / high, high: 1.0 / low }
        } else {
            ratio
        }
    }

    /// Returns the estimate in words. If measurements scatter widely, returns the range of nine
    /// in ten of them instead, such as `30 to 270 ns`.
    pub fn in_words(&self) -> String {
        match self.found.scattered {
            None => number_format::estimate(self.interval(), self.dimension),
            Some(Scattered { low, high }) => {
                number_format::range(Interval { low, high, ..self.found.next }, self.dimension)
            }
        }
    }

    /// Returns the interval in words. If measurements vary widely, returns how many of them are
    /// in the range that [`Figure::in_words`] gives. If there is only one run, says so. Empty if
    /// the interval [has no width](number_format::has_width).
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

    /// Returns the interval of this machine's mean ratio, in words. Inverts the interval if
    /// [`Figure::factor`] inverts the ratio. If there is only one run, says so.
    pub fn factor_range(&self) -> String {
        let told = |mean| number_format::range(self.turned(mean), self.dimension);
        self.found.mean.map_or(ONE_RUN.to_owned(), told)
    }

    /// Returns the figure with its interval in words, such as `158 ns (150 to 166 ns)`. If the
    /// interval has no width, returns the figure alone.
    pub fn with_range(&self) -> String {
        let (figure, range) = (self.in_words(), self.range());
        if range.is_empty() { figure } else { format!("{figure} ({range})") }
    }

    /// Returns the figure and its interval as separate strings. `of` says what the figure
    /// measures.
    pub fn told(&self, of: String) -> FigureText {
        let (figure, range) = (self.in_words(), self.range());
        FigureText { of, figure, range, is_open: self.misleads_alone() }
    }

    /// Returns a ratio as a factor, and its interval, as separate texts. `of` is the subject of
    /// the ratio.
    pub fn told_as_factor(&self, of: String) -> FigureText {
        let range = self.range_of(|interval| self.turned(interval));
        let is_open = !self.is_told_apart() || self.misleads_alone();
        FigureText { of, figure: self.factor(), range, is_open }
    }

    /// Returns the figure in words, with the interval that decides claims about it.
    pub fn judged_by(&self) -> String {
        let by = match self.found.mean {
            None => ONE_RUN.to_owned(),
            Some(mean) if !number_format::has_width(mean) => "each time".to_owned(),
            Some(mean) => format!("mean {}", number_format::range(mean, self.dimension)),
        };
        format!("{} ({by})", self.in_words())
    }
}

/// Combines several figures: applies `of` first to their intervals for the next run, and then to
/// the intervals of their means.
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

/// The words in which a page shows a figure.
#[derive(Debug, Clone)]
pub struct FigureText {
    /// The measured subject, in the notation of the pages.
    pub of: String,
    /// The figure without its interval.
    pub figure: String,
    /// The interval, or the reason why there is none. Empty if the interval has no width.
    pub range: String,
    /// True if the interval has to be visible all the time, because the figure alone would
    /// mislead.
    pub is_open: bool,
}

impl FigureText {
    /// Adds the name of the machine that measured, unless it is the usual one (`None`).
    pub fn measured_on(self, machine: Option<&str>) -> FigureText {
        let Some(machine) = machine else { return self };
        let range = match &*self.range {
            "" => machine.to_owned(),
            range => format!("{range}, {machine}"),
        };
        FigureText { range, ..self }
    }
}
