//! One report of what all threads counted.

use std::io;

use super::cpu_time::CpuShare;
use super::distribution::Distribution;
use super::open::Kept;
use super::report::{Connections, Report, ScheduleKept};
use super::tally::Tally;

/// What a thread hands over at its end.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) tally: Tally,
    /// In an open loop.
    pub(super) kept: Option<Kept>,
    pub(super) cpu: CpuShare,
}

/// The report of all threads together, with how many connections were not made, and
/// why the first was not.
pub(super) fn gather(
    shares: Vec<Share>,
    refused: u64,
    mut reason: Option<io::Error>,
) -> Report {
    let (mut answered, mut wrong, mut lost, mut unanswered) = (0, 0, 0, 0);
    let mut answered_in_all = 0;
    let (mut window, mut elapsed) = (0, 0);
    let mut latencies_ns = Distribution::default();
    let mut cpu = CpuShare::default();
    let mut all_kept: Option<Kept> = None;
    let (mut broken, mut answered_by) = (0, Vec::new());
    for Share { mut tally, kept, cpu: of_thread } in shares {
        answered += tally.answered;
        answered_in_all += tally.answered_in_all;
        wrong += tally.wrong;
        lost += tally.lost;
        unanswered += tally.unanswered;
        latencies_ns.add(&tally.latencies);
        let of_thread_window = tally.measured.window().clone();
        window = window.max(of_thread_window.end - of_thread_window.start);
        let last = tally.last_answer.max(of_thread_window.end);
        elapsed = elapsed.max(last - of_thread_window.start);
        cpu.user += of_thread.user;
        cpu.system += of_thread.system;
        if let Some(kept) = kept {
            all_kept.get_or_insert_default().add(&kept);
        }
        broken += tally.broken;
        reason = reason.or(tally.why_broken);
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
        answered_in_all,
        errors: wrong + lost,
        wrong,
        lost,
        unanswered,
        latencies_ns,
        schedule: all_kept.map(|kept| ScheduleKept {
            offered: a_second(kept.due, window),
            late: kept.late,
            waited: kept.waited,
            lateness_ns: kept.lateness,
        }),
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
