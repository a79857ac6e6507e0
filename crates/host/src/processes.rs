//! Lists the processes on this computer, with the CPU time of each.

use std::collections::{BTreeMap, HashMap};
use std::iter::successors;

use procfs_core::process::Stat;

use crate::kernel_files::{seconds, KernelFiles};

pub(crate) struct Processes(HashMap<i32, Stat>);

impl Processes {
    /// Reads /proc, which takes a few milliseconds. Returns `None` if there is no /proc.
    /// Processes that end while it is read are left out.
    pub(crate) fn now(files: &KernelFiles) -> Option<Processes> {
        let stats = files.of_processes("stat").map(|stat: Stat| (stat.pid, stat));
        Some(Processes(stats.collect())).filter(|all| !all.0.is_empty())
    }

    /// Returns the CPU time of our own processes, or of all others if `own` is false, in seconds.
    /// Includes the time of children for which a process has waited. Our own processes are this
    /// one and its descendants, except for those whose parent has exited.
    pub(crate) fn used(&self, own: bool) -> f64 {
        let meant = self.0.values().filter(|process| self.is_own(process.pid) == own);
        let waited_for = |process: &Stat| (process.cutime + process.cstime).max(0).unsigned_abs();
        seconds(meant.map(|process| ticks(process) + waited_for(process)).sum())
    }

    /// Returns whether `id` is this process or one of its descendants.
    fn is_own(&self, id: i32) -> bool {
        let line = successors(Some(id), |id| Some(self.0.get(id)?.ppid));
        // If an id is reused while /proc is read, the chain of parents could form a circle, so
        // the number of steps is limited.
        line.take(self.0.len() + 1).any(|id| id == me())
    }

    /// Returns the name of the program that has used the most CPU time since `earlier`, and the
    /// total of its processes in seconds. Our own programs are left out. Returns `None` if there
    /// is no such program. A process that started and ended in between isn't seen.
    pub(crate) fn busiest_other(&self, earlier: &Processes) -> Option<(String, f64)> {
        let mut by_name = BTreeMap::new();
        for (id, process) in self.0.iter().filter(|(&id, _)| !self.is_own(id)) {
            let before = earlier.0.get(id).map_or(0, ticks);
            *by_name.entry(&process.comm).or_default() += ticks(process).saturating_sub(before);
        }
        let (name, used) = by_name.into_iter().max_by_key(|(_, used)| *used)?;
        (used > 0).then(|| (name.clone(), seconds(used)))
    }
}

fn me() -> i32 {
    std::process::id() as i32
}

/// Returns the CPU time that a process has used, without its children, in user and system mode,
/// in ticks.
fn ticks(process: &Stat) -> u64 {
    process.utime + process.stime
}

#[cfg(test)]
mod tests {
    use procfs_core::FromRead;

    use super::*;
    use crate::kernel_files::tests::process_stat;

    /// Returns processes, each given as id, parent, name and ticks used. The tests use ids that
    /// no kernel assigns.
    fn processes(list: &[(i32, i32, &str, u64)]) -> Processes {
        let stat = |&(id, parent, name, ticks): &(i32, i32, &str, u64)| {
            let text = process_stat(id, parent, name, ticks);
            (id, Stat::from_read(text.as_bytes()).unwrap())
        };
        Processes(list.iter().map(stat).collect())
    }

    fn some() -> Processes {
        processes(&[
            (-1, 0, "init", 1_000),
            (-5, -1, "sh", 2_000),
            (me(), -5, "run", 100),
            (-11, me(), "child", 20),
            (-12, -11, "grandchild", 3),
            (-20, -5, "rustc", 500),
            (-21, -1, "rustc", 600),
            (-22, -1, "cc", 900),
        ])
    }

    #[test]
    fn own_are_this_process_and_all_that_come_from_it() {
        // Each process also has 5 ticks in system mode and 1 for its children.
        assert_eq!(some().used(true), 1.41);
        assert_eq!(some().used(false), 50.3);
        let circle = processes(&[(me(), -1, "run", 1), (-3, -4, "a", 1), (-4, -3, "b", 1)]);
        assert!(!circle.is_own(-3));
    }

    #[test]
    fn the_busiest_is_by_name_and_never_our_own() {
        let busiest = |earlier: &[(i32, i32, &str, u64)]| {
            let always = [(-1, 0, "init", 1_000), (-20, -1, "rustc", 100), (-22, -1, "cc", 400)];
            some().busiest_other(&processes(&[&always[..], earlier].concat()))
        };
        // CPU time used since `earlier`: `rustc` 400 ticks, and 605 in a new process; `cc` 500;
        // our own processes 100.
        assert_eq!(busiest(&[]), Some(("sh".to_owned(), 20.05)));
        assert_eq!(busiest(&[(-5, -1, "sh", 2_000)]), Some(("rustc".to_owned(), 10.05)));
        assert_eq!(some().busiest_other(&some()), None);
    }
}
