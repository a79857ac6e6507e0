//! The description of a machine, as in `data/<machine>/machine.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::name_check::{check_slug, check_texts};
use crate::unique_keys;

/// The facts about a machine. Facts that are not known are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// The name of the machine's directory under data/.
    pub machine: String,
    /// The processor's name, with family and model where they add information.
    pub cpu: String,
    /// The instruction set, such as `x86_64`.
    pub architecture: String,
    /// The number of logical processors that a program may use.
    pub cpus: usize,
    /// The number of hardware threads per core.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads_per_core: Option<usize>,
    /// The caches of one core: their sizes by name (`L1d`).
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique_keys::deserialize"
    )]
    pub caches: BTreeMap<String, String>,
    /// The size of main memory, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The operating system.
    pub os: String,
    /// The release of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// True if the machine runs under a hypervisor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub virtual_machine: Option<bool>,
    /// The hypervisor's signature, such as `KVMKVMKVM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypervisor: Option<String>,
    /// The KVM features that spare guests exits to the hypervisor: the name of each feature in
    /// the kernel, and its purpose.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique_keys::deserialize"
    )]
    pub paravirtual: BTreeMap<String, String>,
    /// The kernel's clock source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_source: Option<String>,
    /// The frequency governor; absent if the guest doesn't see one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// The driver that puts idle cores into idle states, or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_driver: Option<String>,
    /// The governor that chooses the idle state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_governor: Option<String>,
    /// The idle states of the first core, shallowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idle_states: Vec<IdleState>,
    /// The parameters of the governor `haltpoll`, if it is in use, such as `guest_halt_poll_ns`.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique_keys::deserialize"
    )]
    pub haltpoll: BTreeMap<String, String>,
    /// The parameters on the kernel's command line that affect timing.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique_keys::deserialize"
    )]
    pub kernel_parameters: BTreeMap<String, String>,
    /// The name of a modified scheduler, or the settings that show that the scheduler isn't the
    /// stock one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_scheduler: Option<String>,
    /// The kernel's mitigation for each processor vulnerability that it knows about.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique_keys::deserialize"
    )]
    pub mitigations: BTreeMap<String, String>,
    /// The limits that experiments may reach, such as the maximum number of open files, by name.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique_keys::deserialize"
    )]
    pub limits: BTreeMap<String, String>,
}

/// An idle state of a core.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleState {
    /// The kernel's name of the state, such as `C6`.
    pub name: String,
    /// How the kernel enters the state, such as `MWAIT 0x20`.
    pub description: String,
    /// The kernel's estimate of how long a core takes to leave the state, in microseconds.
    pub latency_us: u64,
    /// True if the state has been switched off.
    #[serde(default, skip_serializing_if = "is_false")]
    pub disabled: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Checks all strings within a JSON value, and names the value `kind` in errors.
fn check_all(kind: &str, value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) => check_texts(kind, [text]),
        Value::Array(values) => values.iter().try_for_each(|value| check_all(kind, value)),
        Value::Object(map) => map.iter().try_for_each(|(key, value)| {
            check_texts(kind, [key])?;
            check_all(kind, value)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

impl Machine {
    /// Parses and checks a machine.json that lacks the names given by people.
    pub fn parse(text: &str) -> Result<Machine, String> {
        let machine: Machine = serde_json::from_str(text).map_err(|error| error.to_string())?;
        machine.check().map_err(|(_, why)| why)?;
        Ok(machine)
    }

    /// Checks the mandatory fields, and all strings. The error names the field, and says what is
    /// wrong with it.
    pub(crate) fn check(&self) -> Result<(), (String, String)> {
        check_slug("machine", &self.machine).map_err(|why| ("machine".to_owned(), why))?;
        const GIB: u64 = 1 << 30;
        // The bounds of plausible values: Linux can be built for up to 8,192 CPUs, and an
        // operating system that runs experiments needs some megabytes of memory.
        let counts = [
            ("cpus", Some(self.cpus as u64), 1, 1 << 16),
            ("threads_per_core", self.threads_per_core.map(|count| count as u64), 1, 64),
            ("memory_bytes", self.memory_bytes, GIB / 1024, GIB << 20),
        ];
        for (field, count, least, most) in counts {
            if let Some(count) = count.filter(|count| !(least..=most).contains(count)) {
                let why =
                    format!("`{field}` is {count}, which no machine has: from {least} to {most}");
                return Err((field.to_owned(), why));
            }
        }
        let fields = serde_json::to_value(self).expect("strings and numbers have a JSON form");
        for (field, value) in fields.as_object().into_iter().flatten() {
            check_all(&format!("`{field}`"), value).map_err(|why| (field.clone(), why))?;
        }
        Ok(())
    }

    /// Describes the machine in one line, to be shown next to its figures. Leaves out the kernel,
    /// which can change at any boot and is reported by each run.
    pub fn in_words(&self) -> String {
        let cpus = if self.cpus == 1 { "CPU" } else { "CPUs" };
        let kind = match self.virtual_machine {
            Some(true) => ", virtual machine",
            Some(false) => ", no virtual machine",
            None => "",
        };
        format!("{}, {} {cpus}{kind}, {}", self.cpu, self.cpus, self.os)
    }

    /// Returns the content of machine.json, indented so that a changed field shows as one changed
    /// line.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("strings and numbers have a JSON form") + "\n"
    }
}
