//! Reads the kernel's counts for idle cores: how often and how long each core was in each idle
//! state, and how often cores interrupted each other.

use std::collections::BTreeMap;

use crate::kernel_files::KernelFiles;

/// The kernel's name for the idle state in which a core polls for work, and needs no
/// interrupt to wake up.
const POLL: &str = "POLL";

/// How often and how long each core has been in each idle state since the kernel started. The
/// kernel adds the length of a stay when the core leaves the state.
#[derive(Debug, Clone, PartialEq)]
pub struct IdleStates(BTreeMap<(usize, usize), StateUse>);

/// The use of idle states during a period, summed over all cores.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct IdleUse {
    /// The states in which a core polls for work in a loop.
    pub polled: Counted,
    /// The states in which a core stops until something wakes it.
    pub halted: Counted,
}

/// The use of one idle state by one core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StateUse {
    /// True if a core in this state polls for work in a loop.
    pub polls: bool,
    /// How often and how long the core was in the state.
    pub counted: Counted,
}

/// How often cores entered idle states, and how long they stayed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// Entries.
    pub entries: u64,
    /// Time spent, in microseconds.
    pub time_us: u64,
}

impl IdleStates {
    /// Reads the kernel's counts, from four small files per state and core. Returns `None` if
    /// there are no idle states, as on many virtual machines, which have no idle driver.
    pub fn read(files: &KernelFiles) -> Option<IdleStates> {
        let cpus = "/sys/devices/system/cpu";
        let mut states = BTreeMap::new();
        for cpu in numbered(files, cpus, "cpu") {
            let directory = format!("{cpus}/cpu{cpu}/cpuidle");
            for index in numbered(files, &directory, "state") {
                let file = |name: &str| format!("{directory}/state{index}/{name}");
                let (Some(name), Some(entries)) =
                    (files.text(file("name")), files.number(file("usage")))
                else {
                    continue;
                };
                let latency_us = files.number(file("latency")).unwrap_or_default();
                let time_us = files.number(file("time")).unwrap_or_default();
                let polls = name == POLL && latency_us == 0;
                let counted = Counted { entries, time_us };
                states.insert((cpu, index), StateUse { polls, counted });
            }
        }
        (!states.is_empty()).then_some(IdleStates(states))
    }

    /// Returns every state of every core, with the number of the core.
    pub fn of_cores(&self) -> impl Iterator<Item = (usize, StateUse)> + '_ {
        self.0.iter().map(|((cpu, _), state)| (*cpu, *state))
    }

    /// Returns the use of idle states since `earlier`, summed over the cores that exist at both
    /// moments.
    pub fn since(&self, earlier: &IdleStates) -> IdleUse {
        let mut used = IdleUse::default();
        for (place, now) in &self.0 {
            if let Some(before) = earlier.0.get(place).filter(|before| before.polls == now.polls) {
                let all = if now.polls { &mut used.polled } else { &mut used.halted };
                *all = all.plus(now.counted.less(before.counted));
            }
        }
        used
    }
}

impl Counted {
    fn plus(self, other: Counted) -> Counted {
        Counted { entries: self.entries + other.entries, time_us: self.time_us + other.time_us }
    }

    fn less(self, other: Counted) -> Counted {
        Counted {
            entries: self.entries.saturating_sub(other.entries),
            time_us: self.time_us.saturating_sub(other.time_us),
        }
    }
}

/// The number of interrupts that cores have sent each other since the kernel started, summed over
/// all receiving cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptCounts {
    /// Interrupts that make a core run its scheduler: RES in `/proc/interrupts` on x86.
    pub reschedule: u64,
    /// Interrupts that make a core call a function: CAL on x86. The kernel may use these to wake
    /// a core, too.
    pub function_call: u64,
}

