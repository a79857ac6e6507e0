//! What a machine is, as `data/<machine>/machine.json` states it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ensure::ensure;
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads_per_core: Option<usize>,
    /// Caches of one core, by name (`L1d`), with their size.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub caches: BTreeMap<String, String>,
    /// Main memory, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The operating system.
    pub os: String,
    /// The kernel's release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Whether it runs under a hypervisor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub virtual_machine: Option<bool>,
    /// The clock that the kernel reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// The frequency governor; absent where the guest does not see one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// By what the kernel decides what an idle core does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_governor: Option<String>,
    /// What the kernel was told when it was started, of the parameters that change how long things take.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kernel_parameters: BTreeMap<String, String>,
    /// What shows that the scheduler is not the stock one: its name, or its settings that no stock one has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_scheduler: Option<String>,
    /// What the kernel does about each processor vulnerability that it knows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mitigations: BTreeMap<String, String>,
    /// Limits that experiments meet, such as `open files`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<String, String>,
}

impl Machine {
    /// Reads and checks the facts of a machine.json, which is without its names.
    pub fn parse(text: &str) -> Result<Machine, String> {
        let machine: Machine = serde_json::from_str(text).map_err(|error| error.to_string())?;
        machine.check()?;
        Ok(machine)
    }

    /// What a machine must have.
    pub(crate) fn check(&self) -> Result<(), String> {
        check_slug("machine", &self.machine)?;
        ensure!(self.cpus > 0, "`cpus` is 0");
        Ok(())
    }

    /// The machine in a line, for those who read its figures.
    pub fn in_words(&self) -> String {
        let cpus = if self.cpus == 1 { "CPU" } else { "CPUs" };
        let kind = match self.virtual_machine {
            Some(true) => ", virtual machine",
            Some(false) => ", no virtual machine",
            None => "",
        };
        let kernel = self.kernel.as_deref().unwrap_or_default();
        let os = format!("{} {kernel}", self.os);
        format!("{}, {} {cpus}{kind}, {}", self.cpu, self.cpus, os.trim())
    }

    /// As it stands in machine.json: indented, so that a change shows as one line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers have a JSON form") + "\n"
    }
}
