//! Is this computer quiet enough to measure on, and what can it measure?
//!
//! Says what the system says of itself. What it does not say is a finding too, never a guess.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use measurement::is_disturbed;
use measurement::machine::Machine;
use Standing::{Good, Known, Mend};

use crate::control_groups::limits;
use crate::cpu_use::CpuUse;
use crate::kernel_files::KernelFiles;
use crate::machine::describe;
use crate::quiet::{wait_for_quiet, Quiet};
use crate::rings::room_for_ring;

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

/// What was found of one thing about this computer.
#[derive(Debug)]
pub struct Finding {
    /// How it bears on measuring.
    pub standing: Standing,
    /// What was found.
    pub found: String,
    /// What it means, or what to do; empty if nothing.
    pub advice: String,
}

fn good(found: &str) -> Finding {
    Finding { standing: Good, found: found.to_owned(), advice: String::new() }
}

fn good_for(found: &str, advice: &str) -> Finding {
    Finding { standing: Good, ..note(found, advice) }
}

fn note(found: &str, advice: &str) -> Finding {
    Finding { standing: Known, found: found.to_owned(), advice: advice.to_owned() }
}

fn mend(found: &str, advice: &str) -> Finding {
    Finding { standing: Mend, ..note(found, advice) }
}

/// Looks at everything, each by its name. If others use the computer, that takes up to 20 s: it waits until they have
/// stopped, which it says by `say`; if they do not, that is a finding.
pub fn examine(say: impl Fn(&str)) -> Vec<(&'static str, Finding)> {
    let files = KernelFiles::of_this_computer();
    let own = CpuUse::by_the_process_tree(files.clone());
    let mut findings = vec![("others", others(&wait_for_quiet(&own, PATIENCE, say)))];
    findings.extend(told_by(&files, &describe("here")));
    findings.push(("io_uring, tried", ring()));
    findings
}

fn others(quiet: &Quiet) -> Finding {
    let found = quiet.to_string();
    match quiet {
        Quiet::AtOnce | Quiet::After(_) => good(&found),
        Quiet::Never(_, who) if is_disturbed(who.shares.foreign, 0.0) => mend(
            &found,
            "close what is busy; a run waits a minute for that, then measures all the same and says so",
        ),
        Quiet::Never(..) => note(
            &found,
            "other guests of the host take it; a run measures all the same and says so",
        ),
        Quiet::NotKnown => note("not known", "look yourself whether other programs are busy"),
    }
}

/// Everything that the kernel's files tell.
fn told_by(files: &KernelFiles, machine: &Machine) -> Vec<(&'static str, Finding)> {
    let of_cpus = |file: &str| files.number(format!("/sys/devices/system/cpu/{file}"));
    let governor = match machine.governor.as_deref() {
        Some("performance") => good("performance"),
        Some(other) => {
            mend(other, "frequencies will move: sudo cpupower frequency-set -g performance")
        }
        None => note("not visible", "the host or the firmware decides on frequencies"),
    };
    let boost = match (of_cpus("intel_pstate/no_turbo"), of_cpus("cpufreq/boost")) {
        (Some(1), _) | (None, Some(0)) => good("off"),
        (None, None) => note("not visible", "the host or the firmware decides on it"),
        _ => note(
            "on",
            "short work runs at higher frequencies than long work; compare like with like",
        ),
    };
    let hardware_threads = match of_cpus("smt/active") {
        Some(0) => good("one a core, or the guest sees no more"),
        Some(_) => {
            note("several a core", "two busy threads may share a core: placement matters more")
        }
        None => note("not known", "look up whether two of the CPUs share a core"),
    };
    let virtual_machine = match machine.virtual_machine {
        Some(false) => good("no"),
        Some(true) => {
            note("yes", "other guests may take time from it: each run says how much (steal)")
        }
        None => note("not known", "the processor's flags do not tell"),
    };
    let clock_source = match machine.clock_source.as_deref() {
        Some(fast @ ("tsc" | "arch_sys_counter" | "kvm-clock" | "hyperv_clocksource_tsc_page")) => {
            good(fast)
        }
        Some(other) => mend(
            other,
            "each reading is a system call: times under a microsecond are mostly the clock",
        ),
        None => note("not known", "the cost of reading the clock is unknown"),
    };
    let idle_cores = match (machine.idle_setting(), machine.idling()) {
        (Some(setting), Some(means)) => note(&setting, &means),
        _ => note("not known", "what waking a core costs here is not known either"),
    };
    let mut findings = vec![
        ("idle cores", idle_cores),
        ("/dev/cpu_dma_latency", asking(files, machine)),
        ("frequency governor", governor),
        ("frequency boost", boost),
        ("hardware threads", hardware_threads),
        ("virtual machine", virtual_machine),
        ("clock source", clock_source),
    ];
    findings.extend(LIMITS.map(|(name, enough, advice)| {
        let finding = match machine.limits.get(name) {
            None => note("not known", ""),
            Some(few) if few.parse().is_ok_and(|few: u64| few < enough) => mend(few, advice),
            Some(limit) => good(limit),
        };
        (name.trim_end_matches(", bytes"), finding)
    }));
    let threads = "threads and processes together stay below this, in";
    let time =
        "the group may use so many microseconds of CPU time in each period, then it is stopped: \
                figures will jump; set in";
    let io_uring = match files.number("/proc/sys/kernel/io_uring_disabled") {
        Some(0) => good("allowed"),
        Some(1) => mend(
            "for a group of users",
            "be of that group, or: sudo sysctl kernel.io_uring_disabled=0",
        ),
        Some(_) => mend(
            "disabled",
            "compio, Glommio and Monoio on io_uring do not run then: \
             sudo sysctl kernel.io_uring_disabled=0",
        ),
        None => note("no switch", "older kernels have none; a ring is tried below"),
    };
    let has_counters = ["cpu", "cpu_core", "armv8_pmuv3_0"]
        .iter()
        .any(|name| files.path(format!("/sys/bus/event_source/devices/{name}")).exists());
    // Below 0 everything is allowed.
    let level = files.number("/proc/sys/kernel/perf_event_paranoid").unwrap_or(0);
    let counters = match (has_counters, level) {
        (true, ..=2) => good("there"),
        (true, _) => mend("there, but not allowed", "sudo sysctl kernel.perf_event_paranoid=2"),
        (false, _) => note(
            "none",
            "cache misses and instructions cannot be counted here; cachegrind can simulate some",
        ),
    };
    findings.extend([
        ("pids.max", tightest(files, "pids", ["pids.max"; 2], threads)),
        ("cpu.max", tightest(files, "cpu", ["cpu.cfs_quota_us", "cpu.max"], time)),
        ("io_uring, as the kernel is set", io_uring),
        ("hardware counters", counters),
    ]);
    findings
}

