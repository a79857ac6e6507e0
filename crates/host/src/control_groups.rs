//! The control groups that this process is in.

use std::path::{Path, PathBuf};

use procfs_core::process::{MountInfo, MountInfos};
use procfs_core::{ProcessCGroup, ProcessCGroups};

use crate::kernel_files::KernelFiles;

/// Which of the kernel's two kinds of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlGroupVersion {
    /// Each controller, or some together, have a hierarchy of their own.
    One,
    /// One hierarchy for all controllers.
    Two,
}

impl ControlGroupVersion {
    /// The file that limits the memory of a group.
    pub(crate) fn memory_limit(self) -> &'static str {
        match self {
            ControlGroupVersion::One => "memory.limit_in_bytes",
            ControlGroupVersion::Two => "memory.max",
        }
    }
}

/// The group in which this process is, of one hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ControlGroup {
    pub(crate) version: ControlGroupVersion,
    /// What the hierarchy controls, in version 1.
    pub(crate) controllers: Vec<String>,
    /// Its directory, as one of [`KernelFiles`].
    pub(crate) directory: PathBuf,
    /// The highest group that is shown here.
    top: PathBuf,
}

impl ControlGroup {
    /// That of version 2.
    pub(crate) fn unified(files: &KernelFiles) -> Option<ControlGroup> {
        all(files).into_iter().find(|group| group.version == ControlGroupVersion::Two)
    }

    /// That of version 1 in whose hierarchy a controller is.
    pub(crate) fn with_controller(files: &KernelFiles, controller: &str) -> Option<ControlGroup> {
        all(files).into_iter().find(|group| group.controllers.iter().any(|name| name == controller))
    }

    /// That in which a controller limits this process: a controller is in a hierarchy of version 1 or
    /// in that of version 2.
    pub(crate) fn limiting(files: &KernelFiles, controller: &str) -> Option<ControlGroup> {
        let of_its_own = ControlGroup::with_controller(files, controller);
        of_its_own.or_else(|| ControlGroup::unified(files))
    }

    /// The directories of the group and of those around it, whose limits hold as well.
    pub(crate) fn and_those_around(&self) -> impl Iterator<Item = &Path> {
        self.directory.ancestors().take_while(|directory| directory.starts_with(&self.top))
    }
}

/// All that are shown here.
fn all(files: &KernelFiles) -> Vec<ControlGroup> {
    let groups: Option<ProcessCGroups> = files.parsed("/proc/self/cgroup");
    let mounts: Option<MountInfos> = files.parsed("/proc/self/mountinfo");
    let (Some(groups), Some(mounts)) = (groups, mounts) else {
        return Vec::new();
    };
    let found = |group: ProcessCGroup| {
        let mount = mounts.iter().find(|mount| shows(mount, &group))?;
        let top = mount.mount_point.clone();
        let version =
            if group.hierarchy == 0 { ControlGroupVersion::Two } else { ControlGroupVersion::One };
        let directory = below(&top, &mount.root, &group.pathname)?;
        Some(ControlGroup { version, controllers: group.controllers, directory, top })
    };
    groups.into_iter().filter_map(found).collect()
}

/// Whether a mount is of the hierarchy of a group.
fn shows(mount: &MountInfo, group: &ProcessCGroup) -> bool {
    if group.hierarchy == 0 {
        return mount.fs_type == "cgroup2";
    }
    let is_its_option = |name: &String| mount.super_options.contains_key(name);
    mount.fs_type == "cgroup" && group.controllers.iter().any(is_its_option)
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
    fn in_version_2_one_group_limits_all() {
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "0::/user.slice/shell.scope\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_TWO),
        ]);
        let group = ControlGroup::unified(&files).unwrap();
        let around: Vec<&Path> = group.and_those_around().collect();
        let expected = ["user.slice/shell.scope", "user.slice", ""];
        assert_eq!(around, expected.map(|group| Path::new("/sys/fs/cgroup").join(group)));
        assert_eq!(ControlGroup::with_controller(&files, "cpuacct"), None);
        assert_eq!(ControlGroup::limiting(&files, "pids"), Some(group));
    }

    #[test]
    fn in_version_1_each_controller_has_its_hierarchy_and_the_rest_may_be_in_the_other() {
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "8:pids:/a\n2:cpu,cpuacct:/b\n1:name=systemd:/\n0::/c\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_ONE),
        ]);
        let directory = |controller| ControlGroup::limiting(&files, controller).unwrap().directory;
        assert_eq!(directory("pids"), Path::new("/sys/fs/cgroup/pids/a"));
        assert_eq!(directory("cpu"), Path::new("/sys/fs/cgroup/cpu,cpuacct/b"));
        assert_eq!(directory("memory"), Path::new("/sys/fs/cgroup/unified/c"));
        let accounting = ControlGroup::with_controller(&files, "cpuacct").unwrap();
        assert_eq!(accounting.controllers, ["cpu", "cpuacct"]);
    }

    #[test]
    fn where_no_groups_are_there_are_none() {
        let (_root, files) = made(&[]);
        assert_eq!(all(&files), []);
        // Nor where they are not mounted.
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "0::/\n"),
            ("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"),
        ]);
        assert_eq!(all(&files), []);
    }
}
