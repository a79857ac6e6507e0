//! The CPU time used by all other processes on the machine during a
//! measurement. They may be the cause of a stall.

use std::collections::HashMap;
use std::fs;
use std::time::Instant;

use measurement::Source;

/// The figures that [`Account::since`] returns, in order.
pub(super) const QUANTITIES: [(&str, Source); 2] = [
    ("CPU share of others", Source::Getrusage),
    ("CPU share of process 1", Source::Getrusage),
];

/// The kernel's counts of CPU time up to an instant.
pub(super) struct Account {
    at: Instant,
    /// The CPU time in nanoseconds, by process and thread. This process is
    /// left out.
    ran: HashMap<(u32, u32), u64>,
}

impl Account {
    /// # Errors
    ///
    /// If the kernel doesn't report CPU times.
    pub(super) fn now() -> Result<Account, String> {
        let ran = ran_of_others()?;
        Ok(Account { at: Instant::now(), ran })
    }

    /// Returns the CPU time that all processes and that process 1 have used
    /// since `earlier`. Both are fractions of one core's time.
    pub(super) fn since(&self, earlier: &Account) -> [f64; 2] {
        let elapsed = self.at.duration_since(earlier.at);
        // A thread that has ended since `earlier` is missing.
        let ran = |is_meant: fn(u32) -> bool| {
            let meant = self.ran.iter().filter(|((id, _), _)| is_meant(*id));
            let more = meant.map(|(thread, &now)| {
                now - earlier.ran.get(thread).copied().unwrap_or(0).min(now)
            });
            more.sum::<u64>() as f64 / elapsed.as_nanos() as f64
        };
        [ran(|_| true), ran(|process| process == 1)]
    }
}

fn ran_of_others() -> Result<HashMap<(u32, u32), u64>, String> {
    let numbered = |directory: &str| {
        let entries = fs::read_dir(directory)?;
        let names = entries.flatten().map(|entry| entry.file_name());
        let ids = names.filter_map(|name| name.to_str()?.parse().ok());
        Ok::<Vec<u32>, std::io::Error>(ids.collect())
    };
    let mut ran = HashMap::new();
    let all = numbered("/proc").map_err(|error| format!("/proc: {error}"))?;
    for process in all.into_iter().filter(|&id| id != std::process::id()) {
        let threads = format!("/proc/{process}/task");
        // If a thread can't be read, it has ended.
        for thread in numbered(&threads).unwrap_or_default() {
            let file = format!("{threads}/{thread}/schedstat");
            let time = fs::read_to_string(file).unwrap_or_default();
            let time = time.split_whitespace().next();
            if let Some(time) = time.and_then(|time| time.parse().ok()) {
                ran.insert((process, thread), time);
            }
        }
    }
    if ran.is_empty() {
        return Err("no process tells its CPU time in /proc".to_owned());
    }
    Ok(ran)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_all_but_this_process() {
        let ran = ran_of_others().unwrap();
        let own = std::process::id();
        assert!(ran.keys().all(|&(process, _)| process != own));
    }

    #[test]
    fn only_what_came_since_counts() {
        let at = Instant::now();
        let earlier = Account {
            at,
            ran: HashMap::from([((1, 1), 1_000), ((7, 7), 9_000)]),
        };
        let later = Account {
            at: at + std::time::Duration::from_millis(1),
            ran: HashMap::from([((1, 1), 21_000), ((1, 2), 30_000)]),
        };
        assert_eq!(later.since(&earlier), [0.05, 0.05]);
    }
}
