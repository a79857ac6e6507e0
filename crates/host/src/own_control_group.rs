//! A control group of the run's own, whose CPU time the kernel adds up: also that
//! of processes which have ended, or lost their parents.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use crate::control_groups::ControlGroup;
use crate::kernel_files::KernelFiles;
use crate::processes::{is_running, Processes};

/// The name of a group that is made for a run, before the id of its process.
const NAME: &str = "threads-tasks-and-cores-";

/// The file with the ids of a group's processes. Who is written to it moves there,
/// with all threads.
const PROCESSES: &str = "cgroup.procs";

/// How often it is tried to remove a group whose last processes are ending.
const REMOVALS: usize = 20;

/// Where the kernel adds up the CPU time of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accounting {
    /// In every group of version 2.
    V2,
    /// In version 1 by the controller `cpuacct`.
    Cpuacct,
}

/// A group in which no processes are but the run's.
#[derive(Debug)]
pub(crate) struct OwnControlGroup {
    accounting: Accounting,
    directory: PathBuf,
    /// Where this process goes back to, if the group was made for it.
    came_from: Option<PathBuf>,
}

impl OwnControlGroup {
    /// Puts this process in a group of its own, until this is dropped; children to
    /// come inherit it. Or where that is not allowed, takes the group that it is
    /// in, if nobody else is. `None` if it is not allowed and others are.
    ///
    /// A group is made only where nothing comes with it but the sum: elsewhere the
    /// kernel would schedule, or charge memory, by group, and what is measured
    /// would change.
    pub(crate) fn begin(files: &KernelFiles, accounting: Accounting) -> Option<OwnControlGroup> {
        let (current, controls) = current(files, accounting)?;
        remove_abandoned(files, &current);
        if !controls {
            if let Some(group) = OwnControlGroup::make(accounting, &current) {
                return Some(group);
            }
        }
        let processes = Processes::now(files)?;
        if !is_of_family(&current, &processes) {
            return None;
        }
        let group = OwnControlGroup { accounting, directory: current, came_from: None };
        group.used()?;
        Some(group)
    }

    fn make(accounting: Accounting, parent: &Path) -> Option<OwnControlGroup> {
        let id = std::process::id().to_string();
        let directory = parent.join(format!("{NAME}{id}"));
        fs::create_dir(&directory).ok()?;
        let came_from = Some(parent.to_owned());
        // From here on it is removed when dropped.
        let group = OwnControlGroup { accounting, directory, came_from };
        if accounting == Accounting::V2 {
            // Or each context switch accounts for pressure once more. Older
            // kernels have no such switch.
            drop(fs::write(group.directory.join("cgroup.pressure"), "0"));
        }
        fs::write(group.directory.join(PROCESSES), id).ok()?;
        group.used()?;
        Some(group)
    }

    /// The CPU time of all that were in it, since it was made.
    pub(crate) fn used(&self) -> Option<Duration> {
        match self.accounting {
            Accounting::V2 => {
                let text = fs::read_to_string(self.directory.join("cpu.stat"));
                usage_usec(&text.ok()?).map(Duration::from_micros)
            }
            Accounting::Cpuacct => {
                let file = self.directory.join("cpuacct.usage");
                let text = fs::read_to_string(file).ok()?;
                text.trim().parse().ok().map(Duration::from_nanos)
            }
        }
    }

    pub(crate) fn accounting(&self) -> Accounting {
        self.accounting
    }
}

impl Drop for OwnControlGroup {
    fn drop(&mut self) {
        let Some(came_from) = &self.came_from else { return };
        for _ in 0..REMOVALS {
            for id in ids(&self.directory) {
                // Who has ended meanwhile need not move.
                drop(fs::write(came_from.join(PROCESSES), id.to_string()));
            }
            if fs::remove_dir(&self.directory).is_ok() {
                return;
            }
            sleep(Duration::from_millis(10));
        }
        // The next run removes it.
    }
}

/// The directory of the group that this process is in, and whether a group made
/// below it would control its processes, not only add up what they use.
fn current(files: &KernelFiles, accounting: Accounting) -> Option<(PathBuf, bool)> {
    let (group, controls) = match accounting {
        Accounting::V2 => {
            let group = ControlGroup::unified(files)?;
            let file = files.path(group.directory.join("cgroup.subtree_control"));
            let controls = !fs::read_to_string(file).ok()?.trim().is_empty();
            (group, controls)
        }
        Accounting::Cpuacct => {
            let group = ControlGroup::with_controller(files, "cpuacct")?;
            let controls = group.controllers.len() > 1;
            (group, controls)
        }
    };
    Some((files.path(group.directory), controls))
}

/// The field of that name in a group's `cpu.stat`.
fn usage_usec(text: &str) -> Option<u64> {
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix("usage_usec ")?.parse().ok())
}

/// The processes in a group, without those of groups below it.
fn ids(group: &Path) -> Vec<i32> {
    let text = fs::read_to_string(group.join(PROCESSES)).unwrap_or_default();
    text.lines().filter_map(|id| id.parse().ok()).collect()
}

