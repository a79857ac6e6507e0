//! The control groups that contain this process, and those that it creates.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use procfs_core::{ProcessCGroup, ProcessCGroups};

use crate::kernel_files::KernelFiles;

/// The file that lists the ids of a group's processes, without those in subgroups. Writing a
/// process's id to the file moves the process there, with all its threads.
pub(crate) const PROCESSES: &str = "cgroup.procs";

/// The mount point of control groups under systemd. Contains the hierarchy of version 2 itself,
/// or the hierarchies of version 1 with that of version 2 in `unified`.
const ALL: &str = "/sys/fs/cgroup";

/// The control group of this process in one hierarchy, and the groups that contain it, whose
/// limits also apply.
pub(crate) struct ControlGroup {
    /// True for version 2 of control groups, where a single hierarchy has all controllers. In
    /// version 1, each hierarchy has one or several controllers.
    is_version_2: bool,
    /// The directories of the groups, innermost first, as paths that [`KernelFiles`] accepts. In
    /// a container, the outer groups may not be visible.
    pub(crate) directories: Vec<PathBuf>,
}

impl ControlGroup {
    pub(crate) fn of_version_2(files: &KernelFiles) -> Option<ControlGroup> {
        let unified = Path::new(ALL).join("unified");
        let is_beside = files.path(&unified).exists();
        let top = if is_beside { &unified } else { Path::new(ALL) };
        of(files, top, |group| group.hierarchy == 0)
    }

    /// Returns the control group in which `controller`, such as `memory`, limits this process: in
    /// the controller's hierarchy of version 1, if it has one, or else in that of version 2.
    pub(crate) fn limiting(files: &KernelFiles, controller: &str) -> Option<ControlGroup> {
        let top = Path::new(ALL).join(controller);
        let of_its_own =
            of(files, &top, |group| group.controllers.iter().any(|of| of == controller));
        of_its_own.or_else(|| ControlGroup::of_version_2(files))
    }
}

/// Returns the paths of the files that hold `controller`'s limits on this process, the innermost
/// group first. `names` holds the file's name in versions 1 and 2 of control groups.
pub(crate) fn limits(files: &KernelFiles, controller: &str, names: [&str; 2]) -> Vec<PathBuf> {
    let group = ControlGroup::limiting(files, controller);
    let of = |ControlGroup { is_version_2, directories }: ControlGroup| {
        directories.into_iter().map(move |group| group.join(names[usize::from(is_version_2)]))
    };
    group.into_iter().flat_map(of).collect()
}

fn of(
    files: &KernelFiles,
    top: &Path,
    is_meant: impl Fn(&ProcessCGroup) -> bool,
) -> Option<ControlGroup> {
    let groups: ProcessCGroups = files.parsed("/proc/self/cgroup")?;
    let group = groups.into_iter().find(is_meant)?;
    // The path of a group outside the visible part of the hierarchy begins with `..`.
    let is_shown = files.path(top).exists() && !group.pathname.contains("/..");
    let directory = top.join(group.pathname.trim_start_matches('/'));
    let around = directory.ancestors().take_while(|directory| directory.starts_with(top));
    let directories = around.map(Path::to_owned).collect();
    is_shown.then_some(ControlGroup { is_version_2: group.hierarchy == 0, directories })
}

/// Returns the value of the field `name` in the text of a `cpu.stat` or `memory.stat`.
pub(crate) fn field(text: &str, name: &str) -> Option<u64> {
    let mut fields = text.lines().filter_map(|line| line.split_once(' '));
    fields.find(|(field, _)| *field == name)?.1.trim().parse().ok()
}

/// A control group that this process has created. Dropping it moves any remaining processes to
/// the parent group and removes the group.
pub(crate) struct MadeGroup(pub(crate) PathBuf);

impl MadeGroup {
    /// Creates a group for this process below `parent`. If an earlier process with the same id
    /// left its group behind, uses that one.
    pub(crate) fn below(parent: &Path, what_for: &str) -> Option<MadeGroup> {
        let name = format!("threads-tasks-and-cores-{what_for}-{}", std::process::id());
        let group = MadeGroup(parent.join(name));
        (fs::create_dir(&group.0).is_ok() || group.0.exists()).then_some(group)
    }
}

impl Drop for MadeGroup {
    fn drop(&mut self) {
        // The group can't be removed while its last processes are exiting.
        for _ in 0..20 {
            for id in fs::read_to_string(self.0.join(PROCESSES)).unwrap_or_default().lines() {
                drop(fs::write(self.0.with_file_name(PROCESSES), id));
            }
            if fs::remove_dir(&self.0).is_ok() || !self.0.exists() {
                return;
            }
            sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    #[test]
    fn a_controller_limits_in_a_hierarchy_of_its_own_or_in_that_for_all() {
        let two = "0::/user.slice/shell.scope\n";
        let one = "8:pids:/a\n2:cpu,cpuacct:/b\n1:name=systemd:/\n0::/c\n";
        let all_of_two = "/user.slice/shell.scope/2 /user.slice/2 /2";
        for (groups, mounted, controller, expected) in [
            (two, "", "pids", all_of_two),
            (two, "", "cpuacct", all_of_two),
            ("0::/../b\n", "", "pids", ""),
            (one, "pids/", "pids", "/pids/a/1 /pids/1"),
            (one, "cpu/", "cpu", "/cpu/b/1 /cpu/1"),
            (one, "unified/", "memory", "/unified/c/2 /unified/2"),
            (one, "unified/", "pids", "/unified/c/2 /unified/2"),
            ("", "", "pids", ""),
        ] {
            let text =
                format!("/proc/self/cgroup {groups}\n/sys/fs/cgroup/{mounted}cgroup.procs 1");
            let (_root, files) = made(&text);
            let found = limits(&files, controller, ["1", "2"]);
            let found = found.iter().map(|file| file.display().to_string());
            let found = found.collect::<Vec<_>>().join(" ").replace(ALL, "");
            assert_eq!(found, expected, "{controller} in {groups}");
        }
        let (_root, files) = made("/proc/self/cgroup 0::/");
        assert!(limits(&files, "pids", ["1", "2"]).is_empty(), "nothing is mounted");
    }
}
