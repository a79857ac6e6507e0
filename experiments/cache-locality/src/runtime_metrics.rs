//! Experiment `runtime-metrics`: compares how often Tokio's workers steal a
//! task, according to Tokio's metrics, with how often tasks move, according
//! to their own counts. The loads are those of `moves-per-message`.
//!
//! Tokio counts steals only in a special build, so the server is another
//! program, `unstable-tokio`, and nothing is timed.

use std::path::Path;
use std::time::Duration;

use harness::{unstable_build, Cell, Experiment};
use measurement::Source;
use serde_json::{from_value, Error};
use thread_per_core::load::End;

use crate::load_shape::{LoadShape, LoadSpan, CONNECTIONS, MESSAGE_BYTES};
use crate::server_visit::can_move;

/// How long the load runs before the first reading of the counts.
const LEAD_IN: Duration = Duration::from_millis(150);

/// The time between two readings of the server's counts.
const WINDOW: Duration = Duration::from_millis(300);

/// How long to wait for an answer from the server.
const PATIENCE: Duration = Duration::from_secs(20);

const TOLD: [&str; 4] = [
    "moves per message between workers",
    "polls per message",
    "steals per message",
    "steal operations per message",
];

/// Returns a function that creates the experiment. It ignores its argument,
/// the chapter's program, because the experiment starts a different program
/// as the server.
pub(crate) fn experiment() -> fn(&Path) -> Experiment {
    |_| {
        let cells = LoadShape::ALL.into_iter().map(cell);
        Experiment::new("runtime-metrics", TOLD[0], "tokio multi-thread")
            .cells(cells)
    }
}

fn cell(load: LoadShape) -> Cell {
    let take = move || told(load);
    Cell::readings("tokio multi-thread", Source::Counter, &TOLD, take)
        .parameter("load", load.name())
        .parameter("placement", "shared")
        .parameter("connections", CONNECTIONS as i64)
        .parameter("message_bytes", MESSAGE_BYTES as i64)
        .needs(can_move)
        .needs(|| unstable_build::program().map(drop))
        .time_limit(unstable_build::PATIENCE)
        .full_only()
}

fn told(load: LoadShape) -> Result<Vec<f64>, String> {
    let mut server = unstable_build::start(["echo", "none"])?;
    let wrong = |error: Error| format!("the server said: {error}");
    let address = from_value(server.hear(PATIENCE)?).map_err(wrong)?;
    let mut counts =
        || from_value::<[u64; 5]>(server.ask(&(), PATIENCE)?).map_err(wrong);
    let span = LoadSpan { lead_in: LEAD_IN, end: End::After(WINDOW) };
    let mut before = [0; 5];
    load.run(address, span, || {
        before = counts()?;
        Ok(())
    })?;
    let after = counts()?;
    let [bytes, counted @ ..] =
        std::array::from_fn::<_, 5, _>(|of| (after[of] - before[of]) as f64);
    let messages = bytes / MESSAGE_BYTES as f64;
    if messages == 0.0 {
        return Err("the server has read no message in the window".to_owned());
    }
    Ok(counted.map(|count| count / messages).to_vec())
}
