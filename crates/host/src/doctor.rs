//! Is this computer quiet enough to measure on, and what can it measure?
//!
//! Says what the system says of itself. What it does not say is a finding too, never a guess.

use std::time::Duration;

use measurement::is_disturbed;
use measurement::machine::Machine;
use Standing::{Good, Known, Mend};

use crate::control_groups::limits;
use crate::cpu_use::CpuUse;
use crate::kernel_files::KernelFiles;
use crate::machine::describe;
use crate::quiet::{wait_for_quiet, Quiet};

/// How long it is waited for the machine to be quiet. With the windows that it takes to see that it
/// has become so, 20 s at most.
const PATIENCE: Duration = Duration::from_secs(18);

/// How a finding bears on measuring here.
#[derive(Debug, Clone, Copy, PartialEq)]
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
            Good => "good",
            Known => "note",
            Mend => "mend",
        }
    }
}

/// One thing about this computer.
#[derive(Debug)]
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

impl Finding {
    fn new(what: &'static str, standing: Standing, found: &str, advice: &str) -> Finding {
        Finding { what, found: found.to_owned(), standing, advice: advice.to_owned() }
    }
}

/// Looks at everything. If others use the computer, that takes up to 20 s: it waits until they have
/// stopped, which it says by `say`; if they do not, that is a finding.
pub fn examine(say: impl Fn(&str)) -> Vec<Finding> {
    let files = KernelFiles::of_this_computer();
    let own = CpuUse::by_the_process_tree(files.clone());
    let mut findings = vec![others(&wait_for_quiet(&own, PATIENCE, say))];
    findings.extend(told_by(&files, &describe("here")));
    findings.push(ring());
    findings
}

fn others(quiet: &Quiet) -> Finding {
    let found = quiet.to_string();
    let (standing, found, advice) = match quiet {
        Quiet::AtOnce | Quiet::After(_) => (Good, found.as_str(), ""),
        Quiet::Never(_, who) if is_disturbed(who.shares.foreign, 0.0) => (
            Mend,
            found.as_str(),
            "close what is busy; a run waits a minute for that, then measures all the same and says so",
        ),
        Quiet::Never(..) => (
            Known,
            found.as_str(),
            "whoever runs this machine shares it out; a run measures all the same and says so",
        ),
        Quiet::NotKnown => (Known, "not known", "look yourself whether other programs are busy"),
    };
    Finding::new("others", standing, found, advice)
}

