//! One measurement of a counting server: starts the server in a separate
//! process, sends it messages for some time, and reads how often its tasks
//! have moved.

use std::path::Path;
use std::time::Duration;

use harness::{raise_file_limit, room_for_files, Measurement};
use host::cores::{room_for_cores, usable};
use measurement::Source;
use thread_per_core::load::End;
use thread_per_core::serve::{Report, Running};

use crate::counting_server::{
    command, EchoRuntime, StateShape, BETWEEN_CORES, BETWEEN_WORKERS, BYTES,
};
use crate::load_shape::{LoadShape, LoadSpan, CONNECTIONS, MESSAGE_BYTES};

pub(crate) const TOLD: [(&str, Source); 4] = [
    ("moves per message between workers", Source::Counter),
    ("moves per message between cores", Source::Counter),
    ("CPU time per message", Source::Getrusage),
    ("context switches per message", Source::Getrusage),
];

/// How long the load runs before the measurement begins.
const LEAD_IN: Duration = Duration::from_millis(150);

/// Checks that there are at least two cores, so that tasks can move, and that
/// the process may open enough files for the connections.
pub(crate) fn can_move() -> Result<(), String> {
    raise_file_limit();
    room_for_files(2 * CONNECTIONS as u64)?;
    room_for_cores(2)
}

/// Measures a server on the same cores for `window`. `whole` is the length of
/// a full measurement. If `window` is shorter, only a few messages are sent,
/// to check the answers.
///
/// # Errors
///
/// If the server or the load fails.
pub(crate) fn visit(
    program: &Path,
    runtime: EchoRuntime,
    state: StateShape,
    load: LoadShape,
    window: Duration,
    whole: Duration,
) -> Result<Measurement, String> {
    let workers = usable()?.len();
    let mut server = Running::start(command(program, runtime, workers, state))?;
    let (span, mut before) = if window < whole {
        // On a busy machine, such a short load may end before the first
        // report is due, so a report is requested now.
        let end = End::Requests(2 * CONNECTIONS as u64);
        let span = LoadSpan { lead_in: Duration::ZERO, end };
        (span, Some(server.report()?))
    } else {
        (LoadSpan { lead_in: LEAD_IN, end: End::After(window) }, None)
    };
    let answers = load.run(server.address(), span, || {
        if before.is_none() {
            before = Some(server.report()?);
        }
        Ok(())
    })?;
    let after = server.report()?;
    let before = before.ok_or("the load has not begun")?;
    Ok(Measurement {
        answered: answers.answered,
        elapsed: answers.elapsed,
        also: told(&before, &after)?,
        ..Measurement::default()
    })
}

/// Returns a figure for each of [`TOLD`]: the increase between two reports,
/// divided by the number of messages that the server read in that time.
fn told(before: &Report, after: &Report) -> Result<Vec<f64>, String> {
    let more = |of: &dyn Fn(&Report) -> u64| (of(after) - of(before)) as f64;
    let counted = |name: &str| more(&|report| report.calls[name]);
    let messages = counted(BYTES) / MESSAGE_BYTES as f64;
    if messages == 0.0 {
        return Err("the server has read no message in the window".to_owned());
    }
    let cpu_time = more(&|report| report.user_cpu_ns + report.system_cpu_ns);
    let switches =
        more(&|report| report.voluntary_switches + report.involuntary_switches);
    let all =
        [counted(BETWEEN_WORKERS), counted(BETWEEN_CORES), cpu_time, switches];
    Ok(all.map(|figure| figure / messages).to_vec())
}
