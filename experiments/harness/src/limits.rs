//! What this machine allows.

/// Whether this process may have so many more threads at once. `std` ends the
/// whole process, without an error, where a thread's guard page cannot be mapped.
///
/// # Errors
///
/// If a limit is too low, with its name, what is needed, and what there is. What
/// cannot be read is taken for no limit.
#[cfg(target_os = "linux")]
pub fn room_for_threads(threads: u64) -> Result<(), String> {
    // Its stack, its stack for signals, and a guard page for each.
    const MAPPINGS: u64 = 4;
    let mappings = std::fs::read_to_string("/proc/self/maps");
    let mappings = mappings.map_or(0, |maps| maps.lines().count() as u64);
    let fits = |limit: &str, more: u64, used: u64, most: Option<u64>| match most
    {
        Some(most) if used + more > most => Err(format!(
            "{threads} threads need {more} more of {limit}, which allows \
             {most}, with {used} in use"
        )),
        _ => Ok(()),
    };
    let most = number("/proc/sys/vm/max_map_count");
    fits("vm.max_map_count", MAPPINGS * threads, mappings, most)?;
    let running = running_threads();
    for name in ["threads-max", "pid_max"] {
        let most = number(&format!("/proc/sys/kernel/{name}"));
        fits(&format!("kernel.{name}"), threads, running, most)?;
    }
    for group in control_groups() {
        let used = number(&format!("{group}/pids.current")).unwrap_or(0);
        let file = format!("{group}/pids.max");
        fits(&file, threads, used, number(&file))?;
    }
    Ok(())
}

/// Elsewhere the limits are not known beforehand.
#[cfg(not(target_os = "linux"))]
pub fn room_for_threads(_threads: u64) -> Result<(), String> {
    Ok(())
}

/// Lets this process, and those that it starts, have as many files open as the
/// hard limit allows. The soft one is often 1,024, for the sake of programs that
/// wait by `select`, which none here does.
#[cfg(target_os = "linux")]
pub fn raise_file_limit() {
    use nix::sys::resource::{getrlimit, setrlimit, Resource};
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // If it is refused, `room_for_files` tells what lacks.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// Elsewhere nothing is known of it.
#[cfg(not(target_os = "linux"))]
pub fn raise_file_limit() {}

/// Whether so many more files can be open at once.
///
/// # Errors
///
/// If not, the limit and what to do.
#[cfg(target_os = "linux")]
pub fn room_for_files(files: u64) -> Result<(), String> {
    use nix::sys::resource::{getrlimit, Resource};
    // The rest of the program has some, too.
    const OTHERS: u64 = 200;
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE)
        .map_err(|error| format!("the limit of open files: {error}"))?;
    match limit < files + OTHERS {
        true => Err(format!(
            "{files} files more are needed, and {limit} may be open: ulimit -n {}",
            files + OTHERS
        )),
        false => Ok(()),
    }
}

/// Elsewhere nothing is known of it.
#[cfg(not(target_os = "linux"))]
pub fn room_for_files(_files: u64) -> Result<(), String> {
    Ok(())
}

/// The number in a file, if there is one: `max` is none.
#[cfg(target_os = "linux")]
fn number(file: &str) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// All threads of the machine.
#[cfg(target_os = "linux")]
fn running_threads() -> u64 {
    let all = || {
        let text = std::fs::read_to_string("/proc/loadavg").ok()?;
        let threads = text.split_whitespace().nth(3)?;
        threads.split_once('/')?.1.parse().ok()
    };
    all().unwrap_or(0)
}

/// The directories of this process's control group and of those around it.
#[cfg(target_os = "linux")]
fn control_groups() -> Vec<String> {
    let text = std::fs::read_to_string("/proc/self/cgroup");
    let text = text.unwrap_or_default();
    let own = text.lines().find_map(|line| line.strip_prefix("0::/"));
    let own = own.map(std::path::Path::new);
    let around = own.into_iter().flat_map(|own| own.ancestors());
    around.map(|group| format!("/sys/fs/cgroup/{}", group.display())).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_few_threads_fit_and_too_many_are_refused_with_the_limit() {
        room_for_threads(10).unwrap();
        let reason = room_for_threads(1 << 40).unwrap_err();
        assert!(reason.contains("vm.max_map_count"), "{reason}");
        assert!(running_threads() > 0);
    }
}
