//! Combines the counts of all load threads in one report.

use std::io;
use std::ops::Range;

use super::cpu_time::CpuShare;
use super::distribution::Distribution;
use super::punctuality::Punctuality;
use super::report::{Connections, Report};
use super::tally::Tally;

#[derive(Debug)]
pub(super) struct Counted {
    pub(super) tally: Tally,
    /// In an open loop, how well the thread kept its schedule.
    pub(super) punctuality: Option<Punctuality>,
    pub(super) cpu: CpuShare,
}

/// Combines the counts of all load threads in a report. `refused` connections
/// failed, the first of them for `reason`.
pub(super) fn gather(
    threads: Vec<Counted>,
    refused: u64,
    mut reason: Option<io::Error>,
) -> Report {
    let (mut answered, mut wrong, mut lost, mut unanswered) = (0, 0, 0, 0);
    let (mut window, mut elapsed) = (0, 0);
    let mut latencies_ns = Distribution::default();
    let mut cpu = CpuShare::default();
    let mut punctuality: Option<Punctuality> = None;
    let (mut broken, mut answered_by) = (0, Vec::new());
    for mut thread in threads {
        let tally = &mut thread.tally;
        answered += tally.answered;
        wrong += tally.wrong;
        lost += tally.lost;
        unanswered += tally.unanswered;
        latencies_ns.add(&tally.latencies);
        let Range { start, end } = *tally.measured.window();
        window = window.max(end - start);
        elapsed = elapsed.max(tally.last_answer.max(end) - start);
        cpu.user += thread.cpu.user;
        cpu.system += thread.cpu.system;
        cpu.empty_polls += thread.cpu.empty_polls;
        if let Some(of_thread) = &thread.punctuality {
            punctuality.get_or_insert_default().add(of_thread);
        }
        broken += tally.broken;
        reason = reason.or(tally.why_broken.take());
        answered_by.append(&mut tally.answered_by);
    }
    answered_by.sort_unstable();
    let made = answered_by.len();
    let a_second = |requests: u64, nanoseconds: u64| {
        requests as f64 * 1e9 / nanoseconds.max(1) as f64
    };
    Report {
        elapsed_ns: elapsed,
        answered,
        achieved: a_second(answered, elapsed),
        errors: wrong + lost,
        wrong,
        lost,
        unanswered,
        latencies_ns,
        offered: punctuality.as_ref().map(|open| a_second(open.due, window)),
        punctuality,
        cpu,
        connections: Connections {
            made: made as u64,
            refused,
            broken,
            reason: reason.map(|reason| reason.to_string()),
            least: answered_by[0],
            median: answered_by[made / 2],
            most: answered_by[made - 1],
        },
    }
}