/// By which a program asks idle cores to be awake within so many microseconds, as long as it holds it open.
const REQUESTS: &str = "/dev/cpu_dma_latency";

/// Whether this process may ask idle cores not to sleep, and whether another has done so.
fn asking(files: &KernelFiles, machine: &Machine) -> Finding {
    let path = files.path(REQUESTS);
    if !path.exists() {
        return note(
            "not there",
            "idle cores cannot be asked to poll here, as in many containers: such rows say so",
        );
    }
    // A request is in force once it is written to.
    let mut file = match File::options().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) => {
            return note(
                &format!("there, not to be opened: {error}"),
                "as root, experiments can ask idle cores to poll; without, such rows say so",
            );
        }
    };
    if machine.idle_driver.as_deref() == Some("none") {
        return note("may be opened", "without an idle driver a request does nothing");
    }
    let mut bytes = [0; 4];
    let asked = file.read_exact(&mut bytes).map(|()| i32::from_ne_bytes(bytes));
    match asked.ok().filter(|asked| *asked < NOBODY_ASKS) {
        Some(limit) => mend(
            &format!("some program asks for {limit} us"),
            "idle cores sleep less deeply than they are set to: end that program, or tuned's profile",
        ),
        None => good_for("may be opened", "by it, experiments ask idle cores to poll"),
    }
}

/// What the kernel answers while no program has asked (PM_QOS_CPU_LATENCY_DEFAULT_VALUE).
const NOBODY_ASKS: i32 = 2_000_000_000;

/// Limits of the machine, by their names in machine.json: how much experiments need, and what to do about less.
const LIMITS: [(&str, u64, &str); 6] = [
    ("open files", 10_100, "5,000 units joined by sockets need more: ulimit -n 20000"),
    // All rings of a user have it together: two executors do not always fit into 512 KiB each.
    (
        "locked memory, bytes",
        8 << 20,
        "each executor of Glommio needs 512 KiB, and a user's rings have this together: ulimit -l 8192",
    ),
    ("processes", 20_000, "10,000 threads at once need more: ulimit -u 40000"),
    (
        "threads-max",
        32_768,
        "10,000 threads at once may need more: sudo sysctl kernel.threads-max=32768",
    ),
    ("pid_max", 32_768, "10,000 threads at once may need more: sudo sysctl kernel.pid_max=32768"),
    // Four mappings a thread, and std aborts the process when one is refused.
    (
        "max_map_count",
        65_530,
        "10,000 threads at once may need more: sudo sysctl vm.max_map_count=65530",
    ),
];

