//! The kernel's counts of idle cores: how often and how long each was in which idle state, and how
//! often cores interrupted each other.

use std::collections::BTreeMap;

use crate::kernel_files::KernelFiles;

/// The kernel's name of the state in which an idle core polls for work and needs no interrupt to
/// wake up.
const POLL: &str = "POLL";

/// The idle states of all cores, as counted at one moment. The time that a core has spent in its
/// current state is added only when it leaves it.
#[derive(Debug, Clone, PartialEq)]
pub struct IdleStates(BTreeMap<(usize, usize), StateUse>);

/// The idle states of all cores together, over a period.
#[derive(Debug, Clone, PartialEq)]
pub struct IdleUse {
    /// The states, the shallowest first.
    pub states: Vec<StateUse>,
}

/// An idle state, with how often and for how long it was used.
#[derive(Debug, Clone, PartialEq)]
pub struct StateUse {
    /// The kernel's number of the state; deeper ones have higher numbers.
    pub index: usize,
    /// The kernel's name of the state, such as `POLL` or `C6`.
    pub name: String,
    /// How the kernel enters it, such as `MWAIT 0x20`.
    pub description: String,
    /// The kernel's estimate of how long a core takes to leave it, in microseconds.
    pub latency_us: u64,
    /// The number of entries and the time in it.
    pub counted: Counted,
}

/// How often idle states were entered, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// Entries.
    pub entries: u64,
    /// Time spent, in microseconds.
    pub time_us: u64,
}

impl IdleStates {
    /// Reads the counts: five small files per state and core. Returns `None` if no driver has idle
    /// states, as on many virtual machines.
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
                let state = StateUse {
                    index,
                    name,
                    description: files.text(file("desc")).unwrap_or_default(),
                    latency_us: files.number(file("latency")).unwrap_or_default(),
                    counted: Counted {
                        entries,
                        time_us: files.number(file("time")).unwrap_or_default(),
                    },
                };
                states.insert((cpu, index), state);
            }
        }
        (!states.is_empty()).then_some(IdleStates(states))
    }

    /// Returns each state of each core, with the core's number.
    pub fn of_cores(&self) -> impl Iterator<Item = (usize, &StateUse)> {
        self.0.iter().map(|((cpu, _), state)| (*cpu, state))
    }

    /// Returns the use since `earlier`, all cores together. Leaves out a core that was present at
    /// only one of the two moments.
    pub fn since(&self, earlier: &IdleStates) -> IdleUse {
        let mut states = BTreeMap::<(usize, &str), StateUse>::new();
        for (place, now) in &self.0 {
            let Some(before) = earlier.0.get(place).filter(|it| it.name == now.name) else {
                continue;
            };
            let since = now.counted.less(before.counted);
            // Cores of different kinds may have different states.
            states
                .entry((now.index, &now.name))
                .and_modify(|state| state.counted = state.counted.plus(since))
                .or_insert_with(|| StateUse { counted: since, ..now.clone() });
        }
        IdleUse { states: states.into_values().collect() }
    }
}

impl IdleUse {
    /// Returns the use of states in which a core polls for work.
    pub fn polled(&self) -> Counted {
        self.all(StateUse::polls)
    }

    /// Returns the use of all other states, in which a core stops until something wakes it.
    pub fn halted(&self) -> Counted {
        self.all(|state| !state.polls())
    }

    fn all(&self, is_meant: impl Fn(&StateUse) -> bool) -> Counted {
        let meant = self.states.iter().filter(|state| is_meant(state));
        meant.fold(Counted::default(), |all, state| all.plus(state.counted))
    }
}

impl StateUse {
    /// Returns whether a core in this state runs a loop that polls for work.
    pub fn polls(&self) -> bool {
        self.name == POLL && self.latency_us == 0
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

/// The interrupts that cores have sent each other since the kernel started, counted on arrival, all
/// cores together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InterruptCounts {
    /// Interrupts to reschedule: RES in `/proc/interrupts` on x86.
    pub reschedule: u64,
    /// Interrupts to call a function, which a wake-up may use as well: CAL on x86.
    pub function_call: u64,
}

impl InterruptCounts {
    /// Reads the counts; `None` if the kernel has neither.
    pub fn read(files: &KernelFiles) -> Option<InterruptCounts> {
        let text = files.text("/proc/interrupts")?;
        // Found by description, since the abbreviations depend on the processor.
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

    /// Returns the interrupts since `earlier`.
    pub fn since(self, earlier: InterruptCounts) -> InterruptCounts {
        InterruptCounts {
            reschedule: self.reschedule.saturating_sub(earlier.reschedule),
            function_call: self.function_call.saturating_sub(earlier.function_call),
        }
    }
}

/// Returns the numbers after `name` in the entries of a directory, sorted.
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

