//! The names of quantities, and the unit in which each is measured.

use crate::Unit;

/// Prefixes of quantity names, by unit. An entry that doesn't end in a space must match the whole
/// name.
const QUANTITIES: [(Unit, &[&str]); 4] = [
    (
        Unit::Nanoseconds,
        &[
            "time per ",
            "time to ",
            "total time",
            "CPU time per ",
            "user CPU time per ",
            "system CPU time per ",
            "makespan",
            "work for a tenth of overhead",
            "lateness ",
            "latency ",
            "waiting time ",
            "wake-up",
            "recorded time",
            "extrapolated time",
            "unrecorded time",
        ],
    ),
    (Unit::PerSecond, &["throughput", "capacity"]),
    (
        Unit::Bytes,
        &[
            "bytes per ",
            "resident memory per ",
            "virtual memory per ",
            "kernel memory per ",
            "page tables per ",
            "kernel stacks per ",
            "slab per ",
            "touched stack per ",
        ],
    ),
    (
        Unit::One,
        &[
            "allocations per ",
            "system calls per ",
            "read calls per ",
            "write calls per ",
            "epoll_wait calls per ",
            "futex calls per ",
            "io_uring_enter calls per ",
            "sched_yield calls per ",
            "epoll instances",
            "io_uring instances",
            "context switches per ",
            "interrupts per ",
            "interrupts between cores per ",
            "reschedule interrupts per ",
            "function-call interrupts per ",
            "halts per ",
            "idle polls per ",
            "migrations per ",
            "page faults per ",
            "moves per ",
            "polls per ",
            "steals per ",
            "steal operations per ",
            "memory references per ",
            "cache misses per ",
            "utilisation",
            SHARE,
            "share of ",
            "CPU share of ",
            "ratio",
            "ratio of ",
            "reached",
            "operations ",
            "room for ",
        ],
    ),
];

fn known() -> impl Iterator<Item = (Unit, &'static str)> {
    QUANTITIES.into_iter().flat_map(|(unit, names)| names.iter().map(move |name| (unit, *name)))
}

/// Returns the unit of a quantity. It is determined by the beginning of the quantity's name.
pub fn unit_of(quantity: &str) -> Result<Unit, String> {
    let is_it = |(_, name): &(Unit, &str)| match quantity.strip_prefix(name) {
        Some(rest) if name.ends_with(' ') => !rest.trim().is_empty(),
        rest => rest == Some(""),
    };
    known().find(is_it).map(|(unit, _)| unit).ok_or_else(|| {
        let names: Vec<String> =
            known().map(|(_, name)| format!("{:?}", name.trim_end())).collect();
        format!(
            "quantity {quantity:?} is not known: one begins with one of {}; a new kind is added in \
             crates/measurement/src/quantity.rs",
            names.join(", ")
        )
    })
}

/// The name of a quantity that is a share: a part of a whole, or the relative difference of two
/// figures.
pub(crate) const SHARE: &str = "share";

/// Returns whether a quantity is a share, to be shown as a percentage.
pub fn is_share(quantity: &str) -> bool {
    quantity == SHARE || is_part(quantity)
}

/// Returns whether a quantity is a part of a whole: a `share of` something, or the utilisation of
/// workers.
pub(crate) fn is_part(quantity: &str) -> bool {
    quantity.starts_with("share of ") || quantity == "utilisation"
}
