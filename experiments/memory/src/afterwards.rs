//! Experiment `afterwards`: how much of what units took their process keeps when they
//! have ended.

use std::path::Path;

use harness::{room_for_threads, Cell, Experiment};
use measurement::Source;
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};

use crate::wanted_units::{Units, STATES};

const THREADS: u64 = 500;

/// What tasks hold together: 64 MiB.
const HELD: u64 = 64 << 20;

/// The states of units.
const HOLDS: [u64; 2] = [STATES[0], STATES[3]];

/// The experiment.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let contenders = [
        std_thread::NAME,
        MULTI_THREAD.name(),
        CURRENT_THREAD.name(),
        SMOL.name(),
    ];
    let cells = HOLDS.into_iter().flat_map(|state_bytes| {
        contenders.map(|contender| cell(program, contender, state_bytes))
    });
    Experiment::new("afterwards", "share", std_thread::NAME).cells(cells)
}

fn cell(program: &Path, contender: &str, state_bytes: u64) -> Cell {
    let is_thread = contender == std_thread::NAME;
    // A task is some hundred bytes more than what it holds.
    let units = if is_thread { THREADS } else { HELD / (state_bytes + 448) };
    let (program, of) =
        (program.to_owned(), Units::new(contender, units, state_bytes));
    let cell = Cell::once(contender, Source::Harness, &["share"], move || {
        Ok(vec![kept(&program, &of)?])
    });
    let cell = cell.parameter("state_bytes", state_bytes as i64).full_only();
    if is_thread {
        cell.needs(|| room_for_threads(THREADS))
    } else {
        cell
    }
}

/// The share that stays, by three processes: without units, with units that wait,
/// and with units that have ended. Less than nothing is nothing.
fn kept(program: &Path, of: &Units) -> Result<f64, String> {
    let resident = |units: Units| {
        Ok::<_, String>(units.in_a_process(program)?.resident_bytes)
    };
    let without = resident(Units { units: 0, ..of.clone() })?;
    let waiting = resident(of.clone())?;
    let ended = resident(Units { ended: true, ..of.clone() })?;
    if waiting <= without {
        return Err(format!("{} units took no memory", of.units));
    }
    let share = ended.saturating_sub(without) as f64;
    Ok(share / (waiting - without) as f64)
}
