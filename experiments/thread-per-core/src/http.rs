//! Experiment `http`: how much of the difference between runtimes remains if
//! each request is parsed and gets its own answer.

use std::path::Path;
use std::time::Duration;

use harness::{
    raise_file_limit, room_for_files, Cell, Experiment, Measurement,
};
use measurement::Source;

use crate::application_protocol::ApplicationProtocol;
use crate::echo::setting::Cores;
use crate::echo::visit::{observe, start};
use crate::load::{End, Settings};
use crate::serve::{http_servers, Report, Running, Server, HYPER};

mod wrk;

/// Quantities that are measured on the server, in addition to throughput.
pub(crate) const OF_SERVER: [(&str, Source); 2] = [
    ("CPU time per request", Source::Getrusage),
    ("context switches per request", Source::Getrusage),
];

/// How busy our load generator is: its CPU time if it sleeps when there is
/// nothing to do, or the share of polls that find nothing if it spins.
pub(crate) const OF_LOAD: (&str, Source) =
    ("CPU share of the load", Source::Getrusage);
const OF_SPINNING_LOAD: (&str, Source) =
    ("CPU share of empty polls", Source::Harness);

pub(crate) const WINDOW: Duration = Duration::from_millis(350);

const LEAD_IN: Duration = Duration::from_millis(100);

/// The load on a server, and the cores on which the load and the server run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) cores: Cores,
    pub(crate) connections: usize,
    pub(crate) load_threads: usize,
}

const APART: Setting =
    Setting { cores: Cores::Apart, connections: 50, load_threads: 1 };

/// The published settings. (In the published measurement, the load ran on a
/// separate computer.)
pub(crate) const SHARED: Setting = Setting { cores: Cores::Shared, ..APART };
const MORE_THREADS: Setting = Setting { load_threads: 10, ..SHARED };
const MORE_CONNECTIONS: Setting = Setting { connections: 500, ..SHARED };

/// Servers that are left out when servers have only one core. On one core,
/// each of them would be the same program as another server.
const NOT_APART: [&str; 2] =
    ["http tokio current_thread, hyper", "http ours pinned"];

/// Servers that are measured on all cores, but only with the published number
/// of connections and one load thread.
const SHARED_TOO: [&str; 2] = ["http std::thread", "http monoio epoll"];

/// Servers that are also measured on all cores with more load threads, or
/// with more connections.
const SWEPT: [&str; 3] = [TWINNED, "http ours pinned", "http ours stealing"];

/// The server that is measured twice, to show how much it differs from
/// itself.
pub(crate) const TWINNED: &str = "http tokio multi-thread";

/// The servers that a quick run measures. Each uses a different HTTP library.
const QUICK: [&str; 2] = [TWINNED, "http tokio multi-thread, hyper"];

/// Creates the experiment with closed loops by our load generator, and by wrk
/// if that is installed.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let apart = among(|name| !NOT_APART.contains(&name)).map(|server| {
        let cell = by_our_load(program, server, APART);
        if QUICK.contains(&&*server.name()) {
            cell
        } else {
            cell.full_only()
        }
    });
    let shared =
        among(|name| SWEPT.contains(&name) || SHARED_TOO.contains(&name))
            .map(|server| by_our_load(program, server, SHARED).full_only());
    let swept = [MORE_THREADS, MORE_CONNECTIONS].into_iter();
    let swept = swept.flat_map(|setting| {
        let servers = among(|name| SWEPT.contains(&name));
        servers.map(move |server| {
            by_our_load(program, server, setting).full_only().in_sweep()
        })
    });
    let published = [SHARED, MORE_THREADS, MORE_CONNECTIONS].into_iter();
    let published = published.flat_map(|setting| {
        let servers = among(|name| name == TWINNED);
        servers.map(move |server| {
            by_wrk(program, server, setting).full_only().in_sweep()
        })
    });
    Experiment::new("http", "throughput", "tokio multi-thread")
        .cells(apart)
        .cells(shared)
        .cells(swept)
        .cells(published)
}

fn among(is_one: fn(&str) -> bool) -> impl Iterator<Item = &'static Server> {
    http_servers().iter().filter(move |server| is_one(&server.name()))
}

