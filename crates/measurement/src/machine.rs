//! What a machine is, as `data/<machine>/machine.json` states it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::name_check::check_slug;

/// A machine. What could not be found out is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The name of its directory under data/.
    pub machine: String,
    /// The processor, as it names itself, with family and model where those tell more.
    pub cpu: String,
    /// The instruction set, such as `x86_64`.
    pub architecture: String,
    /// Logical processors that a program may use.
    pub cpus: usize,
    /// Hardware threads on each core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads_per_core: Option<usize>,
    /// Caches of one core, by name (`L1d`), with their size.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub caches: BTreeMap<String, String>,
    /// Main memory, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The operating system.
    pub os: String,
    /// The kernel's release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Whether it runs under a hypervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_machine: Option<bool>,
    /// The clock that the kernel reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// The frequency governor; absent where the guest does not see one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// By what the kernel decides what an idle core does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_governor: Option<String>,
    /// What the kernel was told when it was started, of the parameters that change how long things take.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernel_parameters: BTreeMap<String, String>,
    /// What shows that the scheduler is not the stock one: its name, or its settings that no stock one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_scheduler: Option<String>,
    /// What the kernel does about each processor vulnerability that it knows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mitigations: BTreeMap<String, String>,
    /// Limits that experiments meet, such as `open files`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, String>,
}

impl Machine {
    /// Reads and checks a machine.json.
    ///
    /// # Errors
    ///
    /// In words, with the line where there is one.
    pub fn parse(text: &str) -> Result<Machine, String> {
        let machine: Machine = serde_json::from_str(text).map_err(|error| error.to_string())?;
        check_slug("machine", &machine.machine).map_err(|error| error.to_string())?;
        if machine.cpus == 0 {
            return Err("`cpus` is 0".to_owned());
        }
        Ok(machine)
    }

    /// The machine in a line, for those who read its figures.
    pub fn in_words(&self) -> String {
        let cpus = if self.cpus == 1 { "1 CPU".to_owned() } else { format!("{} CPUs", self.cpus) };
        let kind = match self.virtual_machine {
            Some(true) => Some("virtual machine".to_owned()),
            Some(false) => Some("no virtual machine".to_owned()),
            None => None,
        };
        let kernel = self.kernel.as_deref().unwrap_or_default();
        let os = format!("{} {kernel}", self.os).trim().to_owned();
        let parts = [Some(self.cpu.clone()), Some(cpus), kind, Some(os)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// As it stands in machine.json: indented, so that a change shows as one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers have a JSON form") + "\n"
    }
}
