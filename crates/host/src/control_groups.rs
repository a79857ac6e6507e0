//! The control groups that this process is in, and those that we make.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use procfs_core::process::{MountInfo, MountInfos};
use procfs_core::{ProcessCGroup, ProcessCGroups};

use crate::kernel_files::KernelFiles;

/// The file with the ids of a group's processes, without those of groups below it. Who is written to it
/// moves there, with all threads.
pub(crate) const PROCESSES: &str = "cgroup.procs";

/// The group in which this process is, of one hierarchy.
#[derive(Debug, PartialEq)]
pub(crate) struct ControlGroup {
    /// In version 2 of the kernel's groups one hierarchy is for all controllers; in version 1 each
    /// controller, or some together, have one.
    is_version_2: bool,
    /// Its directory, as one of [`KernelFiles`], and those of the groups around it that are shown here,
    /// whose limits hold as well.
    pub(crate) directories: Vec<PathBuf>,
}

impl ControlGroup {
    /// That of version 2.
    pub(crate) fn of_version_2(files: &KernelFiles) -> Option<ControlGroup> {
        of(files, |group| group.hierarchy == 0)
    }

    /// That in which a controller limits this process: a controller is in a hierarchy of version 1 or
    /// in that of version 2.
    pub(crate) fn limiting(files: &KernelFiles, controller: &str) -> Option<ControlGroup> {
        let of_its_own = of(files, |group| group.controllers.iter().any(|name| name == controller));
        of_its_own.or_else(|| ControlGroup::of_version_2(files))
    }
}

/// The files with which a controller limits this process, the nearest first, by their names in version 1 and 2.
pub(crate) fn limits(files: &KernelFiles, controller: &str, names: [&str; 2]) -> Vec<PathBuf> {
    let group = ControlGroup::limiting(files, controller);
    let of = |ControlGroup { is_version_2, directories }: ControlGroup| {
        directories.into_iter().map(move |group| group.join(names[usize::from(is_version_2)]))
    };
    group.into_iter().flat_map(of).collect()
}

fn of(files: &KernelFiles, is_meant: impl Fn(&ProcessCGroup) -> bool) -> Option<ControlGroup> {
    let groups: ProcessCGroups = files.parsed("/proc/self/cgroup")?;
    let mounts: MountInfos = files.parsed("/proc/self/mountinfo")?;
    groups.into_iter().filter(is_meant).find_map(|group| {
        let mount = mounts.iter().find(|mount| shows(mount, &group))?;
        let top = &mount.mount_point;
        let directory = top.join(below(&mount.root, &group.pathname)?);
        let around = directory.ancestors().take_while(|group| group.starts_with(top));
        let directories = around.map(Path::to_owned).collect();
        Some(ControlGroup { is_version_2: group.hierarchy == 0, directories })
    })
}

/// Whether a mount is of the hierarchy of a group.
fn shows(mount: &MountInfo, group: &ProcessCGroup) -> bool {
    match mount.fs_type.as_str() {
        "cgroup2" => group.hierarchy == 0,
        "cgroup" => group.controllers.iter().any(|name| mount.super_options.contains_key(name)),
        _ => false,
    }
}

/// Where a mount that shows the groups from `root` on has a group; `None` if it does not show it.
fn below<'a>(root: &str, group: &'a str) -> Option<&'a Path> {
    let is_outside = group.split('/').any(|part| part == "..");
    Path::new(group).strip_prefix(root).ok().filter(|_| !is_outside)
}

/// The field of that name in a group's `cpu.stat` or `memory.stat`.
pub(crate) fn field(text: &str, name: &str) -> Option<u64> {
    let mut fields = text.lines().filter_map(|line| line.split_once(' '));
    fields.find(|(field, _)| *field == name)?.1.trim().parse().ok()
}

/// A group that we have made. When dropped it is removed, and who is left in it goes back to its parent.
#[derive(Debug)]
pub(crate) struct MadeGroup(pub(crate) PathBuf);

impl MadeGroup {
    /// Makes one for this process, or takes one that another process of this id has left behind.
    pub(crate) fn below(parent: &Path, what_for: &str) -> Option<MadeGroup> {
        let name = format!("threads-tasks-and-cores-{what_for}-{}", std::process::id());
        let group = MadeGroup(parent.join(name));
        (fs::create_dir(&group.0).is_ok() || group.0.exists()).then_some(group)
    }
}

impl Drop for MadeGroup {
    fn drop(&mut self) {
        // Its last processes may be ending.
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
pub(crate) mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    /// What `/proc/self/mountinfo` says where groups are of version 2.
    pub(crate) const MOUNTS_OF_TWO: &str =
        "29 23 0:26 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n";
    /// And where they are of version 1.
    pub(crate) const MOUNTS_OF_ONE: &str = "\
        31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
        33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
        39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
        40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n\
        41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    #[test]
    fn a_controller_limits_in_a_hierarchy_of_its_own_or_in_that_for_all() {
        let two = "0::/user.slice/shell.scope\n";
        let one = "8:pids:/a\n2:cpu,cpuacct:/b\n1:name=systemd:/\n0::/c\n";
        let disk = "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
        let below_a = MOUNTS_OF_TWO.replace(" / ", " /user.slice ");
        let elsewhere = MOUNTS_OF_TWO.replace(" / ", " /system.slice ");
        let all_of_two = "/user.slice/shell.scope/2 /user.slice/2 /2";
        for (groups, mounts, controller, expected) in [
            (two, MOUNTS_OF_TWO, "pids", all_of_two),
            (two, MOUNTS_OF_TWO, "cpuacct", all_of_two),
            (two, &below_a, "pids", "/shell.scope/2 /2"),
            (two, &elsewhere, "pids", ""),
            ("0::/../b\n", MOUNTS_OF_TWO, "pids", ""),
            (one, MOUNTS_OF_ONE, "pids", "/pids/a/1 /pids/1"),
            (one, MOUNTS_OF_ONE, "cpu", "/cpu,cpuacct/b/1 /cpu,cpuacct/1"),
            (one, MOUNTS_OF_ONE, "memory", "/unified/c/2 /unified/2"),
            ("0::/\n", disk, "pids", ""),
            ("", "", "pids", ""),
        ] {
            let (_root, files) =
                made(&[("/proc/self/cgroup", groups), ("/proc/self/mountinfo", mounts)]);
            let found = limits(&files, controller, ["1", "2"]);
            let found = found.iter().map(|file| file.display().to_string());
            let found = found.collect::<Vec<_>>().join(" ").replace("/sys/fs/cgroup", "");
            assert_eq!(found, expected, "{controller} in {groups}");
        }
    }

    #[test]
    fn a_field_is_found_among_others() {
        let text = "nice_usec 3\nusage_usec 733400755\nuser_usec 598153626\n";
        assert_eq!(field(text, "usage_usec"), Some(733_400_755));
        assert_eq!(field("user_usec 5\n", "usage_usec"), None);
    }
}
