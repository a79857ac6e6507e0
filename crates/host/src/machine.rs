//! The description of this computer for its machine.json.

use std::collections::BTreeMap;

use measurement::machine::Machine;
use procfs_core::process::{LimitValue, Limits};
use procfs_core::Meminfo;

use crate::hypervisor::Hypervisor;
use crate::idle_settings::IdleSettings;
use crate::kernel_files::KernelFiles;
use crate::kernel_parameters::{kernel_parameters, other_scheduler};
use crate::processor::Processor;

/// The directory with the kernel's settings for the first CPU. We assume the same settings for
/// all CPUs.
const CPU: &str = "/sys/devices/system/cpu/cpu0";

/// Describes this computer under the machine name `name`. Unknown fields are left out.
pub fn describe(name: &str) -> Machine {
    let cpus = crate::cores::count();
    described(&KernelFiles::of_this_computer(), Hypervisor::ask(), name, cpus)
}

fn described(
    files: &KernelFiles,
    hypervisor: Option<Hypervisor>,
    name: &str,
    cpus: usize,
) -> Machine {
    let processor = Processor::read(files);
    let processor = processor.as_ref();
    let idle = IdleSettings::read(files);
    let Hypervisor { signature, offered } = hypervisor.unwrap_or_default();
    Machine {
        machine: name.to_owned(),
        cpu: processor.and_then(Processor::name).unwrap_or_else(|| "unknown".to_owned()),
        architecture: std::env::consts::ARCH.to_owned(),
        cpus,
        threads_per_core: threads_per_core(files),
        caches: caches(files),
        memory_bytes: files.parsed("/proc/meminfo").map(|memory: Meminfo| memory.mem_total),
        os: std::env::consts::OS.to_owned(),
        kernel: files.text("/proc/sys/kernel/osrelease"),
        virtual_machine: processor.and_then(|processor| processor.has("hypervisor")),
        hypervisor: signature,
        paravirtual: offered,
        clock_source: clock_source(files),
        governor: governor(files),
        idle_driver: idle.driver,
        idle_governor: idle.governor,
        idle_states: idle.states,
        haltpoll: idle.haltpoll,
        kernel_parameters: kernel_parameters(files),
        other_scheduler: other_scheduler(files),
        mitigations: mitigations(files),
        limits: limits(files),
    }
}

pub(crate) fn clock_source(files: &KernelFiles) -> Option<String> {
    files.text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
}

pub(crate) fn governor(files: &KernelFiles) -> Option<String> {
    files.text(format!("{CPU}/cpufreq/scaling_governor"))
}

fn threads_per_core(files: &KernelFiles) -> Option<usize> {
    let siblings = files.text(format!("{CPU}/topology/thread_siblings_list"))?;
    // Counts the CPUs in a list such as "0", "0,4" or "0-1".
    let count = |range: &str| match range.split_once('-') {
        Some((first, last)) => Some(last.parse::<usize>().ok()? - first.parse::<usize>().ok()? + 1),
        None => range.parse::<usize>().ok().map(|_| 1),
    };
    siblings.split(',').map(count).sum()
}

fn caches(files: &KernelFiles) -> BTreeMap<String, String> {
    let cache = |index: u8| {
        let field = |name: &str| files.text(format!("{CPU}/cache/index{index}/{name}"));
        let kind = match field("type")?.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some((format!("L{}{kind}", field("level")?), field("size")?))
    };
    (0..8).filter_map(cache).collect()
}

fn mitigations(files: &KernelFiles) -> BTreeMap<String, String> {
    let directory = "/sys/devices/system/cpu/vulnerabilities";
    let names = files.entries(directory).map(|file| file.file_name());
    let stated = names.filter_map(|name| {
        let name = name.to_string_lossy().into_owned();
        let state = files.text(format!("{directory}/{name}"))?;
        Some((name, state))
    });
    // Only records vulnerabilities that affect this processor.
    stated.filter(|(_, state)| state != "Not affected").collect()
}