    /// The files of an idle state, given as CPU, index, name, description, latency, entries and
    /// time.
    fn state(of: (usize, usize, &str, &str, u64, u64, u64)) -> String {
        let (cpu, index, name, description, latency, entries, time) = of;
        let directory = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state{index}");
        format!(
            "{directory}/name {name}\n{directory}/desc {description}\n{directory}/latency {latency}\n\
             {directory}/usage {entries}\n{directory}/time {time}\n"
        )
    }

    fn read(states: &[(usize, usize, &str, &str, u64, u64, u64)]) -> Option<IdleStates> {
        let (_root, files) = made(&states.iter().copied().map(state).collect::<String>());
        IdleStates::read(&files)
    }

    const POLLING: &str = "CPUIDLE CORE POLL IDLE";

    #[test]
    fn what_cores_did_is_added_up_by_state() {
        let halt = "default architecture idle";
        let before = read(&[
            (0, 0, "POLL", POLLING, 0, 5, 50),
            (0, 1, "haltpoll idle", halt, 1, 100, 9_000),
            (1, 0, "POLL", POLLING, 0, 0, 0),
            (1, 1, "haltpoll idle", halt, 1, 200, 8_000),
            (7, 0, "POLL", POLLING, 0, 1, 1),
        ])
        .unwrap();
        let after = read(&[
            (0, 0, "POLL", POLLING, 0, 6, 57),
            (0, 1, "haltpoll idle", halt, 1, 120, 9_500),
            (1, 0, "POLL", POLLING, 0, 2, 30),
            (1, 1, "haltpoll idle", halt, 1, 203, 8_001),
            (8, 0, "POLL", POLLING, 0, 1, 1),
        ])
        .unwrap();
        let used = after.since(&before);
        let names: Vec<&str> = used.states.iter().map(|state| &*state.name).collect();
        assert_eq!(names, ["POLL", "haltpoll idle"]);
        assert_eq!(used.polled(), Counted { entries: 3, time_us: 37 });
        assert_eq!(used.halted(), Counted { entries: 23, time_us: 501 });
        assert_eq!(before.since(&before).halted(), Counted::default());
        assert_eq!(after.of_cores().map(|(cpu, _)| cpu).collect::<Vec<_>>(), [0, 0, 1, 1, 8]);
    }

    #[test]
    fn a_metal_machine_has_deeper_states_and_cores_need_not_be_alike() {
        let earlier = read(&[
            (0, 0, "POLL", POLLING, 0, 0, 0),
            (0, 1, "C1", "MWAIT 0x00", 2, 0, 0),
            (0, 10, "C6", "MWAIT 0x20", 133, 0, 0),
            (4, 1, "C1_ACPI", "ACPI FFH MWAIT 0x0", 1, 0, 0),
        ])
        .unwrap();
        let later = read(&[
            (0, 0, "POLL", POLLING, 0, 1, 1),
            (0, 1, "C1", "MWAIT 0x00", 2, 10, 20),
            (0, 10, "C6", "MWAIT 0x20", 133, 100, 200),
            (4, 1, "C1_ACPI", "ACPI FFH MWAIT 0x0", 1, 1_000, 2_000),
        ])
        .unwrap();
        let used = later.since(&earlier);
        let states = used.states.iter().map(|it| (&*it.name, it.latency_us, it.counted.entries));
        assert_eq!(
            states.collect::<Vec<_>>(),
            [("POLL", 0, 1), ("C1", 2, 10), ("C1_ACPI", 1, 1_000), ("C6", 133, 100)]
        );
        assert_eq!(used.halted(), Counted { entries: 1_110, time_us: 2_220 });
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
            let earlier = InterruptCounts { reschedule: 1, function_call: 10 };
            let since = found.since(earlier);
            assert_eq!(since.reschedule, reschedule - 1);
            assert_eq!(since.function_call, function_call - 10);
        }
    }
}
