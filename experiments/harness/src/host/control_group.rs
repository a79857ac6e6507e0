//! A control group of the run's own, whose CPU time the kernel adds up: also that
//! of processes which have ended, or lost their parents.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use procfs::process::{MountInfo, Process};
use procfs::ProcessCGroup;

use super::processes::Processes;

/// The name of a group that is made for a run, before the id of its process.
const NAME: &str = "threads-tasks-and-cores-";

/// The file with the ids of a group's processes. Who is written to it moves there,
/// with all threads.
const PROCESSES: &str = "cgroup.procs";

/// How often it is tried to remove a group whose last processes are ending.
const REMOVALS: usize = 20;

/// Which of the kernel's two kinds of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Version 2, where every group has its CPU time.
    V2,
    /// Version 1, the controller `cpuacct`.
    Cpuacct,
}

/// A group in which no processes are but the run's.
#[derive(Debug)]
pub(super) struct Group {
    kind: Kind,
    directory: PathBuf,
    /// Where this process goes back to, if the group was made for it.
    came_from: Option<PathBuf>,
}

impl Group {
    /// Puts this process in a group of its own, until this is dropped; children to
    /// come inherit it. Or where that is not allowed, takes the group that it is
    /// in, if nobody else is. `None` if it is not allowed and others are.
    ///
    /// A group is made only where nothing comes with it but the sum: elsewhere the
    /// kernel would schedule, or charge memory, by group, and what is measured
    /// would change.
    pub(super) fn begin(kind: Kind) -> Option<Group> {
        let (current, controls) = current(kind)?;
        remove_abandoned(&current);
        if !controls {
            if let Some(group) = Group::make(kind, &current) {
                return Some(group);
            }
        }
        let processes = Processes::now()?;
        if !is_of_family(&current, &processes) {
            return None;
        }
        let group = Group { kind, directory: current, came_from: None };
        group.used()?;
        Some(group)
    }

    fn make(kind: Kind, parent: &Path) -> Option<Group> {
        let id = std::process::id().to_string();
        let directory = parent.join(format!("{NAME}{id}"));
        fs::create_dir(&directory).ok()?;
        let came_from = Some(parent.to_owned());
        // From here on it is removed when dropped.
        let group = Group { kind, directory, came_from };
        if kind == Kind::V2 {
            // Or each context switch accounts for pressure once more. Older
            // kernels have no such switch.
            drop(fs::write(group.directory.join("cgroup.pressure"), "0"));
        }
        fs::write(group.directory.join(PROCESSES), id).ok()?;
        group.used()?;
        Some(group)
    }

    /// The CPU time of all that were in it, since it was made.
    pub(super) fn used(&self) -> Option<Duration> {
        match self.kind {
            Kind::V2 => {
                let text = fs::read_to_string(self.directory.join("cpu.stat"));
                usage_usec(&text.ok()?).map(Duration::from_micros)
            }
            Kind::Cpuacct => {
                let file = self.directory.join("cpuacct.usage");
                let text = fs::read_to_string(file).ok()?;
                text.trim().parse().ok().map(Duration::from_nanos)
            }
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }
}

impl Drop for Group {
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
fn current(kind: Kind) -> Option<(PathBuf, bool)> {
    let me = Process::myself().ok()?;
    let is_of_kind = |group: &ProcessCGroup| match kind {
        Kind::V2 => group.hierarchy == 0,
        Kind::Cpuacct => group.controllers.iter().any(|c| c == "cpuacct"),
    };
    let group = me.cgroups().ok()?.0.into_iter().find(is_of_kind)?;
    let is_its_mount = |mount: &MountInfo| match kind {
        Kind::V2 => mount.fs_type == "cgroup2",
        Kind::Cpuacct => {
            mount.fs_type == "cgroup"
                && mount.super_options.contains_key("cpuacct")
        }
    };
    let mount = me.mountinfo().ok()?.0.into_iter().find(is_its_mount)?;
    let directory = below(&mount.mount_point, &mount.root, &group.pathname)?;
    let controls = match kind {
        Kind::V2 => {
            let file = directory.join("cgroup.subtree_control");
            !fs::read_to_string(file).ok()?.trim().is_empty()
        }
        Kind::Cpuacct => group.controllers.len() > 1,
    };
    Some((directory, controls))
}

/// The directory of a group, where a mount shows the groups from `root` on; `None`
/// if it does not show that one.
fn below(mount: &Path, root: &str, group: &str) -> Option<PathBuf> {
    if group.split('/').any(|part| part == "..") {
        return None;
    }
    let group = Path::new(group).strip_prefix(root).ok()?;
    Some(mount.join(group))
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
fn remove_abandoned(parent: &Path) {
    for group in below_it(parent) {
        let name = group.file_name().and_then(|name| name.to_str());
        let id = name.and_then(|name| name.strip_prefix(NAME));
        let Some(id) = id.and_then(|id| id.parse::<u32>().ok()) else {
            continue;
        };
        if !Path::new(&format!("/proc/{id}")).exists() {
            drop(fs::remove_dir(group));
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn a_mount_shows_groups_from_its_root_on() {
        let mount = Path::new("/sys/fs/cgroup");
        let of = |root, group| below(mount, root, group);
        assert_eq!(of("/", "/"), Some(mount.to_owned()));
        assert_eq!(of("/", "/a/b"), Some(mount.join("a/b")));
        assert_eq!(of("/a", "/a/b"), Some(mount.join("b")));
        assert_eq!(of("/c", "/a/b"), None);
        assert_eq!(of("/", "/../b"), None);
    }

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
        remove_abandoned(parent.path());
        assert!(!abandoned.exists());
        assert!(used.exists() && foreign.exists());
    }

    /// Leaves a group behind as a killed run does.
    pub(in crate::host) fn abandon_group(kind: Kind) -> Option<PathBuf> {
        let mut ended = std::process::Command::new("true").spawn().ok()?;
        ended.wait().ok()?;
        let group = current(kind)?.0.join(format!("{NAME}{}", ended.id()));
        fs::create_dir(&group).ok()?;
        Some(group)
    }

    /// The group that this process is in.
    pub(in crate::host) fn current_group(kind: Kind) -> Option<PathBuf> {
        current(kind).map(|(directory, _)| directory)
    }
}
