//! Is this computer quiet enough to measure on, and what can it measure?
//!
//! Says what the system says of itself. What it does not say is a finding too, never a guess.

use std::path::PathBuf;
use std::time::Duration;

use measurement::is_disturbed;
use procfs_core::process::LimitValue;

use crate::control_groups::{ControlGroup, ControlGroupVersion};
use crate::cpu_use::CpuUse;
use crate::kernel_files::KernelFiles;
use crate::limits::{in_words, KernelLimit, ProcessLimits};
use crate::machine;
use crate::processor::Processor;
use crate::quiet::{wait_for_quiet, Quiet};

/// How long it is waited for the machine to be quiet. With the windows that it takes to see that it
/// has become so, 20 s at most.
const PATIENCE: Duration = Duration::from_secs(18);

/// How a finding bears on measuring here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As it should be.
    Good,
    /// Worth knowing: it bounds what can be measured, or what figures mean.
    Known,
    /// It makes figures worse, and something can be done about it.
    Mend,
}

impl Standing {
    /// The standing in a word.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Good => "good",
            Standing::Known => "note",
            Standing::Mend => "mend",
        }
    }
}

/// One thing about this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    /// What was found.
    pub found: String,
    /// How it bears on measuring.
    pub standing: Standing,
    /// What it means and what to do; empty if nothing.
    pub advice: String,
}

fn good(what: &'static str, found: impl Into<String>) -> Finding {
    Finding { what, found: found.into(), standing: Standing::Good, advice: String::new() }
}

fn known(what: &'static str, found: impl Into<String>, advice: &str) -> Finding {
    Finding { what, found: found.into(), standing: Standing::Known, advice: advice.to_owned() }
}

fn mend(what: &'static str, found: impl Into<String>, advice: &str) -> Finding {
    Finding { what, found: found.into(), standing: Standing::Mend, advice: advice.to_owned() }
}

/// Looks at everything. If others use the computer, that takes up to 20 s: it waits until they have
/// stopped, which it says by `say`; if they do not, that is a finding.
pub fn examine(say: impl Fn(&str)) -> Vec<Finding> {
    let files = KernelFiles::of_this_computer();
    let own = CpuUse::by_the_process_tree(files.clone());
    let mut findings = vec![others(&wait_for_quiet(&own, PATIENCE, say))];
    findings.extend(told_by(&files));
    findings.push(ring());
    findings
}

fn others(quiet: &Quiet) -> Finding {
    let what = "others";
    let found = quiet.to_string();
    match quiet {
        Quiet::AtOnce | Quiet::After(_) => good(what, found),
        Quiet::Never(_, who) if is_disturbed(who.shares.foreign, 0.0) => mend(
            what,
            found,
            "close what is busy; a run waits a minute for that, then measures all the same and says so",
        ),
        Quiet::Never(..) => known(
            what,
            found,
            "whoever runs this machine shares it out; a run measures all the same and says so",
        ),
        Quiet::NotKnown => known(what, "not known", "look yourself whether other programs are busy"),
    }
}

/// Everything that the kernel's files tell.
fn told_by(files: &KernelFiles) -> Vec<Finding> {
    let mut findings = vec![
        governor(files),
        boost(files),
        threads_of_a_core(files),
        hypervisor(files),
        clock_source(files),
    ];
    findings.extend(process_limits(files));
    findings.extend(KernelLimit::ALL.map(|limit| kernel_limit(files, limit)));
    findings.extend([
        threads_of_groups(files),
        cpu_time_of_groups(files),
        io_uring_switch(files),
        hardware_counters(files),
    ]);
    findings
}

fn governor(files: &KernelFiles) -> Finding {
    let what = "frequency governor";
    match machine::governor(files).as_deref() {
        Some("performance") => good(what, "performance"),
        Some(other) => {
            mend(what, other, "frequencies will move: sudo cpupower frequency-set -g performance")
        }
        None => known(what, "not visible", "whoever runs this machine decides on frequencies"),
    }
}