/// Whether all processes in a group and those below it are of this one's family.
/// What the kernel does not let us see has the id 0, which is nobody's.
fn is_of_family(group: &Path, processes: &Processes) -> bool {
    let is_family = |id: &i32| *id != 0 && processes.is_family(*id);
    ids(group).iter().all(is_family)
        && below_it(group).iter().all(|group| is_of_family(group, processes))
}

/// The groups right below a group.
fn below_it(group: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(group).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// Removes the groups of runs that were killed: those of ids that no process has.
/// Where processes are left in one, the kernel does not let it be removed.
fn remove_abandoned(files: &KernelFiles, parent: &Path) {
    for group in below_it(parent) {
        let name = group.file_name().and_then(|name| name.to_str());
        let id = name.and_then(|name| name.strip_prefix(NAME));
        let Some(id) = id.and_then(|id| id.parse::<u32>().ok()) else {
            continue;
        };
        if !is_running(files, id) {
            drop(fs::remove_dir(group));
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::control_groups::tests::{MOUNTS_OF_ONE, MOUNTS_OF_TWO};
    use crate::kernel_files::tests::made;

    #[test]
    fn the_use_is_found_among_other_fields() {
        let text = "nice_usec 3\nusage_usec 733400755\nuser_usec 598153626\n";
        assert_eq!(usage_usec(text), Some(733_400_755));
        assert_eq!(usage_usec("user_usec 5\n"), None);
    }

    #[test]
    fn only_groups_of_the_dead_are_abandoned() {
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let parent = tempfile::tempdir().unwrap();
        let make = |name: String| {
            let directory = parent.path().join(name);
            fs::create_dir(&directory).unwrap();
            directory
        };
        let abandoned = make(format!("{NAME}{}", ended.id()));
        let used = make(format!("{NAME}{}", std::process::id()));
        let foreign = make("user.slice".to_owned());
        remove_abandoned(&KernelFiles::of_this_computer(), parent.path());
        assert!(!abandoned.exists());
        assert!(used.exists() && foreign.exists());
    }

    /// What a process's `stat` says, of the process `id` that `parent` has started.
    fn stat(id: u32, parent: u32) -> String {
        format!("{id} (run) S {parent} 1 1{}\n", " 0".repeat(46))
    }

    /// A group of version 2 that controls, so that none is made below it, with these processes.
    fn in_a_group_with(processes: &str) -> Option<Duration> {
        let me = std::process::id();
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "0::/box\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_TWO),
            ("/proc/1/stat", &stat(1, 0)),
            (&format!("/proc/{me}/stat"), &stat(me, 1)),
            ("/proc/999999/stat", &stat(999_999, 2)),
            ("/sys/fs/cgroup/box/cgroup.subtree_control", "cpu pids\n"),
            ("/sys/fs/cgroup/box/cgroup.procs", processes),
            ("/sys/fs/cgroup/box/cpu.stat", "usage_usec 1500\nuser_usec 900\n"),
        ]);
        assert!(OwnControlGroup::begin(&files, Accounting::Cpuacct).is_none());
        OwnControlGroup::begin(&files, Accounting::V2)?.used()
    }

    #[test]
    fn a_group_that_a_run_has_to_itself_is_its_own() {
        let me = std::process::id();
        let used = Some(Duration::from_micros(1_500));
        assert_eq!(in_a_group_with(&format!("1\n{me}\n")), used);
        assert_eq!(in_a_group_with(&format!("{me}\n999999\n")), None);
        assert_eq!(in_a_group_with(&format!("0\n{me}\n")), None);
    }

    #[test]
    fn in_version_1_the_group_is_that_of_the_accounting() {
        let me = std::process::id();
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "2:cpu,cpuacct:/box\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_ONE),
            (&format!("/proc/{me}/stat"), &stat(me, 1)),
            ("/sys/fs/cgroup/cpu,cpuacct/box/cgroup.procs", &format!("{me}\n")),
            ("/sys/fs/cgroup/cpu,cpuacct/box/cpuacct.usage", "2500\n"),
        ]);
        let group = OwnControlGroup::begin(&files, Accounting::Cpuacct).unwrap();
        assert_eq!(group.used(), Some(Duration::from_nanos(2_500)));
        assert!(OwnControlGroup::begin(&files, Accounting::V2).is_none());
    }

    #[test]
    fn where_no_groups_are_a_run_has_none() {
        let (_root, files) = made(&[]);
        for accounting in [Accounting::V2, Accounting::Cpuacct] {
            assert!(OwnControlGroup::begin(&files, accounting).is_none());
        }
    }

    /// Leaves a group behind as a killed run does.
    pub(crate) fn abandon_group(accounting: Accounting) -> Option<PathBuf> {
        let mut ended = std::process::Command::new("true").spawn().ok()?;
        ended.wait().ok()?;
        let group = current_group(accounting)?.join(format!("{NAME}{}", ended.id()));
        fs::create_dir(&group).ok()?;
        Some(group)
    }

    /// The group that this process is in.
    pub(crate) fn current_group(accounting: Accounting) -> Option<PathBuf> {
        let files = KernelFiles::of_this_computer();
        current(&files, accounting).map(|(directory, _)| directory)
    }
}
