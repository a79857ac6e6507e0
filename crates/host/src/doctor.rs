//! Checks whether this computer is quiet enough for measuring, and what can be measured on it.
//!
//! Reports only what the system says. If the system doesn't provide some information, that is
//! reported, too; nothing is guessed.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use measurement::is_disturbed;
use measurement::machine::Machine;
use Standing::{Good, Known, Mend};

use crate::control_groups::limits;
use crate::cpu_use::CpuUse;
use crate::how_many::{room_for_files, room_for_rings, room_for_threads};
use crate::kernel_files::KernelFiles;
use crate::machine::describe;
use crate::quiet::{wait_for_quiet, Quiet};
use crate::rings::room_for_ring;

/// How long to wait for the machine to become quiet. Up to two more seconds follow, in which it
/// has to stay quiet.
const PATIENCE: Duration = Duration::from_secs(18);

/// How serious a finding is for measurements on this computer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    /// A good finding: nothing needs to change.
    Good,
    /// A known limitation of what can be measured, or of what the figures mean.
    Known,
    /// A problem that makes the figures worse and can be fixed.
    Mend,
}

impl Standing {
    /// Returns the word that is printed for this standing, such as `good`.
    pub fn word(self) -> &'static str {
        match self {
            Good => "good",
            Known => "note",
            Mend => "mend",
        }
    }
}

