//! The settings that decide how idle cores wait: the kernel's driver and governor, the idle
//! states, and the governor's parameters.

use std::collections::BTreeMap;

use measurement::machine::IdleState;

use crate::kernel_files::KernelFiles;

const CPUS: &str = "/sys/devices/system/cpu";

const HALTPOLL: &str = "/sys/module/haltpoll/parameters";

/// The settings that decide how this computer's idle cores wait. Unknown fields are absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IdleSettings {
    /// The driver that puts cores into idle states, or `none`.
    pub driver: Option<String>,
    /// The governor that chooses the idle state.
    pub governor: Option<String>,
    /// The idle states of the first core, shallowest first.
    pub states: Vec<IdleState>,
    /// The parameters of the governor `haltpoll`, such as `guest_halt_poll_ns`; empty if another
    /// governor is in use.
    pub haltpoll: BTreeMap<String, String>,
}

impl IdleSettings {
    /// Reads the settings from the kernel's files.
    pub fn read(files: &KernelFiles) -> IdleSettings {
        let of_all = |name: &str| files.text(format!("{CPUS}/cpuidle/{name}"));
        // If the kernel has no cpuidle, or if cpuidle is switched off, none of these files exist.
        let has_none = || files.path(CPUS).join("cpu0").exists().then(|| "none".to_owned());
        let governor = of_all("current_governor").or_else(|| of_all("current_governor_ro"));
        let is_haltpoll = governor.as_deref() == Some("haltpoll");
        let settings = files.entries(HALTPOLL).filter(|_| is_haltpoll).filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let value = files.text(format!("{HALTPOLL}/{name}"))?;
            Some((name, value))
        });
        IdleSettings {
            driver: of_all("current_driver").or_else(has_none),
            states: (0..).map_while(|index| state(files, index)).collect(),
            haltpoll: settings.collect(),
            governor,
        }
    }
}

fn state(files: &KernelFiles, index: usize) -> Option<IdleState> {
    let of_state = |name: &str| files.text(format!("{CPUS}/cpu0/cpuidle/state{index}/{name}"));
    Some(IdleState {
        name: of_state("name")?,
        description: of_state("desc").unwrap_or_default(),
        latency_us: of_state("latency")?.parse().ok()?,
        disabled: of_state("disable").is_some_and(|it| it != "0"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    fn state(name: &str, description: &str, latency_us: u64, disabled: bool) -> IdleState {
        IdleState {
            name: name.to_owned(),
            description: description.to_owned(),
            latency_us,
            disabled,
        }
    }

    fn read(driver: &str, governor: &str, states: &[IdleState]) -> IdleSettings {
        let mut text = format!("{CPUS}/cpuidle/current_driver {driver}\n");
        text += &format!("{CPUS}/cpuidle/current_governor {governor}\n");
        for (index, state) in states.iter().enumerate() {
            let directory = format!("{CPUS}/cpu0/cpuidle/state{index}");
            let disable = u8::from(state.disabled);
            text += &format!(
                "{directory}/name {}\n{directory}/desc {}\n{directory}/latency {}\n{directory}/disable {disable}\n",
                state.name, state.description, state.latency_us
            );
        }
        text += &format!("{HALTPOLL}/guest_halt_poll_ns 0\n{HALTPOLL}/guest_halt_poll_grow 2\n");
        IdleSettings::read(&made(&text).1)
    }

    #[test]
    fn this_kind_of_machine_and_others_are_read() {
        let poll = || state("POLL", "CPUIDLE CORE POLL IDLE", 0, false);
        let halts = [poll(), state("haltpoll idle", "default architecture idle", 1, false)];
        let metal =
            [poll(), state("C1", "MWAIT 0x00", 2, false), state("C6", "MWAIT 0x20", 133, true)];
        let acpi = [poll(), state("C2", "ACPI IOPORT 0x814", 18, false)];
        for (driver, governor, states, settings) in [
            ("haltpoll", "haltpoll", &halts[..], "guest_halt_poll_grow=2 guest_halt_poll_ns=0"),
            ("intel_idle", "menu", &metal[..], ""),
            ("acpi_idle", "teo", &acpi[..], ""),
            ("none", "menu", &[], ""),
        ] {
            let found = read(driver, governor, states);
            assert_eq!(
                (found.driver.as_deref(), found.governor.as_deref()),
                (Some(driver), Some(governor))
            );
            assert_eq!(found.states, states);
            let haltpoll = found.haltpoll.iter().map(|(name, value)| format!("{name}={value}"));
            assert_eq!(haltpoll.collect::<Vec<_>>().join(" "), settings);
        }
    }

    #[test]
    fn a_kernel_without_idle_states_has_no_driver_and_another_system_tells_nothing() {
        let (_root, without) = made("/sys/devices/system/cpu/cpu0/topology/core_id 0");
        let none = IdleSettings { driver: Some("none".to_owned()), ..IdleSettings::default() };
        assert_eq!(IdleSettings::read(&without), none);
        assert_eq!(IdleSettings::read(&made("").1), IdleSettings::default());
    }
}
