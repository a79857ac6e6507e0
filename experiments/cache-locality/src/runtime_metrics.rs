//! Experiment `runtime-metrics`: how often Tokio's workers steal a task, by what the
//! runtime counts itself, beside the moves that its tasks count, under the loads of
//! `moves-per-message`.
//!
//! The runtime counts only in a build of its own, so the server is another program,
//! [`metered_tokio`], and no time is taken of it.

use std::path::Path;
use std::time::Duration;

use harness::{Cell, Experiment};
use host::cores::usable;
use measurement::Source;
use metered_tokio::ServerCounts;
use thread_per_core::load::End;

use crate::load_shape::{LoadShape, LoadSpan, CONNECTIONS, MESSAGE_BYTES};
use crate::server_visit::can_move;

mod metered_server;
mod unstable_build;

use metered_server::MeteredServer;

/// How long a server is asked before anything counts.
const LEAD_IN: Duration = Duration::from_millis(150);

/// For how long it is counted.
const WINDOW: Duration = Duration::from_millis(300);

/// How long a visit may take: the first one builds the server.
const PATIENCE: Duration = Duration::from_secs(300);

/// What a server tells, by message.
const TOLD: [&str; 4] = [
    "moves per message between workers",
    "polls per message",
    "steals per message",
    "steal operations per message",
];

/// Makes the experiment. Its server is none of this chapter's program.
pub(crate) fn experiment() -> fn(&Path) -> Experiment {
    |_| {
        let cells = LoadShape::ALL.into_iter().map(cell);
        Experiment::new("runtime-metrics", TOLD[0], "tokio multi-thread")
            .cells(cells)
    }
}

fn cell(load: LoadShape) -> Cell {
    let take = move || {
        let mut server =
            MeteredServer::start(&unstable_build::program()?, usable()?.len())?;
        told(&mut server, load)
    };
    Cell::readings("tokio multi-thread", Source::Counter, &TOLD, take)
        .parameter("load", load.name())
        .parameter("placement", "shared")
        .parameter("connections", CONNECTIONS as i64)
        .parameter("message_bytes", MESSAGE_BYTES as i64)
        .needs(can_move)
        .time_limit(PATIENCE)
        .full_only()
}

/// A figure for each of [`TOLD`] under a load.
fn told(
    server: &mut MeteredServer,
    load: LoadShape,
) -> Result<Vec<f64>, String> {
    let span = LoadSpan { lead_in: LEAD_IN, end: End::After(WINDOW) };
    let mut before = ServerCounts::default();
    load.run(server.address(), span, || {
        before = server.counts()?;
        Ok(())
    })?;
    let after = server.counts()?;
    let more = |of: fn(&ServerCounts) -> u64| (of(&after) - of(&before)) as f64;
    let messages = more(|counts| counts.bytes) / MESSAGE_BYTES as f64;
    if messages == 0.0 {
        return Err("the server has read no message in the window".to_owned());
    }
    let all = [
        more(|counts| counts.moves),
        more(|counts| counts.polls),
        more(|counts| counts.steals),
        more(|counts| counts.steal_operations),
    ];
    Ok(all.map(|count| count / messages).to_vec())
}