/// The tightest of the limits that the process's own control group and those around it set, in files of
/// these names.
fn tightest(files: &KernelFiles, controller: &str, names: [&str; 2], advice: &str) -> Finding {
    let told: Vec<_> = limits(files, controller, names)
        .into_iter()
        .filter_map(|file| Some((files.text(&file)?, file)))
        .collect();
    // Where none is set, version 1 has -1, and version 2 `max` as its first word.
    let set = told.iter().filter_map(|(text, file)| {
        Some((text.split(' ').next()?.parse::<u64>().ok()?, text, file))
    });
    match set.min_by_key(|limit| limit.0) {
        Some((_, text, file)) => note(text, &format!("{advice} {}", file.display())),
        None if told.is_empty() => note("no such file", "control groups set no such limit here"),
        None => good("max"),
    }
}

/// Whether a ring can be made: the kernel's switch is not the only thing that forbids it.
fn ring() -> Finding {
    match room_for_ring() {
        Ok(()) => good("a ring was made"),
        Err(why) => note(&why, "contenders on io_uring will be rows with this reason"),
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

    /// What is told of it, where the kernel's files say so.
    fn told(files: &str, known: &str) -> String {
        let (_root, files) = made(files);
        let findings = told_by(&files, &machine(known)).into_iter();
        let line = |(what, Finding { standing, found, advice })| {
            format!("{} {what}: {found}; {advice}", Standing::word(standing))
        };
        findings.map(line).collect::<Vec<_>>().join("\n")
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
            (Quiet::NotKnown, Known, "not known"),
            (Quiet::After(took), Good, "quiet after 18s"),
        ] {
            let finding = others(&quiet);
            assert_eq!((finding.standing, finding.found.as_str()), (standing, found));
        }
    }

    #[test]
    fn a_request_that_another_program_holds_is_found_and_so_is_one_that_is_not_allowed() {
        for (content, standing, found) in [
            (&b"\x00\x00\x00\x00"[..], Mend, "some program asks for 0 us"),
            (b"\x14\x00\x00\x00", Mend, "some program asks for 20 us"),
            (b"\x00\x94\x35\x77", Good, "may be opened"),
        ] {
            let (_root, files) = made("/dev/cpu_dma_latency -");
            std::fs::write(files.path(REQUESTS), content).unwrap();
            let finding = asking(&files, &machine(r#","idle_driver":"intel_idle""#));
            assert_eq!((finding.standing, &*finding.found), (standing, found));
        }
        // A directory is refused to root as well.
        let (_root, files) = made("/dev/cpu_dma_latency/a -");
        let finding = asking(&files, &machine(""));
        assert_eq!(finding.standing, Known);
        assert!(finding.found.starts_with("there, not to be opened: "), "{}", finding.found);
    }

    #[test]
    fn what_the_kernel_tells_is_judged() {
        let bad = told(
            "/proc/self/cgroup 0::/user.slice/user-0.slice/shell.scope\n\
             /sys/fs/cgroup/user.slice/user-0.slice/shell.scope/pids.max max\n\
             /sys/fs/cgroup/user.slice/user-0.slice/pids.max 10813\n\
             /sys/fs/cgroup/user.slice/pids.max 84184\n\
             /sys/fs/cgroup/user.slice/cpu.max max 100000\n\
             /proc/sys/kernel/io_uring_disabled 2\n\
             /proc/sys/kernel/perf_event_paranoid 4\n\
             /sys/bus/event_source/devices/cpu/type 4\n\
             /sys/devices/system/cpu/intel_pstate/no_turbo 0\n\
             /sys/devices/system/cpu/smt/active 1\n/dev/cpu_dma_latency -",
            r#","governor":"powersave","idle_driver":"none","virtual_machine":true,"clock_source":"hpet","limits":{
            "open files":"1024","locked memory, bytes":"524287","processes":"19999",
            "threads-max":"32767","pid_max":"32767","max_map_count":"65529"}"#,
        );
        assert_eq!(
            bad,
            "note idle cores: no driver; no idle driver: an idle core halts, and a wake-up across cores costs an \
             interrupt through the hypervisor; the request in /dev/cpu_dma_latency is accepted and does nothing\n\
             note /dev/cpu_dma_latency: may be opened; without an idle driver a request does nothing\n\
             mend frequency governor: powersave; frequencies will move: sudo cpupower frequency-set -g performance\n\
             note frequency boost: on; short work runs at higher frequencies than long work; compare like with like\n\
             note hardware threads: several a core; two busy threads may share a core: placement matters more\n\
             note virtual machine: yes; other guests may take time from it: each run says how much (steal)\n\
             mend clock source: hpet; each reading is a system call: times under a microsecond are mostly the clock\n\
             mend open files: 1024; 5,000 units joined by sockets need more: ulimit -n 20000\n\
             mend locked memory: 524287; each executor of Glommio needs 512 KiB, and a user's rings have this together: \
             ulimit -l 8192\n\
             mend processes: 19999; 10,000 threads at once need more: ulimit -u 40000\n\
             mend threads-max: 32767; 10,000 threads at once may need more: sudo sysctl kernel.threads-max=32768\n\
             mend pid_max: 32767; 10,000 threads at once may need more: sudo sysctl kernel.pid_max=32768\n\
             mend max_map_count: 65529; 10,000 threads at once may need more: sudo sysctl vm.max_map_count=65530\n\
             note pids.max: 10813; threads and processes together stay below this, in \
             /sys/fs/cgroup/user.slice/user-0.slice/pids.max\n\
             good cpu.max: max; \n\
             mend io_uring, as the kernel is set: disabled; compio, Glommio and Monoio on io_uring do not run then: \
             sudo sysctl kernel.io_uring_disabled=0\n\
             mend hardware counters: there, but not allowed; sudo sysctl kernel.perf_event_paranoid=2"
        );
        let fair = told(
            "/proc/self/cgroup 8:pids:/a\n2:cpu,cpuacct:/b\n1:name=systemd:/\n\
             /sys/fs/cgroup/pids/a/pids.max 100\n\
             /sys/fs/cgroup/cpu/b/cpu.cfs_quota_us 50000\n\
             /sys/fs/cgroup/cpu/cpu.cfs_quota_us -1\n\
             /proc/sys/kernel/perf_event_paranoid -1\n\
             /proc/sys/kernel/io_uring_disabled 1\n\
             /sys/bus/event_source/devices/cpu/type 4\n\
             /sys/devices/system/cpu/cpufreq/boost 0\n\
             /sys/devices/system/cpu/smt/active 0\n/dev/cpu_dma_latency -",
            r#","governor":"performance","idle_driver":"haltpoll","idle_governor":"haltpoll","haltpoll":
            {"guest_halt_poll_ns":"200000"},"virtual_machine":false,"clock_source":"kvm-clock","limits":{
            "open files":"10100","locked memory, bytes":"8388608","processes":"unlimited",
            "threads-max":"32768","pid_max":"32768","max_map_count":"65530"}"#,
        );
        assert_eq!(
            fair,
            "note idle cores: haltpoll, polls up to 200 us; idle cores poll for up to 200 us, then they halt: only a \
             wake-up that comes later costs an interrupt\n\
             good /dev/cpu_dma_latency: may be opened; by it, experiments ask idle cores to poll\n\
             good frequency governor: performance; \n\
             good frequency boost: off; \n\
             good hardware threads: one a core, or the guest sees no more; \n\
             good virtual machine: no; \n\
             good clock source: kvm-clock; \n\
             good open files: 10100; \n\
             good locked memory: 8388608; \n\
             good processes: unlimited; \n\
             good threads-max: 32768; \n\
             good pid_max: 32768; \n\
             good max_map_count: 65530; \n\
             note pids.max: 100; threads and processes together stay below this, in /sys/fs/cgroup/pids/a/pids.max\n\
             note cpu.max: 50000; the group may use so many microseconds of CPU time in each period, then it is stopped: \
             figures will jump; set in /sys/fs/cgroup/cpu/b/cpu.cfs_quota_us\n\
             mend io_uring, as the kernel is set: for a group of users; be of that group, or: \
             sudo sysctl kernel.io_uring_disabled=0\n\
             good hardware counters: there; "
        );
        // A machine that tells nothing is no error.
        assert_eq!(
            told("", ""),
            "note idle cores: not known; what waking a core costs here is not known either\n\
             note /dev/cpu_dma_latency: not there; idle cores cannot be asked to poll here, as in many containers: \
             such rows say so\n\
             note frequency governor: not visible; the host or the firmware decides on frequencies\n\
             note frequency boost: not visible; the host or the firmware decides on it\n\
             note hardware threads: not known; look up whether two of the CPUs share a core\n\
             note virtual machine: not known; the processor's flags do not tell\n\
             note clock source: not known; the cost of reading the clock is unknown\n\
             note open files: not known; \n\
             note locked memory: not known; \n\
             note processes: not known; \n\
             note threads-max: not known; \n\
             note pid_max: not known; \n\
             note max_map_count: not known; \n\
             note pids.max: no such file; control groups set no such limit here\n\
             note cpu.max: no such file; control groups set no such limit here\n\
             note io_uring, as the kernel is set: no switch; older kernels have none; a ring is tried below\n\
             note hardware counters: none; cache misses and instructions cannot be counted here; cachegrind can \
             simulate some"
        );
    }
}
