//! The processes that there are.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use procfs_core::process::Stat;

use crate::kernel_files::{KernelFiles, TICKS_PER_SECOND};

/// Whether there is a process of this id, on Linux.
pub fn is_running(files: &KernelFiles, id: u32) -> bool {
    files.path(format!("/proc/{id}")).exists()
}

/// A process at one moment.
#[derive(Debug, Clone)]
struct Process {
    parent: i32,
    name: String,
    /// Its own CPU time, in user and system mode.
    used: Duration,
    /// That of the children that it has waited for, and of theirs.
    waited_for: Duration,
}

/// All processes that can be seen, by their ids.
#[derive(Debug, Clone)]
pub(crate) struct Processes {
    by_id: HashMap<i32, Process>,
    /// This process.
    me: i32,
}

impl Processes {
    /// Walks through /proc, which takes some milliseconds; `None` if it is not
    /// there. Who ends meanwhile is left out.
    pub(crate) fn now(files: &KernelFiles) -> Option<Processes> {
        let names = files.entries("/proc").map(|entry| entry.file_name());
        let ids = names.filter_map(|name| name.to_str()?.parse::<u32>().ok());
        let stats = ids.filter_map(|id| files.parsed(format!("/proc/{id}/stat")));
        let by_id: HashMap<_, _> =
            stats.map(|stat: Stat| (stat.pid, Process::from(stat))).collect();
        let me = i32::try_from(std::process::id()).ok()?;
        (!by_id.is_empty()).then_some(Processes { by_id, me })
    }

    /// The CPU time of this process, of all its living descendants, and of those
    /// that one of them has waited for. Who lost its parents is not among them.
    pub(crate) fn own_use(&self) -> Duration {
        let own = self.by_id.iter().filter(|(&id, _)| self.is_own(id));
        own.map(|(_, process)| process.used + process.waited_for).sum()
    }

    /// Whether it is this process, a descendant, or an ancestor: those wait for
    /// the run to end, as a shell and cargo do.
    pub(crate) fn is_family(&self, id: i32) -> bool {
        self.is_own(id) || self.descends(self.me, id)
    }

    fn is_own(&self, id: i32) -> bool {
        self.descends(id, self.me)
    }

    /// Whether `id` is `ancestor`, or comes from it.
    fn descends(&self, id: i32, ancestor: i32) -> bool {
        let mut at = id;
        // An id that is used again during the walk could close a circle.
        for _ in 0..=self.by_id.len() {
            if at == ancestor {
                return true;
            }
            match self.by_id.get(&at) {
                Some(process) => at = process.parent,
                None => return false,
            }
        }
        false
    }

    /// The CPU time of all others, also of those that ended, if somebody waited
    /// for them.
    pub(crate) fn used_by_others(&self) -> Duration {
        let others = self.by_id.iter().filter(|(&id, _)| !self.is_own(id));
        others.map(|(_, process)| process.used + process.waited_for).sum()
    }

    /// The name under which others have computed most since `earlier`, and for
    /// how long all processes of that name did together. Who has begun and ended
    /// in between is not seen.
    pub(crate) fn busiest_other(&self, earlier: &Processes) -> Option<(String, Duration)> {
        let mut by_name: BTreeMap<&str, Duration> = BTreeMap::new();
        for (id, process) in &self.by_id {
            if self.is_own(*id) {
                continue;
            }
            let before = earlier.by_id.get(id).map_or(Duration::ZERO, |p| p.used);
            *by_name.entry(&process.name).or_default() += process.used.saturating_sub(before);
        }
        let busiest = by_name.into_iter().max_by_key(|(_, used)| *used)?;
        Some((busiest.0.to_owned(), busiest.1))
    }
}

impl From<Stat> for Process {
    fn from(stat: Stat) -> Process {
        let waited_for = u64::try_from(stat.cutime + stat.cstime).unwrap_or(0);
        Process {
            parent: stat.ppid,
            name: stat.comm,
            used: of_ticks(stat.utime + stat.stime),
            waited_for: of_ticks(waited_for),
        }
    }
}

fn of_ticks(ticks: u64) -> Duration {
    Duration::from_secs(ticks) / TICKS_PER_SECOND as u32
}

#[cfg(test)]
impl Processes {
    /// The CPU time of one, without that of its children.
    pub(crate) fn used_by(&self, id: u32) -> Option<Duration> {
        let id = i32::try_from(id).ok()?;
        self.by_id.get(&id).map(|process| process.used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: i32 = 10;

    /// Processes by id, parent, name and milliseconds used; each has waited for
    /// children that used one more.
    fn processes(list: &[(i32, i32, &str, u64)]) -> Processes {
        let process = |&(id, parent, name, ms): &(i32, i32, &str, u64)| {
            let process = Process {
                parent,
                name: name.to_owned(),
                used: Duration::from_millis(ms),
                waited_for: Duration::from_millis(1),
            };
            (id, process)
        };
        Processes { by_id: list.iter().map(process).collect(), me: ME }
    }

    fn some() -> Processes {
        processes(&[
            (1, 0, "init", 1_000),
            (5, 1, "sh", 2_000),
            (ME, 5, "run", 100),
            (11, ME, "child", 20),
            (12, 11, "grandchild", 3),
            (20, 5, "rustc", 500),
            (21, 1, "rustc", 600),
            (22, 1, "cc", 900),
        ])
    }

    #[test]
    fn own_are_this_process_and_all_that_come_from_it() {
        assert_eq!(some().own_use(), Duration::from_millis(123 + 3));
    }

    #[test]
    fn ancestors_are_family_and_siblings_are_not() {
        let family: Vec<i32> =
            [1, 5, ME, 11, 12, 20, 21, 99].into_iter().filter(|&id| some().is_family(id)).collect();
        assert_eq!(family, [1, 5, ME, 11, 12]);
    }

    #[test]
    fn a_circle_of_parents_is_nobodys() {
        let circle = processes(&[(ME, 1, "run", 1), (3, 4, "a", 1), (4, 3, "b", 1)]);
        assert!(!circle.is_own(3));
    }

    #[test]
    fn the_busiest_is_by_name_and_never_our_own() {
        let earlier = processes(&[
            (1, 0, "init", 1_000),
            (ME, 1, "run", 0),
            (20, 1, "rustc", 100),
            (22, 1, "cc", 400),
        ]);
        // rustc: 400 and, new since then, 600; cc: 500; we: 100.
        let busiest = some().busiest_other(&earlier);
        let expected = ("sh".to_owned(), Duration::from_millis(2_000));
        assert_eq!(busiest, Some(expected));
        let earlier = processes(&[
            (1, 0, "init", 1_000),
            (5, 1, "sh", 2_000),
            (20, 5, "rustc", 100),
            (22, 1, "cc", 400),
        ]);
        let busiest = some().busiest_other(&earlier);
        let expected = ("rustc".to_owned(), Duration::from_millis(1_000));
        assert_eq!(busiest, Some(expected));
    }
}
