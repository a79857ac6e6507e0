//! The limits on this process's threads, tasks and sockets, and which of them would be reached
//! first.

use std::path::PathBuf;

use procfs_core::process::Status;
use procfs_core::{LoadAverage, Meminfo};

use crate::control_groups::{field, limits};
use crate::kernel_files::KernelFiles;
use crate::limits::soft_limit;

/// A kind of resource that a program may create in large numbers.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// Operating-system threads.
    Threads,
    /// Tasks of a runtime, which are invisible to the kernel.
    Tasks,
    /// Sockets or other open files.
    Sockets,
    /// Executors that use io_uring and lock memory for it, such as Glommio's.
    Rings,
}

/// The memory that one unit (a thread, a task or a socket) adds to its process.
#[derive(Debug, Clone, Copy, Default)]
pub struct UnitMemory {
    /// The size of the mapped address space, in bytes.
    pub virtual_bytes: u64,
    /// The resident pages that one unit adds, including those of the kernel, in bytes.
    pub resident_bytes: u64,
}

/// A limit on the number of threads, tasks or sockets. The numbers are in the limit's own
/// measure, such as bytes.
#[derive(Debug)]
pub struct Limit {
    /// The kernel's name for the limit, or the file that contains it.
    pub name: String,
    /// The maximum that the limit allows; `None` if there is no limit, or if it is not known.
    pub most: Option<u64>,
    /// The amount in use now.
    pub used: u64,
    /// The amount that each further thread, task or socket uses.
    pub per_unit: u64,
    /// True if other programs share the limit, so that exhausting it affects the whole machine.
    pub is_shared: bool,
    /// The command that raises the limit, with placeholders for the limit's name and the required
    /// value.
    raise: &'static str,
}

const SYSCTL: &str = "sudo sysctl NAME=NEEDED";
const FILE: &str = "echo NEEDED | sudo tee NAME";

/// The names of the limits that apply to this process alone.
const OF_THE_PROCESS: [&str; 3] = ["vm.max_map_count", "RLIMIT_NOFILE", "RLIMIT_AS"];

impl Limit {
    fn new(name: &str, most: Option<u64>, used: u64, per_unit: u64, raise: &'static str) -> Limit {
        let is_shared = !OF_THE_PROCESS.contains(&name);
        Limit { name: name.to_owned(), most, used, per_unit, is_shared, raise }
    }

    /// Returns how many more threads, tasks or sockets the limit allows; `None` if there is no
    /// maximum.
    pub fn room(&self) -> Option<u64> {
        self.most?.saturating_sub(self.used).checked_div(self.per_unit)
    }

    /// Returns whether the limit allows `units` more threads, tasks or sockets.
    pub fn allows(&self, units: u64) -> bool {
        self.room().is_none_or(|room| units <= room)
    }

    /// Returns the command that raises the limit to allow `units` more threads, tasks or sockets.
    pub fn raised_for(&self, units: u64) -> String {
        let needed = self.used + units.saturating_mul(self.per_unit);
        let raise = self.raise.replace("KIB", &needed.div_ceil(1024).to_string());
        raise.replace("NEEDED", &needed.to_string()).replace("NAME", &self.name)
    }
}

/// Returns all limits on units of `kind`, such as threads, that need `memory` each. The limit
/// that would be reached first comes first.
pub fn limits_on(kind: Kind, memory: UnitMemory) -> Vec<Limit> {
    all_on(&KernelFiles::of_this_computer(), kind, memory)
}

fn all_on(files: &KernelFiles, kind: Kind, memory: UnitMemory) -> Vec<Limit> {
    let mut all = match kind {
        Kind::Threads => on_threads(files),
        Kind::Tasks => Vec::new(),
        Kind::Sockets => {
            // The file contains the number of files in use, the number of free ones, and the
            // maximum.
            let of_all = files.text("/proc/sys/fs/file-nr").unwrap_or_default();
            let used = of_all.split('\t').next().and_then(|used| used.parse().ok()).unwrap_or(0);
            let name = "fs.file-max";
            vec![on_open_files(files), Limit::new(name, files.sysctl(name), used, 1, SYSCTL)]
        }
        Kind::Rings => vec![on_locked_memory(files)],
    };
    let status: Option<Status> = files.parsed("/proc/self/status");
    let mapped = status.and_then(|status| status.vmsize).unwrap_or(0) << 10;
    let UnitMemory { virtual_bytes, resident_bytes } = memory;
    let most = soft_limit(files, |of| of.max_address_space);
    all.push(Limit::new("RLIMIT_AS", most, mapped, virtual_bytes, "ulimit -v KIB"));
    if let Some(memory) = files.parsed::<Meminfo>("/proc/meminfo") {
        let other = "a machine with more memory, or units that hold less";
        all.push(Limit::new("MemAvailable", memory.mem_available, 0, resident_bytes, other));
        // Mapped but untouched memory is only limited if the kernel never overcommits.
        let name = "vm.overcommit_memory";
        let most = memory.commit_limit.filter(|_| files.sysctl(name) == Some(2));
        let raise = "sudo sysctl vm.overcommit_memory=0";
        all.push(Limit::new(name, most, memory.committed_as, virtual_bytes, raise));
    }
    all.extend(on_memory_of_groups(files, resident_bytes));
    all.sort_by_key(|limit| limit.room().unwrap_or(u64::MAX));
    all
}

