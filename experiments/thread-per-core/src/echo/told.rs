//! Quantities that are measured in addition to throughput.

use measurement::Source;

use super::setting::{Cores, Setting};
use crate::load::Report as Load;
use crate::serve::{Report, Server};

/// The reports of a measurement: two from the server, near the beginning and
/// near the end of the window, and one from the load.
pub(crate) struct Seen {
    pub(crate) before: Report,
    pub(crate) after: Report,
    pub(crate) load: Load,
}

/// A quantity, its source, the settings to which it applies, and how it is
/// computed from the reports.
struct Told {
    quantity: &'static str,
    source: Source,
    of: fn(&Server, Setting) -> bool,
    figure: fn(&Seen) -> f64,
}

const ALL: [Told; 6] = [
    Told {
        quantity: "CPU time per message",
        source: Source::Getrusage,
        of: |_, _| true,
        figure: |seen| seen.a_message(|it| it.user_cpu_ns + it.system_cpu_ns),
    },
    Told {
        quantity: "context switches per message",
        source: Source::Getrusage,
        of: |_, _| true,
        figure: |seen| {
            seen.a_message(|it| it.voluntary_switches + it.involuntary_switches)
        },
    },
    // A load that spins is always busy, so the share of polls that find
    // nothing shows how much more it could do.
    Told {
        quantity: "CPU share of the load",
        source: Source::Getrusage,
        of: |_, setting| setting.cores != Cores::Apart,
        figure: |seen| seen.load.cpu.user + seen.load.cpu.system,
    },
    Told {
        quantity: "CPU share of empty polls",
        source: Source::Harness,
        of: |_, setting| setting.cores == Cores::Apart,
        figure: |seen| seen.load.cpu.empty_polls,
    },
    // Only applies if the kernel distributes the connections to the workers
    // by a hash (SO_REUSEPORT).
    Told {
        quantity: "ratio of most to mean connections per worker",
        source: Source::Harness,
        of: |server, setting| {
            server.reuseport && setting.cores == Cores::Shared
        },
        figure: |seen| {
            let accepted = &seen.after.accepted;
            let most = accepted.iter().max().copied().unwrap_or_default();
            let all: u64 = accepted.iter().sum();
            (most * accepted.len() as u64) as f64 / all as f64
        },
    },
    Told {
        quantity: "ratio of least to most answers per connection",
        source: Source::Harness,
        of: |_, setting| setting.connections > 1,
        figure: |seen| {
            let connections = &seen.load.connections;
            connections.least as f64 / connections.most as f64
        },
    },
];

fn told(server: &Server, setting: Setting) -> impl Iterator<Item = &Told> {
    ALL.iter().filter(move |told| (told.of)(server, setting))
}

/// Returns the names of the quantities that apply to `server` at `setting`,
/// each with its source.
pub(crate) fn quantities(
    server: &Server,
    setting: Setting,
) -> Vec<(&'static str, Source)> {
    told(server, setting).map(|told| (told.quantity, told.source)).collect()
}

pub(super) fn figures(
    server: &Server,
    setting: Setting,
    seen: &Seen,
) -> Vec<f64> {
    told(server, setting).map(|told| (told.figure)(seen)).collect()
}

impl Seen {
    /// Returns how much one of the server's counts increased per message,
    /// from the first report to the second.
    pub(crate) fn a_message(&self, of: impl Fn(&Report) -> u64) -> f64 {
        let more = (of(&self.after) - of(&self.before)) as f64;
        let seconds = (self.after.at_ns - self.before.at_ns) as f64 / 1e9;
        more / seconds / self.load.achieved
    }
}
