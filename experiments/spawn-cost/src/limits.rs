//! What a machine allows a process to have at once.

use std::fs;

/// Mappings that a thread takes: its stack, that of its signal handler, and the
/// guard page of each. If one cannot be mapped, the standard library aborts.
const MAPPINGS: u64 = 4;

/// Whether so many threads can be there at once.
///
/// # Errors
///
/// If not, which limit is in the way.
pub(crate) fn threads(count: u64) -> Result<(), String> {
    let limits = [
        ("vm.max_map_count", "vm/max_map_count", MAPPINGS),
        ("kernel.threads-max", "kernel/threads-max", 1),
        ("kernel.pid_max", "kernel/pid_max", 1),
    ];
    for (name, file, each) in limits {
        let Some(limit) = read(file) else { continue };
        // The rest of the program has some, too.
        let needed = count * each + 1_000;
        if limit < needed {
            return Err(format!(
                "{count} threads need {name} to be {needed}, it is {limit}: \
                 sudo sysctl {name}={needed}"
            ));
        }
    }
    Ok(())
}

fn read(file: &str) -> Option<u64> {
    fs::read_to_string(format!("/proc/sys/{file}")).ok()?.trim().parse().ok()
}

/// Whether so many files can be open at once.
///
/// # Errors
///
/// If not, what is in the way.
#[cfg(target_os = "linux")]
pub(crate) fn open_files(count: u64) -> Result<(), String> {
    use nix::sys::resource::{getrlimit, Resource};
    let (limit, _) = getrlimit(Resource::RLIMIT_NOFILE)
        .map_err(|error| format!("the limit of open files: {error}"))?;
    // The rest of the program has some, too.
    let needed = count + 200;
    match limit < needed {
        true => Err(format!(
            "{needed} open files are needed, the limit is {limit}: \
             ulimit -n {needed}"
        )),
        false => Ok(()),
    }
}
