//! Determines which cores this process may use, and pins threads to them. All other code gets the
//! number of cores from this module.

use std::sync::OnceLock;
use std::thread::available_parallelism;

/// The environment variable that overrides the number of cores in a test. It is useful
/// only for listing benchmarks, because nothing can be measured on cores that don't exist.
pub const HANDED_IN: &str = "HARNESS_CORES";

/// Returns how many cores this process may keep busy now: the cores that it is pinned to, or
/// fewer if its CPU quota is lower.
pub fn count() -> usize {
    handed_in().unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
}

/// Returns the kernel's numbers of the cores that this process may use. There are [`count`] of
/// them, determined once per process.
pub fn usable() -> Result<Vec<usize>, String> {
    static CORES: OnceLock<Result<Vec<usize>, String>> = OnceLock::new();
    let ask = || match handed_in() {
        Some(count) => Ok((0..count).collect()),
        None => Ok(within(platform::usable()?, count())),
    };
    CORES.get_or_init(ask).clone()
}

/// Returns the last `count` cores of `mask`. Leaves out the first ones, because the first core
/// often handles the machine's interrupts.
fn within(mut mask: Vec<usize>, count: usize) -> Vec<usize> {
    mask.split_off(mask.len().saturating_sub(count))
}

fn handed_in() -> Option<usize> {
    std::env::var(HANDED_IN).ok()?.parse().ok().filter(|count| *count > 0)
}

/// Checks that this process may use `needed` cores, so that [`pin_this_thread`] can pin `needed`
/// threads, each to its own core.
///
/// Fails if there are fewer cores (the error has both numbers), or if threads cannot be pinned on
/// this system.
pub fn room_for_cores(needed: usize) -> Result<(), String> {
    let usable = usable()?;
    // With an empty list of threads, the call only checks whether pinning is possible.
    platform::pin(&[], &usable)?;
    enough(needed, usable.len())
}

fn enough(needed: usize, count: usize) -> Result<(), String> {
    if needed <= count {
        return Ok(());
    }
    Err(format!(
        "{needed} cores are needed, and this process may use {count}: the mask of its processors (taskset) or a quota \
         of its control group (cpu.max) leaves it no more"
    ))
}

/// Pins the calling thread to the core at the index `place` of [`usable`]. After the last core,
/// starts again at the first.
pub fn pin_this_thread(place: usize) -> Result<(), String> {
    let cores = usable()?;
    // To the kernel, the thread id 0 means the calling thread.
    platform::pin(&[0], &[cores[place % cores.len()]])
}

/// Pins every thread of this process to `cores`. Threads created later inherit the pinning.
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
                    // If the thread has ended since it was listed, there is nothing to pin.
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

    #[test]
    fn a_quota_leaves_as_many_cores_of_the_mask_as_it_gives_time_for() {
        for (mask, quota, expected) in [
            (vec![0, 1], 1, vec![1]),
            (vec![0, 1], 2, vec![0, 1]),
            (vec![5], 1, vec![5]),
            (vec![2, 3, 8], 2, vec![3, 8]),
            ((0..128).collect(), 16, (112..128).collect()),
            (vec![0], 4, vec![0]),
        ] {
            assert_eq!(within(mask.clone(), quota), expected, "{quota} of {mask:?}");
        }
    }

    #[test]
    fn what_there_are_too_few_of_is_refused_on_any_machine() {
        for count in [1, 2, 4, 16, 128] {
            assert_eq!(enough(count, count), Ok(()));
            let reason = enough(count + 1, count).unwrap_err();
            assert!(reason.starts_with(&format!("{} cores are needed", count + 1)), "{reason}");
            assert!(reason.contains(&format!("may use {count}:")), "{reason}");
        }
    }

    #[test]
    fn both_ways_to_ask_agree() {
        assert_eq!(usable().unwrap().len(), count());
    }

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
