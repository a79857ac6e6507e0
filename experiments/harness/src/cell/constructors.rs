//! Constructors of `Cell`, one for each kind of benchmark.

use std::time::Duration;

use measurement::{Parameters, Source};

use super::{Cell, CellKind, Work};
use crate::body::Body;
use crate::linear_fit::slope;
use crate::protocol::Found;
use crate::window::{self, Measurement};

impl Cell {
    /// Creates a timed benchmark of `contender`. `body` does the operations,
    /// and `answer` is the expected answer of each.
    pub fn new(contender: &str, answer: u64, body: Body) -> Cell {
        Cell::of(contender, CellKind::Timed, Work::Timed { answer, body })
    }

    /// Creates a benchmark whose figures are not criterion's times but, for
    /// instance, percentiles of a histogram. `take` is called once per
    /// process, and returns one figure for each of the quantities, in their
    /// order and unit. It has to check its answers, and returns an error if
    /// they are wrong.
    pub fn readings(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: impl Fn() -> Result<Vec<f64>, String> + 'static,
    ) -> Cell {
        let take = move |_| Ok(Found { figures: take()?, ..Found::default() });
        let cell = Cell::of(
            contender,
            CellKind::Readings,
            Work::Taken(Box::new(take)),
        );
        quantities
            .iter()
            .fold(cell, |cell, name| cell.taking(&[(name, source)]))
    }

    /// Creates a benchmark of memory, limits or pools. `take` is called in a
    /// separate process for each reading, so other benchmarks aren't affected
    /// if it leaves things behind, aborts or hangs. Programs that `take`
    /// starts must be ended by `take`.
    ///
    /// Otherwise this is like [`Cell::readings`]: `take` is called once for
    /// each process of the run, in its first round and with the build of that
    /// process.
    pub fn once(
        contender: &str,
        source: Source,
        quantities: &[&str],
        take: impl Fn() -> Result<Vec<f64>, String> + 'static,
    ) -> Cell {
        let kind = CellKind::Once;
        Cell { kind, ..Cell::readings(contender, source, quantities, take) }
    }

    /// Creates a benchmark whose figure is the slope of a straight line: the
    /// amount, such as memory, that each unit adds to a constant. `take`
    /// returns at least three points: the number of units, and the figure for
    /// all of them in the unit of the quantity. It is called in a separate
    /// process, like the one of [`Cell::once`]. Each visit fits a slope by
    /// least squares, and the row keeps the points.
    ///
    /// The measurement fails if the slope is negative, since only a
    /// difference may be.
    pub fn fitted(
        contender: &str,
        source: Source,
        quantity: &str,
        take: impl Fn() -> Result<Vec<(f64, f64)>, String> + 'static,
    ) -> Cell {
        let take = move |_| {
            let line = take()?;
            let figures = vec![slope(&line)?];
            Ok(Found { figures, line, ..Found::default() })
        };
        Cell::of(contender, CellKind::Line, Work::Taken(Box::new(take)))
            .taking(&[(quantity, source)])
    }

    /// Creates a benchmark that answers requests during a window of time, as
    /// a server or under a load. Its rows are the throughput and, if `take`
    /// returns a histogram, percentiles of latency. `take` gets the length of
    /// the window, sets up what it needs, and checks its answers. Its error
    /// says what is wrong with them. When a chapter is verified, the window
    /// is at most a tenth of a second; if nothing was answered in that time,
    /// since the machine may be busy, it is some seconds.
    ///
    /// The benchmark is measured in the first round of each process, twice,
    /// among the other benchmarks of its group: 10 windows in a full run. A
    /// quick run has 6, one per process.
    pub fn window(
        contender: &str,
        duration: Duration,
        take: impl Fn(Duration) -> Result<Measurement, String> + 'static,
    ) -> Cell {
        assert!(
            !duration.is_zero(),
            "contender {contender:?}: a window of 0 s"
        );
        let take = move |longest| window::found(take(duration.min(longest))?);
        let cell =
            Cell::of(contender, CellKind::Window, Work::Taken(Box::new(take)));
        Cell { duration, ..cell }.taking(&[("throughput", Source::Harness)])
    }

    fn of(contender: &str, kind: CellKind, work: Work) -> Cell {
        Cell {
            contender: contender.to_owned(),
            parameters: Parameters::default(),
            kind,
            work,
            duration: Duration::ZERO,
            per: 1,
            quantities: Vec::new(),
            own_quantity: None,
            difference: None,
            infinite_means: None,
            derived_from: Vec::new(),
            needs: Vec::new(),
            full_only: false,
            in_sweep: false,
            group: None,
            is_twinned: false,
            is_counted: true,
            is_counted_in_quick: true,
            time_limit: Duration::from_secs(60),
            placement: None,
            idle: None,
            spinners: None,
            recording: None,
        }
    }
}
