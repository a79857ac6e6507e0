//! Experiment `advised`: echo servers that are set up as the authors of their
//! runtimes advise, and the same servers with the defaults.
//!
//! There are two central settings, those of `echo`: 100 connections, 64
//! bytes, one message in flight, with a core for the server alone (`apart`)
//! and with all cores shared with the load (`shared`). With `apart`, there
//! are also 10,000 connections, on rings of 1,024 entries and of 16,384.

use std::path::Path;
use std::time::Duration;

use harness::{
    raise_file_limit, room_for_files, Cell, Experiment, Measurement,
};
use measurement::Source;

mod servers;

use crate::echo::setting::{Cores, Setting};
use crate::echo::told::Seen;
use crate::echo::visit::{observe, settings};
use crate::load::End;
use crate::serve::Running;
use crate::server_process::command;
pub(crate) use servers::{Server, SERVERS as ALL};
use servers::{SetUp, ENTRIES, SERVERS};

/// The first command-line argument that makes this chapter's program run one
/// of this experiment's servers.
pub(crate) const CALLED: &str = "advised";

const WINDOW: Duration = Duration::from_millis(400);

const LEAD_IN: Duration = Duration::from_millis(200);

/// A number of connections that exceeds the default number of entries of an
/// io_uring.
const MANY: usize = 10_000;

pub(crate) fn experiment(program: &Path) -> Experiment {
    let few = |server: &&Server| server.entries == ENTRIES;
    let centres = [Cores::Apart, Cores::Shared].map(Setting::centre);
    let centres = centres.into_iter().flat_map(|setting| {
        SERVERS.iter().filter(few).map(move |server| {
            let cell = cell(program, server, setting);
            let cell = match (server.contender, server.set_up) {
                ("monoio io_uring", SetUp::Advised) => cell.twinned(),
                _ => cell,
            };
            let is_quick = setting.cores == Cores::Apart
                && server.interface == "io_uring"
                && matches!(server.set_up, SetUp::Default | SetUp::Advised)
                && matches!(server.contender, "monoio io_uring" | "compio");
            if is_quick {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    let of_many = |server: &&Server| {
        server.contender == "monoio epoll"
            || server.set_up == SetUp::Advised && server.contender != "glommio"
    };
    let many = Setting { connections: MANY, ..Setting::centre(Cores::Apart) };
    let many = SERVERS
        .iter()
        .filter(of_many)
        .map(|server| cell(program, server, many).full_only());
    Experiment::new("advised", "throughput", "baseline")
        .cells(centres)
        .cells(many)
}

/// Quantities that are measured on the server, in addition to throughput.
const TOLD: [(&str, Source); 2] = [
    ("CPU time per message", Source::Getrusage),
    ("context switches per message", Source::Getrusage),
];

/// How busy the load is: the share of polls that find nothing if it spins on
/// a separate core, or its CPU time if it sleeps on shared ones.
const SPINS: (&str, Source) = ("CPU share of empty polls", Source::Harness);
const SLEEPS: (&str, Source) = ("CPU share of the load", Source::Getrusage);

fn cell(program: &Path, server: &'static Server, setting: Setting) -> Cell {
    let path = program.to_owned();
    let take = move |window| visit(&path, server, setting, window);
    let of_load = if setting.cores == Cores::Apart { SPINS } else { SLEEPS };
    let path = program.to_owned();
    Cell::window(server.contender, WINDOW, take)
        .also(&TOLD)
        .also(&[of_load])
        .parameter("interface", server.interface)
        .parameter("set_up", server.set_up.name())
        .parameter("entries", i64::from(server.entries))
        .parameter("placement", setting.cores.name())
        .parameter("connections", setting.connections as i64)
        .parameter("message_bytes", setting.message_bytes as i64)
        .parameter("in_flight", setting.in_flight as i64)
        .group(&setting.group())
        .in_sweep()
        .needs(move || {
            // The server and the load each need one descriptor per
            // connection.
            raise_file_limit();
            room_for_files(setting.connections as u64)
        })
        .needs(move || start(&path, server, setting.cores).map(drop))
}

fn start(
    program: &Path,
    server: &Server,
    cores: Cores,
) -> Result<Running, String> {
    Running::start(command(program, CALLED, server, &cores.of_server()?))
}

/// Runs a closed loop for `window`. If `window` is shorter than [`WINDOW`],
/// only checks the answers, with two requests per connection.
fn visit(
    program: &Path,
    server: &Server,
    setting: Setting,
    window: Duration,
) -> Result<Measurement, String> {
    let mut running = start(program, server, setting.cores)?;
    let (lead_in, end) = if window < WINDOW {
        (Duration::ZERO, End::Requests(2 * setting.connections as u64))
    } else {
        (LEAD_IN, End::After(window))
    };
    let settings = settings(&running, setting, lead_in, end)?;
    let seen: Seen = observe(program, &mut running, &settings, setting.cores)?;
    let cpu = &seen.load.cpu;
    let also = vec![
        seen.a_message(|it| it.user_cpu_ns + it.system_cpu_ns),
        seen.a_message(|it| it.voluntary_switches + it.involuntary_switches),
        match setting.cores {
            Cores::Apart => cpu.empty_polls,
            Cores::Shared | Cores::One => cpu.user + cpu.system,
        },
    ];
    Ok(Measurement { also, ..seen.load.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_process::Serves;

    #[test]
    fn no_two_servers_have_a_name_in_common() {
        for (place, server) in SERVERS.iter().enumerate() {
            let others = SERVERS[..place].iter();
            assert!(
                others.clone().all(|other| other.name() != server.name()),
                "{}",
                server.name()
            );
        }
    }
}
