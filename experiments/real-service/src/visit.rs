//! Takes one measurement: for a window of time, runs a server, a load
//! generator and possibly the database, all on the same cores.

use std::path::Path as File;
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness::Measurement;
use hdrhistogram::Histogram;
use measurement::Source;

use crate::database::{self, Database};
use crate::load::{Load, Outcome, Pace, Running};
use crate::path::Path;
use crate::server_process::Server;
use crate::servers::{Arm, ToServe};
use crate::store::Keep;
use crate::usage::Usage;

/// The length of the measuring window, in which answers are counted.
pub(crate) const WINDOW: Duration = Duration::from_millis(500);

/// How long requests are sent before the measuring window begins. The
/// server's pool connects to the database meanwhile.
const LEAD_IN: Duration = Duration::from_millis(150);

/// How long before the end of the window the server and the database report
/// their CPU time.
const MARGIN: Duration = Duration::from_millis(15);

/// The length of a closed loop that finds the server's capacity before an
/// open loop.
const CAPACITY_WINDOW: Duration = Duration::from_millis(300);

/// The maximum number of connections from the server to the database.
const POOL: usize = 16;

const PATIENCE: Duration = Duration::from_secs(2);

/// The usual number of connections to the server.
pub(crate) const CONNECTIONS: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    InMemory,
    InDatabase { fsync: bool },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    pub(crate) arm: Arm,
    pub(crate) kept: Kept,
    pub(crate) path: Path,
    pub(crate) tls: bool,
    pub(crate) connections: usize,
    /// The number of additional connections that send slow queries.
    pub(crate) slow: usize,
}

impl Setting {
    /// Returns the usual settings for a kind of server, with the database.
    /// Experiments change one of them at a time.
    pub(crate) fn centre(arm: Arm) -> Setting {
        Setting {
            arm,
            kept: Kept::InDatabase { fsync: false },
            path: Path::Orders,
            tls: false,
            connections: CONNECTIONS,
            slow: 0,
        }
    }

    /// Returns the usual settings, except that orders are stored in the
    /// server's map.
    pub(crate) fn in_memory(arm: Arm) -> Setting {
        Setting { kept: Kept::InMemory, ..Setting::centre(arm) }
    }

    /// Checks that this computer can run the server and, if needed, the
    /// database.
    ///
    /// # Errors
    ///
    /// If they can't, with the reason.
    pub(crate) fn can_run(&self) -> Result<(), String> {
        match (self.kept, self.arm) {
            (Kept::InDatabase { .. }, _) => database::is_installed(),
            (Kept::InMemory, Arm::PerCore(local)) => local.can_run(),
            (Kept::InMemory, _) => Ok(()),
        }
    }
}

/// The CPU times per request that are measured: of server and database
/// together; of the server, also split into user mode and kernel; of the
/// database; and of the load generator.
pub(crate) const CPU_TIMES: [(&str, Source); 6] = [
    ("CPU time per request", Source::Harness),
    ("CPU time per request in the server", Source::Getrusage),
    ("user CPU time per request in the server", Source::Getrusage),
    ("system CPU time per request in the server", Source::Getrusage),
    ("CPU time per request in the database", Source::Harness),
    ("CPU time per request in the load", Source::Getrusage),
];

/// The figures that an open loop measures in addition to latency.
pub(crate) const OF_OPEN: [(&str, Source); 2] =
    [("capacity", Source::Harness), ("lateness p99", Source::Histogram)];

/// A running server and, if it uses one, its database.
struct Site {
    server: Server,
    database: Option<database::Use>,
    /// The number of orders that were answered with HTTP status 201.
    created: u64,
}

/// The CPU time that server and database have used up to some moment.
struct Used {
    server: Usage,
    /// The database's CPU time in nanoseconds, and when it was read.
    database: (u64, Instant),
}

impl Site {
    fn start(program: &File, setting: &Setting) -> Result<Site, String> {
        let database = match setting.kept {
            Kept::InMemory => None,
            Kept::InDatabase { fsync } => Some(database::own(fsync)?),
        };
        let keep = match Site::database(&database) {
            None => Keep::InMemory,
            Some(database) => Keep::InDatabase {
                directory: database.directory().to_owned(),
                pool: POOL,
                patience: PATIENCE,
            },
        };
        let Setting { arm, tls, .. } = *setting;
        let server =
            Server::start(program, ToServe { arm, keep, tls, port: 0 })?;
        Ok(Site { server, database, created: 0 })
    }

    fn database(database: &Option<database::Use>) -> Option<&Database> {
        database.as_ref().and_then(|own| own.as_ref())
    }

    fn used(&mut self) -> Result<Used, String> {
        let database = match Site::database(&self.database) {
            Some(database) => database.cpu_time()?,
            None => 0,
        };
        let database = (database, Instant::now());
        Ok(Used { server: self.server.usage()?.0, database })
    }

