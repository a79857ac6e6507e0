//! Experiment `still-runs`: a job of 100 ms is given up 10 ms after it began.
//! How long does it go on running, or hold its resources? The measured time
//! is from giving up until the job's data have been dropped.

use std::time::Duration;

use harness::{Cell, Experiment};
use measurement::Source;

mod job;
mod rayons;
mod reads;
mod servers;
mod threads;
mod tokios;

use job::{Took, LATE};
use runtimes::{compio, glommio, monoio, smol, tokio};

/// The number of attempts with a job that stops at once. The result is their
/// median. A job that continues is tried only once.
const TRIES: usize = 5;

/// If a job still exists this long after it was given up, it has not stopped
/// at once.
const GOES_ON: Duration = Duration::from_millis(20);

/// How many times a case is tried again if the job was given up too late.
const MISSES: usize = 5;

pub(crate) fn experiment() -> Experiment {
    Experiment::new("still-runs", "time to stop", "abort")
        .cells([
            cell("abort", "waits", tokios::aborted_waiting),
            cell("abort", "computes", tokios::aborted_computing),
            cell("abort", "computes in steps", tokios::aborted_in_steps),
            cell("abort", "block_in_place", tokios::aborted_in_place)
                .full_only(),
            cell("abort", "spawn_blocking", tokios::aborted_blocking),
            cell("abort", "spawn_blocking queued", tokios::aborted_queued),
            cell("handle dropped", "waits", tokios::handle_dropped),
            cell("timeout", "computes", tokios::timeout_computing),
            cell("timeout", "spawn_blocking", tokios::timeout_blocking)
                .full_only(),
            cell("runtime dropped", "spawn_blocking", tokios::runtime_dropped),
            cell(
                "shutdown_background",
                "spawn_blocking",
                tokios::left_in_background,
            )
            .full_only(),
        ])
        .cells([
            cell("receiver dropped", "rayon", rayons::receiver_dropped),
            cell("receiver dropped", "rayon in steps", rayons::looked_at)
                .full_only(),
            cell("flag", "thread in steps", threads::flag).full_only(),
            cell("shutdown", "thread reads", threads::shutdown).full_only(),
            cell("read deadline", "thread reads", threads::read_deadline)
                .full_only(),
        ])
        .cells([
            cell("client gone", "hyper waits", servers::hyper_waits),
            cell("client gone", "hyper computes", servers::hyper_computes)
                .full_only(),
            cell("client gone", "hyper spawned", servers::hyper_spawned),
            cell("client gone", "server looks away", servers::looks_away),
        ])
        .cells([
            cell("tokio current_thread", "reads", || {
                reads::on_tokio(tokio::CURRENT_THREAD)
            })
            .full_only(),
            cell("smol", "reads", || reads::on_smol(smol::GLOBAL)).full_only(),
            cell("glommio", "reads", || reads::on_glommio(glommio::UNBOUND)),
            cell("monoio epoll", "reads", || reads::on_monoio(monoio::EPOLL))
                .full_only(),
            cell("monoio io_uring", "reads", || {
                reads::on_monoio(monoio::IO_URING)
            }),
            cell("compio", "reads", || reads::on_compio(compio::DEFAULT)),
        ])
}

fn cell(contender: &str, job: &str, case: fn() -> Took) -> Cell {
    let take = move || {
        let first = tried(case)?;
        let more = if first > GOES_ON { 0 } else { TRIES - 1 };
        let more = (0..more).map(|_| tried(case));
        let mut found = more.collect::<Result<Vec<_>, _>>()?;
        found.push(first);
        found.sort_unstable();
        Ok(vec![found[found.len() / 2].as_nanos() as f64])
    };
    Cell::once(contender, Source::Harness, &["time to stop"], take)
        .parameter("job", job)
}

/// Tries a case. If the job was given up too late, tries again up to `MISSES`
/// times.
fn tried(case: fn() -> Took) -> Took {
    let mut took = case();
    for _ in 0..MISSES {
        if took != Err(LATE.to_owned()) {
            break;
        }
        took = case();
    }
    took
}
