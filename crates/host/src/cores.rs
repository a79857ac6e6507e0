//! Which cores there are for this process, and what is pinned to one of them.

use std::sync::OnceLock;

/// The cores that this process may use, as it was started, by the kernel's numbers.
pub fn usable() -> Result<Vec<usize>, String> {
    static CORES: OnceLock<Result<Vec<usize>, String>> = OnceLock::new();
    CORES.get_or_init(platform::usable).clone()
}

/// Whether this process may use so many cores, for threads that
/// [`pin_this_thread`] is to put on different ones.
///
/// Fails if it may not, with how many it needs and how many there are; or if threads cannot be pinned here.
pub fn room_for_cores(needed: usize) -> Result<(), String> {
    let usable = usable()?;
    // Not to move anything: it says whether threads can be pinned.
    platform::pin(&[], &usable)?;
    if usable.len() < needed {
        return Err(format!(
            "{needed} cores are needed, and this process may use {}",
            usable.len()
        ));
    }
    Ok(())
}

/// Pins the calling thread to one of the cores that this process may use, by
/// its place among them; counting starts anew after the last.
pub fn pin_this_thread(place: usize) -> Result<(), String> {
    let cores = usable()?;
    // The calling thread, to the kernel.
    platform::pin(&[0], &[cores[place % cores.len()]])
}

/// Pins every thread of this process to these cores; those to come inherit it.
pub fn pin_this_process(cores: &[usize]) -> Result<(), String> {
    let threads = std::fs::read_dir("/proc/self/task")
        .map_err(|error| format!("threads cannot be pinned here: /proc/self/task: {error}"))?;
    let ids = threads.flatten().filter_map(|thread| thread.file_name().to_str()?.parse().ok());
    platform::pin(&ids.collect::<Vec<i32>>(), cores)
}

#[cfg(target_os = "linux")]
mod platform {
    use nix::errno::Errno;
    use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
    use nix::unistd::Pid;

    pub(super) fn usable() -> Result<Vec<usize>, String> {
        let set = sched_getaffinity(Pid::from_raw(0))
            .map_err(|error| format!("the cores are not known: {error}"))?;
        Ok((0..CpuSet::count()).filter(|&core| set.is_set(core) == Ok(true)).collect())
    }

    pub(super) fn pin(threads: &[i32], cores: &[usize]) -> Result<(), String> {
        let pin = || {
            let mut set = CpuSet::new();
            cores.iter().try_for_each(|&core| set.set(core))?;
            threads.iter().try_for_each(|&thread| {
                match sched_setaffinity(Pid::from_raw(thread), &set) {
                    // It has ended meanwhile.
                    Err(Errno::ESRCH) => Ok(()),
                    result => result,
                }
            })
        };
        pin().map_err(|error: Errno| format!("threads cannot be pinned here: {error}"))
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    pub(super) fn usable() -> Result<Vec<usize>, String> {
        Ok((0..std::thread::available_parallelism().map_or(1, usize::from)).collect())
    }

    pub(super) fn pin(_threads: &[i32], _cores: &[usize]) -> Result<(), String> {
        Err("threads are pinned on Linux only".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_is_where_it_was_pinned_and_places_go_round() {
        let cores = usable().unwrap();
        for place in 0..2 * cores.len() {
            let pinned = std::thread::spawn(move || {
                pin_this_thread(place).unwrap();
                nix::sched::sched_getcpu().unwrap()
            });
            assert_eq!(pinned.join().unwrap(), cores[place % cores.len()]);
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn more_cores_than_there_are_is_refused_with_both_numbers() {
        let usable = usable().unwrap().len();
        room_for_cores(usable).unwrap();
        let reason = room_for_cores(usable + 1).unwrap_err();
        assert!(reason.contains(&(usable + 1).to_string()), "{reason}");
    }
}
