//! What the kernel was told when it was started, so far as it changes how long things take, and what shows
//! that its scheduler is not the stock one.

use std::collections::{BTreeMap, BTreeSet};

use crate::kernel_files::KernelFiles;

/// The parameters that are written down. Others are not looked at: a command line may say things that are
/// nobody's business.
const NAMES: [&str; 16] = [
    // What is done about the processor's vulnerabilities.
    "mitigations",
    "nopti",
    "nosmt",
    "pti",
    // What an idle core does.
    "cpuidle.governor",
    "cpuidle.off",
    "idle",
    "intel_idle.max_cstate",
    "nohz",
    "processor.max_cstate",
    // Which cores are kept free of what.
    "irqaffinity",
    "isolcpus",
    "nohz_full",
    "rcu_nocbs",
    // Who may run when.
    "preempt",
    "threadirqs",
];

/// How the names of others begin that are written down: of the idle loop, and of the scheduler.
const BEGINNINGS: [&str; 3] = ["cpuidle_haltpoll.", "haltpoll.", SCHEDULER];

/// How the names of the scheduler's parameters and settings begin.
const SCHEDULER: &str = "sched_";

/// Those that a stock kernel has or had, of both kinds.
const STOCK: [&str; 25] = [
    "sched_autogroup_enabled",
    "sched_cfs_bandwidth_slice_us",
    "sched_child_runs_first",
    "sched_deadline_period_max_us",
    "sched_deadline_period_min_us",
    "sched_debug",
    "sched_domain",
    "sched_energy_aware",
    "sched_itmt_enabled",
    "sched_latency_ns",
    "sched_migration_cost_ns",
    "sched_min_granularity_ns",
    "sched_nr_migrate",
    "sched_proxy_exec",
    "sched_rr_timeslice_ms",
    "sched_rt_period_us",
    "sched_rt_runtime_us",
    "sched_schedstats",
    "sched_thermal_decay_shift",
    "sched_tunable_scaling",
    "sched_util_clamp_max",
    "sched_util_clamp_min",
    "sched_util_clamp_min_rt_default",
    "sched_verbose",
    "sched_wakeup_granularity_ns",
];

/// The parameters that are set and matter, with their values; one that has none is there with an empty one.
pub(crate) fn kernel_parameters(files: &KernelFiles) -> BTreeMap<String, String> {
    let line = files.text("/proc/cmdline").unwrap_or_default();
    // A space within double quotes parts no words.
    let mut is_quoted = false;
    let parts = |letter: char| {
        is_quoted ^= letter == '"';
        letter.is_whitespace() && !is_quoted
    };
    // What follows is for the first process.
    let of_the_kernel = line.split(parts).take_while(|word| *word != "--");
    let parameters = of_the_kernel.map(|word| {
        let word = word.replace('"', "");
        let (name, value) = word.split_once('=').unwrap_or((&word, ""));
        (name.to_owned(), value.to_owned())
    });
    let matters = |name: &str| {
        NAMES.contains(&name) || BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
    };
    parameters.filter(|(name, _)| matters(name)).collect()
}

/// What shows that the scheduler is not the stock one: the sched_ext scheduler that is loaded, and the
/// scheduler's parameters and settings that no stock kernel has. `None` if nothing does, which a scheduler
/// without settings of its own does not either.
pub(crate) fn other_scheduler(files: &KernelFiles) -> Option<String> {
    let is_loaded = files.text("/sys/kernel/sched_ext/state").is_some_and(|it| it == "enabled");
    let loaded = files.text("/sys/kernel/sched_ext/root/ops").filter(|_| is_loaded);
    let settings = files.entries("/proc/sys/kernel");
    let settings = settings.map(|file| file.file_name().to_string_lossy().into_owned());
    let mut foreign: BTreeSet<String> =
        kernel_parameters(files).into_keys().chain(settings).collect();
    foreign.retain(|name| name.starts_with(SCHEDULER) && !STOCK.contains(&name.as_str()));
    let all: Vec<String> = loaded.into_iter().chain(foreign).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_files::tests::made;

    #[test]
    fn only_what_is_listed_is_written_down() {
        let line = "/proc/cmdline console=ttyS0 mitigations=auto,nosmt password=tea haltpoll.guest_halt_poll_ns=0 nopti \
                    isolcpus=\"managed_irq, 1\" sched_verbose sched_pack=15 -- idle=poll sched_x=1";
        let (_root, files) = made(line);
        let found = kernel_parameters(&files).into_iter().map(|(name, value)| name + "=" + &value);
        let expected = [
            "haltpoll.guest_halt_poll_ns=0",
            "isolcpus=managed_irq, 1",
            "mitigations=auto,nosmt",
            "nopti=",
            "sched_pack=15",
            "sched_verbose=",
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn another_scheduler_is_told_by_what_shows_it_and_a_stock_one_is_not() {
        let (_root, stock) = made(
            "/proc/cmdline sched_verbose mitigations=off\n\
             /proc/sys/kernel/sched_rt_period_us 1000000\n\
             /sys/kernel/sched_ext/state disabled",
        );
        assert_eq!(other_scheduler(&stock), None);
        let (_root, other) = made(
            "/proc/cmdline sched_pack=15\n/proc/sys/kernel/sched_bore 1\n\
             /sys/kernel/sched_ext/state enabled\n/sys/kernel/sched_ext/root/ops rusty_1.0",
        );
        assert_eq!(other_scheduler(&other).as_deref(), Some("rusty_1.0, sched_bore, sched_pack"));
    }
}