fn limits(files: &KernelFiles) -> BTreeMap<String, String> {
    let of_the_kernel = ["kernel.threads-max", "kernel.pid_max", "vm.max_map_count"]
        .into_iter()
        .filter_map(|name| Some((name.split('.').nth(1)?, files.sysctl(name)?.to_string())));
    let of_the_process =
        files.parsed::<Limits>("/proc/self/limits").into_iter().flat_map(|limits| {
            [
                ("open files", limits.max_open_files),
                ("locked memory, bytes", limits.max_locked_memory),
                ("processes", limits.max_processes),
            ]
        });
    let of_the_process = of_the_process.map(|(name, limit)| match limit.soft_limit {
        LimitValue::Unlimited => (name, "unlimited".to_owned()),
        LimitValue::Value(value) => (name, value.to_string()),
    });
    let limits = of_the_kernel.chain(of_the_process);
    limits.map(|(name, limit)| (name.to_owned(), limit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::{made, process_limits};

    #[test]
    fn this_machine_can_be_written_down_and_read_again() {
        let machine = describe("local");
        assert_eq!(Machine::parse(&machine.to_json()), Ok(machine));
    }

    #[test]
    fn what_the_kernel_tells_is_written_down() {
        let limits = process_limits(["1024", "65536", "unlimited"]);
        let (_root, files) = made(&format!(
            "/proc/cmdline quiet mitigations=auto sched_pack=15\n\
             /proc/cpuinfo processor\t: 0\nmodel name\t: Kettle\ncpu family\t: 6\nmodel\t\t: 143\n\
             flags\t\t: fpu hypervisor tsc\n\nprocessor\t: 1\nmodel name\t: Kettle\n\
             cpu family\t: 6\nmodel\t\t: 143\nflags\t\t: fpu hypervisor tsc\n\
             {limits}\
             /proc/sys/kernel/osrelease 6.18.5\n\
             /proc/sys/kernel/threads-max 127000\n\
             /sys/devices/system/clocksource/clocksource0/current_clocksource tsc\n\
             /sys/devices/system/cpu/cpu0/cache/index0/level 1\n\
             /sys/devices/system/cpu/cpu0/cache/index0/size 48K\n\
             /sys/devices/system/cpu/cpu0/cache/index0/type Data\n\
             /sys/devices/system/cpu/cpu0/cache/index1/level 3\n\
             /sys/devices/system/cpu/cpu0/cache/index1/size 32768K\n\
             /sys/devices/system/cpu/cpu0/cache/index1/type Unified\n\
             /sys/devices/system/cpu/cpu0/topology/thread_siblings_list 0-1\n\
             /sys/devices/system/cpu/cpuidle/current_driver haltpoll\n\
             /sys/devices/system/cpu/cpuidle/current_governor haltpoll\n\
             /sys/devices/system/cpu/cpu0/cpuidle/state0/name POLL\n\
             /sys/devices/system/cpu/cpu0/cpuidle/state0/desc CPUIDLE CORE POLL IDLE\n\
             /sys/devices/system/cpu/cpu0/cpuidle/state0/latency 0\n\
             /sys/module/haltpoll/parameters/guest_halt_poll_ns 0\n\
             /sys/devices/system/cpu/vulnerabilities/l1tf Not affected\n\
             /sys/devices/system/cpu/vulnerabilities/mds Vulnerable"
        ));
        let expected = r#"{
            "machine": "kettle-1", "cpu": "Kettle, family 6, model 143", "architecture": "",
            "cpus": 2, "threads_per_core": 2, "caches": {"L1d": "48K", "L3": "32768K"}, "os": "",
            "kernel": "6.18.5", "virtual_machine": true, "clock_source": "tsc",
            "hypervisor": "KVMKVMKVM", "paravirtual": {"POLL_CONTROL": "a"},
            "idle_driver": "haltpoll", "idle_governor": "haltpoll",
            "idle_states": [{"name": "POLL", "description": "CPUIDLE CORE POLL IDLE", "latency_us": 0}],
            "haltpoll": {"guest_halt_poll_ns": "0"},
            "kernel_parameters": {"mitigations": "auto", "sched_pack": "15"},
            "mitigations": {"mds": "Vulnerable"},
            "limits": {"locked memory, bytes": "65536", "open files": "1024",
                       "processes": "unlimited", "threads-max": "127000"}
        }"#;
        let unknown =
            r#"{"machine": "kettle-1", "cpu": "unknown", "architecture": "", "cpus": 2, "os": ""}"#;
        let kvm = Hypervisor {
            signature: Some("KVMKVMKVM".to_owned()),
            offered: [("POLL_CONTROL".to_owned(), "a".to_owned())].into(),
        };
        for (files, hypervisor, expected) in
            [(&files, Some(kvm), expected), (&made("").1, None, unknown)]
        {
            let machine = described(files, hypervisor, "kettle-1", 2);
            let (architecture, os) = (machine.architecture.clone(), machine.os.clone());
            let expected = Machine { architecture, os, ..Machine::parse(expected).unwrap() };
            assert_eq!(machine, expected);
        }
    }
}
