//! How many threads, tasks or sockets this process may have, and what would refuse the next one.

use procfs_core::process::{LimitValue, Status};
use procfs_core::{LoadAverage, Meminfo};

use crate::control_groups::ControlGroup;
use crate::kernel_files::KernelFiles;
use crate::limits::{KernelLimit, ProcessLimits};
use crate::memory::limit_and_use;

/// Of what there are to be many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Threads of the operating system.
    Threads,
    /// Tasks of a runtime, of which the kernel knows nothing.
    Tasks,
    /// Sockets, or other files that are open.
    Sockets,
    /// Executors on io_uring that lock memory, as Glommio's do.
    Rings,
}

/// What a unit adds to the memory of its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnitMemory {
    /// Addresses that are mapped.
    pub virtual_bytes: u64,
    /// Pages that are in memory, the kernel's among them.
    pub resident_bytes: u64,
}

/// One of the limits on how many there can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// What the kernel calls it, or the file in which it is.
    pub name: String,
    /// How much it allows; `None` if it sets no limit, or is not told.
    pub most: Option<u64>,
    /// How much of that is in use.
    pub used: u64,
    /// How much one unit needs.
    pub per_unit: u64,
    /// Whether other programs share it: who uses it up takes the machine from them.
    pub is_shared: bool,
    setting: Setting,
}

