//! What the book's two tests say of pairs that are drawn, so that it is known which of them differ.
//!
//! The logarithm of a visit scatters around that of its run, and a run favours one contender: that is the
//! variance of run × contender, which more visits do not average away, and which twins, being of one link,
//! hardly have. Nothing else is drawn. It goes through the same code as what was measured.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use anyhow::{Error, Result};
use fastrand::Rng;
use measurement::{
    Evidence, Measured, Outcome, Parameter, Parameters, Predicate, Row, Run,
    RunHeader, Source, Test, Verdict, Visits,
};

use crate::programs::{ONE, OTHER, QUANTITY};

const RUNS: [usize; 4] = [3, 4, 5, 6];

/// A full run's links, and in each the visits of a cell: two rounds, there and back.
const LINKS: u32 = 5;
const VISITS_IN_LINK: u32 = 4;

/// How many times as long the second of a pair takes: it is equal, takes 5 %
/// longer, or a quarter.
const TIMES: [f64; 3] = [1.0, 1.05, 1.25];

/// How many machines are drawn for a line of the table: it takes about a minute.
pub(crate) const MACHINES: usize = 1_000;

/// Machines that are drawn alike.
struct Setting {
    name: &'static str,
    /// By how much visits scatter, as the standard deviation of their logarithms.
    visit: f64,
    /// How many pairs a machine has of each of [`TIMES`].
    pairs: [usize; 3],
    /// And how many equal ones whose contenders no run favours. They are not
    /// judged: the others borrow from them.
    steady: usize,
    /// The variances of run × contender, as multiples of a visit's.
    run_by_contender: [f64; 3],
}

const SETTINGS: [Setting; 3] = [
    Setting {
        name: "visits scatter by 10 %, as many times do",
        visit: 0.1,
        pairs: [16, 8, 8],
        steady: 0,
        run_by_contender: [0.0, 1.0, 3.0],
    },
    Setting {
        name: "visits scatter by 50 %, as tails do",
        visit: 0.5,
        pairs: [16, 8, 8],
        steady: 0,
        run_by_contender: [0.0, 1.0, 3.0],
    },
    Setting {
        name: "visits scatter by 10 %, and runs favour a contender in one pair of eight only",
        visit: 0.1,
        pairs: [2, 1, 1],
        steady: 28,
        run_by_contender: [0.3, 1.0, 3.0],
    },
];

/// Draws so many machines for each line, and prints what comes of them.
pub(crate) fn print_table(machines: usize) -> Result<()> {
    println!(
        "Of pairs that are drawn, those that are called different, in %, by the order of runs and by the\n\
         interval of the mean: equal ones in any way, others in the right one. {machines} machines a line."
    );
    let mut rng = Rng::with_seed(4);
    for setting in &SETTINGS {
        println!(
            "\n{}\n\
             \x20                          equal        5 % longer     a quarter longer\n\
             runs  run × contender  order   mean   order   mean      order   mean",
            setting.name
        );
        for runs in RUNS {
            for run_by_contender in setting.run_by_contender {
                let called = setting.called(
                    machines,
                    runs,
                    run_by_contender,
                    &mut rng,
                )?;
                let [equal, planted, clear] = called.map(in_percent);
                println!(
                    "{runs:4}  {run_by_contender:15}  {equal}  {planted}     {clear}"
                );
            }
        }
    }
    Ok(())
}

/// How many pairs were judged, and how many of them the order and the mean called different: equal ones in
/// any way, others in the right one.
type Called = [usize; 3];

fn in_percent([pairs, by_order, by_mean]: Called) -> String {
    let percent = |called: usize| 100.0 * called as f64 / pairs as f64;
    format!("{:5.1}  {:5.1}", percent(by_order), percent(by_mean))
}

