//! Is this machine quiet enough to measure on, and what can it measure?
//!
//! Reads what the system says of itself. What it does not say is a finding too, never a guess.

use std::fs;
use std::path::{Path, PathBuf};

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

/// One thing about this machine.
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

/// Where the system's files are: `/`, or a copy in a test.
pub struct System {
    root: PathBuf,
}

impl System {
    /// This machine.
    pub fn here() -> System {
        System { root: PathBuf::from("/") }
    }

    /// A directory that is laid out like `/`.
    pub fn at(root: &Path) -> System {
        System { root: root.to_owned() }
    }

    fn read(&self, path: &str) -> Option<String> {
        let text = fs::read_to_string(self.root.join(path)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    fn number(&self, path: &str) -> Option<u64> {
        self.read(path)?.parse().ok()
    }

    /// Everything that its files tell.
    pub fn examine(&self) -> Vec<Finding> {
        let mut findings =
            vec![self.load(), self.governor(), self.boost(), self.threads_of_a_core()];
        findings.extend([self.hypervisor(), self.clock_source()]);
        findings.extend(self.process_limits());
        findings.extend([
            self.kernel_limit("pid_max", "proc/sys/kernel/pid_max", 32_768, "kernel.pid_max"),
            self.kernel_limit(
                "threads-max",
                "proc/sys/kernel/threads-max",
                32_768,
                "kernel.threads-max",
            ),
            // Four mappings a thread, and std aborts the process when one is refused.
            self.kernel_limit(
                "max_map_count",
                "proc/sys/vm/max_map_count",
                65_530,
                "vm.max_map_count",
            ),
        ]);
        findings.extend([self.cgroup("pids.max", "pids"), self.cgroup("cpu.max", "cpu")]);
        findings.extend([self.io_uring_switch(), self.hardware_counters()]);
        findings
    }

    fn load(&self) -> Finding {
        let what = "load";
        let load = self.read("proc/loadavg");
        let load = load.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
        let Some(load) = load else {
            return known(what, "not known", "look yourself whether other programs are busy");
        };
        let found = format!("{load:.2} (mean of the last minute)");
        match load {
            0.0..0.3 => good(what, found),
            _ => {
                mend(what, found, "something was busy: wait a minute, close what it is, ask again")
            }
        }
    }

    fn governor(&self) -> Finding {
        let what = "frequency governor";
        match self.read("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").as_deref() {
            Some("performance") => good(what, "performance"),
            Some(other) => mend(
                what,
                other,
                "frequencies will move: sudo cpupower frequency-set -g performance",
            ),
            None => known(what, "not visible", "whoever runs this machine decides on frequencies"),
        }
    }

    fn boost(&self) -> Finding {
        let what = "frequency boost";
        let intel = self.number("sys/devices/system/cpu/intel_pstate/no_turbo").map(|no| no == 0);
        let other = self.number("sys/devices/system/cpu/cpufreq/boost").map(|boost| boost == 1);
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

    fn threads_of_a_core(&self) -> Finding {
        let what = "hardware threads";
        match self.read("sys/devices/system/cpu/smt/active").as_deref() {
            Some("0") => good(what, "one a core, or the guest sees no more"),
            Some("1") => known(
                what,
                "several a core",
                "two busy threads may share a core: placement matters more",
            ),
            _ => known(what, "not known", "look up whether two of the CPUs share a core"),
        }
    }

    fn hypervisor(&self) -> Finding {
        let what = "virtual machine";
        let flags = self.read("proc/cpuinfo");
        let flags =
            flags.as_deref().and_then(|text| text.lines().find(|line| line.starts_with("flags")));
        match flags.map(|line| line.split(' ').any(|flag| flag == "hypervisor")) {
            Some(true) => known(
                what,
                "yes",
                "neighbours may take time (see steal in each run), and waking a core costs more",
            ),
            Some(false) => good(what, "no"),
            None => known(what, "not known", "the processor's flags do not tell"),
        }
    }

    fn clock_source(&self) -> Finding {
        let what = "clock source";
        let path = "sys/devices/system/clocksource/clocksource0/current_clocksource";
        match self.read(path).as_deref() {
            Some(source @ ("tsc" | "arch_sys_counter")) => good(what, source),
            Some(source @ ("kvm-clock" | "hyperv_clocksource_tsc_page")) => good(what, source),
            Some(source) => mend(
                what,
                source,
                "each reading is a system call: times under a microsecond are mostly the clock",
            ),
            None => known(what, "not known", "the cost of reading the clock is unknown"),
        }
    }

    fn process_limits(&self) -> Vec<Finding> {
        let text = self.read("proc/self/limits").unwrap_or_default();
        let soft = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name))?;
            line[name.len()..].split_whitespace().next().map(str::to_owned)
        };
        let limit = |what, name: &str, enough: u64, advice: &str| match soft(name) {
            None => known(what, "not known", ""),
            Some(found) if found == "unlimited" => good(what, found),
            Some(found) => match found.parse::<u64>() {
                Ok(value) if value >= enough => good(what, found),
                _ => mend(what, found, advice),
            },
        };
        vec![
            limit(
                "open files",
                "Max open files",
                10_100,
                "5,000 units joined by sockets need more: ulimit -n 20000",
            ),
            limit(
                "locked memory",
                "Max locked memory",
                512 << 10,
                "Glommio's rings need 512 KiB: ulimit -l 8192",
            ),
            limit(
                "processes",
                "Max processes",
                20_000,
                "10,000 threads at once need more: ulimit -u 40000",
            ),
        ]
    }

