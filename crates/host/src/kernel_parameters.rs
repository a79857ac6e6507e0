//! Reads the kernel's command-line parameters that affect timing, and the name of the scheduler
//! that was loaded into the kernel, if any.

use std::collections::BTreeMap;

use crate::kernel_files::KernelFiles;

/// Prefixes of the parameters to record. These parameters concern idle cores, isolated cores,
/// mitigations of processor vulnerabilities, and the scheduler. Others may be private.
const BEGINNINGS: [&str; 9] = [
    "cpuidle",
    "haltpoll.",
    "idle",
    "intel_idle.",
    "isolcpus",
    "mitigations",
    "nohz",
    "preempt",
    "sched_",
];

/// Returns the parameters to record, with their values. The value is empty if a parameter has
/// none.
pub(crate) fn kernel_parameters(files: &KernelFiles) -> BTreeMap<String, String> {
    let line = files.text("/proc/cmdline").unwrap_or_default();
    // A space inside double quotes doesn't end a parameter.
    let mut is_quoted = false;
    let parts = |letter: char| {
        is_quoted ^= letter == '"';
        letter.is_whitespace() && !is_quoted
    };
    // Parameters after `--` are meant for the first process, not for the kernel.
    let of_the_kernel = line.split(parts).take_while(|word| *word != "--");
    let parameters = of_the_kernel.map(|word| {
        let word = word.replace('"', "");
        let (name, value) = word.split_once('=').unwrap_or((&word, ""));
        (name.to_owned(), value.to_owned())
    });
    let matters = |name: &str| BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
    parameters.filter(|(name, _)| matters(name)).collect()
}

/// Returns the name of the sched_ext scheduler (a scheduler loaded as a BPF program), if there is
/// one.
pub(crate) fn other_scheduler(files: &KernelFiles) -> Option<String> {
    files.text("/sys/kernel/sched_ext/state").filter(|state| state == "enabled")?;
    files.text("/sys/kernel/sched_ext/root/ops")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    #[test]
    fn only_what_is_listed_is_written_down() {
        let line = "/proc/cmdline console=ttyS0 mitigations=auto,nosmt password=tea haltpoll.guest_halt_poll_ns=0 \
                    isolcpus=\"managed_irq, 1\" sched_verbose sched_pack=15 -- idle=poll sched_x=1";
        let (_root, files) = made(line);
        let found = kernel_parameters(&files).into_iter().map(|(name, value)| name + "=" + &value);
        let expected = [
            "haltpoll.guest_halt_poll_ns=0",
            "isolcpus=managed_irq, 1",
            "mitigations=auto,nosmt",
            "sched_pack=15",
            "sched_verbose=",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_scheduler_that_is_loaded_is_told() {
        for (state, expected) in [("disabled", None), ("enabled", Some("rusty_1.0"))] {
            let (_root, files) = made(&format!(
                "/sys/kernel/sched_ext/state {state}\n/sys/kernel/sched_ext/root/ops rusty_1.0"
            ));
            assert_eq!(other_scheduler(&files).as_deref(), expected);
        }
    }
}
