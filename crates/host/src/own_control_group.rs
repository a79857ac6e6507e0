//! A control group of the run's own, whose CPU time the kernel adds up: also that
//! of processes which have ended, or lost their parents.

use std::fs;
use std::path::{Path, PathBuf};

use crate::control_groups::{field, ControlGroup, MadeGroup, PROCESSES};
use crate::kernel_files::KernelFiles;
use crate::processes::Processes;

/// A group of version 2 in which no processes are but the run's.
pub(crate) struct OwnControlGroup {
    directory: PathBuf,
    _made: Option<MadeGroup>,
}

impl OwnControlGroup {
    /// Puts this process in a group of its own, until this is dropped; children to
    /// come inherit it. Or where that is not allowed, takes the group that it is
    /// in, if nobody else is. `None` if it is not allowed and others are.
    ///
    /// A group is made only where nothing comes with it but the sum: elsewhere the
    /// kernel would schedule, or charge memory, by group, and what is measured
    /// would change.
    pub(crate) fn begin(files: &KernelFiles) -> Option<OwnControlGroup> {
        let directory = files.path(ControlGroup::of_version_2(files)?.directories.first()?);
        let controls = fs::read_to_string(directory.join("cgroup.subtree_control")).ok()?;
        let made = if controls.trim().is_empty() { move_below(&directory) } else { None };
        let group = match made {
            Some(made) => OwnControlGroup { directory: made.0.clone(), _made: Some(made) },
            None if is_of_family(&directory, &Processes::now(files)?) => {
                OwnControlGroup { directory, _made: None }
            }
            None => return None,
        };
        group.used().is_some().then_some(group)
    }

    /// The CPU time of all that were in it, in seconds.
    pub(crate) fn used(&self) -> Option<f64> {
        let text = fs::read_to_string(self.directory.join("cpu.stat")).ok()?;
        Some(field(&text, "usage_usec")? as f64 / 1e6)
    }
}

fn move_below(parent: &Path) -> Option<MadeGroup> {
    let group = MadeGroup::below(parent, "run")?;
    // Or each context switch accounts for pressure once more. Older
    // kernels have no such switch.
    drop(fs::write(group.0.join("cgroup.pressure"), "0"));
    fs::write(group.0.join(PROCESSES), std::process::id().to_string()).ok()?;
    Some(group)
}

/// Whether all processes in a group and those below it are of this one's family.
/// What the kernel does not let us see has the id 0, which is nobody's.
fn is_of_family(group: &Path, processes: &Processes) -> bool {
    let ids = fs::read_to_string(group.join(PROCESSES)).unwrap_or_default();
    let is_family = |id: &str| id.parse().is_ok_and(|id| id != 0 && processes.is_family(id));
    let below = fs::read_dir(group).into_iter().flatten().flatten().map(|entry| entry.path());
    ids.lines().all(is_family)
        && below.filter(|path| path.is_dir()).all(|group| is_of_family(&group, processes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::{made, process_stat};

    #[test]
    fn a_group_that_a_run_has_to_itself_is_its_own() {
        let me = std::process::id();
        for (processes, below, used) in [
            (format!("1\n{me}"), "1", Some(0.0015)),
            (format!("1\n{me}"), "999999", None),
            (format!("{me}\n999999"), "1", None),
            (format!("0\n{me}"), "1", None),
        ] {
            let run = process_stat(me as i32, 1, "run", 0);
            let (init, other) =
                (process_stat(1, 0, "init", 0), process_stat(999_999, 2, "other", 0));
            // It controls, so that none is made below it.
            let (_root, files) = made(&format!(
                "/proc/self/cgroup 0::/box\n/proc/1/stat {init}/proc/{me}/stat {run}/proc/999999/stat {other}\
                 /sys/fs/cgroup/box/cgroup.subtree_control cpu pids\n\
                 /sys/fs/cgroup/box/below/cgroup.procs {below}\n\
                 /sys/fs/cgroup/box/cgroup.procs {processes}\n\
                 /sys/fs/cgroup/box/cpu.stat usage_usec 1500\nuser_usec 900"
            ));
            let group = OwnControlGroup::begin(&files);
            assert_eq!(group.and_then(|group| group.used()), used, "{processes} {below}");
        }
    }

    #[test]
    fn where_no_groups_are_a_run_has_none() {
        assert!(OwnControlGroup::begin(&made("").1).is_none());
    }
}