    fn kernel_limit(&self, what: &'static str, path: &str, enough: u64, name: &str) -> Finding {
        match self.number(path) {
            None => known(what, "not known", ""),
            Some(value) if value >= enough => good(what, value.to_string()),
            Some(value) => {
                let advice =
                    format!("10,000 threads at once may need more: sudo sysctl {name}={enough}");
                mend(what, value.to_string(), &advice)
            }
        }
    }

    /// The tightest limit of this name from the process's own control group up to the root, in
    /// version 2 of control groups and in version 1.
    fn cgroup(&self, limit: &'static str, controller: &str) -> Finding {
        let groups = self.read("proc/self/cgroup").unwrap_or_default();
        let mut found: Vec<(PathBuf, String)> = Vec::new();
        for line in groups.lines() {
            // "0::/path" in version 2, "8:pids:/path" in version 1.
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
            let top = match controllers {
                "" => Path::new("sys/fs/cgroup").to_owned(),
                names if names.split(',').any(|name| name == controller) => {
                    Path::new("sys/fs/cgroup").join(controller)
                }
                _ => continue,
            };
            let group = top.join(path.trim_start_matches('/'));
            for directory in group.ancestors().take_while(|directory| directory.starts_with(&top)) {
                let file = directory.join(limit);
                let value = self.read(&file.to_string_lossy());
                found.extend(value.map(|value| (file, value)));
            }
        }
        let tight = found.iter().filter(|(_, value)| !value.starts_with("max"));
        let first_number = |value: &str| value.split(' ').next()?.parse::<u64>().ok();
        match tight.min_by_key(|(_, value)| first_number(value)) {
            None if found.is_empty() => {
                known(limit, "no such file", "control groups set no such limit here")
            }
            None => good(limit, "max"),
            Some((file, value)) => {
                let advice = match controller {
                    "pids" => "threads and processes together stay below this, in /",
                    _ => {
                        "the group may use so many microseconds of CPU time in each period, then it is stopped: figures will jump; set in /"
                    }
                };
                known(limit, value, &format!("{advice}{}", file.display()))
            }
        }
    }