/// A finding about this computer.
#[derive(Debug)]
pub struct Finding {
    /// How serious the finding is for measurements.
    pub standing: Standing,
    /// The finding, in words.
    pub found: String,
    /// The consequence or the remedy; empty if there is none.
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

/// Runs all checks, and returns the findings by name. If other processes use the computer, waits
/// up to 20 s for them to stop, and announces the wait by calling `say`.
pub fn examine(say: impl Fn(&str)) -> Vec<(&'static str, Finding)> {
    let files = KernelFiles::of_this_computer();
    let own = CpuUse::by_the_process_tree(files.clone());
    let mut findings = vec![("others", others(&wait_for_quiet(&own, PATIENCE, say)))];
    findings.extend(told_by(&files, &describe("here")));
    findings.extend([
        ("threads", room(room_for_threads(10_000), "room for 10,000 more")),
        ("open files", room(room_for_files(10_000), "room for 10,000 more")),
        ("locked memory", room(room_for_rings(16), "room for 16 executors of Glommio")),
        ("io_uring", room(room_for_ring(), "a ring was made")),
    ]);
    findings
}

/// Converts the result of a resource check into a finding. An error says what is missing and,
/// after a colon, what to do.
fn room(found: Result<(), String>, enough: &str) -> Finding {
    let Err(reason) = found else { return good(enough) };
    let (missing, to_do) = reason.split_once(": ").unwrap_or((&reason, ""));
    mend(missing, to_do)
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

/// Reads the kernel's files, and returns findings about the machine's settings.
fn told_by(files: &KernelFiles, machine: &Machine) -> Vec<(&'static str, Finding)> {
    let of_cpus = |file: &str| files.number(format!("/sys/devices/system/cpu/{file}"));
    let idle_cores = match (machine.idle_setting(), machine.idling()) {
        (Some(setting), Some(means)) => note(&setting, &means),
        _ => note("not known", "what waking a core costs here is not known either"),
    };
    let governor = machine.governor.as_deref().map(|governor| match governor {
        "performance" => good(governor),
        _ => mend(governor, "frequencies will move: sudo cpupower frequency-set -g performance"),
    });
    let boost = match (of_cpus("intel_pstate/no_turbo"), of_cpus("cpufreq/boost")) {
        (None, None) => None,
        (Some(1), _) | (None, Some(0)) => Some(good("off")),
        _ => Some(note(
            "on",
            "short work runs at higher frequencies than long work; compare like with like",
        )),
    };
    let clock_source = machine.clock_source.as_deref().map(|source| match source {
        "tsc" | "arch_sys_counter" | "kvm-clock" | "hyperv_clocksource_tsc_page" => good(source),
        _ => mend(
            source,
            "each reading is a system call: times under a microsecond are mostly the clock",
        ),
    });
    let has_counters = ["cpu", "cpu_core", "armv8_pmuv3_0"]
        .iter()
        .any(|name| files.path(format!("/sys/bus/event_source/devices/{name}")).exists());
    // Any value below 0 permits every use of performance counters.
    let level = files.number("/proc/sys/kernel/perf_event_paranoid").unwrap_or(0);
    let counters = match (has_counters, level) {
        (true, ..=2) => good("there"),
        (true, _) => mend("there, but not allowed", "sudo sysctl kernel.perf_event_paranoid=2"),
        (false, _) => note("none", "cache misses and instructions cannot be counted here"),
    };
    let findings = [
        ("idle cores", Some(idle_cores)),
        ("/dev/cpu_dma_latency", Some(asking(files, machine))),
        ("frequency governor", governor),
        ("frequency boost", boost),
        ("clock source", clock_source),
        ("quota of CPU time", quota(files)),
        ("hardware counters", Some(counters)),
    ];
    findings.into_iter().filter_map(|(what, finding)| Some((what, finding?))).collect()
}

/// Returns a finding if a CPU quota limits this process. Reports the lowest quota that applies.
fn quota(files: &KernelFiles) -> Option<Finding> {
    // In version 1 of control groups, the file contains -1 if there is no quota. In version 2, it
    // begins with `max`.
    let set =
        limits(files, "cpu", ["cpu.cfs_quota_us", "cpu.max"]).into_iter().filter_map(|file| {
            let text = files.text(&file)?;
            Some((text.split(' ').next()?.parse::<u64>().ok()?, file))
        });
    let (most, file) = set.min_by_key(|limit| limit.0)?;
    Some(mend(
        &format!("{most} us in each period"),
        &format!("then the group is stopped, and figures jump: raise it in {}", file.display()),
    ))
}

/// A program that keeps this file open can limit the time in which idle cores have to wake up.
/// The unit is microseconds.
const REQUESTS: &str = "/dev/cpu_dma_latency";

/// Returns whether this process may request that idle cores wake up quickly, and whether another
/// process already has.
fn asking(files: &KernelFiles, machine: &Machine) -> Finding {
    let path = files.path(REQUESTS);
    if !path.exists() {
        return note(
            "not there",
            "idle cores cannot be asked to poll here, as in many containers: such rows say so",
        );
    }
    // Only writing to the file makes a request; opening it doesn't.
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

/// The value that the kernel reports if no program has made a request
/// (PM_QOS_CPU_LATENCY_DEFAULT_VALUE).
const NOBODY_ASKS: i32 = 2_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu_use::Shares;
    use crate::kernel_files::tests::made;
    use crate::quiet::Disturbance;

    fn machine(known: &str) -> Machine {
        let text = r#"{"machine":"a","cpu":"a","architecture":"a","cpus":1,"os":"a""#;
        Machine::parse(&format!("{text}{known}}}")).unwrap()
    }

    /// Returns the findings, as lines of text, for a machine with these kernel files and fields.
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
            // The hypervisor takes the time, so there is no program that the user could close.
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
        // A directory in place of the file, because not even root can open a directory for
        // writing.
        let (_root, files) = made("/dev/cpu_dma_latency/a -");
        let finding = asking(&files, &machine(""));
        assert_eq!(finding.standing, Known);
        assert!(finding.found.starts_with("there, not to be opened: "), "{}", finding.found);
    }

    #[test]
    fn what_the_kernel_tells_is_judged() {
        let bad = told(
            "/proc/self/cgroup 0::/user.slice/user-0.slice/shell.scope\n\
             /sys/fs/cgroup/user.slice/user-0.slice/cpu.max 50000 100000\n\
             /sys/fs/cgroup/user.slice/cpu.max max 100000\n\
             /proc/sys/kernel/perf_event_paranoid 4\n\
             /sys/bus/event_source/devices/cpu/type 4\n\
             /sys/devices/system/cpu/intel_pstate/no_turbo 0\n/dev/cpu_dma_latency -",
            r#","governor":"powersave","idle_driver":"none","virtual_machine":true,"clock_source":"hpet""#,
        );
        assert_eq!(
            bad,
            "note idle cores: no driver; no idle driver: an idle core halts, and a wake-up across cores costs an \
             interrupt through the hypervisor; the request in /dev/cpu_dma_latency is accepted and does nothing\n\
             note /dev/cpu_dma_latency: may be opened; without an idle driver a request does nothing\n\
             mend frequency governor: powersave; frequencies will move: sudo cpupower frequency-set -g performance\n\
             note frequency boost: on; short work runs at higher frequencies than long work; compare like with like\n\
             mend clock source: hpet; each reading is a system call: times under a microsecond are mostly the clock\n\
             mend quota of CPU time: 50000 us in each period; then the group is stopped, and figures jump: raise it \
             in /sys/fs/cgroup/user.slice/user-0.slice/cpu.max\n\
             mend hardware counters: there, but not allowed; sudo sysctl kernel.perf_event_paranoid=2"
        );
        let fair = told(
            "/proc/self/cgroup 2:cpu,cpuacct:/b\n1:name=systemd:/\n\
             /sys/fs/cgroup/cpu/b/cpu.cfs_quota_us -1\n\
             /proc/sys/kernel/perf_event_paranoid -1\n\
             /sys/bus/event_source/devices/cpu/type 4\n\
             /sys/devices/system/cpu/cpufreq/boost 0\n/dev/cpu_dma_latency -",
            r#","governor":"performance","idle_driver":"haltpoll","idle_governor":"haltpoll","haltpoll":
            {"guest_halt_poll_ns":"200000"},"virtual_machine":false,"clock_source":"kvm-clock""#,
        );
        assert_eq!(
            fair,
            "note idle cores: haltpoll, polls up to 200 us; idle cores poll for up to 200 us, then they halt: only a \
             wake-up that comes later costs an interrupt\n\
             good /dev/cpu_dma_latency: may be opened; by it, experiments ask idle cores to poll\n\
             good frequency governor: performance; \n\
             good frequency boost: off; \n\
             good clock source: kvm-clock; \n\
             good hardware counters: there; "
        );
        // It isn't an error if a machine has none of these files.
        assert_eq!(
            told("", ""),
            "note idle cores: not known; what waking a core costs here is not known either\n\
             note /dev/cpu_dma_latency: not there; idle cores cannot be asked to poll here, as in many containers: \
             such rows say so\n\
             note hardware counters: none; cache misses and instructions cannot be counted here"
        );
    }

    #[test]
    fn what_is_missing_comes_with_what_to_do() {
        let refused = "10000 threads need 40000 more of vm.max_map_count, which allows 65530, with 50000 in use";
        let found = room(Err(format!("{refused}: sudo sysctl vm.max_map_count=90000")), "");
        assert_eq!((found.standing, &*found.found), (Mend, refused));
        assert_eq!(found.advice, "sudo sysctl vm.max_map_count=90000");
        assert_eq!(room(Ok(()), "enough").standing, Good);
    }
}