impl Setting {
    /// How the pairs of each of [`TIMES`] are called on so many machines.
    fn called(
        &self,
        machines: usize,
        runs: usize,
        run_by_contender: f64,
        rng: &mut Rng,
    ) -> Result<[Called; 3]> {
        let mut called = [[0; 3]; 3];
        let of_run = self.visit * run_by_contender.sqrt();
        for _ in 0..machines {
            let run = |run| self.run(run, of_run, rng);
            let runs: Vec<Run> = (0..runs).map(run).collect();
            let evidence = Evidence::of_runs(&runs, None);
            let mut pairs = evidence.rows.chunks_exact(2);
            for (place, called) in called.iter_mut().enumerate() {
                for pair in pairs.by_ref().take(self.pairs[place]) {
                    let found = evidence.ratio(&pair[1], &pair[0]);
                    let found = found.map_err(Error::msg)?;
                    let is_called = |test| {
                        let verdict = Predicate::Above(1.0).judge(test, &found);
                        let is_equal = TIMES[place] == 1.0;
                        usize::from(
                            verdict == Verdict::Holds
                                || verdict == Verdict::Fails && is_equal,
                        )
                    };
                    called[0] += 1;
                    called[1] += is_called(Test::Order);
                    called[2] += is_called(Test::Mean);
                }
            }
        }
        Ok(called)
    }

    /// A run that favours each contender of the pairs that are judged by so much,
    /// as a standard deviation.
    fn run(&self, run: usize, of_run: f64, rng: &mut Rng) -> Run {
        let judged = TIMES.into_iter().zip(self.pairs);
        let judged =
            judged.flat_map(|(times, count)| vec![(times, of_run); count]);
        let steady = std::iter::repeat_n((1.0, 0.0), self.steady);
        let mut rows = Vec::new();
        for (pair, (times, of_run)) in judged.chain(steady).enumerate() {
            for (contender, times) in [(ONE, 1.0), (OTHER, times)] {
                let level = f64::ln(times) + of_run * normal(rng);
                let visit = |_| (level + self.visit * normal(rng)).exp();
                let points = (0..LINKS * VISITS_IN_LINK).map(visit).collect();
                rows.push(row(pair, contender, points));
            }
        }
        Run { header: header(run), rows }
    }
}

fn header(run: usize) -> RunHeader {
    let header = r#"{"run":"2026-11-30T10:00:00Z","machine":"drawn","chapter":"harness","experiment":"drawn","profile":"full","commit":"","method":4,"builds":[1,2,3,4,5],"rustc":"","crates":{},"load":0.0,"processes":5,"rounds":2}"#;
    let header = header.replace("T10:", &format!("T1{run}:"));
    RunHeader::parse(&header).expect("it is a header")
}

/// Nobody asks for the interval of a single run here, and a bootstrap takes long.
static NOT_SUMMARISED: LazyLock<Measured> =
    LazyLock::new(|| Measured::from_points(vec![1.0], 1, Source::Criterion));

fn row(pair: usize, contender: &str, points: Vec<f64>) -> Row {
    let turns = 0..LINKS * VISITS_IN_LINK;
    let mut measured = NOT_SUMMARISED.clone();
    measured.visits = Some(Visits {
        at: turns.clone().collect(),
        turn: turns.clone().collect(),
        build: turns.map(|turn| turn / VISITS_IN_LINK).collect(),
        probe: vec![1.0; points.len()],
    });
    measured.points = points;
    let number = ("pair".to_owned(), Parameter::from(pair as i64));
    let parameters = Parameters([number].into_iter().collect());
    let outcome = Outcome::Measured(measured);
    let row = Row::new("drawn", contender, parameters, QUANTITY, outcome);
    Row { group: Some(format!("pair={pair}")), ..row }
}

/// A normal number (Box and Muller 1958).
fn normal(rng: &mut Rng) -> f64 {
    // 0 has no logarithm.
    let radius = (-2.0 * (1.0 - rng.f64()).ln()).sqrt();
    radius * (TAU * rng.f64()).cos()
}
