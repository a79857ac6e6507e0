//! One measurement: a runtime runs its tasks, while the load generator sends
//! messages.

use std::net::TcpStream;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{channel, Receiver};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use harness::work::rounds_in;
use harness::Measurement;
use measurement::Source;

use super::job::{Job, Kind};
use super::load::{ask, Answers};
use super::tasks::{Tasks, Ticker, Unit, Worked};
use super::window::Window;
use crate::connection::{connect, PATIENCE};

/// Runs the tasks until all of them have ended. Returns an error if the
/// runtime can't run here.
pub(super) type Serve = fn(Tasks) -> Result<(), String>;

/// Figures reported in addition to those of the echo connection.
pub(super) const ALSO: [(&str, Source); 5] = [
    // How late the ticker ran.
    ("lateness p50", Source::Harness),
    ("lateness p99", Source::Harness),
    ("lateness max", Source::Harness),
    // The load generator's mean delay in sending a message.
    ("lateness of the generator", Source::Harness),
    ("CPU share of the load", Source::Getrusage),
];

/// The wall-clock time per job, over all computing tasks together. Reported
/// only if there are any.
pub(super) const OF_UNITS: (&str, Source) = ("time per unit", Source::Harness);

#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    pub(super) count: usize,
    pub(super) kind: Kind,
    pub(super) time: Duration,
}

/// Measures the latency of messages for `length`, while the tasks in `units`
/// keep their threads busy.
///
/// # Errors
///
/// If the contender cannot serve here, or its answers were wrong.
pub(super) fn take(
    serve: Serve,
    units: Units,
    length: Duration,
) -> Result<Measurement, String> {
    // The first call calibrates the computing loop, so it is made before
    // anything is due.
    rounds_in(Duration::ZERO);
    let (client, connection) = connect()?;
    let over = Arc::new(AtomicBool::new(false));
    let (tell_worked, worked) = channel();
    let (tell_late, late) = channel();
    let (tell_window, window) = channel();
    // Only the computing tasks and the ticker hold senders. Once those tasks
    // are dropped, the receivers end.
    let settled = Arc::new(Window::new(length, units.count + 1, tell_window));
    let now = Instant::now();
    let unit = |_| Unit {
        job: Job::new(units.kind, units.time),
        first: Some(Job::new(units.kind, units.time.mul_f64(fastrand::f64()))),
        begun: now,
        window: Arc::clone(&settled),
        over: Arc::clone(&over),
        worked: Worked::default(),
        tell: tell_worked.clone(),
    };
    let all = (0..units.count).map(unit).collect();
    drop(tell_worked);
    let ticker =
        Ticker { due: now, window: settled, late: Vec::new(), tell: tell_late };
    let tasks = Tasks { units: all, ticker, connection };
    let (answers, late) = thread::scope(|scope| {
        let over = Over(&over);
        let asked = scope.spawn(move || {
            // Answers arrive even while tasks compute. Once all have arrived,
            // or if a panic unwinds, `client` and `_over` are dropped, which
            // ends all tasks.
            let (client, _over) = (client, over);
            asked(&client, &window, &late)
        });
        serve(tasks)?;
        asked.join().expect("the load does not panic")
    })?;
    let [p50, p99, max] = lateness(late);
    let mut also = vec![p50, p99, max, answers.late, answers.cpu_share];
    if units.count > 0 {
        also.push(time_per_unit(&worked, units.count, length)?);
    }
    Ok(measured(answers, length, also))
}

/// Sends messages once all tasks run, then waits for the answers and for the
/// ticker's result.
fn asked(
    client: &TcpStream,
    window: &Receiver<Range<Instant>>,
    late: &Receiver<Vec<Duration>>,
) -> Result<(Answers, Vec<Duration>), String> {
    let window = window.recv_timeout(PATIENCE);
    let window = window
        .map_err(|error| format!("until all tasks have begun: {error}"))?;
    let answers = ask(client, &window)?;
    let late = late.recv_timeout(PATIENCE);
    let late = late.map_err(|error| format!("the ticker: {error}"))?;
    Ok((answers, late))
}

/// Dropping this value tells all computing tasks to end.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Returns the median, the 99th percentile and the maximum of `late`, in
/// nanoseconds.
fn lateness(mut late: Vec<Duration>) -> [f64; 3] {
    late.sort_unstable();
    [0.5, 0.99, 1.0].map(|share| {
        let place = (late.len() - 1) as f64 * share;
        late[place as usize].as_nanos() as f64
    })
}

/// Returns the window's length divided by the number of jobs that all
/// computing tasks together did in it.
fn time_per_unit(
    worked: &Receiver<Worked>,
    units: usize,
    length: Duration,
) -> Result<f64, String> {
    let worked: Vec<Worked> = worked.try_iter().collect();
    let cut: u64 = worked.iter().map(|unit| unit.cut).sum();
    let jobs: f64 = worked.iter().map(|unit| unit.jobs).sum();
    if worked.len() != units || cut > 0 || jobs == 0.0 {
        let ended = worked.len();
        return Err(format!(
            "{ended} of {units} units ended, {cut} jobs were not whole, and {jobs} \
             lay in the window"
        ));
    }
    Ok(length.as_nanos() as f64 / jobs)
}

fn measured(answers: Answers, length: Duration, also: Vec<f64>) -> Measurement {
    let Answers { latencies, until_last, .. } = answers;
    Measurement {
        answered: latencies.len(),
        elapsed: until_last.max(length),
        offered: Some(latencies.len() as f64 / length.as_secs_f64()),
        latencies: Some(latencies),
        also,
        ..Measurement::default()
    }
}