impl InterruptCounts {
    /// Reads the kernel's counts; `None` if the kernel doesn't report both.
    pub fn read(files: &KernelFiles) -> Option<InterruptCounts> {
        let text = files.text("/proc/interrupts")?;
        // Finds lines by their description, since the abbreviations differ between processors.
        let count = |called: &str| {
            let line = text.lines().find(|line| line.trim_end().ends_with(called))?;
            let counts = line.split_once(':')?.1.split_whitespace();
            Some(counts.map_while(|count| count.parse::<u64>().ok()).sum())
        };
        Some(InterruptCounts {
            reschedule: count("Rescheduling interrupts")?,
            function_call: count("Function call interrupts")?,
        })
    }
}

/// Returns the numbers that follow `name` in the names of a directory's entries, sorted.
fn numbered(files: &KernelFiles, directory: &str, name: &str) -> Vec<usize> {
    let entries = files.entries(directory);
    let numbers = entries.filter_map(|entry| {
        entry.file_name().to_str().and_then(|entry| entry.strip_prefix(name)?.parse().ok())
    });
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    /// Returns the kernel's files for an idle state of a CPU, with these values.
    fn state((cpu, index, name, latency, entries, time): State) -> String {
        let directory = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{index}");
        format!(
            "{directory}/name {name}\n{directory}/latency {latency}\n{directory}/usage {entries}\n\
             {directory}/time {time}\n"
        )
    }

    type State = (usize, usize, &'static str, u64, u64, u64);

    fn read(states: &[State]) -> IdleStates {
        let (_root, files) = made(&states.iter().copied().map(state).collect::<String>());
        IdleStates::read(&files).unwrap()
    }

    #[test]
    fn what_cores_did_is_added_up_if_they_were_there_at_both_moments() {
        let before = read(&[
            (0, 0, "POLL", 0, 5, 50),
            (0, 1, "haltpoll idle", 1, 100, 9_000),
            (1, 0, "POLL", 0, 0, 0),
            (1, 1, "C1", 2, 200, 8_000),
            (1, 10, "C6", 133, 0, 0),
            (7, 0, "POLL", 0, 1, 1),
        ]);
        let after = read(&[
            (0, 0, "POLL", 0, 6, 57),
            (0, 1, "haltpoll idle", 1, 120, 9_500),
            (1, 0, "POLL", 0, 2, 30),
            (1, 1, "C1", 2, 203, 8_001),
            (1, 10, "C6", 133, 1_000, 2_000),
            (8, 0, "POLL", 0, 1, 1),
        ]);
        let used = after.since(&before);
        assert_eq!(used.polled, Counted { entries: 3, time_us: 37 });
        assert_eq!(used.halted, Counted { entries: 1_023, time_us: 2_501 });
        assert_eq!(before.since(&before), IdleUse::default());
        assert_eq!(after.of_cores().map(|(cpu, _)| cpu).collect::<Vec<_>>(), [0, 0, 1, 1, 1, 8]);
    }

    #[test]
    fn without_a_driver_there_is_nothing() {
        let (_root, files) = made("/sys/devices/system/cpu/cpu0/topology/core_id 0");
        assert_eq!(IdleStates::read(&files), None);
        assert_eq!(InterruptCounts::read(&files), None);
    }

    #[test]
    fn interrupts_between_cores_are_those_of_all_cores_on_any_processor() {
        let x86 = "/proc/interrupts            CPU0       CPU1       \n\
                   LOC:     123798     136419   Local timer interrupts\n\
                   RES:     610894     605069   Rescheduling interrupts\n\
                   CAL:      54586      47279   Function call interrupts\n\
                   ERR:          0";
        let arm = "/proc/interrupts            CPU0       CPU1       \n\
                   11:        100        200     GICv3  27 Level     arch_timer\n\
                   IPI0:         3          4       Rescheduling interrupts\n\
                   IPI1:        50         60       Function call interrupts";
        for (text, reschedule, function_call) in [(x86, 1_215_963, 101_865), (arm, 7, 110)] {
            let (_root, files) = made(text);
            let found = InterruptCounts::read(&files).unwrap();
            assert_eq!(found, InterruptCounts { reschedule, function_call });
        }
    }
}