fn by_our_load(
    program: &Path,
    server: &'static Server,
    setting: Setting,
) -> Cell {
    let path = program.to_owned();
    let take = move |window| closed_loop(&path, server, setting, window);
    let of_load = match setting.cores {
        Cores::Apart => OF_SPINNING_LOAD,
        Cores::Shared | Cores::One => OF_LOAD,
    };
    let cell = Cell::window(server.contender, WINDOW, take)
        .also(&OF_SERVER)
        .also(&[of_load]);
    let cell = stated(cell, program, server, setting).parameter("load", "ours");
    if server.name() == TWINNED {
        cell.twinned()
    } else {
        cell
    }
}

fn by_wrk(program: &Path, server: &'static Server, setting: Setting) -> Cell {
    let path = program.to_owned();
    let take = move |_| {
        let mut running = start(&path, server, setting.cores)?;
        let before = running.report()?;
        let answered = wrk::ask(
            running.address(),
            setting.connections,
            setting.load_threads,
        )?;
        let after = running.report()?;
        // The counts include the cost of making the connections, since wrk
        // doesn't report when its measurement begins.
        let a_request = |more: fn(&Report) -> u64| {
            (more(&after) - more(&before)) as f64 / answered.answered as f64
        };
        let also = vec![a_request(cpu_time), a_request(switches)];
        Ok(Measurement { also, ..answered })
    };
    let cell = Cell::window(server.contender, wrk::WINDOW, take);
    stated(cell.also(&OF_SERVER), program, server, setting)
        .parameter("load", "wrk")
        .needs(wrk::is_installed)
}

/// Adds to `cell` its requirements, and all parameters except the one that
/// names the load generator.
pub(crate) fn stated(
    cell: Cell,
    program: &Path,
    server: &'static Server,
    setting: Setting,
) -> Cell {
    let Setting { cores, connections, load_threads } = setting;
    let program = program.to_owned();
    let library = if server.variation == HYPER { HYPER } else { "httparse" };
    let placement = cores.name();
    cell.parameter("library", library)
        .parameter("interface", server.interface.name())
        .parameter("runtimes", server.runtimes.name())
        .parameter("placement", placement)
        .parameter("connections", connections as i64)
        .parameter("load_threads", load_threads as i64)
        .needs(move || {
            // The server and the load each need one descriptor per
            // connection.
            raise_file_limit();
            room_for_files(connections as u64)
        })
        .needs(move || start(&program, server, cores).map(drop))
        .group(&format!("{placement}: {connections} from {load_threads}"))
}

/// Starts `server`, and measures its throughput in a closed loop of our load
/// generator that lasts for `window`.
///
/// # Errors
///
/// If the server or the load fails.
fn closed_loop(
    program: &Path,
    server: &Server,
    setting: Setting,
    window: Duration,
) -> Result<Measurement, String> {
    let running = start(program, server, setting.cores)?;
    closed_loop_of(running, program, setting, window)
}

/// Measures the throughput of a running server in a closed loop of our load
/// generator that lasts for `window`.
///
/// # Errors
///
/// If the server or the load fails.
pub(crate) fn closed_loop_of(
    mut running: Running,
    program: &Path,
    Setting { cores, connections, load_threads }: Setting,
    window: Duration,
) -> Result<Measurement, String> {
    // If `window` is too short to measure, only checks the answers, with two
    // requests per connection.
    let (lead_in, end) = if window < WINDOW {
        (Duration::ZERO, End::Requests(2 * connections as u64))
    } else {
        (LEAD_IN, End::After(window))
    };
    let settings = Settings {
        protocol: ApplicationProtocol::Http,
        connections,
        threads: load_threads,
        dealing_seed: fastrand::u64(..),
        // On a separate core, the load spins. If it slept, the server would
        // have to pay for waking it.
        spin: cores == Cores::Apart,
        lead_in,
        end,
        ..Settings::of(running.address())
    };
    let seen = observe(program, &mut running, &settings, cores)?;
    let of_load = match cores {
        Cores::Apart => seen.load.cpu.empty_polls,
        Cores::Shared | Cores::One => seen.load.cpu.user + seen.load.cpu.system,
    };
    let also =
        vec![seen.a_message(cpu_time), seen.a_message(switches), of_load];
    Ok(Measurement { also, ..seen.load.into() })
}

fn cpu_time(report: &Report) -> u64 {
    report.user_cpu_ns + report.system_cpu_ns
}

fn switches(report: &Report) -> u64 {
    report.voluntary_switches + report.involuntary_switches
}
