//! Experiment `afterwards`: the share of the memory of threads or tasks that
//! their process keeps after they have ended.

use std::path::Path;

use harness::{room_for_threads, Cell, Experiment};
use measurement::Source;
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};

use crate::wanted_units::{Units, STATES};

const THREADS: u64 = 500;

/// The memory that all tasks of a process take together, in bytes.
const HELD: u64 = 64 << 20;

/// The sizes of state that a thread or task holds in this experiment, in
/// bytes.
const HOLDS: [u64; 2] = [STATES[0], STATES[3]];

pub(crate) fn experiment(program: &Path) -> Experiment {
    let contenders = [
        std_thread::NAME,
        MULTI_THREAD.name(),
        CURRENT_THREAD.name(),
        SMOL.name(),
    ];
    let cells = HOLDS.into_iter().flat_map(|state_bytes| {
        contenders.map(|contender| {
            cell(program, Units::new(contender, 0, state_bytes))
                .parameter("state_bytes", state_bytes as i64)
                .full_only()
        })
    });
    Experiment::new("afterwards", "share", std_thread::NAME).cells(cells)
}

/// Returns the benchmark of the kind of thread or task in `of`, with enough
/// of them to measure their memory.
pub(crate) fn cell(program: &Path, of: Units) -> Cell {
    let is_thread = of.contender == std_thread::NAME;
    // A task is a few hundred bytes larger than its state.
    let units = if is_thread { THREADS } else { HELD / (of.state_bytes + 448) };
    let (program, of) = (program.to_owned(), Units { units, ..of });
    let contender = of.contender.clone();
    let cell = Cell::once(&contender, Source::Harness, &["share"], move || {
        Ok(vec![kept(&program, &of)?])
    });
    if is_thread {
        cell.needs(|| room_for_threads(THREADS))
    } else {
        cell
    }
}

/// Returns the share of the memory of threads or tasks that the process keeps
/// when they have ended. It is computed from three processes: without any,
/// with waiting ones, and with ended ones. A negative share becomes zero.
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