/// Checks in advance that this process may create `threads` more threads. This matters because
/// `std` may abort the process if it can't map the guard page of a new thread.
///
/// Fails if a limit is too low. The error names the limit, the required and the current value,
/// and how to raise the limit. A limit that can't be read is taken as no limit.
pub fn room_for_threads(threads: u64) -> Result<(), String> {
    fit(on_threads(&KernelFiles::of_this_computer()), threads, "threads")
}

/// Checks that this process may open `files` more files, plus some for the rest of the program.
/// Fails like [`room_for_threads`].
pub fn room_for_files(files: u64) -> Result<(), String> {
    const OTHERS: u64 = 100;
    fit(vec![on_open_files(&KernelFiles::of_this_computer())], files + OTHERS, "files")
}

/// Checks that this process may create `executors` executors that lock memory for io_uring, as
/// Glommio's do. Fails like [`room_for_threads`].
pub fn room_for_rings(executors: u64) -> Result<(), String> {
    fit(vec![on_locked_memory(&KernelFiles::of_this_computer())], executors, "executors of Glommio")
}

fn fit(limits: Vec<Limit>, units: u64, of: &str) -> Result<(), String> {
    let Some(limit) = limits.into_iter().find(|limit| !limit.allows(units)) else {
        return Ok(());
    };
    let (more, most) = (units.saturating_mul(limit.per_unit), limit.most.unwrap_or_default());
    let (raise, Limit { name, used, .. }) = (limit.raised_for(units), limit);
    Err(format!(
        "{units} {of} need {more} more of {name}, which allows {most}, with {used} in use: {raise}"
    ))
}

fn on_open_files(files: &KernelFiles) -> Limit {
    let open = files.entries("/proc/self/fd").count() as u64;
    let most = soft_limit(files, |of| of.max_open_files);
    Limit::new("RLIMIT_NOFILE", most, open, 1, "ulimit -n NEEDED")
}

/// The size of the memory that a Glommio executor locks, in bytes.
pub(crate) const GLOMMIO_LOCKS: u64 = 512 << 10;

/// Returns how many bytes a user may lock in memory; `None` if there is no limit, or if the limit
/// is not known.
pub(crate) fn lockable(files: &KernelFiles) -> Option<u64> {
    soft_limit(files, |of| of.max_locked_memory)
}

/// Returns the limit on locked memory. Assumes that none is in use: the kernel adds up the locked
/// memory of a user, but doesn't reveal the sum.
fn on_locked_memory(files: &KernelFiles) -> Limit {
    Limit::new("RLIMIT_MEMLOCK", lockable(files), 0, GLOMMIO_LOCKS, "ulimit -l KIB")
}

/// Returns the limits on the number of threads. Limits on memory are not included.
fn on_threads(files: &KernelFiles) -> Vec<Limit> {
    let mappings = files.text("/proc/self/maps").map_or(0, |maps| maps.lines().count() as u64);
    // The number of threads on the whole machine.
    let running = files.parsed("/proc/loadavg").map_or(0, |load: LoadAverage| load.max.into());
    // A thread has four mappings: a stack and a stack for signals, each with a guard page.
    let of_kernel = [
        ("vm.max_map_count", mappings, 4),
        ("kernel.threads-max", running, 1),
        ("kernel.pid_max", running, 1),
    ];
    let of_kernel = of_kernel
        .map(|(name, used, each)| Limit::new(name, files.sysctl(name), used, each, SYSCTL));
    let of_groups = limits(files, "pids", ["pids.max"; 2]).into_iter().map(|file| {
        let used = files.number(file.with_file_name("pids.current")).unwrap_or(0);
        Limit::new(&file.to_string_lossy(), files.number(&file), used, 1, FILE)
    });
    of_kernel.into_iter().chain(on_processes_of_the_user(files)).chain(of_groups).collect()
}

