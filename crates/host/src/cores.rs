//! Which cores there are for this process, and what is pinned to one of them.

use std::sync::OnceLock;

/// The cores that this process may use, as it was started, by the kernel's numbers.
///
/// # Errors
///
/// If the kernel does not say, with the reason.
pub fn usable() -> Result<Vec<usize>, String> {
    static CORES: OnceLock<Result<Vec<usize>, String>> = OnceLock::new();
    CORES.get_or_init(platform::usable).clone()
}

/// Whether this process may use so many cores, for threads that
/// [`pin_this_thread`] is to put on different ones.
///
/// # Errors
///
/// If it may not, with how many it needs and how many there are; or if threads
/// cannot be pinned here.
pub fn room_for_cores(needed: usize) -> Result<(), String> {
    platform::can_pin()?;
    let usable = usable()?.len();
    if usable < needed {
        return Err(format!("{needed} cores are needed, and this process may use {usable}"));
    }
    Ok(())
}

/// Pins the calling thread to one of the cores that this process may use, by
/// its place among them; counting starts anew after the last.
///
/// # Errors
///
/// If threads cannot be pinned here, with the reason.
pub fn pin_this_thread(place: usize) -> Result<(), String> {
    let cores = usable()?;
    platform::pin_thread(cores[place % cores.len()])
}

/// Pins every thread of this process to these cores; those to come inherit it.
///
/// # Errors
///
/// If threads cannot be pinned here, with the reason.
pub fn pin_this_process(cores: &[usize]) -> Result<(), String> {
    platform::pin_process(cores)
}

#[cfg(target_os = "linux")]
mod platform {
    use nix::errno::Errno;
    use nix::sched::{sched_getaffinity, sched_setaffinity, CpuSet};
    use nix::unistd::Pid;

    /// The calling thread, to the kernel.
    const THIS_THREAD: Pid = Pid::from_raw(0);

    pub(super) fn usable() -> Result<Vec<usize>, String> {
        let set = sched_getaffinity(THIS_THREAD)
            .map_err(|error| format!("the cores are not known: {error}"))?;
        let is_set = |&core: &usize| set.is_set(core).unwrap_or(false);
        Ok((0..CpuSet::count()).filter(is_set).collect())
    }

    pub(super) fn can_pin() -> Result<(), String> {
        Ok(())
    }

    fn set(thread: Pid, cores: &[usize]) -> Result<(), Errno> {
        let mut set = CpuSet::new();
        for &core in cores {
            set.set(core)?;
        }
        sched_setaffinity(thread, &set)
    }

    fn refused(error: Errno) -> String {
        format!("threads cannot be pinned here: {error}")
    }

    pub(super) fn pin_thread(core: usize) -> Result<(), String> {
        set(THIS_THREAD, &[core]).map_err(refused)
    }

    pub(super) fn pin_process(cores: &[usize]) -> Result<(), String> {
        let threads = std::fs::read_dir("/proc/self/task")
            .map_err(|error| format!("/proc/self/task: {error}"))?;
        for thread in threads.flatten() {
            let name = thread.file_name();
            let Some(id) = name.to_str().and_then(|id| id.parse().ok()) else {
                continue;
            };
            match set(Pid::from_raw(id), cores) {
                // It has ended meanwhile.
                Err(Errno::ESRCH) => {}
                result => result.map_err(refused)?,
            }
        }
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    const REASON: &str = "threads are pinned on Linux only";

    pub(super) fn usable() -> Result<Vec<usize>, String> {
        Ok((0..std::thread::available_parallelism().map_or(1, usize::from)).collect())
    }

    pub(super) fn can_pin() -> Result<(), String> {
        Err(REASON.to_owned())
    }

    pub(super) fn pin_thread(_core: usize) -> Result<(), String> {
        Err(REASON.to_owned())
    }

    pub(super) fn pin_process(_cores: &[usize]) -> Result<(), String> {
        Err(REASON.to_owned())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use nix::sched::sched_getcpu;

    use super::*;

    #[test]
    fn a_thread_is_where_it_was_pinned_and_places_go_round() {
        let cores = usable().unwrap();
        for place in 0..2 * cores.len() {
            let pinned = std::thread::spawn(move || {
                pin_this_thread(place).unwrap();
                sched_getcpu().unwrap()
            });
            assert_eq!(pinned.join().unwrap(), cores[place % cores.len()]);
        }
    }

    #[test]
    fn more_cores_than_there_are_is_refused_with_both_numbers() {
        let usable = usable().unwrap().len();
        room_for_cores(usable).unwrap();
        let reason = room_for_cores(usable + 1).unwrap_err();
        assert!(reason.contains(&(usable + 1).to_string()), "{reason}");
    }
}