    fn io_uring_switch(&self) -> Finding {
        let what = "io_uring, as the kernel is set";
        match self.number("proc/sys/kernel/io_uring_disabled") {
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

    fn hardware_counters(&self) -> Finding {
        let what = "hardware counters";
        let paranoid = self.read("proc/sys/kernel/perf_event_paranoid");
        let has_core_events = ["cpu", "cpu_core", "armv8_pmuv3_0"]
            .iter()
            .any(|name| self.root.join("sys/bus/event_source/devices").join(name).exists());
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
}

/// Whether a ring can be made: the kernel's switch is not the only thing that forbids it.
#[cfg(target_os = "linux")]
pub fn ring() -> Finding {
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
pub fn ring() -> Finding {
    known("io_uring, tried", "not Linux", "contenders on io_uring will be rows with this reason")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with these files.
    fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, System) {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let system = System::at(root.path());
        (root, system)
    }

    fn found(system: &System, what: &str) -> Finding {
        system.examine().into_iter().find(|finding| finding.what == what).unwrap()
    }

    #[test]
    fn a_machine_that_tells_nothing_is_no_error() {
        let (_root, system) = machine(&[]);
        let findings = system.examine();
        assert!(findings.iter().all(|finding| finding.standing == Standing::Known), "{findings:?}");
    }

    #[test]
    fn a_busy_machine_is_to_be_mended() {
        let (_root, system) = machine(&[("proc/loadavg", "1.52 0.40 0.10 2/100 4242\n")]);
        assert_eq!(found(&system, "load").standing, Standing::Mend);
        let (_root, system) = machine(&[("proc/loadavg", "0.05 0.40 0.10 2/100 4242\n")]);
        assert_eq!(found(&system, "load").standing, Standing::Good);
    }

    #[test]
    fn limits_are_held_against_what_experiments_need() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             96365                96365                processes \n\
                      Max open files            1024                 1048576              files     \n\
                      Max locked memory         unlimited            unlimited            bytes     \n";
        let (_root, system) = machine(&[
            ("proc/self/limits", limits),
            ("proc/sys/vm/max_map_count", "1000\n"),
            ("proc/sys/kernel/pid_max", "4194304\n"),
        ]);
        assert_eq!(found(&system, "open files").standing, Standing::Mend);
        assert!(found(&system, "open files").advice.contains("ulimit -n"));
        assert_eq!(found(&system, "locked memory"), good("locked memory", "unlimited"));
        assert_eq!(found(&system, "processes"), good("processes", "96365"));
        assert_eq!(found(&system, "max_map_count").standing, Standing::Mend);
        assert_eq!(found(&system, "pid_max").standing, Standing::Good);
    }

    #[test]
    fn the_tightest_control_group_up_the_tree_counts() {
        let (_root, system) = machine(&[
            ("proc/self/cgroup", "0::/user.slice/user-0.slice/shell.scope\n"),
            ("sys/fs/cgroup/user.slice/user-0.slice/shell.scope/pids.max", "max\n"),
            ("sys/fs/cgroup/user.slice/user-0.slice/pids.max", "10813\n"),
            ("sys/fs/cgroup/user.slice/pids.max", "84184\n"),
            ("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"),
        ]);
        let pids = found(&system, "pids.max");
        assert_eq!(pids.found, "10813");
        assert!(
            pids.advice.ends_with("/sys/fs/cgroup/user.slice/user-0.slice/pids.max"),
            "{pids:?}"
        );
        assert_eq!(found(&system, "cpu.max"), good("cpu.max", "max"));
        // Version 1, where each controller has a tree of its own.
        let (_root, system) = machine(&[
            ("proc/self/cgroup", "8:pids:/a\n1:name=systemd:/\n"),
            ("sys/fs/cgroup/pids/a/pids.max", "100\n"),
        ]);
        assert_eq!(found(&system, "pids.max").found, "100");
    }

    #[test]
    fn what_the_kernel_forbids_is_told_with_the_way_to_allow_it() {
        let (_root, system) = machine(&[
            ("proc/sys/kernel/io_uring_disabled", "2\n"),
            ("proc/sys/kernel/perf_event_paranoid", "4\n"),
            ("sys/bus/event_source/devices/cpu/type", "4\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
        ]);
        for (what, advice) in [
            ("io_uring, as the kernel is set", "io_uring_disabled=0"),
            ("hardware counters", "perf_event_paranoid=2"),
            ("frequency governor", "performance"),
        ] {
            let finding = found(&system, what);
            assert_eq!(finding.standing, Standing::Mend, "{finding:?}");
            assert!(finding.advice.contains(advice), "{finding:?}");
        }
    }
}