/// Returns the limit on the threads of a user. `None` if the kernel exempts this process: if it
/// runs as root, or may override limits or administer the system.
fn on_processes_of_the_user(files: &KernelFiles) -> Option<Limit> {
    const SYS_ADMIN: u64 = 1 << 21;
    const SYS_RESOURCE: u64 = 1 << 24;
    let me: Status = files.parsed("/proc/self/status")?;
    if me.ruid == 0 || me.capeff & (SYS_ADMIN | SYS_RESOURCE) != 0 {
        return None;
    }
    let of_user = files.of_processes("status").filter(|status: &Status| status.ruid == me.ruid);
    let threads = of_user.map(|status| status.threads).sum();
    let most = soft_limit(files, |of| of.max_processes);
    Some(Limit::new("RLIMIT_NPROC", most, threads, 1, "ulimit -u NEEDED"))
}

fn on_memory_of_groups(files: &KernelFiles, per_unit: u64) -> Vec<Limit> {
    // Version 1 of control groups expresses "no limit" by the largest possible number of whole
    // pages.
    const NO_LIMIT: u64 = 1 << 62;
    let of = |file: PathBuf| {
        let (used, dropped) = if file.ends_with("memory.max") {
            ("memory.current", "inactive_file")
        } else {
            ("memory.usage_in_bytes", "total_inactive_file")
        };
        // Inactive file pages aren't counted as used, since the kernel may drop them at any time.
        let statistics = files.text(file.with_file_name("memory.stat")).unwrap_or_default();
        let dropped = field(&statistics, dropped).unwrap_or(0);
        let used = files.number(file.with_file_name(used)).unwrap_or(0).saturating_sub(dropped);
        let most = files.number(&file).filter(|&most| most < NO_LIMIT);
        Limit::new(&file.to_string_lossy(), most, used, per_unit, FILE)
    };
    let files = limits(files, "memory", ["memory.limit_in_bytes", "memory.max"]);
    files.into_iter().map(of).collect()
}