/// What is made of what is told: that itself, or several, or `""` for nothing and `*` for anything; then the
/// standing, what was found, where `*` is what was told, and the advice.
type Answer = (&'static str, Standing, &'static str, &'static str);

/// The first of the answers that fits.
fn judged(what: &'static str, told: Option<String>, answers: &[Answer]) -> Finding {
    let told = told.unwrap_or_default();
    let fits = |of: &str| of == "*" || of.split('|').any(|of| of == told);
    let answer = answers.iter().find(|answer| fits(answer.0)).expect("the last fits anything");
    let &(_, standing, found, advice) = answer;
    Finding::new(what, standing, if found == "*" { &told } else { found }, advice)
}

/// A limit of the machine, held against what experiments need.
fn limit(machine: &Machine, name: &'static str, enough: u64, advice: &str) -> Finding {
    let what = name.trim_end_matches(", bytes");
    match machine.limits.get(name) {
        None => Finding::new(what, Known, "not known", ""),
        Some(few) if few.parse().is_ok_and(|few: u64| few < enough) => {
            Finding::new(what, Mend, few, advice)
        }
        Some(limit) => Finding::new(what, Good, limit, ""),
    }
}

/// Everything that the kernel's files tell.
fn told_by(files: &KernelFiles, machine: &Machine) -> Vec<Finding> {
    let cpus = "/sys/devices/system/cpu";
    let setting = |file: &str| {
        let name = file.rsplit('/').next()?;
        Some(format!("{name}={}", files.text(format!("{cpus}/{file}"))?))
    };
    let boost = setting("intel_pstate/no_turbo").or_else(|| setting("cpufreq/boost"));
    let has_counters = ["cpu", "cpu_core", "armv8_pmuv3_0"]
        .iter()
        .any(|name| files.path(format!("/sys/bus/event_source/devices/{name}")).exists());
    // Below 0 everything is allowed.
    let level = files.number("/proc/sys/kernel/perf_event_paranoid").unwrap_or(0);
    let counters = if level > 2 { "closed" } else { "open" };
    vec![
        judged(
            "frequency governor",
            machine.governor.clone(),
            &[
                ("performance", Good, "*", ""),
                ("", Known, "not visible", "whoever runs this machine decides on frequencies"),
                (
                    "*",
                    Mend,
                    "*",
                    "frequencies will move: sudo cpupower frequency-set -g performance",
                ),
            ],
        ),
        judged(
            "frequency boost",
            boost,
            &[
                ("no_turbo=1|boost=0", Good, "off", ""),
                ("", Known, "not visible", "whoever runs this machine decides on it"),
                (
                    "*",
                    Known,
                    "on",
                    "short work runs at higher frequencies than long work; compare like with like",
                ),
            ],
        ),
        judged(
            "hardware threads",
            files.text(format!("{cpus}/smt/active")),
            &[
                ("0", Good, "one a core, or the guest sees no more", ""),
                (
                    "1",
                    Known,
                    "several a core",
                    "two busy threads may share a core: placement matters more",
                ),
                ("*", Known, "not known", "look up whether two of the CPUs share a core"),
            ],
        ),
        judged(
            "virtual machine",
            machine.virtual_machine.map(|is_one| is_one.to_string()),
            &[
                ("false", Good, "no", ""),
                ("", Known, "not known", "the processor's flags do not tell"),
                (
                    "*",
                    Known,
                    "yes",
                    "other guests may take time (see steal in each run), and waking a core costs more",
                ),
            ],
        ),
        judged(
            "clock source",
            machine.clock_source.clone(),
            &[
                (
                    "tsc|arch_sys_counter|kvm-clock|hyperv_clocksource_tsc_page",
                    Good,
                    "*",
                    "",
                ),
                ("", Known, "not known", "the cost of reading the clock is unknown"),
                (
                    "*",
                    Mend,
                    "*",
                    "each reading is a system call: times under a microsecond are mostly the clock",
                ),
            ],
        ),
        limit(
            machine,
            "open files",
            10_100,
            "5,000 units joined by sockets need more: ulimit -n 20000",
        ),
        limit(
            machine,
            "locked memory, bytes",
            512 << 10,
            "Glommio's rings need 512 KiB: ulimit -l 8192",
        ),
        limit(
            machine,
            "processes",
            20_000,
            "10,000 threads at once need more: ulimit -u 40000",
        ),
        limit(
            machine,
            "threads-max",
            32_768,
            "10,000 threads at once may need more: sudo sysctl kernel.threads-max=32768",
        ),
        limit(
            machine,
            "pid_max",
            32_768,
            "10,000 threads at once may need more: sudo sysctl kernel.pid_max=32768",
        ),
        // Four mappings a thread, and std aborts the process when one is refused.
        limit(
            machine,
            "max_map_count",
            65_530,
            "10,000 threads at once may need more: sudo sysctl vm.max_map_count=65530",
        ),
        tightest(
            files,
            "pids",
            ["pids.max"; 2],
            "threads and processes together stay below this, in",
        ),
        tightest(
            files,
            "cpu",
            ["cpu.cfs_quota_us", "cpu.max"],
            "the group may use so many microseconds of CPU time in each period, then it is stopped: \
             figures will jump; set in",
        ),
        judged(
            "io_uring, as the kernel is set",
            files.text("/proc/sys/kernel/io_uring_disabled"),
            &[
                ("0", Good, "allowed", ""),
                (
                    "1",
                    Mend,
                    "for a group of users",
                    "be of that group, or: sudo sysctl kernel.io_uring_disabled=0",
                ),
                ("", Known, "no switch", "older kernels have none; a ring is tried below"),
                (
                    "*",
                    Mend,
                    "disabled",
                    "monoio and compio use epoll then, Glommio does not run: \
                     sudo sysctl kernel.io_uring_disabled=0",
                ),
            ],
        ),
        judged(
            "hardware counters",
            has_counters.then(|| counters.to_owned()),
            &[
                ("open", Good, "there", ""),
                (
                    "closed",
                    Mend,
                    "there, but not allowed",
                    "sudo sysctl kernel.perf_event_paranoid=2",
                ),
                (
                    "*",
                    Known,
                    "none",
                    "cache misses and instructions cannot be counted here; cachegrind can simulate some",
                ),
            ],
        ),
    ]
}

/// The tightest of the limits that the process's own control group and those around it set, in files of
/// these names.
fn tightest(
    files: &KernelFiles,
    controller: &str,
    names: [&'static str; 2],
    advice: &str,
) -> Finding {
    let told: Vec<_> = limits(files, controller, names)
        .into_iter()
        .filter_map(|file| Some((files.text(&file)?, file)))
        .collect();
    // Where none is set, version 1 has -1, and version 2 `max` as its first word.
    let set = told.iter().filter_map(|(text, file)| {
        Some((text.split(' ').next()?.parse::<u64>().ok()?, text, file))
    });
    let what = names[1];
    match set.min_by_key(|limit| limit.0) {
        None if told.is_empty() => {
            Finding::new(what, Known, "no such file", "control groups set no such limit here")
        }
        None => Finding::new(what, Good, "max", ""),
        Some((_, text, file)) => {
            Finding::new(what, Known, text, &format!("{advice} {}", file.display()))
        }
    }
}

/// Whether a ring can be made: the kernel's switch is not the only thing that forbids it.
fn ring() -> Finding {
    #[cfg(target_os = "linux")]
    let ring = io_uring::IoUring::new(2).map_err(|error| format!("no ring: {error}"));
    #[cfg(not(target_os = "linux"))]
    let ring: Result<(), _> = Err("not Linux");
    let what = "io_uring, tried";
    match ring {
        Ok(_) => Finding::new(what, Good, "a ring was made", ""),
        Err(why) => {
            Finding::new(what, Known, &why, "contenders on io_uring will be rows with this reason")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu_use::Shares;
    use crate::kernel_files::tests::made;
    use crate::quiet::Disturbance;

    /// A machine of which this is known, besides what must be.
    fn machine(known: &str) -> Machine {
        let text = r#"{"machine":"a","cpu":"a","architecture":"a","cpus":1,"os":"a""#;
        Machine::parse(&format!("{text}{known}}}")).unwrap()
    }

    #[test]
    fn a_machine_that_tells_nothing_is_no_error() {
        let (_root, files) = made(&[]);
        let mut findings = told_by(&files, &machine(""));
        findings.push(others(&Quiet::NotKnown));
        assert!(findings.iter().all(|finding| finding.standing == Known), "{findings:?}");
        let words = ["not visible", "not visible", "not known", "not known", "not known"];
        let found: Vec<&str> = findings.iter().map(|finding| finding.found.as_str()).collect();
        assert_eq!(found[..5], words);
        let words = ["no such file", "no such file", "no switch", "none", "not known"];
        assert_eq!(found[11..], words);
    }

    #[test]
    fn a_busy_machine_is_to_be_mended() {
        let took = Duration::from_secs(18);
        let never = |foreign, steal| {
            Quiet::Never(took, Disturbance { shares: Shares { foreign, steal }, busiest: None })
        };
        for (quiet, standing, found) in [
            (never(0.43, 0.0), Mend, "not quiet after 18s: others use 43.0 % of its CPU time"),
            // There is nothing that could be closed.
            (never(0.0, 0.2), Known, "not quiet after 18s: the hypervisor keeps 20.0 %"),
            (Quiet::AtOnce, Good, "quiet"),
            (Quiet::After(took), Good, "quiet after 18s"),
        ] {
            let finding = others(&quiet);
            assert_eq!((finding.standing, finding.found.as_str()), (standing, found));
        }
    }

    #[test]
    fn what_the_kernel_tells_is_judged() {
        let cpus = "/sys/devices/system/cpu";
        let boost = format!("{cpus}/cpufreq/boost");
        let bad = made(&[
            ("/proc/self/cgroup", "0::/user.slice/user-0.slice/shell.scope\n"),
            ("/sys/fs/cgroup/user.slice/user-0.slice/shell.scope/pids.max", "max\n"),
            ("/sys/fs/cgroup/user.slice/user-0.slice/pids.max", "10813\n"),
            ("/sys/fs/cgroup/user.slice/pids.max", "84184\n"),
            ("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
            ("/proc/sys/kernel/io_uring_disabled", "2\n"),
            ("/proc/sys/kernel/perf_event_paranoid", "4\n"),
            ("/sys/bus/event_source/devices/cpu/type", "4\n"),
            (&format!("{cpus}/intel_pstate/no_turbo"), "0\n"),
            (&format!("{cpus}/smt/active"), "1\n"),
        ]);
        let is_bad = machine(
            r#","governor":"powersave","virtual_machine":true,"clock_source":"hpet","limits":{
            "open files":"1024","locked memory, bytes":"524287","processes":"19999",
            "threads-max":"32767","pid_max":"32767","max_map_count":"65529"}"#,
        );
        let bad_ones = [
            (Mend, "powersave", "-g performance"),
            (Known, "on", "compare like with like"),
            (Known, "several a core", "placement matters more"),
            (Known, "yes", "waking a core costs more"),
            (Mend, "hpet", "are mostly the clock"),
            (Mend, "1024", "ulimit -n 20000"),
            (Mend, "524287", "ulimit -l 8192"),
            (Mend, "19999", "ulimit -u 40000"),
            (Mend, "32767", "sudo sysctl kernel.threads-max=32768"),
            (Mend, "32767", "sudo sysctl kernel.pid_max=32768"),
            (Mend, "65529", "sudo sysctl vm.max_map_count=65530"),
            // The tightest up the tree counts.
            (Known, "10813", " /sys/fs/cgroup/user.slice/user-0.slice/pids.max"),
            (Good, "max", ""),
            (Mend, "disabled", "kernel.io_uring_disabled=0"),
            (Mend, "there, but not allowed", "perf_event_paranoid=2"),
        ];
        let fair = made(&[
            ("/proc/self/cgroup", "8:pids:/a\n2:cpu,cpuacct:/b\n1:name=systemd:/\n"),
            ("/sys/fs/cgroup/pids/a/pids.max", "100\n"),
            ("/sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "50000\n"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("/proc/sys/kernel/perf_event_paranoid", "-1\n"),
            ("/proc/sys/kernel/io_uring_disabled", "0\n"),
            ("/sys/bus/event_source/devices/cpu/type", "4\n"),
            (&format!("{cpus}/smt/active"), "0\n"),
            (&boost, "0\n"),
        ]);
        let is_fair = machine(
            r#","governor":"performance","virtual_machine":false,"clock_source":"kvm-clock","limits":{
            "open files":"10100","locked memory, bytes":"524288","processes":"unlimited",
            "threads-max":"32768","pid_max":"32768","max_map_count":"65530"}"#,
        );
        let fair_ones = [
            (Good, "performance", ""),
            (Good, "off", ""),
            (Good, "one a core, or the guest sees no more", ""),
            (Good, "no", ""),
            (Good, "kvm-clock", ""),
            (Good, "10100", ""),
            (Good, "524288", ""),
            (Good, "unlimited", ""),
            (Good, "32768", ""),
            (Good, "32768", ""),
            (Good, "65530", ""),
            (Known, "100", " /sys/fs/cgroup/pids/a/pids.max"),
            (Known, "50000", "/b/cpu.cfs_quota_us"),
            (Good, "allowed", ""),
            (Good, "there", ""),
        ];
        for ((_root, files), machine, expected) in
            [(bad, is_bad, bad_ones), (fair, is_fair, fair_ones)]
        {
            let findings = told_by(&files, &machine);
            assert_eq!(findings.len(), expected.len());
            for (finding, (standing, found, advice)) in findings.iter().zip(expected) {
                assert_eq!((finding.standing, finding.found.as_str()), (standing, found));
                assert!(finding.advice.ends_with(advice), "{finding:?}");
                assert_eq!(finding.advice.is_empty(), advice.is_empty(), "{finding:?}");
            }
        }
    }
}
