//! Finding out what this machine is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use measurement::machine::Machine;

/// Describes this machine under a name. What the system does not tell is left out.
pub fn describe(name: &str) -> Machine {
    Machine {
        machine: name.to_owned(),
        cpu: cpu().unwrap_or_else(|| "unknown".to_owned()),
        architecture: std::env::consts::ARCH.to_owned(),
        cpus: std::thread::available_parallelism().map_or(1, usize::from),
        threads_per_core: threads_per_core(),
        caches: caches(),
        memory_bytes: memory_bytes(),
        os: std::env::consts::OS.to_owned(),
        kernel: line("/proc/sys/kernel/osrelease"),
        virtual_machine: virtual_machine(),
        clock_source: line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        mitigations: mitigations(),
        limits: limits(),
    }
}

/// A file of one line, as /proc and /sys have them.
fn line(file: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(target_os = "linux")]
fn cpu_field(field: &str) -> Option<String> {
    use procfs::Current;
    let info = procfs::CpuInfo::current().ok()?;
    info.get_field(0, field).map(str::to_owned)
}

#[cfg(not(target_os = "linux"))]
fn cpu_field(_: &str) -> Option<String> {
    None
}

/// The processor's name. A hypervisor may hide the model, so family and model stand beside it.
fn cpu() -> Option<String> {
    let name = cpu_field("model name")?;
    match (cpu_field("cpu family"), cpu_field("model")) {
        (Some(family), Some(model)) => Some(format!("{name}, family {family}, model {model}")),
        _ => Some(name),
    }
}

fn virtual_machine() -> Option<bool> {
    let flags = cpu_field("flags")?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

fn threads_per_core() -> Option<usize> {
    let siblings = line("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")?;
    // "0", "0,4" or "0-1"
    let count = |range: &str| match range.split_once('-') {
        Some((first, last)) => Some(last.parse::<usize>().ok()? - first.parse::<usize>().ok()? + 1),
        None => range.parse::<usize>().ok().map(|_| 1),
    };
    siblings.split(',').map(count).sum()
}

fn caches() -> BTreeMap<String, String> {
    let mut caches = BTreeMap::new();
    for index in 0..8 {
        let directory = format!("/sys/devices/system/cpu/cpu0/cache/index{index}");
        let field = |name: &str| line(Path::new(&directory).join(name));
        let (Some(level), Some(kind), Some(size)) = (field("level"), field("type"), field("size"))
        else {
            continue;
        };
        let kind = match kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        caches.insert(format!("L{level}{kind}"), size);
    }
    caches
}

#[cfg(target_os = "linux")]
fn memory_bytes() -> Option<u64> {
    use procfs::Current;
    procfs::Meminfo::current().ok().map(|memory| memory.mem_total)
}

#[cfg(not(target_os = "linux"))]
fn memory_bytes() -> Option<u64> {
    None
}

fn mitigations() -> BTreeMap<String, String> {
    let directory = fs::read_dir("/sys/devices/system/cpu/vulnerabilities");
    let files = directory.into_iter().flatten().flatten();
    let stated = files.filter_map(|file| {
        Some((file.file_name().to_string_lossy().into_owned(), line(file.path())?))
    });
    // What does not concern this processor tells nothing.
    stated.filter(|(_, state)| state != "Not affected").collect()
}

fn limits() -> BTreeMap<String, String> {
    let mut limits = BTreeMap::new();
    for (name, file) in [
        ("threads-max", "/proc/sys/kernel/threads-max"),
        ("pid_max", "/proc/sys/kernel/pid_max"),
        ("max_map_count", "/proc/sys/vm/max_map_count"),
    ] {
        limits.extend(line(file).map(|limit| (name.to_owned(), limit)));
    }
    limits.extend(process_limits());
    limits
}

#[cfg(target_os = "linux")]
fn process_limits() -> Vec<(String, String)> {
    use procfs::process::{LimitValue, Process};
    let Ok(limits) = Process::myself().and_then(|process| process.limits()) else {
        return Vec::new();
    };
    let soft = |limit: procfs::process::Limit| match limit.soft_limit {
        LimitValue::Unlimited => "unlimited".to_owned(),
        LimitValue::Value(value) => value.to_string(),
    };
    vec![
        ("open files".to_owned(), soft(limits.max_open_files)),
        ("locked memory, bytes".to_owned(), soft(limits.max_locked_memory)),
        ("processes".to_owned(), soft(limits.max_processes)),
    ]
}

#[cfg(not(target_os = "linux"))]
fn process_limits() -> Vec<(String, String)> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_can_be_written_down_and_read_again() {
        let machine = describe("local");
        assert_eq!(Machine::parse(&machine.to_json()), Ok(machine));
    }
}