/// Returns the limit on the stack of a process's first thread, in bytes; `None` if there is no
/// limit, or if it is not known.
pub fn first_stack() -> Option<u64> {
    soft_limit(&KernelFiles::of_this_computer(), |of| of.max_stack_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::{made, process_limits};

    #[test]
    fn threads_fit_until_a_limit_refuses_and_what_is_in_use_counts() {
        let kernel = "/proc/loadavg 0.10 0.20 0.30 1/400 4242\n/proc/self/maps a\nb\n\
                      /proc/sys/vm/max_map_count 402\n/proc/sys/kernel/threads-max 480";
        // The group of the process is limited, and so are the groups that contain it.
        let version_2 = "/proc/self/cgroup 0::/a/b\n\
                         /sys/fs/cgroup/a/b/pids.max max\n/sys/fs/cgroup/a/b/pids.current 5\n\
                         /sys/fs/cgroup/a/pids.max 100\n/sys/fs/cgroup/a/pids.current 30";
        let version_1 = "/proc/self/cgroup 8:pids:/a\n0::/\n/sys/fs/cgroup/pids/a/pids.max 100";
        for (given, few, many, reason) in [
            (
                kernel,
                80,
                81,
                "81 more of kernel.threads-max, which allows 480, with 400 in use: \
                 sudo sysctl kernel.threads-max=481",
            ),
            (
                kernel,
                80,
                101,
                "404 more of vm.max_map_count, which allows 402, with 2 in use: \
                 sudo sysctl vm.max_map_count=406",
            ),
            (
                version_2,
                70,
                71,
                "/sys/fs/cgroup/a/pids.max, which allows 100, with 30 in use: \
                 echo 101 | sudo tee /sys/fs/cgroup/a/pids.max",
            ),
            (
                version_1,
                100,
                101,
                "/sys/fs/cgroup/pids/a/pids.max, which allows 100, with 0 in use: \
                 echo 101 | sudo tee /sys/fs/cgroup/pids/a/pids.max",
            ),
        ] {
            let (_root, files) = made(given);
            assert_eq!(fit(on_threads(&files), few, "threads"), Ok(()));
            let found = fit(on_threads(&files), many, "threads").unwrap_err();
            assert!(found.ends_with(reason), "{found}");
        }
    }

    #[test]
    fn what_is_not_known_is_no_limit() {
        let (_root, files) = made("");
        fit(on_threads(&files), 1 << 40, "threads").unwrap();
        let unit = UnitMemory { virtual_bytes: 4096, resident_bytes: 4096 };
        for kind in [Kind::Threads, Kind::Tasks, Kind::Sockets, Kind::Rings] {
            assert!(all_on(&files, kind, unit).iter().all(|limit| limit.allows(1 << 40)));
        }
    }

    /// Returns the content of a process's file `status` with these fields.
    fn status(of: &str, user: u32, threads: u32, capabilities: &str) -> String {
        format!(
            "/proc/{of}/status Name:\trun\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t7\nNgid:\t0\nPid:\t7\n\
             PPid:\t1\nTracerPid:\t0\nUid:\t{user}\t{user}\t{user}\t{user}\n\
             Gid:\t{user}\t{user}\t{user}\t{user}\nFDSize:\t64\nGroups:\t \n\
             VmSize:\t 4000 kB\nThreads:\t{threads}\nSigQ:\t0/96365\nSigPnd:\t0\nShdPnd:\t0\n\
             SigBlk:\t0\nSigIgn:\t0\nSigCgt:\t0\nCapInh:\t0\nCapPrm:\t0\nCapEff:\t{capabilities}\n\
             CapBnd:\t0\nCapAmb:\t0\nCpus_allowed:\t3\nCpus_allowed_list:\t0-1\n\
             voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n"
        )
    }

    #[test]
    fn a_users_threads_count_in_all_its_processes_unless_it_may_override_limits() {
        for (user, capabilities, expected) in [
            (1_000, "0", Some((Some(33), "ulimit -u 107".to_owned()))),
            (0, "0", None),
            (1_000, "1000000", None),
            (1_000, "200000", None),
        ] {
            let processes = ["self", "7"].map(|of| status(of, user, 2, capabilities));
            let others = status("8", user, 5, "0") + &status("9", 4_000, 100, "0");
            let limits = process_limits(["1024", "unlimited", "40"]);
            let (_root, files) = made(&(processes.concat() + &others + &limits));
            let limit = on_processes_of_the_user(&files);
            let found = limit.map(|limit| (limit.room(), limit.raised_for(100)));
            assert_eq!(found, expected, "{user} {capabilities}");
        }
    }

    #[test]
    fn the_first_to_refuse_comes_first_with_what_raises_it() {
        let (_root, files) = made(
            &(process_limits(["1024", "1048576", "unlimited"])
                + "/proc/self/fd/0 \n/proc/self/fd/1 \n/proc/sys/fs/file-nr 1000\t0\t1500\n\
                   /proc/sys/fs/file-max 1500\n/proc/self/cgroup 4:memory:/a\n0::/b\n\
                   /sys/fs/cgroup/memory/a/memory.limit_in_bytes 1000000\n\
                   /sys/fs/cgroup/memory/a/memory.usage_in_bytes 250000\n\
                   /sys/fs/cgroup/memory/a/memory.stat inactive_file 1\ntotal_inactive_file 50000\n\
                   /sys/fs/cgroup/memory/memory.limit_in_bytes 9223372036854771712\n\
                   /sys/fs/cgroup/memory/memory.usage_in_bytes 700"),
        );
        let unit = UnitMemory { virtual_bytes: 1 << 21, resident_bytes: 20_000 };
        let found = [Kind::Sockets, Kind::Rings, Kind::Tasks].map(|kind| {
            let limits = all_on(&files, kind, unit).into_iter();
            let told = limits.map(|limit| {
                let raised = limit.raised_for(2_000);
                format!(
                    "{} {:?} {} {:?}: {raised}",
                    limit.name,
                    limit.most,
                    limit.used,
                    limit.room()
                )
            });
            told.collect::<Vec<_>>()
        });
        // Pages that the kernel may drop are not counted as used. In version 1 of control groups,
        // a very large number means "no limit".
        let memory = [
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes Some(1000000) 200000 Some(40): \
             echo 40200000 | sudo tee /sys/fs/cgroup/memory/a/memory.limit_in_bytes",
            "RLIMIT_AS None 0 None: ulimit -v 4096000",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes None 700 None: \
             echo 40000700 | sudo tee /sys/fs/cgroup/memory/memory.limit_in_bytes",
        ];
        let rings = "RLIMIT_MEMLOCK Some(1048576) 0 Some(2): ulimit -l 1024000";
        let sockets = [
            "fs.file-max Some(1500) 1000 Some(500): sudo sysctl fs.file-max=3000",
            "RLIMIT_NOFILE Some(1024) 2 Some(1022): ulimit -n 2002",
        ];
        assert_eq!(found[0], [&memory[..1], &sockets, &memory[1..]].concat());
        assert_eq!(found[1], [&[rings][..], &memory].concat());
        assert_eq!(found[2], memory);
    }

    #[test]
    fn version_2_has_its_own_names_for_memory() {
        let (_root, files) = made(
            "/proc/self/cgroup 0::/\n/sys/fs/cgroup/memory.max max\n\
             /sys/fs/cgroup/memory.current 5000\n/sys/fs/cgroup/memory.stat inactive_file 2000",
        );
        let limits = on_memory_of_groups(&files, 1);
        assert_eq!((limits[0].most, limits[0].used), (None, 3_000));
    }
}