fn boost(files: &KernelFiles) -> Finding {
    let what = "frequency boost";
    let intel = files.number("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|no| no == 0);
    let other = files.number("/sys/devices/system/cpu/cpufreq/boost").map(|boost| boost == 1);
    match intel.or(other) {
        Some(false) => good(what, "off"),
        Some(true) => known(
            what,
            "on",
            "short work runs at higher frequencies than long work; compare like with like",
        ),
        None => known(what, "not visible", "whoever runs this machine decides on it"),
    }
}

fn threads_of_a_core(files: &KernelFiles) -> Finding {
    let what = "hardware threads";
    match files.text("/sys/devices/system/cpu/smt/active").as_deref() {
        Some("0") => good(what, "one a core, or the guest sees no more"),
        Some("1") => known(
            what,
            "several a core",
            "two busy threads may share a core: placement matters more",
        ),
        _ => known(what, "not known", "look up whether two of the CPUs share a core"),
    }
}

fn hypervisor(files: &KernelFiles) -> Finding {
    let what = "virtual machine";
    let processor = Processor::read(files);
    match processor.and_then(|processor| processor.has("hypervisor")) {
        Some(true) => known(
            what,
            "yes",
            "other guests may take time (see steal in each run), and waking a core costs more",
        ),
        Some(false) => good(what, "no"),
        None => known(what, "not known", "the processor's flags do not tell"),
    }
}

fn clock_source(files: &KernelFiles) -> Finding {
    let what = "clock source";
    match machine::clock_source(files).as_deref() {
        Some(
            source @ ("tsc" | "arch_sys_counter" | "kvm-clock" | "hyperv_clocksource_tsc_page"),
        ) => good(what, source),
        Some(source) => mend(
            what,
            source,
            "each reading is a system call: times under a microsecond are mostly the clock",
        ),
        None => known(what, "not known", "the cost of reading the clock is unknown"),
    }
}

fn process_limits(files: &KernelFiles) -> [Finding; 3] {
    let limits = ProcessLimits::read(files);
    let judged = |what, of: fn(&ProcessLimits) -> LimitValue, enough: u64, advice: &str| {
        let soft = limits.as_ref().map(of);
        match soft {
            None => known(what, "not known", ""),
            Some(LimitValue::Value(value)) if value < enough => {
                mend(what, value.to_string(), advice)
            }
            Some(limit) => good(what, in_words(limit)),
        }
    };
    [
        judged(
            "open files",
            |limits| limits.open_files,
            10_100,
            "5,000 units joined by sockets need more: ulimit -n 20000",
        ),
        judged(
            "locked memory",
            |limits| limits.locked_memory,
            512 << 10,
            "Glommio's rings need 512 KiB: ulimit -l 8192",
        ),
        judged(
            "processes",
            |limits| limits.processes,
            20_000,
            "10,000 threads at once need more: ulimit -u 40000",
        ),
    ]
}

fn kernel_limit(files: &KernelFiles, limit: KernelLimit) -> Finding {
    let what = limit.name();
    let enough = match limit {
        KernelLimit::Ids | KernelLimit::Threads => 32_768,
        // Four mappings a thread, and std aborts the process when one is refused.
        KernelLimit::Mappings => 65_530,
    };
    match limit.read(files) {
        None => known(what, "not known", ""),
        Some(value) if value >= enough => good(what, value.to_string()),
        Some(value) => {
            let name = limit.sysctl();
            let advice =
                format!("10,000 threads at once may need more: sudo sysctl {name}={enough}");
            mend(what, value.to_string(), &advice)
        }
    }
}

/// What a control group allows, in which file.
struct GroupLimit {
    file: PathBuf,
    /// How much; `None` if it sets no limit.
    most: Option<u64>,
    /// As the kernel writes it.
    text: String,
}

fn threads_of_groups(files: &KernelFiles) -> Finding {
    let group = ControlGroup::limiting(files, "pids");
    let directories = group.iter().flat_map(ControlGroup::and_those_around);
    let limits = directories.filter_map(|directory| {
        let file = directory.join("pids.max");
        let text = files.text(&file)?;
        Some(GroupLimit { most: text.parse().ok(), file, text })
    });
    tightest("pids.max", limits, "threads and processes together stay below this, in")
}

fn cpu_time_of_groups(files: &KernelFiles) -> Finding {
    let group = ControlGroup::limiting(files, "cpu");
    let quota = |group: &ControlGroup| -> Vec<GroupLimit> {
        // In version 1 it is -1 where there is none, in version 2 the first word is "max".
        let name = match group.version {
            ControlGroupVersion::One => "cpu.cfs_quota_us",
            ControlGroupVersion::Two => "cpu.max",
        };
        let of = |file: PathBuf| {
            let text = files.text(&file)?;
            let most = text.split(' ').next()?.parse().ok();
            Some(GroupLimit { file, most, text })
        };
        group.and_those_around().filter_map(|directory| of(directory.join(name))).collect()
    };
    tightest(
        "cpu.max",
        group.iter().flat_map(quota),
        "the group may use so many microseconds of CPU time in each period, then it is stopped: figures will jump; set in",
    )
}

/// The tightest of the limits that the process's own control group and those around it set.
fn tightest(what: &'static str, limits: impl Iterator<Item = GroupLimit>, advice: &str) -> Finding {
    let limits: Vec<GroupLimit> = limits.collect();
    let set = limits.iter().filter(|limit| limit.most.is_some());
    match set.min_by_key(|limit| limit.most) {
        None if limits.is_empty() => {
            known(what, "no such file", "control groups set no such limit here")
        }
        None => good(what, "max"),
        Some(GroupLimit { file, text, .. }) => {
            known(what, text, &format!("{advice} {}", file.display()))
        }
    }
}

fn io_uring_switch(files: &KernelFiles) -> Finding {
    let what = "io_uring, as the kernel is set";
    match files.number("/proc/sys/kernel/io_uring_disabled") {
        Some(0) => good(what, "allowed"),
        Some(1) => mend(
            what,
            "for a group of users",
            "be of that group, or: sudo sysctl kernel.io_uring_disabled=0",
        ),
        Some(_) => mend(
            what,
            "disabled",
            "monoio and compio use epoll then, Glommio does not run: sudo sysctl kernel.io_uring_disabled=0",
        ),
        None => known(what, "no switch", "older kernels have none; a ring is tried below"),
    }
}

fn hardware_counters(files: &KernelFiles) -> Finding {
    let what = "hardware counters";
    let paranoid = files.text("/proc/sys/kernel/perf_event_paranoid");
    let has_core_events = ["cpu", "cpu_core", "armv8_pmuv3_0"]
        .iter()
        .any(|name| files.path(format!("/sys/bus/event_source/devices/{name}")).exists());
    match (has_core_events, paranoid.as_deref().and_then(|level| level.parse::<i32>().ok())) {
        (false, _) => known(
            what,
            "none",
            "cache misses and instructions cannot be counted here; cachegrind can simulate some",
        ),
        (true, Some(level)) if level > 2 => {
            mend(what, "there, but not allowed", "sudo sysctl kernel.perf_event_paranoid=2")
        }
        (true, _) => good(what, "there"),
    }
}

/// Whether a ring can be made: the kernel's switch is not the only thing that forbids it.
#[cfg(target_os = "linux")]
fn ring() -> Finding {
    let what = "io_uring, tried";
    match io_uring::IoUring::new(2) {
        Ok(_) => good(what, "a ring was made"),
        Err(error) => known(
            what,
            format!("no ring: {error}"),
            "contenders on io_uring will be rows with this reason",
        ),
    }
}

/// Whether a ring can be made.
#[cfg(not(target_os = "linux"))]
fn ring() -> Finding {
    known("io_uring, tried", "not Linux", "contenders on io_uring will be rows with this reason")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_groups::tests::{MOUNTS_OF_ONE, MOUNTS_OF_TWO};
    use crate::cpu_use::Shares;
    use crate::kernel_files::tests::{made, process_limits};
    use crate::quiet::Disturbance;

    /// What is found about `what` on a computer with these files.
    fn found(files: &[(&str, &str)], what: &str) -> Finding {
        let (_root, files) = made(files);
        told_by(&files).into_iter().find(|finding| finding.what == what).unwrap()
    }

    #[test]
    fn a_machine_that_tells_nothing_is_no_error() {
        let (_root, files) = made(&[]);
        let findings = told_by(&files);
        assert!(findings.iter().all(|finding| finding.standing == Standing::Known), "{findings:?}");
        assert_eq!(others(&Quiet::NotKnown).standing, Standing::Known);
    }

    #[test]
    fn a_busy_machine_is_to_be_mended() {
        let took = Duration::from_secs(18);
        let never = |foreign, steal| {
            let busiest = Some(("rustc".to_owned(), 0.8));
            let who = Disturbance { shares: Shares { foreign, steal }, busiest };
            others(&Quiet::Never(took, who))
        };
        let busy = never(0.43, 0.0);
        assert_eq!(busy.standing, Standing::Mend);
        assert!(busy.found.starts_with("not quiet after 18s: others use 43.0 %"), "{busy:?}");
        assert!(busy.found.contains("`rustc`"), "{busy:?}");
        // There is nothing that could be closed.
        assert_eq!(never(0.0, 0.2).standing, Standing::Known);
        assert_eq!(others(&Quiet::AtOnce), good("others", "quiet"));
        assert_eq!(others(&Quiet::After(took)), good("others", "quiet after 18s"));
    }

    #[test]
    fn limits_are_held_against_what_experiments_need() {
        let limits = process_limits(["1024", "unlimited", "96365"]);
        let files = [
            ("/proc/self/limits", limits.as_str()),
            ("/proc/sys/vm/max_map_count", "1000\n"),
            ("/proc/sys/kernel/pid_max", "4194304\n"),
        ];
        let found = |what| found(&files, what);
        assert_eq!(found("open files").standing, Standing::Mend);
        assert!(found("open files").advice.contains("ulimit -n"));
        assert_eq!(found("locked memory"), good("locked memory", "unlimited"));
        assert_eq!(found("processes"), good("processes", "96365"));
        assert_eq!(found("max_map_count").standing, Standing::Mend);
        assert_eq!(found("pid_max").standing, Standing::Good);
    }

    #[test]
    fn the_tightest_control_group_up_the_tree_counts() {
        let files = [
            ("/proc/self/cgroup", "0::/user.slice/user-0.slice/shell.scope\n"),
            ("/proc/self/mountinfo", MOUNTS_OF_TWO),
            ("/sys/fs/cgroup/user.slice/user-0.slice/shell.scope/pids.max", "max\n"),
            ("/sys/fs/cgroup/user.slice/user-0.slice/pids.max", "10813\n"),
            ("/sys/fs/cgroup/user.slice/pids.max", "84184\n"),
            ("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
        ];
        let pids = found(&files, "pids.max");
        assert_eq!(pids.found, "10813");
        assert!(
            pids.advice.ends_with(" /sys/fs/cgroup/user.slice/user-0.slice/pids.max"),
            "{pids:?}"
        );
        assert_eq!(found(&files, "cpu.max"), good("cpu.max", "max"));
    }

    #[test]
    fn in_version_1_each_controller_has_a_tree_of_its_own() {
        let files = |quota| {
            [
                ("/proc/self/cgroup", "8:pids:/a\n2:cpu,cpuacct:/b\n1:name=systemd:/\n"),
                ("/proc/self/mountinfo", MOUNTS_OF_ONE),
                ("/sys/fs/cgroup/pids/a/pids.max", "100\n"),
                ("/sys/fs/cgroup/cpu,cpuacct/b/cpu.cfs_quota_us", quota),
            ]
        };
        assert_eq!(found(&files("-1\n"), "pids.max").found, "100");
        assert_eq!(found(&files("-1\n"), "cpu.max"), good("cpu.max", "max"));
        let quota = found(&files("50000\n"), "cpu.max");
        assert_eq!((quota.standing, quota.found.as_str()), (Standing::Known, "50000"));
        assert!(quota.advice.ends_with("/b/cpu.cfs_quota_us"), "{quota:?}");
    }

    #[test]
    fn without_control_groups_there_is_no_such_limit() {
        assert_eq!(found(&[], "pids.max").found, "no such file");
        assert_eq!(found(&[], "cpu.max").found, "no such file");
    }

    #[test]
    fn what_the_kernel_forbids_is_told_with_the_way_to_allow_it() {
        let files = [
            ("/proc/sys/kernel/io_uring_disabled", "2\n"),
            ("/proc/sys/kernel/perf_event_paranoid", "4\n"),
            ("/sys/bus/event_source/devices/cpu/type", "4\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
        ];
        for (what, advice) in [
            ("io_uring, as the kernel is set", "io_uring_disabled=0"),
            ("hardware counters", "perf_event_paranoid=2"),
            ("frequency governor", "performance"),
        ] {
            let finding = found(&files, what);
            assert_eq!(finding.standing, Standing::Mend, "{finding:?}");
            assert!(finding.advice.contains(advice), "{finding:?}");
        }
    }

    #[test]
    fn where_no_frequencies_are_seen_others_decide_on_them() {
        let files = [("/sys/devices/system/cpu/smt/active", "0\n")];
        for what in ["frequency governor", "frequency boost"] {
            let finding = found(&files, what);
            let seen = (finding.standing, finding.found.as_str());
            assert_eq!(seen, (Standing::Known, "not visible"), "{finding:?}");
        }
        assert_eq!(found(&files, "hardware threads").standing, Standing::Good);
    }
}