    /// Runs a load generator. Returns its results, and the CPU times per second
    /// in the order of [`CPU_TIMES`].
    fn asked(
        &mut self,
        program: &File,
        setting: &Setting,
        pace: Pace,
        lead_in: Duration,
        window: Duration,
    ) -> Result<(Outcome, [f64; 6]), String> {
        let load = Load {
            address: self.server.address(),
            tls: setting.tls,
            path: setting.path,
            connections: setting.connections,
            pace,
            slow: setting.slow,
            lead_in,
            window,
        };
        let running = Running::begin(program, &load)?;
        let ends = Instant::now() + window.saturating_sub(MARGIN);
        let before = self.used()?;
        sleep(ends.saturating_duration_since(Instant::now()));
        let after = self.used()?;
        let outcome = running.end(window)?;
        self.created += outcome.created;
        let [user, system] = after.server.since(&before.server);
        let elapsed = after.database.1 - before.database.1;
        let database = after.database.0.saturating_sub(before.database.0);
        let database = database as f64 / elapsed.as_nanos() as f64;
        let server = user + system;
        let load = outcome.cpu;
        let all = [server + database, server, user, system, database, load];
        checked(&outcome)?;
        Ok((outcome, all))
    }

    /// Checks that as many orders were stored as were answered with HTTP
    /// status 201.
    fn check(mut self) -> Result<(), String> {
        let kept = match Site::database(&self.database) {
            Some(database) => database.orders()?,
            None => self.server.usage()?.1,
        };
        let created = self.created;
        if kept == created {
            return Ok(());
        }
        Err(format!("{created} orders were answered with 201, {kept} are kept"))
    }
}

/// # Errors
///
/// If any request was not answered correctly.
fn checked(outcome: &Outcome) -> Result<(), String> {
    let Outcome { statuses, errors, why, .. } = outcome;
    let refused = statuses.keys().find(|&&status| status != 201);
    match (refused, errors) {
        (None, 0) => Ok(()),
        _ => Err(format!(
            "answers by status: {statuses:?}, {errors} errors, the first: {}",
            why.as_deref().unwrap_or("none")
        )),
    }
}

/// Returns the lengths of the lead-in and of the measuring window. Both are
/// short if the harness only checks answers.
fn lengths(window: Duration, whole: Duration) -> (Duration, Duration) {
    if window < whole {
        (Duration::ZERO, window)
    } else {
        (LEAD_IN, whole)
    }
}

/// Measures a server in a closed loop, in which each connection sends its
/// next request once it has received the previous answer.
///
/// # Errors
///
/// If the server or the load fails, or the stored orders are wrong.
pub(crate) fn closed(
    program: &File,
    setting: &Setting,
    window: Duration,
) -> Result<Measurement, String> {
    let mut site = Site::start(program, setting)?;
    let (lead_in, window) = lengths(window, WINDOW);
    let (outcome, cpu) =
        site.asked(program, setting, Pace::Closed, lead_in, window)?;
    site.check()?;
    let a_second = outcome.answered as f64 / window.as_secs_f64();
    // Converts CPU time to nanoseconds per request. `cpu` is in seconds per
    // second, summed over all cores.
    let of_a_request =
        cpu.map(|share| 1e9 * share / a_second.max(f64::MIN_POSITIVE));
    Ok(Measurement {
        answered: outcome.answered,
        elapsed: window,
        also: of_a_request.to_vec(),
        ..Measurement::default()
    })
}

/// Measures a server in an open loop: requests arrive at a fixed share of the
/// server's capacity. A closed loop measures the capacity first.
///
/// # Errors
///
/// The errors of [`closed`].
pub(crate) fn open(
    program: &File,
    setting: &Setting,
    share: f64,
    window: Duration,
) -> Result<Measurement, String> {
    let mut site = Site::start(program, setting)?;
    let is_check = window < WINDOW;
    let (lead_in, first) = if is_check {
        (Duration::ZERO, window)
    } else {
        (LEAD_IN, CAPACITY_WINDOW)
    };
    let (closed, _) =
        site.asked(program, setting, Pace::Closed, lead_in, first)?;
    let capacity = closed.answered as f64 / first.as_secs_f64();
    if capacity == 0.0 {
        // If there are no answers, the harness concludes that the window was
        // too short, and tries a longer one.
        return Ok(Measurement { elapsed: window, ..Measurement::default() });
    }
    let rate = share * capacity;
    let (outcome, _) =
        site.asked(program, setting, Pace::Open(rate), lead_in, window)?;
    site.check()?;
    let lateness = histogram(&outcome.lateness);
    Ok(Measurement {
        answered: outcome.answered,
        elapsed: window,
        offered: Some(rate),
        latencies: Some(histogram(&outcome.latencies)),
        also: vec![capacity, lateness.value_at_quantile(0.99) as f64],
        ..Measurement::default()
    })
}

fn histogram(buckets: &[(u64, u64)]) -> Histogram<u64> {
    let mut all = Histogram::new(3).expect("three digits are allowed");
    for &(value, count) in buckets {
        all.record_n(value, count).expect("it grows");
    }
    all
}