/// How a limit is raised.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Setting {
    Sysctl(&'static str),
    /// By the option of `ulimit`, which counts in units of so many.
    Shell {
        option: &'static str,
        unit: u64,
    },
    /// By writing to the file of its name.
    File,
    Advice(&'static str),
}

impl Limit {
    /// For how many more units there is room; `None` for any number.
    pub fn room(&self) -> Option<u64> {
        let left = self.most?.saturating_sub(self.used);
        (self.per_unit > 0).then(|| left / self.per_unit)
    }

    /// Whether it leaves room for so many more units.
    pub fn allows(&self, units: u64) -> bool {
        self.room().is_none_or(|room| units <= room)
    }

    /// What raises it so far that so many more units fit.
    pub fn raised_for(&self, units: u64) -> String {
        let needed = self.used + units.saturating_mul(self.per_unit);
        match self.setting {
            Setting::Sysctl(name) => format!("sudo sysctl {name}={needed}"),
            Setting::Shell { option, unit } => {
                format!("ulimit {option} {}", needed.div_ceil(unit))
            }
            Setting::File => format!("echo {needed} | sudo tee {}", self.name),
            Setting::Advice(advice) => advice.to_owned(),
        }
    }
}

/// All limits on how many of a kind this process may have, each of which needs so much memory: first
/// the one that would refuse first.
pub fn limits_on(kind: Kind, memory: UnitMemory) -> Vec<Limit> {
    all_on(&KernelFiles::of_this_computer(), kind, memory)
}

fn all_on(files: &KernelFiles, kind: Kind, memory: UnitMemory) -> Vec<Limit> {
    let mut limits = match kind {
        Kind::Threads => on_threads(files),
        Kind::Tasks => Vec::new(),
        Kind::Sockets => on_files(files),
        Kind::Rings => on_locked_memory(files).into_iter().collect(),
    };
    limits.extend(on_memory(files, memory));
    limits.sort_by_key(|limit| limit.room().unwrap_or(u64::MAX));
    limits
}

/// Whether this process may have so many more threads at once. `std` ends the
/// whole process, without an error, where a thread's guard page cannot be mapped.
///
/// # Errors
///
/// If a limit is too low, with its name, what is needed, and what there is. What
/// cannot be read is taken for no limit.
pub fn room_for_threads(threads: u64) -> Result<(), String> {
    threads_fit(&KernelFiles::of_this_computer(), threads)
}

fn threads_fit(files: &KernelFiles, threads: u64) -> Result<(), String> {
    let too_low = on_threads(files).into_iter().find(|limit| !limit.allows(threads));
    let Some(Limit { name, most: Some(most), used, per_unit, .. }) = too_low else {
        return Ok(());
    };
    let more = threads.saturating_mul(per_unit);
    Err(format!(
        "{threads} threads need {more} more of {name}, which allows {most}, with {used} in use"
    ))
}

/// The limits on their number, whatever their memory.
fn on_threads(files: &KernelFiles) -> Vec<Limit> {
    // Its stack, its stack for signals, and a guard page for each.
    const MAPPINGS: u64 = 4;
    let mappings = files.text("/proc/self/maps");
    let mappings = mappings.map_or(0, |maps| maps.lines().count() as u64);
    // All threads of the machine.
    let load: Option<LoadAverage> = files.parsed("/proc/loadavg");
    let running = load.map_or(0, |load| u64::from(load.max));
    let of_kernel = |limit: KernelLimit| {
        let (used, per_unit) = match limit {
            KernelLimit::Mappings => (mappings, MAPPINGS),
            KernelLimit::Threads | KernelLimit::Ids => (running, 1),
        };
        Limit {
            name: limit.sysctl().to_owned(),
            most: limit.read(files),
            used,
            per_unit,
            is_shared: limit != KernelLimit::Mappings,
            setting: Setting::Sysctl(limit.sysctl()),
        }
    };
    let mut limits =
        [KernelLimit::Mappings, KernelLimit::Threads, KernelLimit::Ids].map(of_kernel).to_vec();
    limits.extend(on_processes_of_the_user(files));
    let group = ControlGroup::limiting(files, "pids");
    for directory in group.iter().flat_map(ControlGroup::and_those_around) {
        let file = directory.join("pids.max");
        limits.push(Limit {
            name: file.display().to_string(),
            most: files.number(&file),
            used: files.number(directory.join("pids.current")).unwrap_or(0),
            per_unit: 1,
            is_shared: true,
            setting: Setting::File,
        });
    }
    limits
}

/// The limit on the threads of one user, unless the kernel exempts this process from it: root, and who
/// may override limits or administer the system.
fn on_processes_of_the_user(files: &KernelFiles) -> Option<Limit> {
    const SYS_ADMIN: u64 = 1 << 21;
    const SYS_RESOURCE: u64 = 1 << 24;
    let me: Status = files.parsed("/proc/self/status")?;
    if me.ruid == 0 || me.capeff & (SYS_ADMIN | SYS_RESOURCE) != 0 {
        return None;
    }
    let names = files.entries("/proc").map(|entry| entry.file_name());
    let ids = names.filter_map(|name| name.to_str()?.parse::<u32>().ok());
    let all = ids.filter_map(|id| files.parsed::<Status>(format!("/proc/{id}/status")));
    let threads = all.filter(|status| status.ruid == me.ruid).map(|status| status.threads);
    let most = in_number(ProcessLimits::read(files)?.processes);
    let setting = Setting::Shell { option: "-u", unit: 1 };
    let name = "RLIMIT_NPROC".to_owned();
    Some(Limit { name, most, used: threads.sum(), per_unit: 1, is_shared: true, setting })
}

fn on_files(files: &KernelFiles) -> Vec<Limit> {
    let open = files.entries("/proc/self/fd").count() as u64;
    let most = ProcessLimits::read(files).and_then(|limits| in_number(limits.open_files));
    let of_process = Limit {
        name: "RLIMIT_NOFILE".to_owned(),
        most,
        used: open,
        per_unit: 1,
        is_shared: false,
        setting: Setting::Shell { option: "-n", unit: 1 },
    };
    // In use, free, and at most.
    let of_all = files.text("/proc/sys/fs/file-nr").unwrap_or_default();
    let mut of_all = of_all.split_whitespace().map(|number| number.parse().ok());
    let used = of_all.next().flatten().unwrap_or(0);
    let of_machine = Limit {
        name: "fs.file-max".to_owned(),
        most: of_all.nth(1).flatten(),
        used,
        per_unit: 1,
        is_shared: true,
        setting: Setting::Sysctl("fs.file-max"),
    };
    vec![of_process, of_machine]
}

/// The limit on memory that may not be swapped.
fn on_locked_memory(files: &KernelFiles) -> Option<Limit> {
    // What an executor of Glommio asks for before it starts.
    const EACH: u64 = 512 << 10;
    Some(Limit {
        name: "RLIMIT_MEMLOCK".to_owned(),
        most: in_number(ProcessLimits::read(files)?.locked_memory),
        // The kernel adds up what a user has locked, and tells nobody.
        used: 0,
        per_unit: EACH,
        is_shared: true,
        setting: Setting::Shell { option: "-l", unit: 1024 },
    })
}

/// What bounds the stack of a process's first thread, in bytes, and of no other; `None` if nothing does, or it is not
/// told.
pub fn first_stack() -> Option<u64> {
    in_number(ProcessLimits::read(&KernelFiles::of_this_computer())?.stack)
}

/// The limits on memory.
fn on_memory(files: &KernelFiles, unit: UnitMemory) -> Vec<Limit> {
    let status: Option<Status> = files.parsed("/proc/self/status");
    let mapped = status.and_then(|status| status.vmsize).map_or(0, |kib| kib * 1024);
    let addresses = ProcessLimits::read(files).and_then(|limits| in_number(limits.address_space));
    let mut limits = vec![Limit {
        name: "RLIMIT_AS".to_owned(),
        most: addresses,
        used: mapped,
        per_unit: unit.virtual_bytes,
        is_shared: false,
        setting: Setting::Shell { option: "-v", unit: 1024 },
    }];
    if let Some(memory) = files.parsed::<Meminfo>("/proc/meminfo") {
        limits.push(Limit {
            name: "MemAvailable".to_owned(),
            most: memory.mem_available,
            used: 0,
            per_unit: unit.resident_bytes,
            is_shared: true,
            setting: Setting::Advice("a machine with more memory, or units that hold less"),
        });
        // Only then does the kernel refuse what is mapped and not touched.
        const NEVER_OVERCOMMIT: u64 = 2;
        let overcommit = files.number("/proc/sys/vm/overcommit_memory");
        limits.push(Limit {
            name: "vm.overcommit_memory".to_owned(),
            most: memory.commit_limit.filter(|_| overcommit == Some(NEVER_OVERCOMMIT)),
            used: memory.committed_as,
            per_unit: unit.virtual_bytes,
            is_shared: true,
            setting: Setting::Advice("sudo sysctl vm.overcommit_memory=0"),
        });
    }
    let group = ControlGroup::limiting(files, "memory");
    for (group, directory) in
        group.iter().flat_map(|group| group.and_those_around().map(move |at| (group, at)))
    {
        let (most, used) = limit_and_use(files, group.version, directory);
        limits.push(Limit {
            name: directory.join(group.version.memory_limit()).display().to_string(),
            most,
            used: used.unwrap_or(0),
            per_unit: unit.resident_bytes,
            is_shared: true,
            setting: Setting::File,
        });
    }
    limits
}

fn in_number(limit: LimitValue) -> Option<u64> {
    match limit {
        LimitValue::Unlimited => None,
        LimitValue::Value(value) => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_groups::tests::{MOUNTS_OF_ONE, MOUNTS_OF_TWO};
    use crate::kernel_files::tests::{made, process_limits};

    #[cfg(target_os = "linux")]
    #[test]
    fn a_few_threads_fit_and_too_many_are_refused_with_the_limit() {
        room_for_threads(10).unwrap();
        let reason = room_for_threads(1 << 40).unwrap_err();
        assert!(reason.contains("vm.max_map_count"), "{reason}");
    }

    #[test]
    fn what_is_in_use_counts() {
        let (_root, files) = made(&[
            ("/proc/loadavg", "0.10 0.20 0.30 1/400 4242\n"),
            ("/proc/self/maps", "a\nb\n"),
            ("/proc/sys/vm/max_map_count", "402\n"),
            ("/proc/sys/kernel/threads-max", "480\n"),
        ]);
        threads_fit(&files, 80).unwrap();
        let reason = threads_fit(&files, 81).unwrap_err();
        assert!(reason.contains("81 more of kernel.threads-max"), "{reason}");
        assert!(reason.contains("400 in use"), "{reason}");
        let reason = threads_fit(&files, 101).unwrap_err();
        assert!(reason.contains("404 more of vm.max_map_count"), "{reason}");
    }

    #[test]
    fn the_groups_around_limit_as_well_in_version_2() {
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_TWO),
            ("/sys/fs/cgroup/a/b/pids.max", "max\n"),
            ("/sys/fs/cgroup/a/b/pids.current", "5\n"),
            ("/sys/fs/cgroup/a/pids.max", "100\n"),
            ("/sys/fs/cgroup/a/pids.current", "30\n"),
        ]);
        threads_fit(&files, 70).unwrap();
        let reason = threads_fit(&files, 71).unwrap_err();
        assert!(reason.contains("/sys/fs/cgroup/a/pids.max, which allows 100"), "{reason}");
    }

    #[test]
    fn and_in_version_1() {
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "8:pids:/a\n0::/\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_ONE),
            ("/sys/fs/cgroup/pids/a/pids.max", "100\n"),
        ]);
        let reason = threads_fit(&files, 101).unwrap_err();
        assert!(reason.contains("/sys/fs/cgroup/pids/a/pids.max"), "{reason}");
    }

    #[test]
    fn what_is_not_known_is_no_limit() {
        let (_root, files) = made(&[]);
        threads_fit(&files, 1 << 40).unwrap();
        let unit = UnitMemory { virtual_bytes: 4096, resident_bytes: 4096 };
        for kind in [Kind::Threads, Kind::Tasks, Kind::Sockets, Kind::Rings] {
            assert!(all_on(&files, kind, unit).iter().all(|limit| limit.allows(1 << 40)));
        }
    }

    /// The status of a process, as far as it is asked for.
    fn status(id: u32, user: u32, threads: u32, capabilities: &str) -> String {
        let users = [user; 4].map(|user| user.to_string()).join("\t");
        format!(
            "Name:\trun\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t{id}\nNgid:\t0\nPid:\t{id}\n\
             PPid:\t1\nTracerPid:\t0\nUid:\t{users}\nGid:\t{users}\nFDSize:\t64\nGroups:\t \n\
             VmSize:\t 4000 kB\nThreads:\t{threads}\nSigQ:\t0/96365\nSigPnd:\t0\nShdPnd:\t0\n\
             SigBlk:\t0\nSigIgn:\t0\nSigCgt:\t0\nCapInh:\t0\nCapPrm:\t0\nCapEff:\t{capabilities}\n\
             CapBnd:\t0\nCapAmb:\t0\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n\
             voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n"
        )
    }

    /// What limits a user's threads, for a process of this user and with these capabilities.
    fn of_user(user: u32, capabilities: &str) -> Option<Limit> {
        let limits = process_limits(["1024", "unlimited", "40"]);
        let (_root, files) = made(&[
            ("/proc/self/limits", &limits),
            ("/proc/self/status", &status(7, user, 2, capabilities)),
            ("/proc/7/status", &status(7, user, 2, capabilities)),
            ("/proc/8/status", &status(8, user, 5, "0")),
            ("/proc/9/status", &status(9, 4_000, 100, "0")),
        ]);
        on_processes_of_the_user(&files)
    }

    #[test]
    fn a_users_threads_count_in_all_its_processes() {
        let limit = of_user(1_000, "0").unwrap();
        assert_eq!((limit.most, limit.used), (Some(40), 7));
        assert!(limit.allows(33) && !limit.allows(34));
        assert_eq!(limit.raised_for(100), "ulimit -u 107");
    }

    #[test]
    fn who_may_override_limits_has_none_on_threads() {
        assert_eq!(of_user(0, "0"), None);
        assert_eq!(of_user(1_000, "1000000"), None);
        assert_eq!(of_user(1_000, "200000"), None);
    }

    #[test]
    fn the_first_to_refuse_comes_first() {
        let limits = process_limits(["1024", "unlimited", "unlimited"]);
        let (_root, files) = made(&[
            ("/proc/self/limits", &limits),
            ("/proc/self/fd/0", ""),
            ("/proc/self/fd/1", ""),
            ("/proc/sys/fs/file-nr", "1000\t0\t1500\n"),
        ]);
        let limits = all_on(&files, Kind::Sockets, UnitMemory::default());
        let named = limits.iter().map(|limit| (limit.name.as_str(), limit.room()));
        let named: Vec<_> = named.take(3).collect();
        let expected =
            [("fs.file-max", Some(500)), ("RLIMIT_NOFILE", Some(1_022)), ("RLIMIT_AS", None)];
        assert_eq!(named, expected);
        assert_eq!(limits[0].raised_for(2_000), "sudo sysctl fs.file-max=3000");
    }

    #[test]
    fn locked_memory_limits_executors_on_io_uring() {
        let limits = process_limits(["1024", "1048576", "unlimited"]);
        let (_root, files) = made(&[("/proc/self/limits", &limits)]);
        let first = all_on(&files, Kind::Rings, UnitMemory::default()).remove(0);
        assert_eq!((first.name.as_str(), first.room()), ("RLIMIT_MEMLOCK", Some(2)));
        assert_eq!(first.raised_for(3), "ulimit -l 1536");
    }

    #[test]
    fn a_group_limits_memory_by_what_a_unit_touches() {
        let (_root, files) = made(&[
            ("/proc/self/cgroup", "0::/a\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_TWO),
            ("/sys/fs/cgroup/a/memory.max", "1000000\n"),
            ("/sys/fs/cgroup/a/memory.current", "200000\n"),
        ]);
        let unit = UnitMemory { virtual_bytes: 1 << 21, resident_bytes: 20_000 };
        let first = all_on(&files, Kind::Tasks, unit).remove(0);
        assert_eq!(first.name, "/sys/fs/cgroup/a/memory.max");
        assert_eq!(first.room(), Some(40));
        assert_eq!(first.raised_for(100), "echo 2200000 | sudo tee /sys/fs/cgroup/a/memory.max");
    }
}
